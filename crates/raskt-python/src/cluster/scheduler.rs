//! A scheduler in this process: threads of its own that never take the interpreter.

use super::opened::{Credentials, address, open, refused};
use pyo3::prelude::*;
use raskt_cluster::SchedulerServer;
use raskt_cluster::hello::Role;
use std::time::Duration;

/// A scheduler that listens.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterScheduler(SchedulerServer);

#[pymethods]
impl ClusterScheduler {
    #[new]
    fn new(py: Python<'_>, listen: &str, credentials: Credentials) -> PyResult<Self> {
        let listen = address(listen)?;
        let network = open(py, Role::Scheduler, "scheduler", &credentials)?;
        py.detach(|| SchedulerServer::start(network, &listen)).map(Self).map_err(refused)
    }

    /// Where it listens.
    #[getter]
    fn address(&self) -> String {
        self.0.address().to_string()
    }

    /// Tells workers to leave, and ends all sessions; what was said has `patience` seconds to arrive.
    fn shut_down(&self, py: Python<'_>, patience: f64) {
        py.detach(|| self.0.shut_down(Duration::from_secs_f64(patience)));
    }
}
