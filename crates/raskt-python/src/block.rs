//! Python functions as tasks over values.

use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use raskt_store::Family;
use raskt_value::Value;
use raskt_value::wire::WireForm;
use serde::Serialize;
use std::sync::Arc;

/// A Python function that a collection applies to blocks or partitions, conversions included.
///
/// It is the body of an op of kind `Python` (as [`PythonOp`]); the runner calls it with the interpreter held.
pub(crate) trait PythonBlock: Send + Sync + 'static {
    /// Computes task `index` of the layer from the results of its inputs.
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value>;

    /// What it is called in messages.
    fn name(&self) -> String;

    /// Whether its tasks run others' work, and tell observers of it in place of themselves.
    fn tells_itself(&self) -> bool {
        false
    }

    /// The same function without results that a store keeps, if it holds any: to run, it gets them as inputs.
    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let _ = py;
        Ok(None)
    }

    /// What each of its tasks gives, if they only give what is there already.
    fn given(&self) -> Option<&[Value]> {
        None
    }

    /// Whether what is large in its function may be taken out of it when it travels, and be read by its tasks: a function that is one
    /// pickle for all of them.
    fn has_data_apart(&self) -> bool {
        false
    }

    /// What it is when it travels to another process.
    ///
    /// # Errors
    /// If it can't, with its name.
    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let _ = py;
        Err(PyNotImplementedError::new_err(format!(
            "`{}` can't run in another process yet; scheduler=\"threads\" runs it",
            self.name()
        )))
    }

    /// What its calls are known by, if each is known by itself.
    fn calls(&self) -> Option<Vec<ToldCall>> {
        None
    }

    /// The same function for some of its tasks alone, in this order.
    fn some_calls(&self, tasks: &[u64]) -> Option<Arc<dyn PythonBlock>> {
        let _ = tasks;
        None
    }

    /// What else gives results of about the size of task `index`'s: what calls the same function. By default all of its layer's name.
    fn family(&self, index: u64) -> Option<Family> {
        let _ = index;
        None
    }

    /// The key of task `index` as people see it; by default its layer's name and its position.
    fn key(&self, index: u64) -> Option<String> {
        let _ = index;
        None
    }
}

/// What tells a call from others, apart from what it reads.
pub(crate) struct ToldCall {
    /// Nothing if it gives what it reads.
    pub identity: Option<u128>,
    /// Whether the last thing that it reads are arguments of several calls, and says nothing.
    pub is_bundled: bool,
}

/// What something is when it travels; an error that says why it doesn't if it would be too large.
pub(crate) fn wire_form(tag: &str, version: u16, form: &impl Serialize) -> PyResult<WireForm> {
    WireForm::try_of(tag, version, form).map_err(|why| {
        PyNotImplementedError::new_err(format!("it can't run in another process: {why}; scheduler=\"threads\" runs it"))
    })
}

/// What task `index` has of its own: a layer that has come from elsewhere may have more tasks.
pub(crate) fn own<T>(all: &[T], index: u64) -> PyResult<&T> {
    let found = usize::try_from(index).ok().and_then(|at| all.get(at));
    found.ok_or_else(|| PyValueError::new_err(format!("there is no task {index}, but {}", all.len())))
}

/// What a task reads in place `at`.
pub(crate) fn input(inputs: &[Value], at: usize) -> PyResult<&Value> {
    inputs.get(at).ok_or_else(|| PyValueError::new_err(format!("there is no input {at}")))
}

/// The body of an op that runs a [`PythonBlock`].
pub(crate) struct PythonOp(pub Arc<dyn PythonBlock>);
