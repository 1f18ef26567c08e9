//! Questions and orders to the scheduler, and its answers: as texts of JSON, which `raskt.distributed` writes and reads.

use super::ClusterClient;
use super::running::from_cluster_error;
use super::waiting::{timeout_of, waited_for};
use crate::ending::Outside;
use pyo3::exceptions::{PyTimeoutError, PyValueError};
use pyo3::prelude::*;
use raskt_cluster::{ClusterError, Question};

#[pymethods]
impl ClusterClient {
    /// Asks the scheduler, and waits `timeout` seconds at most for the answer.
    #[pyo3(signature = (question, timeout=None))]
    fn ask(&self, py: Python<'_>, question: &str, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.check()?;
        let malformed = |error| PyValueError::new_err(format!("{question:?} is no question: {error}"));
        let question: Question = serde_json::from_str(question).map_err(malformed)?;
        let timeout = timeout_of(timeout)?;
        let asked = py.outside(|| self.client().question(question)).map_err(|error| from_cluster_error(py, &error))?;
        let look = |deadline| match asked.answer(deadline) {
            Err(ClusterError::TimedOut) => None,
            answer => Some(answer),
        };
        let Some(answer) = waited_for(py, timeout, look)? else {
            return Err(PyTimeoutError::new_err("the scheduler didn't answer in the time that was given"));
        };
        let answer = answer.map_err(|error| from_cluster_error(py, &error))?;
        serde_json::to_string(&answer).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
