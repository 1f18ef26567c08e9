//! How calls are made, and where they find what they read.

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
