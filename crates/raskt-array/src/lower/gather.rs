use super::{Planner, digest};
use crate::blocks::inputs::{block, block_with_axis, check_count, coordinates, input, unfit};
use crate::expression::{Content, Expr};
use crate::kernel::copy::{self, Piece};
use crate::wire::{Checked, check};
use crate::{Array, AxisChunks, Chunks};
use raskt_graph::{AxisRanges, ExplicitBuilder, GraphError, Grid, LayerId, Parts, Shape, TaskId};
use raskt_value::{Call, Given, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

impl Planner<'_> {
    /// A layer of the elements at `positions` along an axis.
    pub(super) fn take(
        &mut self,
        array: &Array,
        input: &Array,
        axis: usize,
        positions: &Arc<[usize]>,
    ) -> Result<LayerId, GraphError> {
        let layer = self.materialise(input)?;
        let kernel = Taking {
            cut: input.chunks().axes()[axis].clone(),
            output: array.chunks().clone(),
            grid: array.grid(),
            axis,
            positions: positions.clone(),
        };
        let needed: Vec<Vec<u32>> = (0..array.grid().lengths()[axis]).map(|at| kernel.needed(at)).collect();
        let shape = match neighbours(&needed).filter(|ranges| ranges.fits(input.grid().lengths()[axis])) {
            Some(ranges) => {
                let own = array.grid();
                let lengths = own.lengths().iter().enumerate();
                let same =
                    lengths.map(|(at, &length)| if at == axis { ranges.clone() } else { AxisRanges::same(length) });
                Shape::Overlap { input: layer, grid: input.grid(), ranges: same.collect() }
            }
            None => scattered(layer, &input.grid(), &array.grid(), axis, &needed)?,
        };
        self.native(array, kernel, digest("take", array.key()), shape, 2.0)
    }

    /// A layer of the blocks of all `inputs`. Neighbours that are blocks in memory are one layer, so that many small arrays are
    /// no more to the scheduler than one array of as many blocks.
    pub(super) fn concatenate(&mut self, array: &Array, inputs: &[Array], axis: usize) -> Result<LayerId, GraphError> {
        let mut parts = vec![];
        for run in inputs.chunk_by(|one, other| is_block(one) && is_block(other)) {
            let layer = if is_block(&run[0]) { self.blocks(array, run, axis)? } else { self.materialise(&run[0])? };
            parts.push((layer, run.iter().map(|input| input.chunks().axes()[axis].blocks()).sum()));
        }
        if let [(layer, _)] = parts[..] {
            return Ok(layer);
        }
        let parts = Parts::new(axis, &array.grid(), parts);
        let shape = Shape::Concatenate(parts.expect("blocks were counted when the arrays were joined"));
        self.native(array, Pass, digest("pass", 0), shape, 0.0)
    }

    /// A layer of arrays in memory, each of which is one block, side by side along an axis.
    fn blocks(&mut self, array: &Array, inputs: &[Array], axis: usize) -> Result<LayerId, GraphError> {
        let mut content = Content::new("blocks");
        inputs.iter().for_each(|input| _ = content.key(input.key()));
        let key = content.word(axis as u64).finish();
        if let Some(layer) = self.graph.lowered(key) {
            return Ok(layer);
        }
        let blocks = inputs.iter().filter_map(|input| match input.expr() {
            Expr::Memory { chunk, .. } => Some(chunk.clone().into()),
            _ => None,
        });
        let kernel = Given(blocks.collect());
        let lengths = array.grid().lengths().to_vec().into_iter().enumerate();
        let grid = Grid::new(lengths.map(|(at, length)| if at == axis { inputs.len() as u32 } else { length }));
        let layer = self.native(array, kernel, key, Shape::Map { grid, inputs: vec![] }, 0.0)?;
        self.graph.set_lowered(key, layer);
        Ok(layer)
    }
}

/// Whether it is one block in memory.
fn is_block(array: &Array) -> bool {
    matches!(array.expr(), Expr::Memory { .. }) && array.is_single_block()
}

/// What blocks need, if each needs neighbours: positions that go up or down, slices.
fn neighbours(needed: &[Vec<u32>]) -> Option<AxisRanges> {
    let ranges = needed.iter().map(|blocks| {
        let range = *blocks.first()?..blocks.last()? + 1;
        (range.len() == blocks.len()).then_some(range)
    });
    Some(AxisRanges::listed(ranges.collect::<Option<Vec<_>>>()?))
}

