//! Results of clusters in graphs that run elsewhere: they are fetched before anything runs.

use crate::held::{HeldResult, fetch};
use raskt_cluster::ClusterError;
use raskt_graph::{Graph, Op};
use raskt_value::{Given, NativeOp, Value};
use std::sync::Arc;

/// The values, with what clusters hold fetched.
pub fn fetched(mut values: Vec<Value>) -> Result<Vec<Value>, ClusterError> {
    let held: Vec<(usize, Arc<HeldResult>)> =
        values.iter().enumerate().filter_map(|(at, value)| Some((at, HeldResult::of(value)?))).collect();
    // Those of one client at a time.
    for part in held.chunk_by(|a, b| Arc::ptr_eq(a.1.client(), b.1.client())) {
        let results: Vec<_> = part.iter().map(|(_, held)| held.clone()).collect();
        let came = fetch(&results, None)?;
        part.iter().zip(came).for_each(|((at, _), value)| values[*at] = value);
    }
    Ok(values)
}

/// The graph, of native work, as it can run in this process.
pub fn brought_here(graph: Graph) -> Result<Graph, ClusterError> {
    let given = |op: &Op| op.body.downcast_ref().and_then(|NativeOp(kernel)| kernel.given().map(<[Value]>::to_vec));
    let is_held = |values: &Vec<Value>| values.iter().any(|value| HeldResult::of(value).is_some());
    if !graph.ops().any(|op| given(op).is_some_and(|values| is_held(&values))) {
        return Ok(graph);
    }
    graph.with_ops(|op| match given(op).filter(is_held) {
        Some(values) => Ok(Op { body: Arc::new(NativeOp(Arc::new(Given(fetched(values)?.into())))), ..op.clone() }),
        None => Ok(op.clone()),
    })
}
