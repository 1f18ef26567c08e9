//! Sets of tasks of layers of several dimensions, as boxes.

use crate::task_set::bits;
use raskt_graph::{Grid, GridSet};
use std::ops::Range;

/// Tasks of one layer as boxes of a grid, and a few that are otherwise: for what slices of n-dimensional layers need, which
/// would be a range for each row, or a bit for each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Boxes {
    grid: Grid,
    /// No task is in two of them.
    sets: Vec<GridSet>,
    /// Ranges of tasks, in order, that are in the set if no box has them, and aren't if one has.
    flipped: Vec<Range<u64>>,
}

/// Boxes of a set of more than so many are listed as ranges: each is asked for every task.
const MANY_BOXES: usize = 32;

/// Tasks that are otherwise than the boxes say; of more ranges of them, the set becomes bits.
const MANY_FLIPPED: usize = 1024;

impl Boxes {
    /// The tasks of `sets`, which are of `grid`; nothing if that takes too many boxes.
    pub fn of(grid: &Grid, sets: impl IntoIterator<Item = GridSet>) -> Option<Self> {
        let mut boxes = Self { grid: grid.clone(), sets: vec![], flipped: vec![] };
        sets.into_iter().all(|set| boxes.add(grid, &set)).then_some(boxes)
    }

    /// The grid of the boxes.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The boxes, without what is otherwise.
    pub fn sets(&self) -> &[GridSet] {
        &self.sets
    }

    /// Whether there is nothing but boxes.
    pub fn is_plain(&self) -> bool {
        self.flipped.is_empty()
    }

    /// How many ranges there are in all boxes.
    pub fn ranges(&self) -> u64 {
        self.sets.iter().map(|set| set.ranges(&self.grid)).fold(0, u64::saturating_add)
    }

    /// Whether it has become too much to be looked through.
    pub fn is_long(&self) -> bool {
        self.flipped.len() > MANY_FLIPPED
    }

    pub fn contains(&self, index: u64) -> bool {
        let at = self.flipped.partition_point(|range| range.end <= index);
        let is_flipped = self.flipped.get(at).is_some_and(|range| range.start <= index);
        is_flipped != self.sets.iter().any(|set| set.contains(&self.grid, index))
    }

    /// How many tasks of `within` are in it.
    pub fn count(&self, within: Range<u64>) -> u64 {
        let mut count = self.count_in_boxes(within.clone());
        let from = self.flipped.partition_point(|range| range.end <= within.start);
        for range in self.flipped[from..].iter().take_while(|range| range.start < within.end) {
            let range = range.start.max(within.start)..range.end.min(within.end);
            let (all, boxed) = (range.end - range.start, self.count_in_boxes(range));
            count = count - boxed + (all - boxed);
        }
        count
    }

    fn count_in_boxes(&self, within: Range<u64>) -> u64 {
        let before = |index| self.sets.iter().map(|set| set.count_before(&self.grid, index)).sum::<u64>();
        before(within.end) - before(within.start)
    }

    /// The first task from `from` on that isn't in it, of a layer of `len` tasks: by bisection, since they are counted at once.
    pub fn next_gap(&self, from: u64, len: u64) -> Option<u64> {
        first_left_out(from..len, |within| self.count(within))
    }

    /// The first task from `from` on that is in it, of those before `end`.
    pub fn next(&self, mut from: u64, end: u64) -> Option<u64> {
        let flipped = self.flipped.partition_point(|range| range.end <= from);
        for range in &self.flipped[flipped..] {
            // Before the range the boxes say what is in the set, and within it what isn't.
            let boxed = self.next_boxed(from).filter(|&boxed| boxed < range.start.min(end));
            if boxed.is_some() || range.start >= end {
                return boxed;
            }
            let within = range.start.max(from)..range.end.min(end);
            if let Some(left_out) = first_left_out(within, |within| self.count_in_boxes(within)) {
                return Some(left_out);
            }
            from = range.end;
        }
        self.next_boxed(from).filter(|&boxed| boxed < end)
    }

