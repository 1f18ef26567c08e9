//! Grids of blocks, and boxes of them.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::Range;

/// The lengths of an n-dimensional grid of blocks; block numbers run in C order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grid(#[serde(with = "crate::small")] SmallVec<[u32; 4]>);

impl Grid {
    /// A grid of these lengths; no length at all is a single block.
    pub fn new(lengths: impl IntoIterator<Item = u32>) -> Self {
        Self(lengths.into_iter().collect())
    }

    /// The lengths of its axes.
    pub fn lengths(&self) -> &[u32] {
        &self.0
    }

    /// How many axes it has.
    pub fn axes(&self) -> usize {
        self.0.len()
    }

    /// How many blocks it has; of more than can be counted, as many as can be.
    pub fn len(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.0.iter().fold(1, |blocks, &length| blocks.saturating_mul(u64::from(length)))
    }

    /// How many it would have if no length were nothing; of more than can be counted, as many as can be.
    pub(crate) fn span(&self) -> u64 {
        self.0.iter().fold(1, |blocks, &length| blocks.saturating_mul(u64::from(length.max(1))))
    }

    /// Whether it has no block.
    pub fn is_empty(&self) -> bool {
        self.0.contains(&0)
    }

    /// The coordinates of block `index`.
    pub fn coordinates(&self, index: u64) -> SmallVec<[u32; 4]> {
        let mut coordinates = SmallVec::from_elem(0, self.0.len());
        for_each_coordinate(self.0.len(), |axis| self.0[axis], index, |axis, at| coordinates[axis] = at);
        coordinates
    }

    /// The number of the block at `coordinates`.
    pub fn index(&self, coordinates: &[u32]) -> u64 {
        let pairs = self.0.iter().zip(coordinates);
        pairs.fold(0, |index, (&length, &at)| index * u64::from(length) + u64::from(at))
    }

    /// The blocks of `range` as boxes that have nothing in common, in order: at most twice as many as there are axes.
    pub fn boxes(&self, range: Range<u64>) -> Vec<GridBox> {
        let mut found = vec![];
        let range = range.start..range.end.min(self.len());
        if !range.is_empty() {
            self.find_boxes(range, &mut SmallVec::new(), &mut found);
        }
        found
    }

    /// Adds the boxes of a `range` that isn't empty, of the blocks whose first coordinates are `outer`.
    fn find_boxes(&self, range: Range<u64>, outer: &mut SmallVec<[Range<u32>; 4]>, found: &mut Vec<GridBox>) {
        let axis = outer.len();
        let Some(&length) = self.0.get(axis) else { return found.push(GridBox(outer.clone())) };
        let inner: u64 = self.0[axis + 1..].iter().map(|&length| u64::from(length)).product();
        let (first, last) = (range.start / inner, (range.end - 1) / inner);
        debug_assert!(last < u64::from(length), "the range lies in the grid");
        // Coordinates along this axis of which the range has all blocks, and the parts of others beside them.
        let (from, to) = (range.start.div_ceil(inner), range.end / inner);
        if first == last && from >= to {
            return self.find_boxes_at(first, range.start - first * inner..range.end - first * inner, outer, found);
        }
        if range.start < from * inner {
            self.find_boxes_at(first, range.start - first * inner..inner, outer, found);
        }
        if from < to {
            let beside = self.0[axis + 1..].iter().map(|&length| 0..length);
            let own = std::iter::once(from as u32..to as u32);
            found.push(GridBox(outer.iter().cloned().chain(own).chain(beside).collect()));
        }
        if to * inner < range.end {
            self.find_boxes_at(to, 0..range.end - to * inner, outer, found);
        }
    }

    fn find_boxes_at(
        &self,
        at: u64,
        range: Range<u64>,
        outer: &mut SmallVec<[Range<u32>; 4]>,
        found: &mut Vec<GridBox>,
    ) {
        outer.push(at as u32..at as u32 + 1);
        self.find_boxes(range, outer, found);
        outer.pop();
    }
}

/// Calls `visit` with each axis, the last first, and the coordinate along it of block `index` of a grid of these lengths.
#[inline]
pub(crate) fn for_each_coordinate(
    axes: usize,
    length_of: impl Fn(usize) -> u32,
    index: u64,
    mut visit: impl FnMut(usize, u32),
) {
    let (mut rest, mut axis) = (index, axes);
    // Numbers of 64 bits are divided at several times the cost of those of 32, which what is left soon is.
    while axis > 1 && u32::try_from(rest).is_err() {
        axis -= 1;
        let length = u64::from(length_of(axis));
        visit(axis, (rest % length) as u32);
        rest /= length;
    }
    let mut rest = rest as u32;
    while axis > 1 {
        axis -= 1;
        let length = length_of(axis);
        visit(axis, rest % length);
        rest /= length;
    }
    // Of the first axis nothing is left over.
    if axis == 1 {
        visit(0, rest);
    }
}

