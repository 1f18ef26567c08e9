use super::{Planner, digest};
use crate::blocks::inputs::{block, check_count, coordinates, unfit};
use crate::expression::{Content, View};
use crate::kernel::check_size;
use crate::kernel::copy::{self, AxisSlice, Piece};
use crate::layout::view_block;
use crate::wire::{Checked, check};
use crate::{Array, AxisChunks, Chunks};
use raskt_graph::{AxisRanges, GraphError, Grid, GridBox, LayerId, Shape};
use raskt_value::{Call, DType, Dims, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

impl Planner<'_> {
    /// A layer of the blocks of `input` as `slice` cuts them down; `chunks` are those of the result.
    pub(super) fn slice(&mut self, input: &Array, slice: &View, chunks: &Chunks) -> Result<LayerId, GraphError> {
        let mut content = Content::new("slice");
        content.key(input.key()).chunks(chunks).words(slice.start.iter().map(|&start| start as u64));
        let key = content.words(slice.axes.iter().map(|axis| axis.step as u64)).finish();
        if let Some(layer) = self.graph.lowered(key) {
            return Ok(layer);
        }
        let layer = self.materialise(input)?;
        let axes = input.chunks().axes().iter().zip(chunks.axes()).zip(slice.start.iter().zip(&slice.axes));
        let ranges = axes.map(|((input, output), (&start, axis))| input.read_by(output, start, axis.step));
        let ranges: Arc<[AxisRanges]> = ranges.collect();
        let shape = Shape::Overlap { input: layer, grid: input.grid(), ranges: ranges.clone() };
        let kernel = Slicing {
            input: input.chunks().clone(),
            output: chunks.clone(),
            grid: chunks.grid(),
            view: slice.clone(),
            ranges,
        };
        let layer = self.native(input, kernel, key, shape, 0.1)?;
        self.graph.set_lowered(key, layer);
        Ok(layer)
    }

    /// A layer of the elements of `input` in the blocks of `array`.
    pub(super) fn recut(&mut self, array: &Array, input: &Array) -> Result<LayerId, GraphError> {
        let layer = self.materialise(input)?;
        let cuts = input.chunks().axes().iter().zip(array.chunks().axes());
        let ranges: Arc<[AxisRanges]> = cuts.map(|(input, output)| input.read_by(output, 0, 1)).collect();
        let shape = Shape::Overlap { input: layer, grid: input.grid(), ranges: ranges.clone() };
        let kernel = Recut {
            input: input.chunks().clone(),
            input_grid: input.grid(),
            output: array.chunks().clone(),
            grid: array.grid(),
            ranges,
            dtype: array.dtype(),
        };
        self.native(array, kernel, digest("rechunk", array.key()), shape, 0.5)
    }

    /// A layer of the blocks of `input`, each under another shape.
    pub(super) fn reshape(&mut self, array: &Array, input: &Array) -> Result<LayerId, GraphError> {
        let layer = self.materialise(input)?;
        // Block for block in C order, whatever the grids: both count as a line.
        let shape = line(layer, array.chunks().blocks())?;
        let kernel = Reshaping { output: array.chunks().clone(), grid: array.grid() };
        self.native(array, kernel, digest("reshape", array.key()), shape, 0.5)
    }
}

/// Task *i* reads block *i*.
fn line(layer: LayerId, blocks: u64) -> Result<Shape, GraphError> {
    let Ok(length) = u32::try_from(blocks) else {
        let limit = u64::from(u32::MAX);
        return Err(GraphError::TooMany { what: "blocks of a reshaped array".into(), found: blocks, limit });
    };
    let grid = Grid::new([length]);
    Ok(Shape::Map { grid: grid.clone(), inputs: vec![raskt_graph::MapInput::same(layer, grid)] })
}

