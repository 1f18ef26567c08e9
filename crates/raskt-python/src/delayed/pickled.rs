//! How delayed objects are pickled.

use super::{Argument, Delayed, Extra, Node, Work, lower_nodes};
use crate::travel::{self, CollectionForm, Data};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_graph::GraphBuilder;
use std::sync::Arc;

/// What is pickled of a delayed object: the function that reads it, and what that gets.
///
/// An object that is only given (a delayed function, say) is pickled itself. A call is pickled with all that it reads, as the graph
/// that is computed for it: what is read is one call of that. The key stays what it is.
pub(super) fn reduce<'py>(py: Python<'py>, node: &Arc<Node>) -> PyResult<Bound<'py, PyAny>> {
    let extra = node.extra.as_deref();
    let said = (
        node.key(py),
        node.outputs(),
        extra.and_then(|extra| extra.calls_are_pure),
        node.is_pure(),
        extra.is_some_and(|extra| extra.key.is_some()),
    );
    let core = py.import("raskt._core")?;
    if let Work::Give(Argument::Object(object)) = &node.work
        && node.after().is_empty()
    {
        return Ok((core.getattr("_delayed_of")?, (object.bind(py), said)).into_pyobject(py)?.into_any());
    }
    let mut graph = GraphBuilder::for_travel();
    let task = lower_nodes(py, &[node], &mut graph, false)?[0];
    let (_, (written, given)) = travel::reduce_layer(py, &graph.finish(), task.layer, CollectionForm::Objects)?;
    let call = (written, given, task.index, said);
    Ok((core.getattr("_delayed_call_of")?, call).into_pyobject(py)?.into_any())
}

/// What is said of a delayed object: its key, how many results it gives, whether calls of it are pure, whether it is itself, and whether
/// the user gave it that key.
type Said = (String, Option<usize>, Option<bool>, bool, bool);

/// The delayed object that was pickled and only gives `object`.
#[pyfunction]
pub(super) fn _delayed_of(object: &Bound<'_, PyAny>, said: Said) -> Delayed {
    let (key, outputs, calls_are_pure, is_pure, is_named) = said;
    // An object tells by itself what it is, if it is pure.
    let extra = Extra { key: is_named.then_some(key), outputs, calls_are_pure, ..Extra::default() };
    Delayed { node: Node::made(Work::Give(Argument::Object(object.clone().unbind())), extra, is_pure) }
}

/// The delayed object that was pickled as the task `index` of a graph.
#[pyfunction]
pub(super) fn _delayed_call_of<'py>(
    py: Python<'py>,
    written: &Bound<'py, PyBytes>,
    given: Data,
    index: u64,
    said: Said,
) -> PyResult<Delayed> {
    let (key, outputs, calls_are_pure, ..) = said;
    let (collection, tasks) = travel::read(py, written, &given)?;
    if index >= tasks {
        return Err(PyValueError::new_err(format!(
            "what was unpickled is no call: there are {tasks}, and none is {index}"
        )));
    }
    let collection = collection.unbind();
    let extra = Extra { key: Some(key), outputs, calls_are_pure, ..Extra::default() };
    Ok(Delayed { node: Node::made(Work::Block { collection, index }, extra, false) })
}
