//! Culling: what has to run for what is wanted.

mod gathered;

use crate::TaskRange;
use crate::task_set::TaskSet;
use gathered::Gathered;
use raskt_graph::{Explicit, Graph, Grid, GridSet, LayerId, Shape, TaskId};

/// What has to run for `wanted` to be there, layer by layer: the wanted tasks and, upwards, what they read. Says as well how many
/// ranges were looked at to put what is read together.
pub(crate) fn needed_for(graph: &Graph, wanted: &[TaskSet]) -> (Vec<TaskSet>, u64) {
    let (mut needed, mut gathered) = (wanted.to_vec(), Gathered::default());
    for at in (0..needed.len()).rev() {
        let id = LayerId(at as u32);
        let layer = graph.layer(id);
        // All that read it come after it, and have been there.
        gathered.finish(id, &mut needed[at], layer.len());
        needed[at].compact(layer.len());
        match &layer.shape {
            _ if needed[at] == TaskSet::Nothing => {}
            Shape::Explicit(explicit) => add_explicit_inputs(graph, id, explicit, &mut needed),
            shape => {
                // A layer reads earlier ones only.
                let (inputs, own) = needed.split_at_mut(at);
                for set in sets_of(&own[0], &shape.grid(), layer.len()) {
                    shape.for_each_read(&set, |input, grid, read| {
                        gathered.add(input, grid, read, &mut inputs[input.0 as usize], graph.layer(input).len());
                    });
                }
            }
        }
    }
    (needed, gathered.steps())
}

/// The same tasks as sets of blocks of `grid`.
fn sets_of(members: &TaskSet, grid: &Grid, len: u64) -> Vec<GridSet> {
    match members {
        TaskSet::Everything => Vec::from([GridSet::whole(grid)]),
        TaskSet::Boxes(boxes) if boxes.grid() == grid && boxes.is_plain() => boxes.sets().to_vec(),
        members if members.is_too_much(len) => Vec::from([GridSet::whole(grid)]),
        members => {
            let ranges = members.ranges(len).into_iter();
            ranges.flat_map(|range| grid.boxes(range)).map(GridSet::from).collect()
        }
    }
}

fn add_explicit_inputs(graph: &Graph, id: LayerId, explicit: &Explicit, needed: &mut [TaskSet]) {
    let own = id.0 as usize;
    let len = graph.layer(id).len();
    if needed[own] != TaskSet::Everything {
        needed[own] = std::mem::take(&mut needed[own]).into_bits(len);
    }
    // Downwards, so that reads within the layer are found before their readers are passed.
    for index in (0..len).rev() {
        if needed[own].contains(index) {
            let inner = explicit.inputs(id, index).filter(|input| input.layer == id);
            inner.for_each(|input| needed[own].insert(input.index..input.index + 1, len));
        }
    }
    // In order, and in one go for each layer: one by one they would be put before one another.
    let (inputs, own) = needed.split_at_mut(own);
    let read = explicit.outer_inputs().filter(|&(_, reader)| own[0].contains(reader)).map(|(input, _)| input);
    for ranges in by_layer(read) {
        let layer = ranges[0].layer;
        let ranges = ranges.into_iter().map(|range| range.start..range.end).collect();
        inputs[layer.0 as usize].insert_all(ranges, graph.layer(layer).len());
    }
    own[0].compact(len);
}

/// Tasks in order, as ranges, each layer apart.
fn by_layer(tasks: impl Iterator<Item = TaskId>) -> Vec<Vec<TaskRange>> {
    let mut layers: Vec<Vec<TaskRange>> = vec![];
    for task in tasks {
        match layers.last_mut().filter(|ranges| ranges[0].layer == task.layer) {
            Some(ranges) if ranges.last().is_some_and(|last| last.contains(task)) => {}
            Some(ranges) => TaskRange::push(ranges, task),
            None => layers.push(Vec::from([TaskRange::one(task)])),
        }
    }
    layers
}
