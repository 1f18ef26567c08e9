//! Variables, queues and datasets: values, and results that they refer to.

use super::ClusterCoordination;
use super::asking::{nanoseconds, unexpected};
use super::references::ClusterReferences;
use crate::cluster::ClusterClient;
use crate::cluster::stopping::ClusterStop;
use crate::ending::Outside;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_cluster::coordination::{Answer, Bytes, Reply, Request, Value};
use raskt_sync::Mutex;

/// Values that were given. Until it is said that they have arrived they can go back to where they were.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ClusterValues {
    values: Vec<Value>,
    /// Nothing once they have arrived.
    answer: Mutex<Option<Answer>>,
}

#[pymethods]
impl ClusterValues {
    /// A pickle.
    fn pickle<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.value(index)?.bytes.0))
    }

    /// Whether any of them refers to results.
    fn refers(&self) -> bool {
        self.values.iter().any(|value| !value.results.is_empty())
    }

    /// What all of them refer to, taken up by a client.
    fn references(&self, py: Python<'_>, client: &Bound<'_, ClusterClient>) -> PyResult<ClusterReferences> {
        let results: Vec<_> = self.values.iter().flat_map(|value| value.results.iter().copied()).collect();
        ClusterReferences::taken_up(py, client.get(), &results)
    }

    /// They have arrived.
    fn taken(&self, py: Python<'_>) {
        let answer = self.answer.lock().take();
        py.outside(|| drop(answer));
    }

    /// They go back to where they were.
    fn give_back(&self, py: Python<'_>) {
        let answer = self.answer.lock().take();
        py.outside(|| answer.into_iter().for_each(Answer::give_back));
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }
}

impl ClusterValues {
    fn of(answer: Answer) -> PyResult<Option<Self>> {
        match answer.reply() {
            Reply::Values { values, .. } => {
                let values = values.clone();
                Ok(Some(Self { values, answer: Mutex::new(Some(answer)) }))
            }
            Reply::TimedOut => Ok(None),
            other => Err(unexpected(other)),
        }
    }

    fn value(&self, index: usize) -> PyResult<&Value> {
        self.values.get(index).ok_or_else(|| PyIndexError::new_err(format!("{} values came", self.values.len())))
    }
}

impl Drop for ClusterValues {
    fn drop(&mut self) {
        // Whoever was to have them was interrupted.
        if let Some(answer) = self.answer.lock().take() {
            answer.give_back();
        }
    }
}

fn value(pickle: &[u8], references: Option<&ClusterReferences>) -> Value {
    let results = references.map(ClusterReferences::ranges).unwrap_or_default();
    Value { bytes: Bytes::from(pickle), results }
}

#[pymethods]
impl ClusterCoordination {
    /// Gives a variable a value.
    #[pyo3(signature = (name, pickle, references=None))]
    fn set_variable(
        &self,
        py: Python<'_>,
        name: &str,
        pickle: &[u8],
        references: Option<&ClusterReferences>,
    ) -> PyResult<()> {
        self.reply(py, Request::SetVariable { name: name.into(), value: value(pickle, references) }).map(drop)
    }

    /// Waits for the value of a variable; None if the time is over.
    #[pyo3(signature = (name, timeout=None, stop=None))]
    fn get_variable(
        &self,
        py: Python<'_>,
        name: &str,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<Option<ClusterValues>> {
        let timeout = nanoseconds(timeout.as_ref())?;
        ClusterValues::of(self.ask(py, Request::GetVariable { name: name.into(), timeout }, stop)?)
    }

    /// Forgets a variable.
    fn delete_variable(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.reply(py, Request::DeleteVariable { name: name.into() }).map(drop)
    }

    /// Says how many items a queue may have; None takes what others say.
    #[pyo3(signature = (name, size=None))]
    fn open_queue(&self, py: Python<'_>, name: &str, size: Option<u64>) -> PyResult<()> {
        self.reply(py, Request::OpenQueue { name: name.into(), size }).map(drop)
    }

    /// Puts an item at the end of a queue; says whether there was room in time.
    #[pyo3(signature = (name, pickle, references=None, timeout=None, stop=None))]
    fn put(
        &self,
        py: Python<'_>,
        name: &str,
        pickle: &[u8],
        references: Option<&ClusterReferences>,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<bool> {
        let timeout = nanoseconds(timeout.as_ref())?;
        let request = Request::Put { name: name.into(), value: value(pickle, references), timeout };
        self.in_time(py, request, stop)
    }

    /// Waits for the first `count` items of a queue; None if the time is over.
    #[pyo3(signature = (name, count, timeout=None, stop=None))]
    fn get(
        &self,
        py: Python<'_>,
        name: &str,
        count: u64,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<Option<ClusterValues>> {
        let timeout = nanoseconds(timeout.as_ref())?;
        ClusterValues::of(self.ask(py, Request::GetMany { name: name.into(), count, timeout }, stop)?)
    }

    /// What a queue has now, as far as it fits in one answer.
    fn get_all(&self, py: Python<'_>, name: &str) -> PyResult<Option<ClusterValues>> {
        ClusterValues::of(self.ask(py, Request::GetAll { name: name.into() }, None)?)
    }

    /// How many items a queue has.
    fn queue_size(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        self.number(py, Request::QueueSize { name: name.into() })
    }

    /// Forgets a queue with what is in it.
    fn close_queue(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.reply(py, Request::CloseQueue { name: name.into() }).map(drop)
    }

    /// Publishes a dataset.
    #[pyo3(signature = (name, pickle, references, replace))]
    fn publish(
        &self,
        py: Python<'_>,
        name: &str,
        pickle: &[u8],
        references: Option<&ClusterReferences>,
        replace: bool,
    ) -> PyResult<()> {
        let value = value(pickle, references);
        self.reply(py, Request::PublishDataset { name: name.into(), value, replace }).map(drop)
    }

    /// A dataset.
    fn dataset(&self, py: Python<'_>, name: &str) -> PyResult<Option<ClusterValues>> {
        ClusterValues::of(self.ask(py, Request::GetDataset { name: name.into() }, None)?)
    }

    /// Forgets a dataset; says whether there was one.
    fn unpublish(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.flag(py, Request::UnpublishDataset { name: name.into() })
    }
}
