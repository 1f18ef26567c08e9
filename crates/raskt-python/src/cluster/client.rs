//! This process as a client of a cluster.

use super::face::PythonFace;
use super::opened::{Credentials, address, open};
use pyo3::exceptions::{PyConnectionError, PyTimeoutError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_cluster::hello::Role;
use raskt_cluster::{Client, ConnectError, WorkerInfo};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A client of a cluster.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct ClusterClient {
    client: Arc<Client>,
}

/// How long signals wait at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

#[pymethods]
impl ClusterClient {
    /// Connects with the scheduler, and waits for it `patience` seconds at most.
    #[new]
    fn new(
        py: Python<'_>,
        scheduler: &str,
        listen: &str,
        credentials: Credentials,
        name: &str,
        patience: f64,
    ) -> PyResult<Self> {
        let (scheduler, listen) = (address(scheduler)?, address(listen)?);
        let network = open(py, Role::Client, name, &credentials)?;
        let patience = Duration::from_secs_f64(patience);
        let connect = || Client::connect(network, &scheduler, &listen, Arc::new(PythonFace), patience);
        let client = py.detach(connect).map_err(|error| match error {
            ConnectError::Unreached { .. } => PyConnectionError::new_err(error.to_string()),
            ConnectError::Listen(_) | ConnectError::Io(_) => super::opened::refused(error),
        })?;
        Ok(Self { client: Arc::new(client) })
    }

    /// The workers that are there: a dict for each.
    fn workers<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.client.workers().iter().map(|worker| described(py, worker)).collect()
    }

    /// Waits until there are `count` workers.
    #[pyo3(signature = (count, timeout=None))]
    fn wait_for_workers(&self, py: Python<'_>, count: usize, timeout: Option<f64>) -> PyResult<()> {
        let deadline = timeout.map(|timeout| Instant::now() + Duration::from_secs_f64(timeout.max(0.0)));
        loop {
            let left = deadline.map_or(HEARTBEAT, |deadline| deadline.saturating_duration_since(Instant::now()));
            if py.detach(|| self.client.wait_for_workers(count, left.min(HEARTBEAT))) {
                return Ok(());
            }
            py.check_signals()?;
            self.check()?;
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let (there, timeout) = (self.client.workers().len(), timeout.unwrap_or_default());
                let message = format!("{there} of {count} workers were there after {timeout} s");
                return Err(PyTimeoutError::new_err(message));
            }
        }
    }

    /// Why the cluster is out of reach for good, or None.
    fn lost(&self) -> Option<String> {
        self.client.lost()
    }

    /// Leaves the cluster; what was said has `patience` seconds to arrive.
    fn close(&self, py: Python<'_>, patience: f64) {
        py.detach(|| self.client.close(Duration::from_secs_f64(patience)));
    }
}

impl ClusterClient {
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// An error if the cluster is out of reach for good.
    pub fn check(&self) -> PyResult<()> {
        self.client.lost().map_or(Ok(()), |why| Err(PyConnectionError::new_err(why)))
    }
}

fn described<'py>(py: Python<'py>, worker: &WorkerInfo) -> PyResult<Bound<'py, PyDict>> {
    let WorkerInfo { worker: id, name, addresses, slots, memory } = worker;
    let about = PyDict::new(py);
    about.set_item("id", id.0)?;
    about.set_item("name", name)?;
    about.set_item("addresses", addresses)?;
    about.set_item("nthreads", slots)?;
    about.set_item("memory_limit", memory)?;
    Ok(about)
}
