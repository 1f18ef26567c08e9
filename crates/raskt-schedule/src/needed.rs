use crate::members::Members;
use raskt_graph::{Explicit, Graph, Grid, GridSet, LayerId, Shape};

/// What has to run for `wanted` to be there, layer by layer: the wanted tasks and, upwards, what they read.
pub(crate) fn needed_for(graph: &Graph, wanted: &[Members]) -> Vec<Members> {
    let mut needed = wanted.to_vec();
    for at in (0..needed.len()).rev() {
        let id = LayerId(at as u32);
        let layer = graph.layer(id);
        needed[at].compact(layer.len());
        match &layer.shape {
            _ if needed[at] == Members::Nothing => {}
            Shape::Explicit(explicit) => add_explicit_inputs(graph, id, explicit, &mut needed),
            shape => {
                // A layer reads earlier ones only.
                let (inputs, own) = needed.split_at_mut(at);
                for set in sets_of(&own[0], &shape.grid(), layer.len()) {
                    shape.for_each_read(&set, |input, grid, read| {
                        inputs[input.0 as usize].insert_set(grid, read, graph.layer(input).len());
                    });
                }
            }
        }
    }
    needed
}

/// The same tasks as sets of blocks of `grid`.
fn sets_of(members: &Members, grid: &Grid, len: u64) -> Vec<GridSet> {
    match members {
        Members::Everything => Vec::from([GridSet::whole(grid)]),
        Members::Boxes(boxes) if boxes.grid() == grid && boxes.is_plain() => boxes.sets().to_vec(),
        members if members.is_too_much(len) => Vec::from([GridSet::whole(grid)]),
        members => {
            let ranges = members.ranges(len).into_iter();
            ranges.flat_map(|range| grid.boxes(range)).map(GridSet::from).collect()
        }
    }
}

fn add_explicit_inputs(graph: &Graph, id: LayerId, explicit: &Explicit, needed: &mut [Members]) {
    let own = id.0 as usize;
    let len = graph.layer(id).len();
    if needed[own] != Members::Everything {
        needed[own] = std::mem::take(&mut needed[own]).into_bits(len);
    }
    // Downwards, so that reads within the layer are found before their readers are passed.
    for index in (0..len).rev() {
        if needed[own].contains(index) {
            explicit.inputs(id, index).for_each(|input| {
                let range = input.index..input.index + 1;
                needed[input.layer.0 as usize].insert(range, graph.layer(input.layer).len());
            });
        }
    }
    needed[own].compact(len);
}
