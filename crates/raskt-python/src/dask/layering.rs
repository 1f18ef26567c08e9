use super::node::{Node, reads_of};
use raskt_graph::LayerId;
use std::collections::BTreeMap;

/// Which tasks are in one layer: those about as far from their sources of which the same was said.
///
/// Tasks of one level of a graph are much alike, and those of different levels are not: loading a block isn't slicing it.
/// So what the scheduler learns about the time of a layer's tasks holds for all of them, and no long row of loads is handed
/// out because slices are quick. Later layers run first, which is depth first all the same.
pub(super) struct Layering {
    /// The layer of each node that is a task.
    pub of: Vec<LayerId>,
    /// What was said of the tasks of each layer.
    pub kinds: Vec<u32>,
}

/// The most layers, as long as nothing was said of any task. Where a graph has more levels, neighbours share one: each layer
/// that reads a task is looked at when the task ends.
const LAYERS: u32 = 24;

impl Layering {
    /// For the nodes `found`, which `order` has inputs first, and the kinds of what was said of them.
    pub fn new(found: &[Option<Node>], order: &[u32], kinds: &[u32]) -> Self {
        let mut levels = levels_of(found, order);
        // Layers of several kinds that span levels could read each other in turn.
        if kinds.iter().all(|&kind| kind == 0) {
            merge(&mut levels, order);
        }
        let is_task = |number: &&u32| matches!(found[**number as usize], Some(Node::Task { .. }));
        let place = |number: u32| (levels[number as usize], kinds[number as usize]);
        let mut layers: BTreeMap<(u32, u32), u32> =
            order.iter().filter(is_task).map(|&number| (place(number), 0)).collect();
        layers.values_mut().zip(0..).for_each(|(layer, number)| *layer = number);
        let of = (0..found.len() as u32).map(|number| LayerId(layers.get(&place(number)).copied().unwrap_or(0)));
        Self { of: of.collect(), kinds: layers.keys().map(|&(_, kind)| kind).collect() }
    }
}

/// How far each task is from its sources: what reads nothing but data is at zero, since data is there from the beginning.
fn levels_of(found: &[Option<Node>], order: &[u32]) -> Vec<u32> {
    let is_data = |number: u32| matches!(found[number as usize], Some(Node::Data(_)));
    let mut levels = vec![0; found.len()];
    for &number in order {
        let tasks = reads_of(found, number).iter().filter(|&&read| !is_data(read));
        levels[number as usize] = tasks.map(|&read| levels[read as usize] + 1).max().unwrap_or(0);
    }
    levels
}

/// Merges neighbouring levels but for the first, so that there are no more than [`LAYERS`].
fn merge(levels: &mut [u32], order: &[u32]) {
    let highest = order.iter().map(|&number| levels[number as usize]).max().unwrap_or(0);
    if highest < LAYERS {
        return;
    }
    for level in levels.iter_mut().filter(|level| **level > 0) {
        *level = 1 + (u64::from(*level - 1) * u64::from(LAYERS - 1) / u64::from(highest)) as u32;
    }
}
