//! How elementwise layers read an input: axis by axis, permuted or broadcast.

use crate::{AxisSet, Grid, GridBox, GridSet, LayerId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::Range;

/// How a `Map` layer reads one of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapInput {
    /// The layer read.
    pub layer: LayerId,
    /// Its grid.
    pub grid: Grid,
    /// For each axis of the input's grid: the axis of the reader's grid whose coordinate is taken, or `None` where
    /// block 0 is read by everybody (broadcasting).
    #[serde(with = "crate::small")]
    pub axes: SmallVec<[Option<u8>; 4]>,
}

impl MapInput {
    /// Task *i* reads task *i*.
    pub fn same(layer: LayerId, grid: Grid) -> Self {
        let axes = (0..grid.axes()).map(|axis| Some(axis as u8)).collect();
        Self { layer, grid, axes }
    }

    pub(crate) fn is_same(&self, grid: &Grid) -> bool {
        self.grid == *grid && self.axes.iter().enumerate().all(|(axis, &from)| from == Some(axis as u8))
    }

    pub(crate) fn input_of(&self, at: &[u32]) -> u64 {
        let read: SmallVec<[u32; 4]> = self.axes.iter().map(|axis| axis.map_or(0, |axis| at[axis as usize])).collect();
        self.grid.index(&read)
    }

    /// The readers of block `index`, or nothing if none reads it.
    pub(crate) fn dependents_of(&self, readers: &Grid, index: u64) -> Option<GridBox> {
        let mut found: SmallVec<[Range<u32>; 4]> = readers.lengths().iter().map(|&length| 0..length).collect();
        for (&axis, at) in self.axes.iter().zip(self.grid.coordinates(index)) {
            match axis {
                Some(axis) if found[axis as usize].contains(&at) => found[axis as usize] = at..at + 1,
                None if at == 0 => {}
                _ => return None,
            }
        }
        Some(GridBox(found))
    }

    /// Calls `visit` with what the tasks of `readers` read between them. That is one set, but where several axes are one of the
    /// reader's (a diagonal): then there is a set for each coordinate of that.
    pub(crate) fn for_each_read(&self, readers: &GridSet, visit: &mut impl FnMut(GridSet)) {
        let repeated = self.axes.iter().enumerate().find_map(|(at, axis)| {
            let is_cut = axis.is_some_and(|axis| readers.axes()[usize::from(axis)].len() > 1);
            axis.filter(|_| is_cut && self.axes[..at].contains(axis)).map(usize::from)
        });
        let Some(repeated) = repeated else {
            let read = self.axes.iter().map(|axis| match axis {
                Some(axis) => readers.axes()[usize::from(*axis)].clone(),
                None => AxisSet::range(0..1),
            });
            return visit(GridSet::new(read));
        };
        // What isn't read is copied for each coordinate as well, unless it is left out.
        let is_read = |axis: usize| self.axes.iter().flatten().any(|&read| usize::from(read) == axis);
        let axes = readers.axes().iter().enumerate();
        let readers = axes.map(|(axis, set)| if is_read(axis) { set.clone() } else { AxisSet::range(0..1) });
        let readers = GridSet::new(readers);
        for at in readers.axes()[repeated].ranges().flatten() {
            self.for_each_read(&readers.with_axis(repeated, AxisSet::range(at..at + 1)), visit);
        }
    }
}
