//! The heart of a layer: which task reads which, forwards and backwards, as pure functions.

use crate::grid::for_each_coordinate;
use crate::{AxisRanges, BoxWalk, Explicit, Grid, GridBox, GridSet, LayerId, MapInput, Parts, TaskId};
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
    /// Task *c* reads the box of `input` that has, along each axis, the coordinates `ranges[axis].at(c[axis])`: rechunking,
    /// slicing with steps of either sign, halos.
    Overlap {
        /// The layer read.
        input: LayerId,
        /// Its grid.
        grid: Grid,
        /// For each axis, for each coordinate of this layer, the coordinates read.
        ranges: Arc<[AxisRanges]>,
    },
    /// Each task reads one block of one of many layers, which stand one after the other: concatenating, stacking.
    Concatenate(Parts),
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
            Self::Concatenate(parts) => parts.grid().len(),
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
            Self::Overlap { ranges, .. } => Grid::new(ranges.iter().map(AxisRanges::len)),
            Self::Concatenate(parts) => parts.grid().clone(),
            Self::Explicit(_) | Self::Exchange { .. } => Grid::new([self.len() as u32]),
        }
    }

    /// Its own grid and those that it takes its inputs to have, where it has any.
    pub(crate) fn grids(&self) -> Vec<Grid> {
        let mut grids = vec![self.grid()];
        match self {
            Self::Map { inputs, .. } => grids.extend(inputs.iter().map(|input| input.grid.clone())),
            Self::Reduce { grid, .. } | Self::Overlap { grid, .. } => grids.push(grid.clone()),
            Self::Explicit(_) | Self::Exchange { .. } | Self::Concatenate(_) => {}
        }
        grids
    }

    /// The layers that it reads, without repetition, in order.
    pub fn input_layers(&self) -> Vec<LayerId> {
        let mut layers = match self {
            Self::Explicit(explicit) => explicit.outer_layers(),
            Self::Map { inputs, .. } => inputs.iter().map(|input| input.layer).collect(),
            Self::Reduce { input, .. } | Self::Exchange { input, .. } | Self::Overlap { input, .. } => vec![*input],
            Self::Concatenate(parts) => parts.layers().map(|(layer, _)| layer).collect(),
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
            Self::Concatenate(_) => 1,
            Self::Reduce { .. } | Self::Overlap { .. } => match self.read_line(index) {
                Some(line) => line.end.saturating_sub(line.start),
                None => self.read_box(index).len(),
            },
        }
    }

    /// No task has more inputs than so many.
    pub(crate) fn most_inputs(&self) -> u64 {
        let of_box = |grid: &Grid, most: &dyn Fn(usize) -> u32| {
            let lengths = grid.lengths().iter().enumerate();
            lengths.map(|(axis, &length)| u64::from(most(axis).min(length))).fold(1, u64::saturating_mul)
        };
        match self {
            Self::Reduce { grid, fan_in, .. } => of_box(grid, &|axis| fan_in[axis]),
            Self::Overlap { grid, ranges, .. } => of_box(grid, &|axis| ranges[axis].most_read()),
            Self::Exchange { producers, .. } => *producers,
            Self::Map { inputs, .. } => inputs.len() as u64,
            Self::Explicit(explicit) => explicit.edges() as u64,
            Self::Concatenate(_) => 1,
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
            Self::Concatenate(parts) => visit(parts.input_of(index)),
            Self::Reduce { input, grid, .. } | Self::Overlap { input, grid, .. } => match self.read_line(index) {
                Some(line) => line.for_each(|at| visit(TaskId::new(*input, at))),
                None => self.read_box(index).for_each(grid, |at| visit(TaskId::new(*input, at))),
            },
        }
    }

    /// The same for so many of the inputs, at most: it costs no more than they do.
    pub fn for_first_inputs(&self, own: LayerId, index: u64, most: u64, mut visit: impl FnMut(TaskId)) {
        let count = usize::try_from(most).unwrap_or(usize::MAX);
        match self {
            Self::Explicit(explicit) => explicit.inputs(own, index).take(count).for_each(visit),
            Self::Exchange { input, producers, .. } => {
                (0..most.min(*producers)).for_each(|at| visit(TaskId::new(*input, at)));
            }
            Self::Reduce { input, grid, .. } | Self::Overlap { input, grid, .. } => {
                let mut walk = BoxWalk::new(grid, &self.read_box(index));
                let mut left = most;
                while left > 0 && walk.left() > 0 {
                    let run = walk.run();
                    let taken = left.min(run.end - run.start);
                    (run.start..run.start + taken).for_each(|at| visit(TaskId::new(*input, at)));
                    walk.advance(taken);
                    left -= taken;
                }
            }
            Self::Map { .. } | Self::Concatenate(_) => {
                let mut left = most;
                self.for_each_input(own, index, |input| {
                    if left > 0 {
                        left -= 1;
                        visit(input);
                    }
                });
            }
        }
    }

    /// Calls `visit` with sets of tasks of other layers, each with the grid of the layer that it is of, until all have been
    /// visited that the tasks in `readers` (a set in this layer's grid) read between them; a task may be visited more than once.
    /// What it costs grows with the lengths of the axes, not with the number of tasks.
    ///
    /// # Panics
    /// For explicit edges, which are no function.
    pub fn for_each_read(&self, readers: &GridSet, mut visit: impl FnMut(LayerId, &Grid, GridSet)) {
        match self {
            _ if readers.is_empty() => {}
            Self::Explicit(_) => unreachable!("listed edges are read one by one"),
            Self::Map { inputs, .. } => {
                for input in inputs {
                    input.for_each_read(readers, &mut |read| visit(input.layer, &input.grid, read));
                }
            }
            Self::Exchange { input, producers, .. } => {
                let grid = Grid::new([*producers as u32]);
                let all = GridSet::whole(&grid);
                visit(*input, &grid, all);
            }
            Self::Reduce { input, grid, fan_in } => {
                let axes = readers.axes().iter().zip(fan_in).zip(grid.lengths());
                let read = axes.map(|((set, &fan_in), &length)| {
                    let end = |at: u32| at.saturating_mul(fan_in).min(length);
                    set.ranges().map(|range| end(range.start)..end(range.end)).collect()
                });
                visit(*input, grid, GridSet::new(read));
            }
            Self::Overlap { input, grid, ranges } => {
                let read = readers.axes().iter().zip(ranges.iter()).map(|(set, ranges)| ranges.read_by(set));
                visit(*input, grid, GridSet::new(read));
            }
            Self::Concatenate(parts) => parts.for_each_read(readers, visit),
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
                let length_of = |axis: usize| grid.lengths()[axis];
                let (mut reader, mut stride) = (0, 1);
                for_each_coordinate(grid.axes(), length_of, input.index, |axis, at| {
                    reader += u64::from(at / fan_in[axis]) * stride;
                    stride *= u64::from(length_of(axis).div_ceil(fan_in[axis]));
                });
                visit(reader);
            }
            Self::Overlap { input: read, grid, ranges } if *read == input.layer => {
                readers_of(grid, ranges, input.index).for_each_of(|axis| ranges[axis].len(), visit);
            }
            Self::Concatenate(parts) => parts.for_each_dependent(input, visit),
            _ => {}
        }
    }

    /// The first task that reads `input`. It is found without a walk over all that do.
    pub fn first_dependent(&self, own: LayerId, input: TaskId) -> Option<u64> {
        match self {
            Self::Map { grid, inputs } => {
                let maps = inputs.iter().filter(|map| map.layer == input.layer);
                maps.filter_map(|map| map.dependents_of(grid, input.index)?.first(grid)).min()
            }
            Self::Exchange { input: read, consumers, .. } => (*read == input.layer && *consumers > 0).then_some(0),
            Self::Overlap { input: read, grid, ranges } if *read == input.layer => {
                readers_of(grid, ranges, input.index).first(&self.grid())
            }
            _ => {
                let mut first: Option<u64> = None;
                self.for_each_dependent(own, input, |index| {
                    first = Some(first.map_or(index, |first| first.min(index)))
                });
                first
            }
        }
    }

    /// How many tasks read nothing.
    pub fn sources(&self) -> u64 {
        match self {
            Self::Explicit(explicit) => explicit.sources(),
            Self::Map { inputs, .. } if inputs.is_empty() => self.len(),
            Self::Exchange { producers: 0, consumers, .. } => *consumers,
            // A box is empty if one of its ranges is.
            Self::Overlap { ranges, .. } => {
                let full = ranges.iter().map(|axis| axis.len() - axis.empty());
                self.len() - Grid::new(full).len()
            }
            Self::Map { .. } | Self::Exchange { .. } | Self::Reduce { .. } | Self::Concatenate(_) => 0,
        }
    }

    /// The first task from `index` on that may read nothing: of edges that are listed, the next one.
    pub fn next_source(&self, index: u64) -> Option<u64> {
        match self {
            _ if index >= self.len() || self.sources() == 0 => None,
            Self::Overlap { ranges, .. } => next_empty(&self.grid(), ranges, index),
            _ => Some(index),
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
                let range = ranges[0].at(index as u32);
                Some(u64::from(range.start)..u64::from(range.end))
            }
            _ => None,
        }
    }

    /// The box of the input's grid that task `index` of a `Reduce` or an `Overlap` reads.
    fn read_box(&self, index: u64) -> GridBox {
        match self {
            Self::Reduce { grid, fan_in, .. } => {
                let length_of = |axis: usize| grid.lengths()[axis].div_ceil(fan_in[axis]);
                box_of(fan_in.len(), length_of, index, |axis, at| {
                    at * fan_in[axis]..(at + 1).saturating_mul(fan_in[axis]).min(grid.lengths()[axis])
                })
            }
            Self::Overlap { ranges, .. } => {
                box_of(ranges.len(), |axis| ranges[axis].len(), index, |axis, at| ranges[axis].at(at))
            }
            _ => unreachable!("only a reduction and an overlap read boxes"),
        }
    }
}

