//! Random layers over grids of blocks: what arrays are made of.

use crate::random::Random;
use crate::scenario::{ReadPlan, ShapePlan, blocks};

/// Reads of a layer of boxes, and its tasks, at most, for each task that a layer may have: they are products over all axes.
const READS_PER_WIDTH: u64 = 4;

/// The most blocks along an axis that is added.
const ADDED: u64 = 4;

/// A grid of about `tasks` blocks, of one to three axes.
pub(super) fn draw_grid(random: &mut Random, tasks: u64) -> Vec<u32> {
    let (mut left, mut grid) = (tasks.max(1), vec![]);
    for _ in 0..random.below(3) {
        let length = random.scaled(1, left.isqrt().max(1) + 1).min(left);
        grid.push(length as u32);
        left /= length;
    }
    grid.insert(random.below(grid.len() as u64 + 1) as usize, left as u32);
    grid
}

/// A layer that reads `input`, whose grid is `grid`, or several.
pub(super) fn draw(random: &mut Random, grids: &[Vec<u32>], input: u32, width: u64) -> ShapePlan {
    let grid = &grids[input as usize];
    match random.below(4) {
        0 => ShapePlan::GridReduce {
            input,
            grid: grid.clone(),
            fan_in: grid.iter().map(|_| random.between(1, 4) as u32).collect(),
        },
        1 | 2 => draw_overlap(random, input, grid, READS_PER_WIDTH * width),
        _ => draw_map(random, grids, input, width),
    }
}

/// Axes change places, are left out and added; other layers are read along, as far as they are long enough.
fn draw_map(random: &mut Random, grids: &[Vec<u32>], input: u32, width: u64) -> ShapePlan {
    let read = &grids[input as usize];
    let mut grid = read.clone();
    if random.chance(500_000) {
        let by = random.below(grid.len() as u64) as usize;
        grid.rotate_left(by);
    }
    if grid.len() > 1 && random.chance(300_000) {
        grid.pop();
    }
    let room = width / blocks(&grid).max(1);
    if grid.len() < 4 && room > 1 && random.chance(400_000) {
        grid.insert(random.below(grid.len() as u64 + 1) as usize, random.between(1, ADDED.min(room)) as u32);
    }
    let mut inputs = vec![draw_read(random, &grid, input, read)];
    while random.chance(400_000) {
        let other = if random.chance(400_000) { input } else { random.below(grids.len() as u64) as u32 };
        inputs.push(draw_read(random, &grid, other, &grids[other as usize]));
    }
    ShapePlan::GridMap { grid, inputs }
}

/// Each axis of what is read takes the coordinate of one of the reader that fits, or is read at block 0.
fn draw_read(random: &mut Random, reader: &[u32], input: u32, grid: &[u32]) -> ReadPlan {
    let axis = |&length: &u32| {
        let fits: Vec<_> =
            (0..).zip(reader).filter(|&(_, &own)| own <= length).map(|(axis, _): (u8, _)| axis).collect();
        // Mostly the longest that fits, so that most of what is there is read.
        let longest = fits.iter().copied().max_by_key(|&axis| reader[axis as usize]);
        if random.chance(700_000) { longest } else { (!fits.is_empty()).then(|| *random.pick(&fits)) }
    };
    let axes = grid.iter().map(axis).collect();
    ReadPlan { input, grid: grid.to_vec(), axes }
}

fn draw_overlap(random: &mut Random, input: u32, grid: &[u32], most: u64) -> ShapePlan {
    let mut ranges: Vec<_> = grid.iter().map(|&length| draw_ranges(random, length)).collect();
    let reads = |axis: &Vec<(u32, u32)>| axis.iter().map(|(start, end)| u64::from(end - start)).sum::<u64>();
    let tasks = ranges.iter().map(|axis| axis.len() as u64).fold(1, u64::saturating_mul);
    if tasks.max(ranges.iter().map(reads).fold(1, u64::saturating_mul)) > most {
        ranges = grid.iter().map(|&length| (0..length).map(|at| (at, at + 1)).collect()).collect();
    }
    ShapePlan::GridOverlap { input, grid: grid.to_vec(), ranges }
}

/// What the coordinates of a reader read along one axis: starts and ends never decrease.
fn draw_ranges(random: &mut Random, length: u32) -> Vec<(u32, u32)> {
    let (start, end) = (random.below(u64::from(length)) as u32, length);
    let mut ranges: Vec<_> = match random.below(7) {
        0 => (0..length).map(|at| (at, at + 1)).collect(),
        // A slice, with a step.
        1 => (start..end).step_by(random.between(1, 3) as usize).map(|at| (at, at + 1)).collect(),
        // Neighbours on both sides.
        2 => (0..length).map(|at| (at.saturating_sub(1), (at + 2).min(length))).collect(),
        // Fewer and larger blocks, then more and smaller ones.
        3 => (0..length).step_by(3).map(|at| (at, (at + 3).min(length))).collect(),
        4 => (0..2 * length).map(|at| (at / 2, at / 2 + 1)).collect(),
        // All of it, a few times.
        5 => vec![(0, length); random.between(1, 3) as usize],
        // Whatever doesn't decrease.
        _ => {
            let mut last = (0, 0);
            let count = random.between(1, 2 * u64::from(length));
            let next = |_| {
                let start = (last.0 + random.below(3) as u32).min(length);
                let end = (last.1.max(start) + random.below(3) as u32).min(length);
                last = (start, end);
                last
            };
            (0..count).map(next).collect()
        }
    };
    // Blocks of no elements, before all others and after them.
    if random.chance(200_000) {
        ranges.insert(0, (0, 0));
    }
    if random.chance(200_000) {
        ranges.push((length, length));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_as_many_blocks_as_was_asked_or_fewer_and_ranges_never_decrease() {
        let mut random = Random::new(3);
        for tasks in 1..500 {
            let grid = draw_grid(&mut random, tasks);
            assert!((1..=tasks).contains(&blocks(&grid)), "{grid:?} for {tasks}");
            let ranges = draw_ranges(&mut random, grid[0]);
            assert!(!ranges.is_empty() && ranges.iter().all(|&(start, end)| start <= end && end <= grid[0]));
            assert!(ranges.is_sorted_by_key(|range| range.0) && ranges.is_sorted_by_key(|range| range.1));
        }
    }
}
