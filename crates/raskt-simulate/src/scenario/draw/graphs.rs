//! Random graphs over all shapes.

use crate::job::stated_bytes;
use crate::random::Random;
use crate::scenario::{LayerPlan, Requires, ShapePlan};

/// What a graph is to be like.
pub(super) struct Form {
    /// Where the bytes that layers state come from.
    pub seed: u64,
    pub layers: u32,
    /// Tasks of a layer, at most.
    pub width: u64,
    /// Time of a usual task.
    pub task_nanoseconds: u64,
    /// What some of its layers require.
    pub requires: Requires,
}

/// The most tasks of a layer that all read all of another: edges are the product.
const EXCHANGE_TASKS: u64 = 40;

pub(super) fn draw(random: &mut Random, form: &Form) -> Vec<LayerPlan> {
    let mut layers: Vec<LayerPlan> = vec![];
    let mut lengths = vec![];
    let states_time = random.chance(300_000);
    for at in 0..form.layers {
        let shape = draw_shape(random, &lengths, form.width);
        lengths.push(shape.length(&lengths));
        layers.push(LayerPlan {
            shape,
            nanoseconds: if states_time { form.task_nanoseconds } else { 0 },
            output_bytes: stated_bytes(form.seed, at),
            scratch_bytes: if random.chance(200_000) { random.scaled(64, 4096) } else { 0 },
            priority: if random.chance(200_000) { random.below(5) as i32 - 2 } else { 0 },
            requires: if random.chance(500_000) { form.requires } else { Requires::Nothing },
        });
    }
    layers
}

fn draw_shape(random: &mut Random, lengths: &[u64], width: u64) -> ShapePlan {
    let tasks = random.scaled(1, width);
    let Some(last) = lengths.len().checked_sub(1) else {
        return if random.chance(300_000) { explicit(random, lengths, tasks) } else { ShapePlan::Source { tasks } };
    };
    let input = random.below(lengths.len() as u64) as usize;
    // Mostly the layer before, as in the chains that collections write.
    let at = if random.chance(600_000) { last } else { input };
    let (input, length) = (at as u32, lengths[at]);
    match random.below(8) {
        0 => ShapePlan::Source { tasks },
        1 | 2 => map(random, lengths, input),
        3 => ShapePlan::Reduce { input, fan_in: random.between(1, 8) as u32 },
        4 if length <= EXCHANGE_TASKS => ShapePlan::Exchange { input, consumers: tasks.min(EXCHANGE_TASKS) },
        5 => ShapePlan::Overlap { input, tasks, step: random.between(1, 3), reach: random.between(1, 4) },
        6 => {
            let rows = (tasks / length.max(1)).max(1).min(random.between(1, 6));
            ShapePlan::Broadcast { input, rows }
        }
        _ => explicit(random, lengths, tasks),
    }
}

/// Each task reads its own block of one layer, or of two of equal length.
fn map(random: &mut Random, lengths: &[u64], input: u32) -> ShapePlan {
    let equal = (0..lengths.len() as u32).filter(|&other| lengths[other as usize] == lengths[input as usize]);
    let equal: Vec<_> = equal.collect();
    let mut inputs = vec![input];
    if random.chance(300_000) {
        inputs.push(*random.pick(&equal));
    }
    ShapePlan::Map { inputs }
}

/// Chains, trees, and tasks that read up to three earlier ones.
fn explicit(random: &mut Random, lengths: &[u64], tasks: u64) -> ShapePlan {
    let own = lengths.len() as u32;
    let form = random.below(3);
    let mut reads = vec![];
    for task in 0..tasks {
        match form {
            0 if task > 0 => reads.push((task, own, task - 1)),
            1 if task > 0 => reads.push((task, own, (task - 1) / 2)),
            2 => {
                for _ in 0..random.below(4) {
                    if task > 0 && random.chance(600_000) {
                        reads.push((task, own, random.below(task)));
                    } else {
                        reads.extend(outer(random, lengths).map(|(layer, index)| (task, layer, index)));
                    }
                }
            }
            _ => reads.extend(outer(random, lengths).map(|(layer, index)| (task, layer, index))),
        }
    }
    ShapePlan::Explicit { tasks, reads }
}

/// A task of an earlier layer, if there is one.
fn outer(random: &mut Random, lengths: &[u64]) -> Option<(u32, u64)> {
    if lengths.is_empty() {
        return None;
    }
    let layer = random.below(lengths.len() as u64) as usize;
    (lengths[layer] > 0).then(|| (layer as u32, random.below(lengths[layer])))
}
