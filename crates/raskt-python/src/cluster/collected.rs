//! The futures of what a cluster computes of collections and delayed objects.

use super::current::is_used;
use super::future::FutureKey;
use super::{ClusterFuture, HeldResult};
use crate::block::PythonOp;
use crate::collection::with_collection;
use crate::delayed::{Calls, Work};
use crate::request::Request;
use crate::travel::gives_what_is_there;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_graph::{Graph, Op};
use raskt_value::NativeOp;
use std::collections::HashSet;
use std::sync::Arc;

/// The futures of what a cluster holds, or is to hold, of a collection or a delayed object; and whether it is nothing but what is there
/// already, here or on a cluster, so that nothing of it is still to be asked for.
#[pyfunction]
pub(super) fn cluster_futures_of(collection: &Bound<'_, PyAny>) -> PyResult<(Vec<ClusterFuture>, bool)> {
    let py = collection.py();
    if !is_used() {
        return Ok((vec![], false));
    }
    let request = Request::new(py, &PyTuple::new(py, [collection])?, false, true, true)?;
    let mut ops = request.graph.layers().map(|(layer, _)| request.graph.op_of(layer));
    let is_there = ops.all(gives_what_is_there) || is_there(collection)?;
    Ok((futures_in(py, &request.graph), is_there))
}

/// Whether a table that is computed as a whole is there: its graph doesn't say so.
fn is_there(collection: &Bound<'_, PyAny>) -> PyResult<bool> {
    match collection.getattr_opt(intern!(collection.py(), "__raskt_expr__"))? {
        Some(expr) => with_collection(&expr, |collection| Ok(collection.is_there())),
        None => Ok(false),
    }
}

fn futures_in(py: Python<'_>, graph: &Graph) -> Vec<ClusterFuture> {
    let mut known = HashSet::new();
    let found = graph.layers().flat_map(|(layer, _)| held_by(py, graph.op_of(layer)));
    let new = found.filter(|(held, _)| known.insert(Arc::as_ptr(held)));
    new.map(|(held, key)| ClusterFuture::new(held, key)).collect()
}

/// What an op gives that a cluster holds, and what each is called.
fn held_by(py: Python<'_>, op: &Op) -> Vec<(Arc<HeldResult>, FutureKey)> {
    if let Some(Calls(nodes)) = op.body.downcast_ref() {
        let held = nodes.iter().filter_map(|node| match &node.work {
            Work::Held(held) => Some((held.clone(), FutureKey::Named(node.key(py).into()))),
            _ => None,
        });
        return held.collect();
    }
    let values = match (op.body.downcast_ref(), op.body.downcast_ref()) {
        (Some(NativeOp(kernel)), _) => kernel.given(),
        (_, Some(PythonOp(block))) => block.given(),
        _ => None,
    };
    values.into_iter().flatten().filter_map(HeldResult::of).map(|held| (held.clone(), block_key(&held))).collect()
}

/// Blocks have no names of their own: the place of each is one that no other has.
fn block_key(held: &HeldResult) -> FutureKey {
    let (run, task) = held.place();
    FutureKey::Named(format!("block-{:x}-{}-{}", run.0, task.layer.0, task.index).into())
}