/// The tasks that read block `index` of an input.
fn readers_of(grid: &Grid, ranges: &[AxisRanges], index: u64) -> GridBox {
    box_of(grid.axes(), |axis| grid.lengths()[axis], index, |axis, at| ranges[axis].readers_of(at))
}

/// What `range_of` gives of each coordinate of block `index` of a grid of these lengths.
#[inline]
fn box_of(
    axes: usize,
    length_of: impl Fn(usize) -> u32,
    index: u64,
    range_of: impl Fn(usize, u32) -> Range<u32>,
) -> GridBox {
    let mut found = SmallVec::from_elem(0..0, axes);
    for_each_coordinate(axes, length_of, index, |axis, at| found[axis] = range_of(axis, at));
    GridBox(found)
}

/// The first task from `index` on with a coordinate that reads nothing.
fn next_empty(own: &Grid, ranges: &[AxisRanges], index: u64) -> Option<u64> {
    let mut at = own.coordinates(index);
    if at.iter().zip(ranges).any(|(&at, ranges)| ranges.next_empty(at) == Some(at)) {
        return Some(index);
    }
    // As many coordinates as can be stay as they are; the next one goes on, and those after it begin anew.
    for axis in (0..at.len()).rev() {
        let (after, inner) = (at[axis] + 1, &ranges[axis + 1..]);
        let any = inner.iter().rposition(|ranges| ranges.empty() > 0);
        let moved =
            any.map_or(ranges[axis].next_empty(after), |_| Some(after)).filter(|&next| next < ranges[axis].len());
        let Some(moved) = moved else { continue };
        at[axis] = moved;
        at[axis + 1..].fill(0);
        let is_empty = |at: &[u32]| at.iter().zip(ranges).any(|(&at, ranges)| ranges.next_empty(at) == Some(at));
        if let Some(last) = any.filter(|_| !is_empty(&at)) {
            at[axis + 1 + last] = inner[last].next_empty(0)?;
        }
        return Some(own.index(&at));
    }
    None
}
