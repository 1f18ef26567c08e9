//! What is known of results before and after they are made: their sizes, when their turn comes, whether they can be made
//! again.

use raskt_graph::{Graph, LayerId, OpKind, Shape, TaskId};
use raskt_schedule::Assignment;
use raskt_value::NativeOp;
use std::collections::BTreeMap;

/// Sizes of results that their layers don't state, as they were seen in one run.
#[derive(Debug, Default)]
pub(crate) struct Sizes(BTreeMap<LayerId, u64>);

impl Sizes {
    /// A result has so many bytes. A larger one counts at once, smaller ones little by little.
    pub fn learn(&mut self, graph: &Graph, task: TaskId, bytes: u64) {
        if graph.layer(task.layer).cost.output_bytes == 0 {
            let seen = self.0.entry(task.layer).or_insert(bytes);
            *seen = if bytes > *seen { bytes } else { (*seen * 7 + bytes) / 8 };
        }
    }

    /// Bytes that the results of an assignment will have, beside what their layer states.
    pub fn unstated(&self, graph: &Graph, assignment: &Assignment) -> u64 {
        let Some(layer) = assignment.tasks.first().map(|range| range.layer) else { return 0 };
        let is_stated = graph.layer(layer).cost.output_bytes > 0;
        if is_stated { 0 } else { self.0.get(&layer).map_or(0, |bytes| bytes * assignment.len()) }
    }
}

/// When the first task that reads the result of `task` has its turn among those of its layer; nothing if none reads it.
/// Tasks run about in the order of their blocks, in whichever layer they are.
pub(crate) fn turn(graph: &Graph, task: TaskId) -> Option<u32> {
    let mut first: Option<u32> = None;
    for &layer in graph.readers(task.layer) {
        let shape = &graph.layer(layer).shape;
        let mut saw = |index: u64| {
            let turn = (u128::from(index) * u128::from(u32::MAX) / u128::from(shape.len().max(1))) as u32;
            first = Some(first.map_or(turn, |first| first.min(turn)));
        };
        match shape {
            // All of them read it, and there may be very many.
            Shape::Exchange { .. } => saw(0),
            _ => shape.for_each_dependent(layer, task, saw),
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