/// Edges to blocks in any order along an axis.
fn scattered(layer: LayerId, grid: &Grid, own: &Grid, axis: usize, needed: &[Vec<u32>]) -> Result<Shape, GraphError> {
    check_listed("take", own.len())?;
    let mut edges = ExplicitBuilder::with_capacity(own.len() as usize);
    for index in 0..own.len() {
        let mut at = own.coordinates(index);
        for &block in &needed[at[axis] as usize] {
            at[axis] = block;
            edges.input(TaskId::new(layer, grid.index(&at)));
        }
        edges.task();
    }
    Ok(Shape::Explicit(edges.finish()?))
}

/// The most blocks that a layer lists one by one; each takes some fifty bytes.
const LISTED_MAX: u64 = 1 << 25;

/// An error, before memory runs short, for so many blocks that they can't be listed.
fn check_listed(name: &str, blocks: u64) -> Result<(), GraphError> {
    if blocks <= LISTED_MAX {
        return Ok(());
    }
    Err(GraphError::TooLarge(format!(
        "`{name}` would give {blocks} blocks, which are listed one by one, and at most {LISTED_MAX} can be: \
         rechunk the array to larger blocks first"
    )))
}

/// A block as it is.
#[derive(Serialize, Deserialize)]
pub(crate) struct Pass;

impl Kernel for Pass {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(input(inputs, 0)?.clone())
    }

    fn name(&self) -> String {
        "concatenate".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// Elements at positions along an axis, out of the blocks that hold them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Taking {
    /// The cut of the axis that is read.
    cut: AxisChunks,
    output: Chunks,
    grid: Grid,
    axis: usize,
    positions: Arc<[usize]>,
}

impl Taking {
    fn wanted(&self, at: u32) -> &[usize] {
        let cut = &self.output.axes()[self.axis];
        &self.positions[cut.start(at)..cut.start(at + 1)]
    }

    /// The blocks, in order, that hold what block `at` of the result wants.
    fn needed(&self, at: u32) -> Vec<u32> {
        let mut blocks: Vec<u32> = self.wanted(at).iter().map(|&position| self.cut.locate(position)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        if blocks.is_empty() { vec![0] } else { blocks }
    }
}

impl Taking {
    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Checked {
        let Self { cut, output, grid, axis, positions } = self;
        check(*grid == output.grid() && *axis < output.ndim(), "a grid that isn't that of its blocks")?;
        check(output.axes()[*axis].length() == Some(positions.len()), "not a position for each element")?;
        let Some(length) = cut.length() else { return Err("an axis whose length isn't known".into()) };
        check(positions.iter().all(|&position| position < length), "positions beyond the axis")
    }
}

impl Kernel for Taking {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let at = coordinates(&self.grid, call)?[self.axis];
        let blocks = self.needed(at);
        check_count(inputs, blocks.len())?;
        // Where each needed block begins among those that are put together.
        let mut begins = Vec::with_capacity(blocks.len());
        let mut pieces = Vec::with_capacity(blocks.len());
        let mut length = 0;
        for (number, &at) in blocks.iter().enumerate() {
            let block = block_with_axis(inputs, number, self.axis)?;
            let (found, expected) = (block.shape()[self.axis], self.cut.block_length(at));
            if Some(found) != expected {
                let expected = expected.unwrap_or_default();
                return Err(unfit(format!("block {at} has length {found} along axis {}, not {expected}", self.axis)));
            }
            let mut target = vec![0; block.shape().len()];
            target[self.axis] = length;
            begins.push(length);
            length += found;
            pieces.push(Piece { chunk: block.clone(), at: target });
        }
        let first = block(inputs, 0)?;
        let together = match pieces.as_slice() {
            [piece] => piece.chunk.clone(),
            pieces => {
                let mut shape = first.shape().to_vec();
                shape[self.axis] = length;
                copy::assemble(first.dtype(), &shape, pieces, call.cancel)?
            }
        };
        let indices = self.wanted(at).iter().map(|&position| {
            let block = self.cut.locate(position);
            let rank = blocks.binary_search(&block).expect("the block of a wanted element is needed");
            (begins[rank] + position - self.cut.start(block)) as i64
        });
        Ok(copy::take(&together, self.axis, &indices.collect::<Vec<_>>(), call.cancel)?.into())
    }

    fn name(&self) -> String {
        "take".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
