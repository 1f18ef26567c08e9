use crate::{Explicit, Grid, GridBox, LayerId, TaskId};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Which task of a layer reads which tasks of earlier layers.
///
/// All but `Explicit` are index functions: their size doesn't grow with the number of tasks. The scheduler asks in
/// both directions (inputs of a task, dependents of a task), and the two always agree.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Every edge is listed: delayed functions, futures, foreign graphs, irregular gathers.
    Explicit(Explicit),
    /// Task *c* (a coordinate in `grid`) reads one block of each input: elementwise work, broadcasting, products.
    ///
    /// A layer without inputs is a `Map` with no inputs: sources.
    Map {
        /// The grid of this layer's tasks.
        grid: Grid,
        /// The layers read, in the order in which the op gets them.
        inputs: Vec<MapInput>,
    },
    /// Task *c* reads the box of `fan_in` blocks that begins at *c* × `fan_in`: one level of a reduction tree.
    Reduce {
        /// The layer read.
        input: LayerId,
        /// Its grid.
        grid: Grid,
        /// Blocks read along each axis: at least 1 each.
        fan_in: SmallVec<[u32; 4]>,
    },
    /// Every task reads every task of `input` (of which it wants only its own part): shuffles.
    Exchange {
        /// The layer of producers.
        input: LayerId,
        /// How many producers there are.
        producers: u64,
        /// How many tasks this layer has.
        consumers: u64,
    },
    /// Task *c* reads the box `ranges[axis][c[axis]]` of `input`: rechunking, slicing, halos.
    ///
    /// Along an axis neither the starts nor the ends of the ranges ever decrease.
    Overlap {
        /// The layer read.
        input: LayerId,
        /// Its grid.
        grid: Grid,
        /// For each axis, for each coordinate of this layer, the coordinates read.
        ranges: Arc<[Vec<Range<u32>>]>,
    },
}

/// How a `Map` layer reads one of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapInput {
    /// The layer read.
    pub layer: LayerId,
    /// Its grid.
    pub grid: Grid,
    /// For each axis of the input's grid: the axis of the reader's grid whose coordinate is taken, or `None` where
    /// block 0 is read by everybody (broadcasting).
    pub axes: SmallVec<[Option<u8>; 4]>,
}

impl MapInput {
    /// Task *i* reads task *i*.
    pub fn same(layer: LayerId, grid: Grid) -> Self {
        let axes = (0..grid.axes()).map(|axis| Some(axis as u8)).collect();
        Self { layer, grid, axes }
    }

    fn is_same(&self, grid: &Grid) -> bool {
        self.grid == *grid && self.axes.iter().enumerate().all(|(axis, &from)| from == Some(axis as u8))
    }

    fn input_of(&self, at: &[u32]) -> u64 {
        let read: SmallVec<[u32; 4]> = self.axes.iter().map(|axis| axis.map_or(0, |axis| at[axis as usize])).collect();
        self.grid.index(&read)
    }

    /// The readers of block `index`, or nothing if none reads it.
    fn dependents_of(&self, readers: &Grid, index: u64) -> Option<GridBox> {
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
}

impl Shape {
    /// `count` tasks that read nothing.
    pub fn source(count: u32) -> Self {
        Self::Map { grid: Grid::new([count]), inputs: vec![] }
    }

    /// How many tasks the layer has.
    pub fn len(&self) -> u64 {
        match self {
            Self::Explicit(explicit) => explicit.len(),
            Self::Exchange { consumers, .. } => *consumers,
            Self::Map { grid, .. } => grid.len(),
            Self::Reduce { .. } | Self::Overlap { .. } => self.grid().len(),
        }
    }

    /// Whether the layer has no task.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The grid of the layer's own tasks; a line for layers without one.
    pub fn grid(&self) -> Grid {
        match self {
            Self::Map { grid, .. } => grid.clone(),
            Self::Reduce { grid, fan_in, .. } => {
                Grid::new(grid.lengths().iter().zip(fan_in).map(|(&length, &fan_in)| length.div_ceil(fan_in)))
            }
            Self::Overlap { ranges, .. } => Grid::new(ranges.iter().map(|axis| axis.len() as u32)),
            Self::Explicit(_) | Self::Exchange { .. } => Grid::new([self.len() as u32]),
        }
    }

