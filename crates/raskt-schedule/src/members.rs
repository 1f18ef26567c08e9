use raskt_graph::{Explicit, Graph, LayerId, Shape};
use std::collections::BTreeSet;
use std::ops::Range;

/// Some tasks of one layer: nothing, everything, ranges; or a bit a task, where ranges would take more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Members {
    #[default]
    Nothing,
    Everything,
    /// In order, none empty, none touching the next.
    Ranges(Vec<Range<u64>>),
    Bits(Vec<u64>),
}

/// Ranges of a set that has more than one for so many tasks become bits: a range takes as much as the bits of 128 tasks.
const TASKS_PER_RANGE: u64 = 128;
/// Ranges that a set may have however few tasks its layer has.
const FEW_RANGES: u64 = 8;

impl Members {
    pub fn contains(&self, index: u64) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Ranges(ranges) => {
                let at = ranges.partition_point(|range| range.end <= index);
                ranges.get(at).is_some_and(|range| range.start <= index)
            }
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
            Self::Bits(bits) => {
                let words = (within.start / 64)..within.end.div_ceil(64);
                words.map(|word| u64::from((bits[word as usize] & mask(word, &within)).count_ones())).sum()
            }
        }
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
                self.settle(len);
            }
            Self::Bits(bits) => {
                for word in added.start / 64..added.end.div_ceil(64) {
                    bits[word as usize] |= mask(word, &added);
                }
            }
        }
    }

    /// Takes out task `index`, of a layer of `len` tasks.
    pub fn remove(&mut self, index: u64, len: u64) {
        if *self == Self::Everything {
            *self = Self::Ranges(whole(len));
        }
        match self {
            Self::Nothing | Self::Everything => {}
            Self::Ranges(ranges) => {
                let at = ranges.partition_point(|range| range.end <= index);
                let Some(found) = ranges.get(at).filter(|range| range.contains(&index)).cloned() else { return };
                let rest = [found.start..index, index + 1..found.end].into_iter().filter(|range| !range.is_empty());
                ranges.splice(at..=at, rest);
                self.settle(len);
            }
            Self::Bits(bits) => bits[index as usize / 64] &= !(1 << (index % 64)),
        }
    }

    /// The same set with a bit a task, so that scattered tasks can be added one by one.
    pub fn into_bits(self, len: u64) -> Self {
        let mut bits = vec![0; len.div_ceil(64) as usize];
        let ranges = match self {
            Self::Bits(_) => return self,
            Self::Nothing => vec![],
            Self::Everything => whole(len),
            Self::Ranges(ranges) => ranges,
        };
        for range in ranges {
            for word in range.start / 64..range.end.div_ceil(64) {
                bits[word as usize] |= mask(word, &range);
            }
        }
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
        match self {
            Self::Nothing => vec![],
            Self::Everything => whole(len),
            Self::Ranges(ranges) => ranges.clone(),
            Self::Bits(_) => {
                let mut ranges: Vec<Range<u64>> = vec![];
                for index in (0..len).filter(|&index| self.contains(index)) {
                    match ranges.last_mut() {
                        Some(last) if last.end == index => last.end += 1,
                        _ => ranges.push(index..index + 1),
                    }
                }
                ranges
            }
        }
    }

    fn settle(&mut self, len: u64) {
        if let Self::Ranges(ranges) = self {
            match &ranges[..] {
                [] => *self = Self::Nothing,
                [only] if *only == (0..len) => *self = Self::Everything,
                _ if ranges.len() as u64 > len / TASKS_PER_RANGE + FEW_RANGES => {
                    *self = std::mem::take(self).into_bits(len);
                }
                _ => {}
            }
        }
    }
}

fn whole(len: u64) -> Vec<Range<u64>> {
    std::iter::once(0..len).collect()
}

/// The bits of `word` that lie in `range`.
fn mask(word: u64, range: &Range<u64>) -> u64 {
    let start = range.start.saturating_sub(word * 64).min(64);
    let end = range.end.saturating_sub(word * 64).min(64);
    let below = |bit: u64| if bit == 64 { u64::MAX } else { (1 << bit) - 1 };
    below(end) & !below(start)
}

/// What has to run for `wanted` to be there, layer by layer: the wanted tasks and, upwards, what they read.
pub(crate) fn needed_for(graph: &Graph, wanted: &[Members]) -> Vec<Members> {
    let mut needed = wanted.to_vec();
    for at in (0..needed.len()).rev() {
        let id = LayerId(at as u32);
        let layer = graph.layer(id);
        needed[at].compact(layer.len());
        match &layer.shape {
            _ if needed[at] == Members::Nothing => {}
            shape if needed[at] == Members::Everything && reads_everything(shape) => {
                shape.input_layers().into_iter().for_each(|input| needed[input.0 as usize] = Members::Everything);
            }
            Shape::Explicit(explicit) => add_explicit_inputs(graph, id, explicit, &mut needed),
            shape => {
                for range in needed[at].ranges(layer.len()) {
                    shape.for_each_input_range(id, range, |input, read| {
                        needed[input.0 as usize].insert(read, graph.layer(input).len());
                    });
                }
            }
        }
    }
    needed
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

/// Whether the tasks of a layer, taken together, are sure to read every task of every input.
fn reads_everything(shape: &Shape) -> bool {
    match shape {
        Shape::Reduce { .. } => true,
        Shape::Exchange { consumers, .. } => *consumers > 0,
        Shape::Map { grid, inputs } => {
            !grid.is_empty()
                && inputs.iter().all(|input| {
                    let mut axes = input.axes.iter().zip(input.grid.lengths());
                    let distinct = input.axes.iter().flatten().collect::<BTreeSet<_>>().len()
                        == input.axes.iter().flatten().count();
                    distinct
                        && axes.all(|(axis, &length)| match axis {
                            Some(axis) => grid.lengths()[*axis as usize] == length,
                            None => length == 1,
                        })
                })
        }
        Shape::Explicit(_) | Shape::Overlap { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_of_ranges_is_a_set(
            len in 1..400_u64,
            steps in prop::collection::vec((any::<bool>(), any::<u64>(), 0..70_u64), 0..40),
        ) {
            let (mut members, mut reference) = (Members::default(), BTreeSet::new());
            for (adds, at, count) in steps {
                let start = at % len;
                let range = start..(start + count).min(len);
                if adds {
                    members.insert(range.clone(), len);
                    reference.extend(range.clone());
                } else {
                    members.remove(start, len);
                    reference.remove(&start);
                }
                prop_assert_eq!(members.count(range.clone()), reference.range(range).count() as u64);
            }
            let all: Vec<_> = members.ranges(len).into_iter().flatten().collect();
            prop_assert_eq!(&all, &reference.iter().copied().collect::<Vec<_>>());
            prop_assert!((0..len).all(|index| members.contains(index) == reference.contains(&index)));
            let mut compact = members.clone().into_bits(len);
            compact.compact(len);
            prop_assert_eq!(compact.count(0..len), reference.len() as u64);
        }
    }
}
