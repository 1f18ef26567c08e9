//! Sets of blocks of a grid, as products of coordinates.

use crate::{AxisSet, Grid, GridBox};
use smallvec::SmallVec;
use std::ops::Range;

/// Blocks of a grid: along each axis some coordinates, and every combination of them. What a box, a slice with a step or a
/// broadcast reads is one, however many blocks it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridSet(SmallVec<[AxisSet; 4]>);

impl GridSet {
    /// The blocks with these coordinates along each axis.
    pub fn new(axes: impl IntoIterator<Item = AxisSet>) -> Self {
        Self(axes.into_iter().collect())
    }

    /// All blocks of `grid`.
    pub fn whole(grid: &Grid) -> Self {
        Self::new(grid.lengths().iter().map(|&length| AxisSet::range(0..length)))
    }

    /// Along each axis, the coordinates.
    pub fn axes(&self) -> &[AxisSet] {
        &self.0
    }

    /// The same set with other coordinates along `axis`.
    pub fn with_axis(&self, axis: usize, coordinates: AxisSet) -> Self {
        // Not all are copied first: what is replaced may be the longest.
        let mut coordinates = Some(coordinates);
        let axes = self.0.iter().enumerate();
        Self::new(axes.map(|(at, own)| coordinates.take_if(|_| at == axis).unwrap_or_else(|| own.clone())))
    }

    /// The axis along which it differs from `other`, if that is one alone.
    pub fn only_difference(&self, other: &Self) -> Option<usize> {
        let mut differing = (0..self.0.len()).filter(|&axis| self.0[axis] != other.0[axis]);
        differing.next().filter(|_| differing.next().is_none())
    }

    /// How many blocks there are; of more than can be counted, as many as can be.
    pub fn len(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.0.iter().fold(1, |blocks, axis| blocks.saturating_mul(u64::from(axis.len())))
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.0.iter().any(AxisSet::is_empty)
    }

    /// Whether it is all of `grid`.
    pub fn is_whole(&self, grid: &Grid) -> bool {
        self.0.iter().zip(grid.lengths()).all(|(axis, &length)| axis.is_whole(length))
    }

    /// Whether block `index` of `grid` is one of them.
    pub fn contains(&self, grid: &Grid, index: u64) -> bool {
        self.0.iter().zip(grid.coordinates(index)).all(|(axis, at)| axis.contains(at))
    }

    /// How many of them come before block `index` of `grid`.
    pub fn count_before(&self, grid: &Grid, index: u64) -> u64 {
        if index >= grid.len() {
            return self.len();
        }
        let (mut count, mut inner) = (0, self.len());
        for (axis, at) in self.0.iter().zip(grid.coordinates(index)) {
            inner = inner.checked_div(u64::from(axis.len())).unwrap_or(0);
            count += u64::from(axis.count_before(at)) * inner;
            if !axis.contains(at) {
                break;
            }
        }
        count
    }

    /// The first of them that isn't before block `from` of `grid`.
    pub fn next(&self, grid: &Grid, from: u64) -> Option<u64> {
        if from >= grid.len() || self.is_empty() {
            return None;
        }
        let mut at = grid.coordinates(from);
        let Some(wrong) = self.0.iter().zip(&at).position(|(axis, &at)| !axis.contains(at)) else { return Some(from) };
        // The last axis, up to the first wrong one, that can go on; what comes after it begins anew.
        let (axis, next) = (0..=wrong).rev().find_map(|axis| {
            let after = at[axis] + u32::from(axis < wrong);
            Some((axis, self.0[axis].next(after)?))
        })?;
        at[axis] = next;
        for inner in axis + 1..at.len() {
            at[inner] = self.0[inner].next(0)?;
        }
        Some(grid.index(&at))
    }

    /// Whether it has all that `other` has.
    pub fn covers(&self, other: &Self) -> bool {
        other.is_empty() || self.0.iter().zip(&other.0).all(|(own, other)| own.covers(other))
    }