    /// The layers that it reads, without repetition, in order.
    pub fn input_layers(&self) -> Vec<LayerId> {
        let mut layers = match self {
            Self::Explicit(explicit) => explicit.outer_layers(),
            Self::Map { inputs, .. } => inputs.iter().map(|input| input.layer).collect(),
            Self::Reduce { input, .. } | Self::Exchange { input, .. } | Self::Overlap { input, .. } => vec![*input],
        };
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    /// How many inputs task `index` has; an input read twice counts twice.
    pub fn input_count(&self, index: u64) -> u64 {
        match self {
            Self::Explicit(explicit) => explicit.input_count(index),
            Self::Map { inputs, .. } => inputs.len() as u64,
            Self::Exchange { producers, .. } => *producers,
            Self::Reduce { .. } | Self::Overlap { .. } => match self.read_line(index) {
                Some(line) => line.end.saturating_sub(line.start),
                None => self.read_box(index).len(),
            },
        }
    }

    /// Calls `visit` with each input of task `index` of layer `own`, in the order in which the op gets them.
    pub fn for_each_input(&self, own: LayerId, index: u64, mut visit: impl FnMut(TaskId)) {
        match self {
            Self::Explicit(explicit) => explicit.inputs(own, index).for_each(visit),
            Self::Map { grid, inputs } => {
                for input in inputs {
                    let read = if input.is_same(grid) { index } else { input.input_of(&grid.coordinates(index)) };
                    visit(TaskId::new(input.layer, read));
                }
            }
            Self::Exchange { input, producers, .. } => (0..*producers).for_each(|at| visit(TaskId::new(*input, at))),
            Self::Reduce { input, grid, .. } | Self::Overlap { input, grid, .. } => match self.read_line(index) {
                Some(line) => line.for_each(|at| visit(TaskId::new(*input, at))),
                None => self.read_box(index).for_each(grid, |at| visit(TaskId::new(*input, at))),
            },
        }
    }

    /// Calls `visit` with neighbouring tasks of `layer` that the tasks in `readers` read between them, until all have been
    /// visited; a task may be visited more than once. `own` is the id of this layer.
    pub fn for_each_input_range(&self, own: LayerId, readers: Range<u64>, mut visit: impl FnMut(LayerId, Range<u64>)) {
        match self {
            _ if readers.is_empty() => {}
            Self::Exchange { input, producers, .. } => visit(*input, 0..*producers),
            Self::Map { grid, inputs } if inputs.iter().all(|input| input.is_same(grid)) => {
                inputs.iter().for_each(|input| visit(input.layer, readers.clone()));
            }
            Self::Reduce { input, grid, fan_in } if grid.axes() == 1 => {
                let fan_in = u64::from(fan_in[0]);
                visit(*input, readers.start * fan_in..(readers.end * fan_in).min(grid.len()));
            }
            Self::Overlap { input, grid, .. } if grid.axes() == 1 => {
                readers.filter_map(|index| self.read_line(index)).for_each(|line| visit(*input, line));
            }
            _ => readers.for_each(|index| {
                self.for_each_input(own, index, |input| visit(input.layer, input.index..input.index + 1));
            }),
        }
    }

    /// Calls `visit` with the index of each task that reads `input`, once for each time it reads it. `own` is the id of
    /// this layer.
    pub fn for_each_dependent(&self, own: LayerId, input: TaskId, mut visit: impl FnMut(u64)) {
        match self {
            Self::Explicit(explicit) => explicit.for_each_dependent(own, input, visit),
            Self::Map { grid, inputs } => {
                for map in inputs.iter().filter(|map| map.layer == input.layer) {
                    if map.is_same(grid) {
                        visit(input.index);
                    } else if let Some(readers) = map.dependents_of(grid, input.index) {
                        readers.for_each(grid, &mut visit);
                    }
                }
            }
            Self::Exchange { input: read, consumers, .. } if *read == input.layer => (0..*consumers).for_each(visit),
            Self::Reduce { input: read, grid, fan_in } if *read == input.layer => {
                if let [fan_in] = fan_in[..] {
                    return visit(input.index / u64::from(fan_in));
                }
                let at = grid.coordinates(input.index);
                let reader: SmallVec<[u32; 4]> = at.iter().zip(fan_in).map(|(&at, &fan_in)| at / fan_in).collect();
                visit(self.grid().index(&reader));
            }
            Self::Overlap { input: read, grid, ranges } if *read == input.layer => {
                let at = grid.coordinates(input.index);
                let readers = at.iter().zip(ranges.iter()).map(|(&at, ranges)| readers_of(ranges, at));
                GridBox(readers.collect()).for_each(&self.grid(), visit);
            }
            _ => {}
        }
    }

    /// What task `index` of a `Reduce` or an `Overlap` reads, where the input's grid is a line.
    fn read_line(&self, index: u64) -> Option<Range<u64>> {
        match self {
            Self::Reduce { grid, fan_in, .. } if grid.axes() == 1 => {
                let fan_in = u64::from(fan_in[0]);
                Some(index * fan_in..((index + 1) * fan_in).min(grid.len()))
            }
            Self::Overlap { grid, ranges, .. } if grid.axes() == 1 => {
                let range = &ranges[0][index as usize];
                Some(u64::from(range.start)..u64::from(range.end))
            }
            _ => None,
        }
    }

    /// The box of the input's grid that task `index` of a `Reduce` or an `Overlap` reads.
    fn read_box(&self, index: u64) -> GridBox {
        let at = self.grid().coordinates(index);
        match self {
            Self::Reduce { grid, fan_in, .. } => {
                let axes = at.iter().zip(fan_in).zip(grid.lengths());
                GridBox(axes.map(|((&at, &fan_in), &end)| at * fan_in..((at + 1) * fan_in).min(end)).collect())
            }
            Self::Overlap { ranges, .. } => {
                GridBox(at.iter().zip(ranges.iter()).map(|(&at, ranges)| ranges[at as usize].clone()).collect())
            }
            _ => unreachable!("only a reduction and an overlap read boxes"),
        }
    }
}

/// Which of the monotonic `ranges` hold `at`: neighbours, found by bisection. Empty ranges among them hold nothing, and
/// cannot lie between two that do.
fn readers_of(ranges: &[Range<u32>], at: u32) -> Range<u32> {
    let start = ranges.partition_point(|range| range.end <= at);
    let end = ranges.partition_point(|range| range.start <= at);
    start as u32..end.max(start) as u32
}
