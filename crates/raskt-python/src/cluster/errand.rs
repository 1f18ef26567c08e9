//! What workers of a cluster do beside their tasks, for whoever has asked for it.

use super::ClusterClient;
use super::running::from_cluster_error;
use super::waiting::{timeout_of, waited_for};
use crate::ending::{Outside, attached, calling};
use crate::error::{from_task_error, to_task_error};
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_cluster::{Client, ClusterError, ErrandCall, SentErrand};
use raskt_futures::{linger, names};
use raskt_schedule::WorkerId;
use raskt_value::{ErrorKind, TaskError};
use std::sync::Arc;

/// An errand that was sent.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterErrand {
    errand: SentErrand,
    client: Arc<Client>,
}

/// A worker, what it gives, and what it raised instead.
type Given<'py> = (u32, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl ClusterErrand {
    /// Whether nothing more comes.
    fn done(&self) -> bool {
        self.errand.is_over()
    }

    /// What the next workers have given, as it comes; nothing after the last.
    #[pyo3(signature = (timeout=None))]
    fn next<'py>(&self, py: Python<'py>, timeout: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<Given<'py>>> {
        let look = |deadline| match self.errand.next(deadline) {
            Err(ClusterError::TimedOut) => None,
            given => Some(given),
        };
        let Some(given) = waited_for(py, timeout_of(timeout)?, look)? else {
            return Err(PyTimeoutError::new_err("workers didn't answer in the time that was given"));
        };
        let given = given.map_err(|error| from_cluster_error(py, &error))?;
        let given = given.into_iter().map(|(WorkerId(worker), given)| match given {
            Ok(bytes) => Ok((worker, Some(PyBytes::new(py, &bytes)), None)),
            Err(ClusterError::Task { error, .. }) => Ok((worker, None, Some(value(py, from_task_error(py, &error))))),
            Err(error) => Ok((worker, None, Some(value(py, from_cluster_error(py, &error))))),
        });
        given.collect()
    }

    /// Calls `fn()` once when nothing more comes, in a thread for callbacks.
    fn add_done_callback(&self, py: Python<'_>, r#fn: Py<PyAny>) {
        let call = move || {
            calling(|py| super::called_back(r#fn.bind(py), ()));
        };
        py.outside(|| self.client.on_errand_over(&self.errand, Box::new(call)));
    }
}

fn value(py: Python<'_>, error: PyErr) -> Bound<'_, PyAny> {
    error.into_value(py).into_bound(py).into_any()
}

#[pymethods]
impl ClusterClient {
    /// Has each of the workers with these numbers do what the bytes say, which `raskt._process.errands` has written.
    fn errand(&self, py: Python<'_>, workers: Vec<u32>, data: &[u8]) -> PyResult<ClusterErrand> {
        self.check()?;
        let client = self.client().clone();
        let workers = workers.into_iter().map(WorkerId).collect();
        let data = data.to_vec();
        let errand =
            py.outside(|| client.errand(workers, data.into())).map_err(|error| from_cluster_error(py, &error))?;
        Ok(ClusterErrand { errand, client })
    }
}

/// Does an errand in this process.
pub(super) fn perform(call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
    let performed = attached(|py| {
        let perform = || {
            let module = py.import("raskt._process.errands")?;
            module.call_method1("perform", (PyBytes::new(py, call.bytes), call.worker.0))?.extract()
        };
        let (given, futures) = names::noting(perform).map_err(|error: PyErr| to_task_error(py, error))?;
        // Whoever has asked for it holds them once it is read there.
        linger(futures);
        Ok(given)
    });
    performed.unwrap_or_else(|| Err(TaskError::new(ErrorKind::Cancelled, "the interpreter has ended")))
}
