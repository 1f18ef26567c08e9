//! Waits that another thread ends: of whoever awaits them in a loop of asyncio, and is cancelled.

use super::running::cancelled_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What ends the waits of this thread.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Ends what waits in another thread.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ClusterStop(Arc<AtomicBool>);

#[pymethods]
impl ClusterStop {
    #[new]
    fn new() -> Self {
        Self(Arc::default())
    }

    /// What waits with it waits no longer, and gives back what it is given.
    fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Calls `function(*args, **kwargs)`; this ends whatever that waits for in this thread.
    #[pyo3(signature = (function, *args, **kwargs))]
    fn call<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outer = STOP.replace(Some(self.0.clone()));
        let result = function.call(args, kwargs);
        STOP.set(outer);
        result
    }
}

impl ClusterStop {
    pub(super) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An error if whoever waits for what this thread waits for waits no longer.
pub(crate) fn check_stopped(py: Python<'_>) -> PyResult<()> {
    let is_stopped = STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)));
    if is_stopped { Err(stopped(py)) } else { Ok(()) }
}

pub(super) fn stopped(py: Python<'_>) -> PyErr {
    cancelled_error(py, "whoever waited for it waits no longer".into())
}
