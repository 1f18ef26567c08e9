//! Results of clusters in graphs that run elsewhere: they are fetched before anything runs.

use super::HeldResult;
use super::client::check_process;
use super::current::is_used;
use super::running::from_cluster_error;
use super::waiting::while_interruptible;
use crate::block::PythonOp;
use crate::delayed::{Argument, Calls, Node, Work, python_object};
use crate::travel::given_objects;
use pyo3::prelude::*;
use raskt_futures::fetching;
use raskt_graph::{Graph, Op, OpBody};
use raskt_value::{Given, NativeOp, Value};
use std::sync::Arc;

/// The values, with what clusters hold fetched.
pub(crate) fn fetched(py: Python<'_>, mut values: Vec<Value>) -> PyResult<Vec<Value>> {
    let held: Vec<(usize, Arc<HeldResult>)> =
        values.iter().enumerate().filter_map(|(at, value)| Some((at, HeldResult::of(value)?))).collect();
    held.iter().try_for_each(|(_, held)| check_process(held.process()))?;
    // Those of one client at a time.
    for part in held.chunk_by(|a, b| Arc::ptr_eq(a.1.client(), b.1.client())) {
        let results: Vec<_> = part.iter().map(|(_, held)| held.clone()).collect();
        let first = results[0].clone();
        let mut fetching = fetching(&results);
        let came = while_interruptible(py, move |deadline| fetching.wait(deadline), || first.stalled())?;
        let came = came.map_err(|error| from_cluster_error(py, &error))?;
        part.iter().zip(came).for_each(|((at, _), value)| values[*at] = value);
    }
    Ok(values)
}

/// The graph as it can run in this process.
pub(crate) fn brought_here(py: Python<'_>, graph: &Arc<Graph>) -> PyResult<Arc<Graph>> {
    if !is_used() {
        return Ok(graph.clone());
    }
    let mut is_changed = false;
    let here = graph.with_ops(|op| {
        let body = body(py, op)?;
        is_changed |= body.is_some();
        Ok::<_, PyErr>(Op { body: body.unwrap_or_else(|| op.body.clone()), ..op.clone() })
    })?;
    Ok(if is_changed { Arc::new(here) } else { graph.clone() })
}

/// What takes the place of an op's body, if that gives what a cluster holds.
fn body(py: Python<'_>, op: &Op) -> PyResult<Option<OpBody>> {
    let holds = |values: &[Value]| values.iter().any(|value| HeldResult::of(value).is_some());
    if let Some(NativeOp(kernel)) = op.body.downcast_ref() {
        return match kernel.given().filter(|values| holds(values)) {
            Some(values) => Ok(Some(Arc::new(NativeOp(Arc::new(Given(fetched(py, values.to_vec())?.into())))))),
            None => Ok(None),
        };
    }
    if let Some(PythonOp(block)) = op.body.downcast_ref() {
        return match block.given().filter(|values| holds(values)) {
            Some(values) => Ok(Some(Arc::new(PythonOp(given_objects(fetched(py, values.to_vec())?))))),
            None => Ok(None),
        };
    }
    let Some(Calls(nodes)) = op.body.downcast_ref() else { return Ok(None) };
    let held = |node: &Arc<Node>| match &node.work {
        Work::Held(held) => Some(held.clone().value()),
        _ => None,
    };
    let values: Vec<Value> = nodes.iter().filter_map(held).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let mut came = fetched(py, values)?.into_iter();
    let mut here = Vec::with_capacity(nodes.len());
    for node in nodes {
        here.push(match (&node.work, node.key(py)) {
            (Work::Held(_), key) => {
                let object = python_object(py, &came.next().expect("one for each"))?.unbind();
                Node::with(Work::Give(Argument::Object(object)), Some(key), None)
            }
            _ => node.clone(),
        });
    }
    Ok(Some(Arc::new(Calls(here))))
}
