//! How calls are made, and where they find what they read.

use crate::processes;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Makes the calls of one task.
pub(super) struct Caller<'a, 'py> {
    pub py: Python<'py>,
    /// The context variables of whoever asked for the computation, if there are any.
    pub context: Option<&'a Bound<'py, PyAny>>,
    /// Gives what the task reads at a position of its reads.
    pub read: &'a dyn Fn(u32) -> PyResult<Bound<'py, PyAny>>,
}

impl<'a, 'py> Caller<'a, 'py> {
    /// The same, for a task within the task.
    pub fn reading<'b>(&'b self, read: &'b dyn Fn(u32) -> PyResult<Bound<'py, PyAny>>) -> Caller<'b, 'py>
    where
        'a: 'b,
    {
        Caller { py: self.py, context: self.context, read }
    }

    /// Calls a task of Dask with what it reads, in a worker process if that is where Python runs.
    pub fn run_node(&self, node: &Py<PyAny>, values: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let node = node.bind(py);
        if !processes::is_away() || takes_item(node)? {
            return self.call(node, PyTuple::new(py, [values])?, None);
        }
        let run = py.import("raskt.dask._sent")?.getattr("run")?;
        processes::call(py, &run.unbind(), PyTuple::new(py, [node.clone(), values.into_any()])?)
    }

    pub fn call(
        &self,
        function: &Bound<'py, PyAny>,
        positional: Bound<'py, PyTuple>,
        named: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(context) = self.context else { return function.call(positional, named.as_ref()) };
        // A context is entered by one call at a time, so that each gets its own; a copy takes the same time for any size.
        let own = context.call_method0(pyo3::intern!(self.py, "copy"))?;
        let arguments: Vec<_> = std::iter::once(function.clone()).chain(positional.iter()).collect();
        own.getattr(pyo3::intern!(self.py, "run"))?.call(PyTuple::new(self.py, arguments)?, named.as_ref())
    }
}

/// Whether a task takes an item of something, so that sending the whole would be the most of the work.
fn takes_item(node: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = node.py();
    let Some(function) = node.getattr_opt(pyo3::intern!(py, "func"))? else { return Ok(false) };
    Ok(function.is(py.import("operator")?.getattr("getitem")?))
}
