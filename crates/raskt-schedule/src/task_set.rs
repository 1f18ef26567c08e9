//! Sets of tasks of one layer, as small as what they are made of.

pub(crate) mod bits;

use crate::collections::boxes::Boxes;
use raskt_graph::{Grid, GridSet};
use std::ops::Range;

/// Some tasks of one layer: nothing, everything, ranges, boxes of a grid; or a bit a task, where those would take more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum TaskSet {
    #[default]
    Nothing,
    Everything,
    /// In order, none empty, none touching the next.
    Ranges(Vec<Range<u64>>),
    Boxes(Box<Boxes>),
    Bits(Vec<u64>),
}

/// Ranges of a set that has more than one for so many tasks become bits: a range takes as much as the bits of 128 tasks.
const TASKS_PER_RANGE: u64 = 128;
/// More ranges than these are bits, of layers of at most so many tasks, or aren't listed.
const MANY_RANGES: u64 = 1 << 20;
const MANY_TASKS: u64 = 1 << 30;
/// Ranges that a set may have however few tasks its layer has.
const FEW_RANGES: u64 = 8;

impl TaskSet {
    pub fn contains(&self, index: u64) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Ranges(ranges) => {
                let at = ranges.partition_point(|range| range.end <= index);
                ranges.get(at).is_some_and(|range| range.start <= index)
            }
            Self::Boxes(boxes) => boxes.contains(index),
            Self::Bits(bits) => bits[index as usize / 64] >> (index % 64) & 1 == 1,
        }
    }

    /// How many tasks of `within` are in it.
    pub fn count(&self, within: Range<u64>) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Everything => within.end.saturating_sub(within.start),
            Self::Ranges(ranges) => {
                let from = ranges.partition_point(|range| range.end <= within.start);
                let touching = ranges[from..].iter().take_while(|range| range.start < within.end);
                touching.map(|range| range.end.min(within.end) - range.start.max(within.start)).sum()
            }
            Self::Boxes(boxes) => boxes.count(within),
            Self::Bits(bits) => {
                let words = (within.start / 64)..within.end.div_ceil(64);
                words.map(|word| u64::from((bits[word as usize] & bits::mask(word, &within)).count_ones())).sum()
            }
        }
    }

    /// The first task from `from` on that is in it, of those before `end`, beyond which nothing is looked at.
    pub fn next(&self, from: u64, end: u64) -> Option<u64> {
        let found = match self {
            Self::Nothing => None,
            Self::Everything => Some(from),
            Self::Ranges(ranges) => {
                ranges.get(ranges.partition_point(|range| range.end <= from)).map(|range| range.start.max(from))
            }
            Self::Boxes(boxes) => boxes.next(from, end),
            Self::Bits(bits) => bits::next(bits, from, end, 0),
        };
        found.filter(|&found| found < end)
    }

    /// The first task from `from` on that isn't in it, of those before `end`, beyond which nothing is looked at.
    pub fn next_gap(&self, from: u64, end: u64) -> Option<u64> {
        let found = match self {
            Self::Nothing => Some(from),
            Self::Everything => None,
            Self::Ranges(ranges) => {
                let at = ranges.partition_point(|range| range.end <= from);
                Some(ranges.get(at).filter(|range| range.start <= from).map_or(from, |range| range.end))
            }
            Self::Boxes(boxes) => boxes.next_gap(from, end),
            Self::Bits(bits) => bits::next(bits, from, end, u64::MAX),
        };
        found.filter(|&found| found < end)
    }

    /// Its stretches within `within`, one at a time: of a layer of any length no more is looked at than is asked for.
    pub fn stretches(&self, within: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let mut from = within.start;
        std::iter::from_fn(move || {
            let start = self.next(from, within.end).filter(|_| from < within.end)?;
            from = self.next_gap(start, within.end).unwrap_or(within.end);
            Some(start..from)
        })
    }

    /// Adds the blocks of `set`, which are numbered by `grid`, of a layer of `len` tasks. What would take very many ranges, and
    /// is no few boxes, is taken for everything: so that no graph takes more memory than it deserves. What has to be listed only
    /// comes into `ranges`, which the caller adds by [`Self::insert_all`] when there are many.
    pub fn insert_set(&mut self, grid: &Grid, set: &GridSet, len: u64, ranges: &mut Vec<Range<u64>>) {
        if set.is_empty() || *self == Self::Everything {
            return;
        }
        if set.is_whole(grid) {
            *self = Self::Everything;
            return;
        }
        if self.insert_boxed(grid, set, len, ranges) {
            return;
        }
        let own = if let Self::Boxes(boxes) = &*self { boxes.ranges() } else { 0 };
        let added = set.ranges(grid);
        if is_too_much(own.saturating_add(added), len) {
            *self = Self::Everything;
            return;
        }
        self.unbox(len);
        if are_many(added, len) {
            *self = std::mem::take(self).into_bits(len);
        }
        match self {
            Self::Bits(bits) => bits::insert_set(bits, grid, set),
            _ => set.for_each_range(grid, |range| ranges.push(range)),
        }
    }

    /// Adds `set` to what is boxes, or becomes boxes by it; whether it is added. There are no boxes while there are `ranges` to come.
    fn insert_boxed(&mut self, grid: &Grid, set: &GridSet, len: u64, ranges: &mut Vec<Range<u64>>) -> bool {
        let is_short = grid.axes() == 1 || set.ranges(grid) <= FEW_RANGES;
        match self {
            Self::Boxes(boxes) => return boxes.add(grid, set),
            Self::Nothing | Self::Ranges(_) if !is_short && self.listed() as u64 <= FEW_RANGES => {}
            _ => return false,
        }
        self.insert_all(std::mem::take(ranges), len);
        *self == Self::Everything || self.become_boxes(grid, set)
    }

    /// How many ranges are listed: so many have to be looked at to add some.
    pub fn listed(&self) -> usize {
        match self {
            Self::Ranges(ranges) => ranges.len(),
            Self::Boxes(boxes) => boxes.listed(),
            Self::Nothing | Self::Everything | Self::Bits(_) => 0,
        }
    }

    /// Adds ranges in any order, in one go.
    pub fn insert_all(&mut self, added: Vec<Range<u64>>, len: u64) {
        let added = in_order(added);
        if are_many(added.len() as u64, len) {
            *self = std::mem::take(self).into_bits(len);
        }
        match std::mem::take(self) {
            Self::Nothing => self.become_ranges(added, len),
            Self::Ranges(mut own) => {
                own.extend(added);
                self.become_ranges(in_order(own), len);
            }
            other => {
                *self = other;
                added.into_iter().for_each(|range| self.insert(range, len));
            }
        }
    }

    /// Becomes the set of these ranges, which are in order.
    fn become_ranges(&mut self, ranges: Vec<Range<u64>>, len: u64) {
        *self = Self::Ranges(ranges);
        self.normalise(len);
    }

    /// Adds `set` to what is nothing or some ranges, if all of it are a few boxes of `grid`.
    fn become_boxes(&mut self, grid: &Grid, set: &GridSet) -> bool {
        let own = match self {
            Self::Ranges(ranges) if ranges.len() as u64 <= FEW_RANGES => &ranges[..],
            Self::Nothing => &[],
            _ => return false,
        };
        let own = own.iter().flat_map(|range| grid.boxes(range.clone())).map(GridSet::from);
        let Some(boxes) = Boxes::of(grid, own.chain([set.clone()])) else { return false };
        *self = Self::Boxes(Box::new(boxes));
        true
    }

    /// The same set without boxes.
    pub fn unbox(&mut self, len: u64) {
        if !matches!(self, Self::Boxes(_)) {
            return;
        }
        let Self::Boxes(boxes) = std::mem::take(self) else { return };
        if are_many(boxes.ranges(), len) {
            *self = Self::Bits(boxes.to_bits(len));
            return;
        }
        self.insert_all(boxes.all_ranges(), len);
        for (index, is_in) in boxes.flipped() {
            if is_in { self.insert(index..index + 1, len) } else { self.remove(index..index + 1, len) }
        }
    }

    /// Whether the set is boxes that can't be listed.
    pub fn is_too_much(&self, len: u64) -> bool {
        matches!(self, Self::Boxes(boxes) if is_too_much(boxes.ranges(), len))
    }

    /// Adds the tasks of `added`, of a layer of `len` tasks.
    pub fn insert(&mut self, added: Range<u64>, len: u64) {
        if added.is_empty() {
            return;
        }
        if added == (0..len) {
            *self = Self::Everything;
            return;
        }
        match self {
            Self::Everything => {}
            Self::Nothing => *self = Self::Ranges(vec![added]),
            Self::Ranges(ranges) => {
                let from = ranges.partition_point(|range| range.end < added.start);
                let to = ranges.partition_point(|range| range.start <= added.end);
                let merged = ranges[from..to]
                    .iter()
                    .fold(added, |all, range| all.start.min(range.start)..all.end.max(range.end));
                ranges.splice(from..to, [merged]);
                self.normalise(len);
            }
            Self::Boxes(boxes) => {
                added.for_each(|index| boxes.set(index, true));
                self.normalise(len);
            }
            Self::Bits(bits) => bits::insert(bits, &added),
        }
    }

    /// Takes out the tasks of `removed`, of a layer of `len` tasks.
    pub fn remove(&mut self, removed: Range<u64>, len: u64) {
        if removed.is_empty() {
            return;
        }
        if *self == Self::Everything {
            *self = Self::Ranges(whole(len));
        }
        match self {
            Self::Nothing | Self::Everything => {}
            Self::Ranges(ranges) => {
                let from = ranges.partition_point(|range| range.end <= removed.start);
                let to = ranges.partition_point(|range| range.start < removed.end);
                if from >= to {
                    return;
                }
                let rest = [ranges[from].start..removed.start, removed.end..ranges[to - 1].end];
                ranges.splice(from..to, rest.into_iter().filter(|range| !range.is_empty()));
                self.normalise(len);
            }
            Self::Boxes(boxes) => {
                removed.for_each(|index| boxes.set(index, false));
                self.normalise(len);
            }
            Self::Bits(bits) => bits::remove(bits, &removed),
        }
    }

    /// The same set with a bit a task, so that scattered tasks can be added one by one.
    pub fn into_bits(self, len: u64) -> Self {
        let ranges = match self {
            Self::Bits(_) => return self,
            Self::Boxes(boxes) => return Self::Bits(boxes.to_bits(len)),
            Self::Nothing => vec![],
            Self::Everything => whole(len),
            Self::Ranges(ranges) => ranges,
        };
        let mut bits = vec![0; len.div_ceil(64) as usize];
        ranges.iter().for_each(|range| bits::insert(&mut bits, range));
        Self::Bits(bits)
    }

    /// The shortest way of saying the same of a layer of `len` tasks.
    pub fn compact(&mut self, len: u64) {
        match self.count(0..len) {
            0 => *self = Self::Nothing,
            all if all == len => *self = Self::Everything,
            _ => {}
        }
    }

    /// Its ranges, of a layer of `len` tasks, in order.
    pub fn ranges(&self, len: u64) -> Vec<Range<u64>> {
        self.ranges_in(0..len, len)
    }

    /// The same for those of its tasks that are in `within`.
    pub fn ranges_in(&self, within: Range<u64>, len: u64) -> Vec<Range<u64>> {
        match self {
            _ if within.is_empty() => vec![],
            Self::Nothing => vec![],
            Self::Everything => vec![within],
            Self::Ranges(ranges) => {
                let from = ranges.partition_point(|range| range.end <= within.start);
                let touching = ranges[from..].iter().take_while(|range| range.start < within.end);
                touching.map(|range| range.start.max(within.start)..range.end.min(within.end)).collect()
            }
            Self::Boxes(_) => {
                let mut plain = self.clone();
                plain.unbox(len);
                plain.ranges_in(within, len)
            }
            Self::Bits(bits) => {
                let mut ranges: Vec<Range<u64>> = vec![];
                let mut from = within.start;
                while let Some(start) = bits::next(bits, from, within.end, 0).filter(|&start| start < within.end) {
                    from = bits::next(bits, start, within.end, u64::MAX).map_or(within.end, |end| end.min(within.end));
                    ranges.push(start..from);
                }
                ranges
            }
        }
    }

    /// The tasks of `within` that aren't in it.
    pub fn gaps_in(&self, within: Range<u64>, len: u64) -> Vec<Range<u64>> {
        let (mut gaps, mut from) = (vec![], within.start);
        let end = within.end..within.end;
        for range in self.ranges_in(within, len).into_iter().chain([end]) {
            gaps.extend(Some(from..range.start).filter(|gap| !gap.is_empty()));
            from = range.end;
        }
        gaps
    }

    fn normalise(&mut self, len: u64) {
        if matches!(self, Self::Boxes(boxes) if boxes.is_long()) && !self.is_too_much(len) {
            self.unbox(len);
        } else if let Self::Ranges(ranges) = self {
            match &ranges[..] {
                [] => *self = Self::Nothing,
                [only] if *only == (0..len) => *self = Self::Everything,
                _ if are_many(ranges.len() as u64, len) => *self = std::mem::take(self).into_bits(len),
                _ => {}
            }
        }
    }
}

/// The same ranges in order, none empty, none touching the next.
fn in_order(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        last.end = if touches { last.end.max(next.end) } else { last.end };
        touches
    });
    ranges
}

/// Whether so many ranges of a layer of `len` tasks take more than bits.
fn are_many(ranges: u64, len: u64) -> bool {
    ranges > len / TASKS_PER_RANGE + FEW_RANGES
}

/// Whether so many ranges of a layer of `len` tasks are neither listed nor bits.
fn is_too_much(ranges: u64, len: u64) -> bool {
    ranges > MANY_RANGES && len > MANY_TASKS
}

fn whole(len: u64) -> Vec<Range<u64>> {
    std::iter::once(0..len).collect()
}
