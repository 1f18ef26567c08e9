//! Waits that another thread ends: of whoever awaits them in a loop of asyncio, and is cancelled.

use super::running::cancelled_error;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// What ends the waits of this thread: the last.
    static STOPS: RefCell<Vec<Arc<AtomicBool>>> = const { RefCell::new(vec![]) };
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

    /// From now on this ends whatever this thread waits for. What it calls meanwhile isn't called from here: the interpreter may end it.
    fn __enter__(&self) {
        STOPS.with_borrow_mut(|stops| stops.push(self.0.clone()));
    }

    #[pyo3(signature = (*_what))]
    fn __exit__(&self, _what: &Bound<'_, PyTuple>) {
        STOPS.with_borrow_mut(|stops| drop(stops.pop()));
    }
}

impl ClusterStop {
    pub(super) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An error if whoever waits for what this thread waits for waits no longer.
pub(crate) fn check_stopped(py: Python<'_>) -> PyResult<()> {
    let is_stopped = STOPS.with_borrow(|stops| stops.last().is_some_and(|stop| stop.load(Ordering::Relaxed)));
    if is_stopped { Err(stopped(py)) } else { Ok(()) }
}

pub(super) fn stopped(py: Python<'_>) -> PyErr {
    cancelled_error(py, "whoever waited for it waits no longer".into())
}
