//! Random graphs over all shapes.

use super::grids;
use crate::job::stated_bytes;
use crate::random::Random;
use crate::scenario::{LayerPlan, Requires, ShapePlan, blocks};

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
    let (mut lengths, mut grids) = (vec![], vec![]);
    let states_time = random.chance(300_000);
    for at in 0..form.layers {
        let shape = draw_shape(random, &lengths, &grids, form.width);
        lengths.push(shape.length(&lengths));
        grids.push(grid_of(random, &shape, &lengths));
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

/// The grid in which the tasks of a layer stand, for those that read it.
fn grid_of(random: &mut Random, shape: &ShapePlan, lengths: &[u64]) -> Vec<u32> {
    match shape {
        ShapePlan::GridMap { grid, .. } => grid.clone(),
        ShapePlan::GridReduce { grid, fan_in, .. } => {
            grid.iter().zip(fan_in).map(|(length, &fan_in)| length.div_ceil(fan_in)).collect()
        }
        ShapePlan::GridOverlap { ranges, .. } => ranges.iter().map(|axis| axis.len() as u32).collect(),
        _ => {
            let length = lengths.last().copied().unwrap_or(1);
            let grid = grids::draw_grid(random, length);
            if blocks(&grid) == length { grid } else { vec![length as u32] }
        }
    }
}

fn draw_shape(random: &mut Random, lengths: &[u64], grids: &[Vec<u32>], width: u64) -> ShapePlan {
    let tasks = random.scaled(1, width);
    let Some(last) = lengths.len().checked_sub(1) else {
        return match random.below(10) {
            0..3 => explicit(random, lengths, tasks),
            3..6 => ShapePlan::Source { tasks: blocks(&grids::draw_grid(random, tasks)) },
            _ => ShapePlan::Source { tasks },
        };
    };
    let input = random.below(lengths.len() as u64) as usize;
    // Mostly the layer before, as in the chains that collections write.
    let at = if random.chance(600_000) { last } else { input };
    let (input, length) = (at as u32, lengths[at]);
    match random.below(14) {
        0 => ShapePlan::Source { tasks },
        1 | 2 => map(random, lengths, input),
        3 => ShapePlan::Reduce { input, fan_in: random.between(1, 8) as u32 },
        4 if length <= EXCHANGE_TASKS => ShapePlan::Exchange { input, consumers: tasks.min(EXCHANGE_TASKS) },
        5 => ShapePlan::Overlap { input, tasks, step: random.between(1, 3), reach: random.between(1, 4) },
        6 => {
            let rows = (tasks / length.max(1)).max(1).min(random.between(1, 6));
            ShapePlan::Broadcast { input, rows }
        }
        7 => explicit(random, lengths, tasks),
        8 => concat(random, lengths, width),
        _ => grids::draw(random, grids, input, width),
    }
}

/// Some of the layers before, one after the other, as far as that isn't too many tasks.
fn concat(random: &mut Random, lengths: &[u64], width: u64) -> ShapePlan {
    let mut inputs = vec![lengths.len() as u32 - 1];
    let mut tasks = lengths[inputs[0] as usize];
    for (layer, &length) in (0..).zip(lengths) {
        if random.chance(500_000) && tasks + length <= 2 * width {
            inputs.push(layer);
            tasks += length;
        }
    }
    ShapePlan::Concat { inputs }
}

/// Many small layers, and one that puts them together: what is stacked or concatenated.
pub(super) fn draw_stack(random: &mut Random, form: &Form) -> Vec<LayerPlan> {
    let parts = random.between(2, MOST_PARTS);
    let tasks = (form.width / parts).max(1);
    let plain = |at: u64, shape: ShapePlan| LayerPlan {
        shape,
        nanoseconds: 0,
        output_bytes: stated_bytes(form.seed, at as u32),
        scratch_bytes: 0,
        priority: 0,
        requires: Requires::Nothing,
    };
    let mut part = |at| plain(at, ShapePlan::Source { tasks: random.between(1, tasks) });
    let mut layers: Vec<_> = (0..parts).map(&mut part).collect();
    layers.push(plain(parts, ShapePlan::Concat { inputs: (0..parts as u32).collect() }));
    layers.push(plain(parts + 1, ShapePlan::Reduce { input: parts as u32, fan_in: random.between(1, 8) as u32 }));
    layers
}

/// The most layers that are put together.
const MOST_PARTS: u64 = 60;

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