/// A part of one block.
#[derive(Serialize, Deserialize)]
pub(crate) struct Slicing {
    input: Chunks,
    output: Chunks,
    grid: Grid,
    view: View,
    /// For each axis and block, the block that it is cut from.
    ranges: Arc<[AxisRanges]>,
}

impl Slicing {
    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Checked {
        let Self { input, output, grid, view, ranges } = self;
        check_cuts((input, output), (grid, ranges))?;
        let is_cut = view.start.len() == input.ndim() && view.axes.len() == input.ndim();
        check(is_cut && view.is_sound(), "a view of other axes")
    }
}

/// Whether blocks `output` are made of blocks of `input`, of those that these ranges say.
fn check_cuts((input, output): (&Chunks, &Chunks), (grid, ranges): (&Grid, &[AxisRanges])) -> Checked {
    check(*grid == output.grid(), "a grid that isn't that of its blocks")?;
    check(input.ndim() == output.ndim() && ranges.len() == output.ndim(), "blocks of other axes")?;
    let axes = ranges.iter().zip(input.axes()).zip(output.axes());
    let fits = |((ranges, input), output): ((&AxisRanges, &AxisChunks), &AxisChunks)| {
        ranges.len() == output.blocks() && ranges.fits(input.blocks()) && ranges.empty() == 0
    };
    check(axes.into_iter().all(fits), "ranges of other blocks")
}

/// A slice smaller than this share of its block is copied, so that it doesn't keep the block in memory.
const KEPT_SHARE: usize = 2;