    /// What either has, if that is a set of this kind: they differ along one axis, or one has all that the other has.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        if self.covers(other) {
            return Some(self.clone());
        }
        if other.covers(self) {
            return Some(other.clone());
        }
        let axis = self.only_difference(other)?;
        Some(self.with_axis(axis, self.0[axis].union(&other.0[axis])))
    }

    /// What it has and `other` hasn't, in sets that have nothing in common: at most one for each axis.
    pub fn without(&self, other: &Self) -> Vec<Self> {
        let mut rest = self.clone();
        let mut found = vec![];
        for axis in 0..self.0.len() {
            let beside = rest.0[axis].difference(&other.0[axis]);
            if !beside.is_empty() {
                let mut piece = rest.clone();
                piece.0[axis] = beside;
                found.push(piece);
            }
            rest.0[axis] = rest.0[axis].intersection(&other.0[axis]);
        }
        found.retain(|piece| !piece.is_empty());
        found
    }

    /// How many ranges of neighbours [`Self::for_each_range`] visits.
    pub fn ranges(&self, grid: &Grid) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let Some(last) = self.last_cut(grid) else { return 1 };
        let outer = self.0[..last].iter().map(|axis| u64::from(axis.len()));
        outer.fold(self.0[last].ranges().len() as u64, u64::saturating_mul)
    }

    /// Calls `visit` with ranges of neighbours in `grid`, in order, until all have been visited.
    pub fn for_each_range(&self, grid: &Grid, mut visit: impl FnMut(Range<u64>)) {
        let row = self.row(grid);
        self.for_each_row(grid, |start| {
            row.iter().for_each(|range| visit(start + range.start..start + range.end));
        });
    }

    /// What it has of each row of `grid` of which it has something, as ranges of neighbours in order. A row goes along the last axis
    /// of which the set hasn't all, with all that is within it.
    pub fn row(&self, grid: &Grid) -> Vec<Range<u64>> {
        let Some(last) = self.last_cut(grid) else { return std::iter::once(0..grid.len()).collect() };
        let inner: u64 = grid.lengths()[last + 1..].iter().map(|&length| u64::from(length)).product();
        let ranges = self.0[last].ranges();
        ranges.map(|range| u64::from(range.start) * inner..u64::from(range.end) * inner).collect()
    }

    /// Calls `visit` with where each row of `grid` begins of which the set has something, in order: it has the same of each.
    pub fn for_each_row(&self, grid: &Grid, mut visit: impl FnMut(u64)) {
        if self.is_empty() {
            return;
        }
        let Some(last) = self.last_cut(grid) else { return visit(0) };
        let length: u64 = grid.lengths()[last..].iter().map(|&length| u64::from(length)).product();
        self.find_rows(grid, last, 0, 0, &mut |row| visit(row * length));
    }

    /// The last axis that isn't whole.
    fn last_cut(&self, grid: &Grid) -> Option<usize> {
        (0..self.0.len()).rev().find(|&axis| !self.0[axis].is_whole(grid.lengths()[axis]))
    }

    fn find_rows(&self, grid: &Grid, last: usize, axis: usize, row: u64, visit: &mut impl FnMut(u64)) {
        if axis == last {
            return visit(row);
        }
        for at in self.0[axis].ranges().flatten() {
            let row = row * u64::from(grid.lengths()[axis]) + u64::from(at);
            self.find_rows(grid, last, axis + 1, row, visit);
        }
    }
}

impl From<GridBox> for GridSet {
    fn from(found: GridBox) -> Self {
        Self::new(found.0.into_iter().map(AxisSet::range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A grid and three sets of its blocks.
    fn drawn() -> impl Strategy<Value = (Grid, Vec<GridSet>)> {
        let axis = (1..5_u32).prop_flat_map(|length| (Just(length), prop::collection::vec(0..1_u32 << length, 3)));
        prop::collection::vec(axis, 0..4).prop_map(|axes| {
            let grid = Grid::new(axes.iter().map(|(length, _)| *length));
            let set = |at: usize| {
                GridSet::new(axes.iter().map(|(length, masks)| {
                    (0..*length).filter(|&bit| masks[at] >> bit & 1 == 1).map(|bit| bit..bit + 1).collect()
                }))
            };
            (grid, (0..3).map(set).collect())
        })
    }

    fn members(grid: &Grid, set: &GridSet) -> BTreeSet<u64> {
        (0..grid.len()).filter(|&index| set.contains(grid, index)).collect()
    }

    proptest! {
        #[test]
        fn it_is_a_set((grid, sets) in drawn()) {
            let [one, other] = [&sets[0], &sets[1]];
            let (a, b) = (members(&grid, one), members(&grid, other));
            prop_assert_eq!(one.len() as usize, a.len());
            prop_assert_eq!(one.is_whole(&grid), a.len() as u64 == grid.len());
            prop_assert_eq!(one.covers(other), a.is_superset(&b));
            for index in 0..=grid.len() {
                prop_assert_eq!(one.count_before(&grid, index) as usize, a.range(..index).count());
                prop_assert_eq!(one.next(&grid, index), a.range(index..).next().copied());
            }
            if let Some(joined) = one.joined(other) {
                prop_assert_eq!(members(&grid, &joined), &a | &b);
            }
            let mut rest = vec![];
            one.without(other).iter().for_each(|piece| rest.extend(members(&grid, piece)));
            rest.sort_unstable();
            prop_assert_eq!(rest, (&a - &b).into_iter().collect::<Vec<_>>(), "pieces have nothing in common");
            let mut ranges = vec![];
            one.for_each_range(&grid, |range| ranges.push(range));
            prop_assert_eq!(one.ranges(&grid) as usize, ranges.len());
            prop_assert!(ranges.iter().is_sorted_by_key(|range| range.start));
            prop_assert_eq!(ranges.into_iter().flatten().collect::<Vec<_>>(), a.into_iter().collect::<Vec<_>>());
        }
    }
}
