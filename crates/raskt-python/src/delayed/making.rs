//! What `raskt.delayed` and its neighbours do once Python has sorted out their arguments.

use super::{Argument, Delayed, Extra, Node, Work};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// The results of a delayed call that gives several, one by one.
#[pyclass(module = "raskt.delayed")]
pub(crate) struct DelayedIterator {
    pub(super) of: Arc<Node>,
    pub(super) next: usize,
    pub(super) length: usize,
}

#[pymethods]
impl DelayedIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Delayed>> {
        if self.next >= self.length {
            return Ok(None);
        }
        let index = self.next.into_pyobject(py)?;
        self.next += 1;
        Delayed { node: self.of.clone() }.operator(py, "getitem", &[index.as_any()]).map(Some)
    }
}

/// A delayed object around `obj`. If it is `pure`, so are calls of it, and equal objects are one.
#[pyfunction]
#[pyo3(signature = (obj, name=None, nout=None, traverse=true, pure=None))]
pub(crate) fn make_delayed(
    obj: &Bound<'_, PyAny>,
    name: Option<String>,
    nout: Option<isize>,
    traverse: bool,
    pure: Option<bool>,
) -> PyResult<Delayed> {
    let outputs = match nout {
        None => None,
        Some(nout) => Some(usize::try_from(nout).map_err(|_| {
            PyValueError::new_err(format!(
                "nout is {nout}; it says how many results a call gives, and can't be negative"
            ))
        })?),
    };
    match Argument::new(obj, traverse)? {
        Argument::Node(node) if name.is_none() && outputs.is_none() => Ok(Delayed { node }),
        argument => {
            let extra = Extra { key: name, outputs, calls_are_pure: pure, ..Extra::here(obj.py())? };
            Ok(Delayed { node: Node::made(Work::Give(argument), extra, pure == Some(true)) })
        }
    }
}

/// Calls `function`, which another call gave.
#[pyfunction]
#[pyo3(signature = (function, /, *args, **kwargs))]
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    function.call(args, kwargs)
}

/// The block or partition `index` of a collection, delayed.
#[pyfunction]
pub(crate) fn delayed_block(collection: &Bound<'_, PyAny>, index: u64) -> Delayed {
    Delayed { node: Node::new(Work::Block { collection: collection.clone().unbind(), index }) }
}

/// A call under the identity `token` (16 bytes): calls with equal ones are one task.
#[pyfunction]
#[pyo3(signature = (function, args, key, token))]
pub(crate) fn delayed_task(
    function: &Bound<'_, PyAny>,
    args: Vec<Bound<'_, PyAny>>,
    key: String,
    token: [u8; 16],
) -> PyResult<Delayed> {
    let positional = args.iter().map(|argument| Argument::new(argument, false)).collect::<PyResult<_>>()?;
    let work = Work::call(function.clone().unbind(), positional, vec![]);
    let extra = Extra { key: Some(key), ..Extra::here(function.py())? };
    Ok(Delayed { node: Node::identified(work, extra, u128::from_le_bytes(token)) })
}

/// A delayed object that gives what `value` gives, or is, once everything in `after` is done.
#[pyfunction]
pub(crate) fn delayed_after(value: &Bound<'_, PyAny>, after: Vec<PyRef<'_, Delayed>>) -> PyResult<Delayed> {
    let after = after.iter().map(|delayed| delayed.node.clone()).collect();
    let extra = Extra { after, ..Extra::here(value.py())? };
    Ok(Delayed { node: Node::made(Work::Give(Argument::new(value, false)?), extra, false) })
}