impl Kernel for Slicing {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = block(inputs, 0)?;
        let at = coordinates(&self.grid, call)?;
        let source = |axis: usize| self.ranges[axis].at(at[axis]).start;
        check_shape(block.shape(), &self.input, source)?;
        let mut view = self.view.clone();
        let mut shape = Dims::new();
        for (axis, &at) in at.iter().enumerate() {
            let (input, output) = (&self.input.axes()[axis], &self.output.axes()[axis]);
            let first = first_of(&self.view, axis, output.start(at));
            let within = first.and_then(|first| first.checked_sub(input.start(source(axis))));
            let length = output.block_length(at).unwrap_or(block.shape()[axis]);
            // Of no element it doesn't matter where they would be.
            let outside = || unfit(format!("a slice along axis {axis} begins before the block that it is of"));
            view.start[axis] = if length == 0 { within.unwrap_or(0) } else { within.ok_or_else(outside)? };
            shape.push(length);
        }
        let part = view_block(block, &view, &shape).map_err(|error| unfit(error.to_string()))?;
        let part = if part.len() * KEPT_SHARE < block.len() { compact(&part) } else { part };
        Ok(part.into())
    }

    fn name(&self) -> String {
        "getitem".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The position in its input of element `at` of a view, along an axis that both have.
fn first_of(view: &View, axis: usize, at: usize) -> Option<usize> {
    let steps = view.axes[axis].step.checked_mul(isize::try_from(at).ok()?)?;
    view.start[axis].checked_add_signed(steps)
}

/// A copy that holds its own elements alone.
fn compact(part: &raskt_value::Chunk) -> raskt_value::Chunk {
    raskt_value::with_element!(part.dtype(), T => {
        let view = part.view::<T>().expect("the type was matched");
        let elements: Vec<T> = view.iter().copied().collect();
        raskt_value::Chunk::from_vec(elements, part.shape()).expect("as many as the shape says")
    })
}

fn check_shape(found: &[usize], chunks: &Chunks, at: impl Fn(usize) -> u32) -> Result<(), TaskError> {
    let axes = chunks.axes().iter().enumerate();
    let expected: Vec<Option<usize>> = axes.map(|(axis, cut)| cut.block_length(at(axis))).collect();
    let agrees = found.len() == expected.len()
        && found.iter().zip(&expected).all(|(found, expected)| expected.is_none_or(|expected| expected == *found));
    if agrees {
        return Ok(());
    }
    let expected = crate::error::shape_text(&expected);
    let message = format!("a block of shape {found:?} came where one of shape {expected} was expected");
    Err(TaskError::new(ErrorKind::Value, message))
}

/// A block put together from parts of others.
#[derive(Serialize, Deserialize)]
pub(crate) struct Recut {
    input: Chunks,
    input_grid: Grid,
    output: Chunks,
    grid: Grid,
    /// For each axis and block, the blocks that it is put together from.
    ranges: Arc<[AxisRanges]>,
    dtype: DType,
}

impl Recut {
    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Checked {
        check(self.input_grid == self.input.grid(), "a grid that isn't that of its blocks")?;
        check_cuts((&self.input, &self.output), (&self.grid, &self.ranges))
    }
}

impl Kernel for Recut {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let at = coordinates(&self.grid, call)?;
        let cuts = || self.input.axes().iter().zip(self.output.axes()).zip(&at);
        let read = GridBox(self.ranges.iter().zip(&at).map(|(ranges, &at)| ranges.at(at)).collect());
        let count = read.0.iter().try_fold(1_usize, |count, range| count.checked_mul(range.len()));
        check_count(inputs, count.unwrap_or(usize::MAX))?;
        let mut sources = vec![];
        read.for_each(&self.input_grid, |index| sources.push(self.input_grid.coordinates(index)));
        let mut pieces = Vec::with_capacity(inputs.len());
        for (number, from) in sources.into_iter().enumerate() {
            let block = block(inputs, number)?;
            check_shape(block.shape(), &self.input, |axis| from[axis])?;
            let (mut slices, mut target) = (vec![], vec![]);
            for (axis, ((input, output), &at)) in cuts().enumerate() {
                let (own, wanted) = (input.start(from[axis]), output.start(at));
                if !input.is_known() {
                    slices.push(AxisSlice { start: 0, step: 1, length: block.shape()[axis] });
                    target.push(0);
                    continue;
                }
                let start = own.max(wanted);
                let end = input.start(from[axis] + 1).min(output.start(at + 1));
                let length = end.saturating_sub(start);
                slices.push(AxisSlice { start: if length > 0 { start - own } else { 0 }, step: 1, length });
                target.push(if length > 0 { start - wanted } else { 0 });
            }
            pieces.push(Piece { chunk: copy::slice(block, &slices)?, at: target });
        }
        let shape: Dims = cuts()
            .enumerate()
            .map(|(axis, ((_, output), &at))| output.block_length(at).unwrap_or_else(|| pieces[0].chunk.shape()[axis]))
            .collect();
        check_size(&shape, self.dtype)?;
        match pieces.as_slice() {
            [piece] if piece.chunk.shape() == shape.as_slice() && piece.chunk.dtype() == self.dtype => {
                Ok(piece.chunk.clone().into())
            }
            pieces => Ok(copy::assemble(self.dtype, &shape, pieces, call.cancel)?.into()),
        }
    }

    fn name(&self) -> String {
        "rechunk".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// A block under another shape.
#[derive(Serialize, Deserialize)]
pub(crate) struct Reshaping {
    output: Chunks,
    grid: Grid,
}

impl Reshaping {
    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Checked {
        check(self.output.is_known() && self.grid == self.output.grid(), "blocks whose lengths aren't known")
    }
}

impl Kernel for Reshaping {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = block(inputs, 0)?;
        let at = coordinates(&self.grid, call)?;
        let shape: Option<Dims> = self.output.block_shape(&at).into_iter().collect();
        let shape = shape.expect("the lengths of a reshaped array are known");
        check_size(&shape, block.dtype())?;
        if shape.iter().product::<usize>() != block.len() {
            let message = format!("a block of shape {:?} can't take the shape {:?}", block.shape(), shape.as_slice());
            return Err(TaskError::new(ErrorKind::Value, message));
        }
        Ok(copy::reshape(block, &shape)?.into())
    }

    fn name(&self) -> String {
        "reshape".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
