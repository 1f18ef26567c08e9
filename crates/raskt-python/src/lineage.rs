//! What persisted collections are made of: their graph, without the results of other persisted collections in it.
//!
//! Those belong to whoever holds these collections. What is kept of them is what they were made of in turn.

use crate::block::PythonOp;
use crate::contexts;
use crate::delayed::{Calls, Work};
use pyo3::prelude::*;
use raskt_graph::{Graph, LayerId, Op, OpBody, TaskId};
use raskt_store::{Past, StoredRef};
use raskt_value::{Call, ErrorKind, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;

/// The past of what the graph gives.
pub(crate) fn past_of(py: Python<'_>, graph: &Arc<Graph>) -> PyResult<Arc<Past>> {
    let kept = kept_in(graph);
    if kept.is_empty() {
        return Ok(Arc::new(Past::of(graph.clone())));
    }
    let hollow = Arc::new(graph.with_ops(|op| hollow(py, op))?);
    contexts::carry(py, &hollow)?;
    let origins = kept.iter().map(|(task, kept)| (*task, kept.origin())).collect();
    Ok(Arc::new(Past::with_origins(hollow, origins)))
}

/// The tasks that give what a store keeps, in order, and what they give.
fn kept_in(graph: &Graph) -> Vec<(TaskId, Arc<StoredRef>)> {
    let mut found = vec![];
    for (layer, _) in graph.layers() {
        let body = &graph.op_of(layer).body;
        if let Some(values) = body.downcast_ref::<NativeOp>().and_then(|NativeOp(kernel)| kernel.given()) {
            found.extend(numbered(layer, values.iter().map(StoredRef::of)));
        } else if let Some(Calls(nodes)) = body.downcast_ref() {
            let kept = nodes.iter().map(|node| match &node.work {
                Work::Stored(kept) => Some(kept.clone()),
                _ => None,
            });
            found.extend(numbered(layer, kept));
        }
    }
    found
}

fn numbered(
    layer: LayerId,
    kept: impl Iterator<Item = Option<Arc<StoredRef>>>,
) -> impl Iterator<Item = (TaskId, Arc<StoredRef>)> {
    kept.enumerate().filter_map(move |(at, kept)| Some((TaskId::new(layer, at as u64), kept?)))
}

/// The same op, holding no results that a store keeps.
fn hollow(py: Python<'_>, op: &Op) -> PyResult<Op> {
    let body: Option<OpBody> = if let Some(NativeOp(kernel)) = op.body.downcast_ref() {
        let without = kernel.given().map(hollow_values).or_else(|| kernel.without_kept());
        without.map(|kernel| Arc::new(NativeOp(kernel)) as OpBody)
    } else if let Some(Calls(nodes)) = op.body.downcast_ref() {
        let nodes = nodes.iter().map(|node| node.without_kept(py)).collect::<PyResult<_>>()?;
        Some(Arc::new(Calls(nodes)))
    } else if let Some(PythonOp(block)) = op.body.downcast_ref() {
        block.without_kept(py)?.map(|block| Arc::new(PythonOp(block)) as OpBody)
    } else {
        None
    };
    Ok(Op { body: body.unwrap_or_else(|| op.body.clone()), ..op.clone() })
}

fn hollow_values(values: &[Value]) -> Arc<dyn Kernel> {
    let own = values.iter().map(|value| StoredRef::of(value).is_none().then(|| value.clone()));
    Arc::new(Own(own.collect()))
}

/// Gives values, but for those that a store keeps: their origins are looked at before.
struct Own(Box<[Option<Value>]>);

impl Kernel for Own {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        let lost = || TaskError::new(ErrorKind::Lost, "a result that a store kept is gone");
        self.0[call.index as usize].clone().ok_or_else(lost)
    }

    fn name(&self) -> String {
        "blocks".into()
    }
}