    /// The first task from `from` on that a box has.
    fn next_boxed(&self, from: u64) -> Option<u64> {
        self.sets.iter().filter_map(|set| set.next(&self.grid, from)).min()
    }

    /// Adds the tasks of `set`; `false` if that takes too many boxes, or they are of another grid.
    pub fn add(&mut self, grid: &Grid, set: &GridSet) -> bool {
        if self.grid != *grid || !self.flipped.is_empty() {
            return false;
        }
        let mut set = set.clone();
        while let Some((at, joined)) = self.sets.iter().enumerate().find_map(|(at, own)| Some((at, own.joined(&set)?)))
        {
            if joined == self.sets[at] {
                return true;
            }
            self.sets.swap_remove(at);
            set = joined;
        }
        let mut pieces = Vec::from([set]);
        for own in &self.sets {
            pieces = pieces.iter().flat_map(|piece| piece.without(own)).collect();
        }
        self.sets.extend(pieces);
        self.sets.len() <= MANY_BOXES
    }

    /// Puts task `index` in, or takes it out.
    pub fn set(&mut self, index: u64, is_in: bool) {
        if self.contains(index) == is_in {
            return;
        }
        let at = self.flipped.partition_point(|range| range.end <= index);
        if let Some(range) = self.flipped.get(at).filter(|range| range.start <= index).cloned() {
            let rest = [range.start..index, index + 1..range.end].into_iter().filter(|range| !range.is_empty());
            self.flipped.splice(at..=at, rest);
            return;
        }
        let (mut range, mut from, mut to) = (index..index + 1, at, at);
        if at > 0 && self.flipped[at - 1].end == index {
            (range.start, from) = (self.flipped[at - 1].start, at - 1);
        }
        if self.flipped.get(at).is_some_and(|next| next.start == index + 1) {
            (range.end, to) = (self.flipped[at].end, at + 1);
        }
        self.flipped.splice(from..to, [range]);
    }

    /// Ranges of the tasks of all boxes, box by box.
    pub fn all_ranges(&self) -> Vec<Range<u64>> {
        let mut ranges = vec![];
        self.sets.iter().for_each(|set| set.for_each_range(&self.grid, |range| ranges.push(range)));
        ranges
    }

    /// The same with a bit for each of the `len` tasks of the layer.
    pub fn to_bits(&self, len: u64) -> Vec<u64> {
        let mut set_bits = vec![0; len.div_ceil(64) as usize];
        self.sets.iter().for_each(|set| bits::insert_set(&mut set_bits, &self.grid, set));
        self.flipped.iter().for_each(|range| bits::flip(&mut set_bits, range));
        set_bits
    }

    /// How many ranges the boxes have along all axes: so much has to be looked at to add one.
    pub fn listed(&self) -> usize {
        let axes = self.sets.iter().flat_map(GridSet::axes);
        axes.map(|axis| axis.ranges().len()).sum::<usize>() + self.flipped.len()
    }

    /// Tasks that are otherwise than the boxes say, and whether they are in the set.
    pub fn flipped(&self) -> impl Iterator<Item = (u64, bool)> {
        self.flipped.iter().cloned().flatten().map(|index| (index, self.contains(index)))
    }
}

/// The first task of `within` that isn't counted: by bisection, since a range of them is counted at once.
fn first_left_out(within: Range<u64>, count: impl Fn(Range<u64>) -> u64) -> Option<u64> {
    let Range { start: from, end: len } = within;
    let are_all_in = |end: u64| count(from..end) == end - from;
    if from >= len || are_all_in(len) {
        return None;
    }
    let mut width = 1;
    while from + width < len && are_all_in(from + width) {
        width *= 2;
    }
    let (mut known, mut end) = (from + width / 2, (from + width).min(len));
    while known + 1 < end {
        let middle = known + (end - known) / 2;
        (known, end) = if are_all_in(middle) { (middle, end) } else { (known, middle) };
    }
    // All before `known` are counted, and not all before `end`, which is the next.
    Some(end - 1)
}
