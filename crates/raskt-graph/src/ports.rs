//! Layers whose tasks read an input in boxes, input by input.
//!
//! In a layer of shape `Map` or `Overlap` the readers of a task are a box of the layer's grid. So who keeps count of an input
//! that many tasks read needn't list them: a *port* is one of the inputs of such a layer, by its position.

use crate::{GridBox, LayerId, Shape, TaskId};

impl Shape {
    /// How many inputs it has that are read in boxes: none for layers of other shapes.
    pub fn ports(&self) -> usize {
        match self {
            Self::Map { inputs, .. } => inputs.len(),
            Self::Overlap { .. } => 1,
            Self::Explicit(_) | Self::Reduce { .. } | Self::Exchange { .. } | Self::Concatenate(_) => 0,
        }
    }

    /// The layer that is read through `port`.
    pub fn read_through(&self, port: usize) -> Option<LayerId> {
        match self {
            Self::Map { inputs, .. } => inputs.get(port).map(|input| input.layer),
            Self::Overlap { input, .. } => (port == 0).then_some(*input),
            Self::Explicit(_) | Self::Reduce { .. } | Self::Exchange { .. } | Self::Concatenate(_) => None,
        }
    }

    /// No task is read through `port` by more tasks than this.
    pub fn most_readers(&self, port: usize) -> u64 {
        match self {
            Self::Map { grid, inputs } => {
                let is_free = |axis: usize| !inputs[port].axes.contains(&Some(axis as u8));
                let free = grid.lengths().iter().enumerate().filter(|(axis, _)| is_free(*axis));
                free.fold(1, |readers, (_, &length)| readers.saturating_mul(u64::from(length)))
            }
            Self::Overlap { ranges, .. } => {
                ranges.iter().fold(1, |readers, ranges| readers.saturating_mul(u64::from(ranges.most_readers())))
            }
            Self::Explicit(_) | Self::Reduce { .. } | Self::Exchange { .. } | Self::Concatenate(_) => 0,
        }
    }

    /// Whether task *i* reads task *i* through `port`, and nobody else does.
    pub fn is_read_one_to_one(&self, port: usize) -> bool {
        matches!(self, Self::Map { grid, inputs } if inputs[port].is_same(grid))
    }

    /// The box of tasks that read task `index` through `port`; an empty one if none does.
    pub fn readers_through(&self, port: usize, index: u64) -> GridBox {
        let readers = match self {
            Self::Map { grid, inputs } => inputs[port].dependents_of(grid, index),
            Self::Overlap { grid, ranges, .. } => {
                let at = grid.coordinates(index);
                let axes = at.iter().zip(ranges.iter()).map(|(&at, ranges)| ranges.readers_of(at));
                Some(GridBox(axes.collect()))
            }
            Self::Explicit(_) | Self::Reduce { .. } | Self::Exchange { .. } | Self::Concatenate(_) => None,
        };
        readers.unwrap_or_else(|| GridBox(std::iter::once(0..0).collect()))
    }

    /// Calls `visit` with each input of task `index` and the port through which it is read, in the order in which the op gets
    /// them.
    pub fn for_each_input_by_port(&self, index: u64, mut visit: impl FnMut(usize, TaskId)) {
        let mut at = 0;
        let own = LayerId(u32::MAX);
        match self {
            Self::Map { .. } => self.for_each_input(own, index, |input| {
                visit(at, input);
                at += 1;
            }),
            Self::Overlap { .. } => self.for_each_input(own, index, |input| visit(0, input)),
            Self::Explicit(_) | Self::Reduce { .. } | Self::Exchange { .. } | Self::Concatenate(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxWalk, Grid, MapInput};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn walked(mut walk: BoxWalk, step: u64) -> Vec<u64> {
        let mut found = vec![];
        while walk.left() > 0 {
            let run = walk.run();
            let count = step.min(run.end - run.start);
            assert_eq!(walk.end_of_run(run.start), run.end);
            found.extend(run.start..run.start + count);
            walk.advance(count);
        }
        assert!(walk.run().is_empty());
        found
    }

    fn grids() -> impl Strategy<Value = (Grid, GridBox)> {
        prop::collection::vec((1..5_u32, 0..5_u32, 0..5_u32), 0..4).prop_map(|axes| {
            let grid = Grid::new(axes.iter().map(|(length, ..)| *length));
            let ranges = axes.iter().map(|&(length, a, b)| a.min(b).min(length)..a.max(b).min(length));
            (grid, GridBox(ranges.collect()))
        })
    }

    proptest! {
        #[test]
        fn a_walk_visits_the_box_in_order((grid, within) in grids(), step in 1..5_u64) {
            let mut expected = vec![];
            within.for_each(&grid, |index| expected.push(index));
            prop_assert_eq!(walked(BoxWalk::new(&grid, &within), step), expected);
        }

        #[test]
        fn readers_through_a_port_are_those_who_read_through_it(
            lengths in prop::collection::vec(1..4_u32, 1..4),
            broadcast in prop::collection::vec(any::<bool>(), 4),
            pieces in 1..5_u32,
            halo in 0..3_u32,
        ) {
            let grid = Grid::new(lengths.iter().copied());
            let axes: smallvec::SmallVec<[Option<u8>; 4]> = (0..lengths.len()).map(|axis| (!broadcast[axis]).then_some(axis as u8)).collect();
            let read = Grid::new(lengths.iter().zip(&axes).map(|(&length, axis)| axis.map_or(1, |_| length)));
            let inputs = vec![MapInput::same(LayerId(0), grid.clone()), MapInput { layer: LayerId(1), grid: read.clone(), axes }];
            let map = Shape::Map { grid: grid.clone(), inputs };
            let ranges = lengths.iter().map(|&length| (0..length * pieces).map(|at| at / pieces..(at / pieces + 1 + halo).min(length)).collect::<Vec<_>>().into());
            let overlap = Shape::Overlap { input: LayerId(0), grid: grid.clone(), ranges: Arc::from(ranges.collect::<Vec<_>>()) };
            for (shape, inputs) in [(map, vec![grid.len(), read.len()]), (overlap, vec![grid.len()])] {
                prop_assert_eq!(shape.ports(), inputs.len());
                for (port, &inputs) in inputs.iter().enumerate() {
                    let mut most = 0;
                    for index in 0..inputs {
                        let mut expected = vec![];
                        for reader in 0..shape.len() {
                            shape.for_each_input_by_port(reader, |at, input| {
                                if (at, input.index) == (port, index) { expected.push(reader) }
                            });
                        }
                        let mut found = vec![];
                        shape.readers_through(port, index).for_each(&shape.grid(), |reader| found.push(reader));
                        most = most.max(found.len() as u64);
                        prop_assert_eq!(found, expected);
                    }
                    prop_assert_eq!(shape.most_readers(port), most);
                }
            }
        }
    }
}
