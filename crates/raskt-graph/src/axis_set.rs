//! Sets of coordinates along one axis.

use smallvec::SmallVec;
use std::ops::Range;

/// Coordinates along one axis: ranges in order, none empty, none touching the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisSet(SmallVec<[Run; 1]>);

/// Neighbouring coordinates, and how many of the set come before them: so that counting needs no walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u32,
    end: u32,
    before: u32,
}

impl AxisSet {
    /// The coordinates of a range.
    pub fn range(range: Range<u32>) -> Self {
        let mut set = Self::default();
        set.push(range);
        set
    }

    /// Adds a range that begins no earlier than any that was added.
    pub fn push(&mut self, range: Range<u32>) {
        debug_assert!(self.0.last().is_none_or(|last| last.start <= range.start), "ranges come in order");
        if range.is_empty() {
            return;
        }
        let before = self.len();
        match self.0.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => self.0.push(Run { start: range.start, end: range.end, before }),
        }
    }

    /// Its ranges, in order.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + DoubleEndedIterator {
        self.0.iter().map(|run| run.start..run.end)
    }

    /// How many coordinates it has.
    pub fn len(&self) -> u32 {
        self.0.last().map_or(0, |last| last.before + (last.end - last.start))
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is all of an axis of `length`.
    pub fn is_whole(&self, length: u32) -> bool {
        self.len() == length
    }

    /// Whether it has the coordinate `at`.
    pub fn contains(&self, at: u32) -> bool {
        self.next(at) == Some(at)
    }

    /// How many of its coordinates come before `at`.
    pub fn count_before(&self, at: u32) -> u32 {
        let run = self.0.partition_point(|run| run.end <= at);
        self.0.get(run).map_or(self.len(), |run| run.before + at.saturating_sub(run.start))
    }

    /// The first of its coordinates that isn't before `at`.
    pub fn next(&self, at: u32) -> Option<u32> {
        let run = self.0.partition_point(|run| run.end <= at);
        self.0.get(run).map(|run| run.start.max(at))
    }

    /// Those of its coordinates that lie in `within`, counted from where that begins.
    pub fn within(&self, within: Range<u32>) -> Self {
        let from = self.0.partition_point(|run| run.end <= within.start);
        let touching = self.0[from..].iter().take_while(|run| run.start < within.end);
        touching.map(|run| run.start.max(within.start) - within.start..run.end.min(within.end) - within.start).collect()
    }

    /// Whether it has all that `other` has.
    pub fn covers(&self, other: &Self) -> bool {
        other
            .ranges()
            .all(|range| self.count_before(range.end) - self.count_before(range.start) == range.end - range.start)
    }

    /// What either has.
    pub fn union(&self, other: &Self) -> Self {
        let mut all: Vec<_> = self.ranges().chain(other.ranges()).collect();
        all.sort_unstable_by_key(|range| range.start);
        all.into_iter().collect()
    }

    /// What both have.
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = Self::default();
        let (mut own, mut others) = (self.ranges().peekable(), other.ranges().peekable());
        while let (Some(a), Some(b)) = (own.peek().cloned(), others.peek().cloned()) {
            common.push(a.start.max(b.start)..a.end.min(b.end));
            if a.end < b.end {
                own.next()
            } else {
                others.next()
            };
        }
        common
    }

    /// What it has and `other` hasn't.
    pub fn difference(&self, other: &Self) -> Self {
        // The gaps of the other, which are all that it hasn't.
        let starts = std::iter::once(0).chain(other.0.iter().map(|run| run.end));
        let ends = other.0.iter().map(|run| run.start).chain(std::iter::once(u32::MAX));
        let gaps = starts.zip(ends).map(|(start, end)| start..end);
        self.intersection(&gaps.collect())
    }
}

impl FromIterator<Range<u32>> for AxisSet {
    /// The set of ranges that come in the order of their starts.
    fn from_iter<T: IntoIterator<Item = Range<u32>>>(ranges: T) -> Self {
        let mut set = Self::default();
        ranges.into_iter().for_each(|range| set.push(range));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn drawn() -> impl Strategy<Value = (AxisSet, BTreeSet<u32>)> {
        prop::collection::btree_set(0..24_u32, 0..16).prop_map(|members| {
            let set = members.iter().map(|&at| at..at + 1).collect();
            (set, members)
        })
    }

    proptest! {
        #[test]
        fn it_is_a_set((one, a) in drawn(), (other, b) in drawn(), at in 0..26_u32) {
            let members = |set: &AxisSet| set.ranges().flatten().collect::<BTreeSet<_>>();
            prop_assert_eq!(&members(&one), &a);
            prop_assert_eq!(members(&one.union(&other)), &a | &b);
            prop_assert_eq!(members(&one.intersection(&other)), &a & &b);
            prop_assert_eq!(members(&one.difference(&other)), &a - &b);
            prop_assert_eq!(one.covers(&other), a.is_superset(&b));
            prop_assert_eq!(one.contains(at), a.contains(&at));
            prop_assert_eq!(one.next(at), a.range(at..).next().copied());
            prop_assert_eq!(one.count_before(at) as usize, a.range(..at).count());
            let inside = a.range(at..(at + 7)).map(|inside| inside - at).collect::<BTreeSet<_>>();
            prop_assert_eq!(members(&one.within(at..at + 7)), inside);
            prop_assert_eq!(one.len() as usize, a.len());
            prop_assert_eq!(one.ranges().len(), one.union(&one).ranges().len(), "ranges don't touch");
        }
    }
}