/// A box of blocks in a grid: a range along each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridBox(pub SmallVec<[Range<u32>; 4]>);

impl GridBox {
    /// How many blocks are in it.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|range| range.len() as u64).product()
    }

    /// Whether no block is in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().any(Range::is_empty)
    }

    /// Calls `visit` with the number in `grid` of each of its blocks, in C order.
    pub fn for_each(&self, grid: &Grid, visit: impl FnMut(u64)) {
        self.for_each_of(|axis| grid.0[axis], visit);
    }

    /// The same, in a grid of these lengths.
    #[inline]
    pub(crate) fn for_each_of(&self, length_of: impl Fn(usize) -> u32, mut visit: impl FnMut(u64)) {
        let length_of = |axis| u64::from(length_of(axis));
        match &self.0[..] {
            [] => visit(0),
            [range] => (u64::from(range.start)..u64::from(range.end)).for_each(visit),
            [rows, columns] => {
                let length = length_of(1);
                for row in rows.clone() {
                    let row = u64::from(row) * length;
                    (row + u64::from(columns.start)..row + u64::from(columns.end)).for_each(&mut visit);
                }
            }
            _ => self.for_each_of_many(length_of, visit),
        }
    }

    fn for_each_of_many(&self, length_of: impl Fn(usize) -> u64, mut visit: impl FnMut(u64)) {
        let Some((last, outer)) = self.0.split_last().filter(|_| !self.is_empty()) else { return };
        let length = length_of(outer.len());
        let mut at: SmallVec<[u32; 4]> = outer.iter().map(|range| range.start).collect();
        loop {
            let row = at.iter().enumerate().fold(0, |row, (axis, &at)| row * length_of(axis) + u64::from(at));
            (row * length + u64::from(last.start)..row * length + u64::from(last.end)).for_each(&mut visit);
            // The last outer axis that can go on does, and those after it begin anew.
            let Some(axis) = (0..at.len()).rev().find(|&axis| at[axis] + 1 < outer[axis].end) else { return };
            at[axis] += 1;
            (axis + 1..at.len()).for_each(|axis| at[axis] = outer[axis].start);
        }
    }

    /// The number in `grid` of its first block.
    pub fn first(&self, grid: &Grid) -> Option<u64> {
        let starts: SmallVec<[u32; 4]> = self.0.iter().map(|range| range.start).collect();
        (!self.is_empty()).then(|| grid.index(&starts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn coordinates_and_index_are_inverse() {
        let grid = Grid::new([3, 1, 4]);
        for index in 0..grid.len() {
            assert_eq!(grid.index(&grid.coordinates(index)), index);
        }
    }

    #[test]
    fn more_blocks_than_can_be_counted_are_the_most_that_can_be() {
        assert_eq!(Grid::new([u32::MAX, u32::MAX, 3]).len(), u64::MAX);
        assert_eq!(Grid::new([u32::MAX, u32::MAX, 3, 0]).len(), 0);
    }

    #[test]
    fn a_grid_without_axes_is_one_block() {
        let grid = Grid::new([]);
        let mut seen = vec![];
        GridBox(SmallVec::new()).for_each(&grid, |index| seen.push(index));
        assert_eq!((grid.len(), seen), (1, vec![0]));
    }

    proptest! {
        #[test]
        fn a_range_is_a_few_boxes(
            lengths in prop::collection::vec(0..4_u32, 0..5),
            start in any::<prop::sample::Index>(),
            end in any::<prop::sample::Index>(),
        ) {
            let grid = Grid::new(lengths);
            let range = start.index(grid.len() as usize + 1) as u64..end.index(grid.len() as usize + 1) as u64;
            let (boxes, mut seen) = (grid.boxes(range.clone()), vec![]);
            boxes.iter().for_each(|part| part.for_each(&grid, |index| seen.push(index)));
            prop_assert_eq!(seen, range.collect::<Vec<_>>());
            prop_assert!(boxes.len() <= (2 * grid.axes()).max(1));
            prop_assert!(boxes.iter().all(|part| part.first(&grid).is_some()));
        }
    }

    #[test]
    fn a_box_is_walked_in_c_order() {
        let mut seen = vec![];
        GridBox([1..3, 0..2].into_iter().collect()).for_each(&Grid::new([3, 4]), |index| seen.push(index));
        assert_eq!(seen, [4, 5, 8, 9]);
    }
}
