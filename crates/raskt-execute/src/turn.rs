//! What is known of results: when their turn comes, and whether they can be made again.

use raskt_graph::{Graph, OpKind, TaskId};
use raskt_value::NativeOp;

/// When the first task that reads the result of `task` has its turn among those of its layer; nothing if none reads it.
/// Tasks run about in the order of their blocks, in whichever layer they are.
pub(crate) fn turn(graph: &Graph, task: TaskId) -> Option<u32> {
    let mut first: Option<u32> = None;
    for &layer in graph.readers_of(task) {
        let shape = &graph.layer(layer).shape;
        if let Some(index) = shape.first_dependent(layer, task) {
            let turn = (u128::from(index) * u128::from(u32::MAX) / u128::from(shape.len().max(1))) as u32;
            first = Some(first.map_or(turn, |first| first.min(turn)));
        }
    }
    first
}

/// Whether every op of the graph says that it gives the same at any time and keeps no data alive.
pub(crate) fn is_repeatable(graph: &Graph) -> bool {
    graph.layers().all(|(layer, _)| {
        let op = graph.op_of(layer);
        op.kind == OpKind::Array
            && op.body.downcast_ref().is_some_and(|NativeOp(kernel): &NativeOp| kernel.is_repeatable())
    })
}
