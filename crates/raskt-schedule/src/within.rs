//! Whether a graph has the tasks that somebody names.

use crate::{EventError, TaskRange};
use raskt_graph::Graph;

/// Whether the graph has all of `tasks`.
pub(crate) fn are_of(graph: &Graph, tasks: &[TaskRange]) -> Result<(), EventError> {
    tasks.iter().try_for_each(|&TaskRange { layer, start, end }| {
        let layers = graph.layers().len();
        if layer.0 as usize >= layers {
            return Err(EventError::NoLayer { layer: layer.0, layers });
        }
        let (len, name) = (graph.layer(layer).len(), &graph.layer(layer).name);
        if start <= end && end <= len {
            return Ok(());
        }
        Err(EventError::NoTasks { name: name.clone(), start, end, len })
    })
}
