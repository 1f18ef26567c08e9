//! How a function that a collection applies to its blocks finds its way to a process.

use super::session::{Results, Session};
use crate::ending::Outside;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;

thread_local! {
    /// Where the function of the task that this thread runs is to be called; nothing means here.
    static ROUTE: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// While it lives, functions that [`call`] gets on this thread run in a process.
pub(super) struct Route(Option<Session>);

impl Route {
    pub fn to(session: Session) -> Self {
        Self(ROUTE.replace(Some(session)))
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        ROUTE.set(self.0.take());
    }
}

/// Whether [`call`] sends what it gets on this thread to a process.
pub(crate) fn is_away() -> bool {
    ROUTE.with_borrow(Option::is_some)
}

/// Calls a user's function on a block or a partition: in a worker process if that is where Python runs, else here.
pub(crate) fn call<'py>(
    py: Python<'py>,
    function: &Py<PyAny>,
    arguments: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(session) = ROUTE.with_borrow(Option::clone) else { return function.bind(py).call1(arguments) };
    if stays(function.bind(py))? {
        return function.bind(py).call1(arguments);
    }
    let nothing = pyo3::types::PyDict::new(py).into_any();
    let call = PyTuple::new(py, [function.bind(py).clone(), arguments.into_any(), nothing])?.into_any().unbind();
    let mut results = Results::default();
    py.outside(|| session.make(&[call], &mut results))?;
    let result = results.objects.pop().expect("a call without an error has a result");
    Ok(result.into_bound(py))
}

/// Whether a function says that it belongs to this process: it writes to its memory, or holds an open file.
fn stays(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mark = function.getattr_opt(pyo3::intern!(function.py(), "__raskt_stays__"))?;
    mark.map_or(Ok(false), |mark| mark.is_truthy())
}
