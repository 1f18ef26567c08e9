use super::Task;
use super::wait::{Until, wait_for};
use crate::cluster::held_node;
use crate::delayed::{Node, Work};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{PyTraverseError, PyVisit};
use raskt_sync::Mutex;
use std::sync::Arc;

/// A handle on the result of a call that was submitted. Made by `raskt.futures.submit`.
///
/// It may stand among the arguments of further calls, before it is done. When the last handle goes, so does the result;
/// a call that hasn't begun by then, and that no other call reads, isn't made.
#[pyclass(frozen, weakref, module = "raskt.futures")]
pub(crate) struct Future {
    task: Mutex<Arc<Task>>,
}

#[pymethods]
impl Future {
    /// The name of the call in messages.
    #[getter]
    fn key(&self, py: Python<'_>) -> String {
        self.task().key(py)
    }

    /// "pending", "finished", "error" or "cancelled".
    #[getter]
    fn status(&self) -> &'static str {
        self.task().status()
    }

    /// The name of the type of the result, or None before there is one.
    #[getter]
    fn r#type(&self, py: Python<'_>) -> Option<String> {
        self.task().result_type(py)
    }

    /// Whether it is over: finished, failed or cancelled.
    fn done(&self) -> bool {
        self.task().is_done()
    }

    /// Whether a thread makes the call now.
    fn running(&self) -> bool {
        self.task().is_running()
    }

    /// Whether it was cancelled.
    fn cancelled(&self) -> bool {
        self.task().is_cancelled()
    }

    /// Cancels the call, and all that read it; says whether it wasn't over before.
    ///
    /// A function that runs already isn't stopped; its result counts for nothing.
    #[pyo3(signature = (reason=None))]
    fn cancel(&self, py: Python<'_>, reason: Option<String>) -> bool {
        self.task().cancel(py, reason.unwrap_or_else(|| "somebody called `cancel`".to_owned()))
    }

    /// Lets go of the result, as if this handle were gone: it counts as cancelled from now on. Other handles, and calls
    /// that read it, keep what they need.
    fn release(&self, py: Python<'_>) {
        let released = self.task().released(py);
        let task = std::mem::replace(&mut *self.task.lock(), released);
        drop(task);
    }

    /// Makes the call again if it has failed, and those before it whose failure was the reason.
    fn retry(&self, py: Python<'_>) {
        self.task().retry(py);
    }

    /// Waits for the result, `timeout` seconds at most; raises what the call raised.
    #[pyo3(signature = (timeout=None))]
    fn result(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Py<PyAny>> {
        self.wait(py, timeout)?;
        self.task().result(py)
    }

    /// Waits for the end, `timeout` seconds at most, and gives what the call raised; None if it returned.
    #[pyo3(signature = (timeout=None))]
    fn exception(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Py<PyAny>>> {
        self.wait(py, timeout)?;
        Ok(self.task().error(py)?.map(|error| error.into_value(py).into_any()))
    }

    /// The traceback of what the call raised; None if it returned.
    #[pyo3(signature = (timeout=None))]
    fn traceback(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<Py<PyAny>>> {
        self.wait(py, timeout)?;
        let traceback = self.task().error(py)?.and_then(|error| error.traceback(py));
        Ok(traceback.map(|traceback| traceback.unbind().into_any()))
    }

    /// Calls `function` with this future when it is done, in the thread that ends it; at once if it is done already.
    fn add_done_callback(slf: Bound<'_, Self>, function: &Bound<'_, PyAny>) -> PyResult<()> {
        if !function.is_callable() {
            return Err(PyTypeError::new_err(format!("a callback is called with the future; {function:?} can't be")));
        }
        slf.get().task().add_callback(function.py(), function.clone().unbind(), slf.unbind());
        Ok(())
    }

    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let awaiting = slf.py().import("raskt.futures._awaiting")?.getattr("awaiting")?;
        awaiting.call1((slf,))?.call_method0("__await__")
    }

    fn __hash__(&self) -> u64 {
        self.task().id
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast_exact::<Self>().is_ok_and(|other| other.get().task().id == self.task().id)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let kind = self.task().result_type(py).map(|kind| format!(", type: {kind}")).unwrap_or_default();
        format!("<Future: {}{kind}, key: {}>", self.task().status(), self.task().key(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // What several handles share must not be counted for each of them.
        match self.task.try_lock() {
            Some(task) if Arc::strong_count(&task) == 1 => task.traverse(&visit),
            _ => Ok(()),
        }
    }

    fn __clear__(&self) {
        let task = self.task();
        // The other count is that of the handle.
        if Arc::strong_count(&task) == 2 {
            task.clear();
        }
    }

    /// `Future[int]` in annotations.
    #[classmethod]
    fn __class_getitem__(cls: &Bound<'_, PyType>, _item: &Bound<'_, PyAny>) -> Py<PyType> {
        cls.clone().unbind()
    }
}

impl Future {
    pub fn of(task: Arc<Task>) -> Self {
        Self { task: Mutex::new(task) }
    }

    pub fn task(&self) -> Arc<Task> {
        self.task.lock().clone()
    }

    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<()> {
        let task = self.task();
        if task.is_done() || wait_for(py, std::slice::from_ref(&task), Until::All, timeout)? {
            return Ok(());
        }
        let message = format!("future `{}` isn't done after {} s", self.task().key(py), timeout.unwrap_or_default());
        Err(timeout_error(py, message)?)
    }
}

/// The error of a wait that took too long. It is Python's own `TimeoutError` from Python 3.11 on.
pub(crate) fn timeout_error(py: Python<'_>, message: String) -> PyResult<PyErr> {
    let class = py.import("concurrent.futures")?.getattr("TimeoutError")?;
    Ok(PyErr::from_value(class.call1((message,))?))
}

/// A future among the arguments of a delayed call: the call that waits for it. Nothing for any other object.
pub(crate) fn future_node(object: &Bound<'_, PyAny>) -> PyResult<Arc<Node>> {
    if let Some(node) = held_node(object)? {
        return Ok(node);
    }
    let future = object.cast_exact::<Future>()?;
    let (py, task) = (object.py(), future.get().task());
    if let Some(node) = task.node.lock().upgrade() {
        return Ok(node);
    }
    let call = Work::call(future.getattr("result")?.unbind(), vec![], vec![]);
    let node = Node::with(call, Some(task.key(py)), None);
    *task.node.lock() = Arc::downgrade(&node);
    Ok(node)
}
