use super::{Planner, digest};
use crate::blocks::native::chunk;
use crate::kernel::copy::{self, Piece};
use crate::{Array, AxisChunks, Chunks};
use raskt_graph::{ExplicitBuilder, GraphError, Grid, LayerId, Shape, TaskId};
use raskt_value::{Call, Kernel, TaskError, Value};
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
        let (grid, own) = (input.grid(), array.grid());
        check_listed("take", own.len())?;
        let needed: Vec<Vec<u32>> = (0..own.lengths()[axis]).map(|at| kernel.needed(at)).collect();
        let mut edges = ExplicitBuilder::with_capacity(own.len() as usize);
        for index in 0..own.len() {
            let mut at = own.coordinates(index);
            for &block in &needed[at[axis] as usize].clone() {
                at[axis] = block;
                edges.input(TaskId::new(layer, grid.index(&at)));
            }
            edges.task();
        }
        let shape = Shape::Explicit(edges.finish()?);
        self.native(array, kernel, digest("take", array.key()), shape, 2.0)
    }

    /// A layer of the blocks of all `inputs`.
    pub(super) fn concatenate(&mut self, array: &Array, inputs: &[Array], axis: usize) -> Result<LayerId, GraphError> {
        let layers = inputs.iter().map(|input| self.materialise(input)).collect::<Result<Vec<_>, _>>()?;
        let grids: Vec<Grid> = inputs.iter().map(Array::grid).collect();
        let mut sources = vec![];
        for (input, grid) in grids.iter().enumerate() {
            sources.extend((0..grid.lengths()[axis]).map(|at| (input, at)));
        }
        let own = array.grid();
        check_listed("concatenate", own.len())?;
        let mut edges = ExplicitBuilder::with_capacity(own.len() as usize);
        for index in 0..own.len() {
            let mut at = own.coordinates(index);
            let (input, block) = sources[at[axis] as usize];
            at[axis] = block;
            edges.input(TaskId::new(layers[input], grids[input].index(&at)));
            edges.task();
        }
        let shape = Shape::Explicit(edges.finish()?);
        self.native(array, Pass, digest("pass", 0), shape, 0.0)
    }
}

/// The most blocks that a layer lists one by one; each takes some fifty bytes.
const LISTED_MAX: u64 = 1 << 25;

/// An error, before memory runs short, for so many blocks that they can't be listed.
pub(super) fn check_listed(name: &str, blocks: u64) -> Result<(), GraphError> {
    if blocks <= LISTED_MAX {
        return Ok(());
    }
    Err(GraphError::TooLarge(format!(
        "`{name}` would give {blocks} blocks, which are listed one by one, and at most {LISTED_MAX} can be: \
         rechunk the array to larger blocks first"
    )))
}

/// A block as it is.
struct Pass;

impl Kernel for Pass {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(inputs[0].clone())
    }

    fn name(&self) -> String {
        "concatenate".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// Elements at positions along an axis, out of the blocks that hold them.
struct Taking {
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

impl Kernel for Taking {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let at = self.grid.coordinates(call.index)[self.axis];
        let blocks = self.needed(at);
        // Where each needed block begins among those that are put together.
        let mut begins = Vec::with_capacity(blocks.len());
        let mut pieces = Vec::with_capacity(blocks.len());
        let mut length = 0;
        for value in inputs {
            let block = chunk(value)?;
            let mut target = vec![0; block.shape().len()];
            target[self.axis] = length;
            begins.push(length);
            length += block.shape()[self.axis];
            pieces.push(Piece { chunk: block.clone(), at: target });
        }
        let together = match pieces.as_slice() {
            [piece] => piece.chunk.clone(),
            pieces => {
                let mut shape = pieces[0].chunk.shape().to_vec();
                shape[self.axis] = length;
                copy::assemble(pieces[0].chunk.dtype(), &shape, pieces, call.cancel)?
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
