use smallvec::SmallVec;
use std::ops::Range;

/// The lengths of an n-dimensional grid of blocks; block numbers run in C order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid(SmallVec<[u32; 4]>);

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

    /// Whether it has no block.
    pub fn is_empty(&self) -> bool {
        self.0.contains(&0)
    }

    /// The coordinates of block `index`.
    pub fn coordinates(&self, mut index: u64) -> SmallVec<[u32; 4]> {
        let mut coordinates = SmallVec::from_elem(0, self.0.len());
        for axis in (0..self.0.len()).rev() {
            let length = u64::from(self.0[axis]);
            coordinates[axis] = (index % length) as u32;
            index /= length;
        }
        coordinates
    }

    /// The number of the block at `coordinates`.
    pub fn index(&self, coordinates: &[u32]) -> u64 {
        let pairs = self.0.iter().zip(coordinates);
        pairs.fold(0, |index, (&length, &at)| index * u64::from(length) + u64::from(at))
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
    pub fn for_each(&self, grid: &Grid, mut visit: impl FnMut(u64)) {
        if self.is_empty() {
            return;
        }
        let mut at: SmallVec<[u32; 4]> = self.0.iter().map(|range| range.start).collect();
        loop {
            visit(grid.index(&at));
            let mut axis = at.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                if at[axis] < self.0[axis].end {
                    break;
                }
                at[axis] = self.0[axis].start;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_box_is_walked_in_c_order() {
        let mut seen = vec![];
        GridBox([1..3, 0..2].into_iter().collect()).for_each(&Grid::new([3, 4]), |index| seen.push(index));
        assert_eq!(seen, [4, 5, 8, 9]);
    }
}
