use crate::Chunks;
use crate::blocks::agree::lengths_differ;
use crate::blocks::inputs::{chunk, coordinates, input, unfit};
use crate::expression::View;
use crate::kernel::{
    Instruction, Partial, Program, Reduction, Region, check_size, combine, evaluate, evaluate_reduce, finalise,
};
use crate::layout::view_block;
use crate::wire::{Checked, check, check_reduction};
use raskt_graph::Grid;
use raskt_value::{Call, Chunk, Dims, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// Elementwise work on a block, and the reduction that eats it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Fused {
    program: Program,
    /// Where the program's inputs come from.
    leaves: Vec<Leaf>,
    /// The blocks over which the program runs.
    pub(crate) chunks: Chunks,
    grid: Grid,
    fold: Fold,
}

/// Where an input of a program comes from.
#[derive(Serialize, Deserialize)]
pub(crate) enum Leaf {
    /// An input of the task, seen through a view that takes whole blocks.
    Input { at: usize, view: Option<View> },
    // What holds data doesn't travel, and comes last: variants are told by how many that travel are before them.
    /// An array in memory, with the axes and lengths of the whole.
    #[serde(skip)]
    Memory(Chunk),
    /// Blocks in memory, with this grid, seen through a view that takes whole blocks.
    #[serde(skip)]
    Blocks { values: Arc<[Value]>, view: Option<View>, grid: Grid },
}

/// What becomes of the elements.
#[derive(Serialize, Deserialize)]
pub(crate) enum Fold {
    /// They are the result.
    None,
    /// They are reduced together with those of other blocks.
    Partial(Arc<Reduction>),
    /// They are reduced, and no others belong to them.
    Finish { reduction: Arc<Reduction>, keepdims: bool },
}

impl Fused {
    pub(super) fn new(program: Program, leaves: Vec<Leaf>, chunks: Chunks, fold: Fold) -> Self {
        let grid = chunks.grid();
        Self { program, leaves, chunks, grid, fold }
    }

    /// Whether it holds no data of its own.
    pub(crate) fn reads_only_inputs(&self) -> bool {
        self.leaves.iter().all(|leaf| matches!(leaf, Leaf::Input { .. }))
    }

    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Checked {
        let Self { program, leaves, chunks, grid, fold } = self;
        let axes = chunks.ndim();
        check(*grid == chunks.grid(), "a grid that isn't that of its blocks")?;
        check(leaves.len() == program.inputs().len(), "not an input for each that the program reads")?;
        check(program.outputs().len() == 1, "a program of several results")?;
        for source in program.sources() {
            check(source.index.steps.len() == axes, "an index over other axes than those of its blocks")?;
        }
        for leaf in leaves {
            let view = match leaf {
                Leaf::Input { view, .. } | Leaf::Blocks { view, .. } => view.as_ref(),
                Leaf::Memory(_) => None,
            };
            check(view.is_none_or(|view| view.axes.len() == axes && view.is_sound()), "a view that shows other axes")?;
        }
        match fold {
            Fold::None => Ok(()),
            Fold::Partial(reduction) | Fold::Finish { reduction, .. } => {
                check(reduction.dtype == program.output_dtype(), "a reduction of what the program doesn't give")?;
                let is_over = reduction.index.as_ref().is_none_or(|index| index.steps.len() == axes);
                check(is_over, "an index over other axes than those of its blocks")?;
                check_reduction(reduction, axes)
            }
        }
    }

    /// Whether the program is nothing but its one input.
    fn is_identity(&self) -> bool {
        matches!(self.program.steps(), [step] if matches!(step.instruction, Instruction::Input(0)))
    }

    fn region(&self, at: &[u32], blocks: &[Chunk]) -> Result<Region, TaskError> {
        let ndim = self.chunks.ndim();
        if let Some(block) = blocks.iter().find(|block| block.shape().len() != ndim) {
            let message = format!("a block has {} axes, where {ndim} were promised", block.shape().len());
            return Err(TaskError::new(ErrorKind::Value, message));
        }
        let mut shape = Dims::new();
        for (axis, (cut, &at)) in self.chunks.axes().iter().zip(at).enumerate() {
            // A length that wasn't known is that of the blocks, which must agree.
            let mut lengths = self
                .leaves
                .iter()
                .zip(blocks)
                .filter(|(leaf, _)| !leaf.repeats(axis))
                .map(|(_, block)| block.shape()[axis]);
            let length = match cut.block_length(at) {
                Some(length) => length,
                None => lengths.next().unwrap_or(1),
            };
            match lengths.find(|&found| found != length) {
                None => shape.push(length),
                Some(found) if cut.is_known() => return Err(unexpected(found, length, axis)),
                Some(found) => return Err(lengths_differ(length, axis, found, axis)),
            }
        }
        check_size(&shape, self.program.output_dtype())?;
        let origin = self.chunks.axes().iter().zip(at).map(|(cut, &at)| cut.start(at) as u64).collect();
        Ok(Region { shape, origin })
    }

    fn check_dtypes(&self, blocks: &[Chunk]) -> Result<(), TaskError> {
        match blocks.iter().zip(self.program.inputs()).find(|(block, dtype)| block.dtype() != **dtype) {
            None => Ok(()),
            Some((block, dtype)) => Err(TaskError::new(
                ErrorKind::Type,
                format!("a block of data type {} came where {dtype} was expected", block.dtype()),
            )),
        }
    }
}

impl Kernel for Fused {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let at = coordinates(&self.grid, call)?;
        let blocks = self.leaves.iter().map(|leaf| leaf.block(&self.chunks, &at, inputs));
        let blocks: SmallVec<[Chunk; 4]> = blocks.collect::<Result<_, _>>()?;
        self.check_dtypes(&blocks)?;
        let region = self.region(&at, &blocks)?;
        let views: SmallVec<[&Chunk; 4]> = blocks.iter().collect();
        match &self.fold {
            Fold::None if self.is_identity() => Ok(repeated(&blocks[0], &region.shape).into()),
            Fold::None => Ok(evaluate(&self.program, &region, &views, call.cancel)?.into()),
            Fold::Partial(reduction) => {
                Ok(evaluate_reduce(&self.program, &region, &views, reduction, call.cancel)?.into())
            }
            Fold::Finish { reduction, keepdims } => {
                let partial = evaluate_reduce(&self.program, &region, &views, reduction, call.cancel)?;
                Ok(finalise(reduction, &partial, *keepdims)?.into())
            }
        }
    }

    fn name(&self) -> String {
        let mut name = self.program.name();
        if let Fold::Partial(reduction) | Fold::Finish { reduction, .. } = &self.fold {
            name = format!("{name}{}{}", if name.is_empty() { "" } else { "+" }, reduction.op.name());
        }
        if name.is_empty() { "blocks".into() } else { name }
    }

    fn is_repeatable(&self) -> bool {
        self.reads_only_inputs()
    }
}

impl Leaf {
    /// Whether it is of length 1 along an axis of the result, and the same all along it.
    fn repeats(&self, axis: usize) -> bool {
        match self {
            Self::Memory(whole) => whole.strides()[axis] == 0,
            Self::Input { view, .. } | Self::Blocks { view, .. } => {
                view.as_ref().is_some_and(|view| view.axes[axis].from.is_none())
            }
        }
    }

    /// The part of the input that a block reads: along each axis as long as the block, or 1 where it is repeated.
    fn block(&self, chunks: &Chunks, at: &[u32], inputs: &[Value]) -> Result<Chunk, TaskError> {
        match self {
            Self::Memory(whole) => Ok(part(whole, chunks, at)),
            Self::Input { at, view } => {
                let block = chunk(input(inputs, *at)?)?;
                match view {
                    Some(view) if view.start.len() != block.shape().len() => Err(TaskError::new(
                        ErrorKind::Value,
                        format!("a block has {} axes, where {} were promised", block.shape().len(), view.start.len()),
                    )),
                    view => through(block, view.as_ref()),
                }
            }
            Self::Blocks { values, view, grid } => {
                let source: SmallVec<[u32; 4]> = match view {
                    None => at.into(),
                    Some(view) => {
                        (0..grid.axes()).map(|axis| view.output_axis(axis).map_or(0, |axis| at[axis])).collect()
                    }
                };
                through(chunk(&values[grid.index(&source) as usize])?, view.as_ref())
            }
        }
    }
}

/// The blocks of an array in memory, in order, each of its full shape; no element is copied.
pub(super) fn blocks_of(whole: &Chunk, chunks: &Chunks) -> Arc<[Value]> {
    let grid = chunks.grid();
    let block = |index| {
        let at = grid.coordinates(index);
        let shape: Dims = chunks.axes().iter().zip(&at).filter_map(|(cut, &at)| cut.block_length(at)).collect();
        Value::from(repeated(&part(whole, chunks, &at), &shape))
    };
    (0..grid.len()).map(block).collect()
}

/// The part of `whole` that is block `at`; where its elements are repeated along an axis, only one of them.
fn part(whole: &Chunk, chunks: &Chunks, at: &[u32]) -> Chunk {
    let mut offset = whole.offset() as isize;
    let mut shape = Dims::new();
    for ((cut, &at), &stride) in chunks.axes().iter().zip(at).zip(whole.strides()) {
        let length = cut.block_length(at).expect("an array in memory has known lengths");
        shape.push(if stride == 0 { length.min(1) } else { length });
        offset += cut.start(at) as isize * stride;
    }
    let offset = if shape.contains(&0) { 0 } else { offset as usize };
    Chunk::from_parts(whole.dtype(), shape, whole.strides().into(), offset, whole.buffer().clone())
        .expect("a part stays within the whole")
}

fn through(block: &Chunk, view: Option<&View>) -> Result<Chunk, TaskError> {
    let Some(view) = view else { return Ok(block.clone()) };
    let shape: Dims = view.axes.iter().map(|axis| axis.from.map_or(1, |from| block.shape()[from as usize])).collect();
    view_block(block, view, &shape).map_err(|error| unfit(error.to_string()))
}

fn unexpected(found: usize, promised: usize, axis: usize) -> TaskError {
    let message = format!("a block has length {found} along axis {axis}, where {promised} was promised");
    TaskError::new(ErrorKind::Value, message)
}

/// The block with its axes of length 1 repeated to the lengths of `shape`; no element is copied.
fn repeated(block: &Chunk, shape: &[usize]) -> Chunk {
    if block.shape() == shape {
        return block.clone();
    }
    let strides = block.strides().iter().zip(block.shape()).zip(shape);
    let strides = strides.map(|((&stride, &own), &target)| if own == target { stride } else { 0 }).collect();
    Chunk::from_parts(block.dtype(), shape.into(), strides, block.offset(), block.buffer().clone())
        .expect("repeating stays within the block")
}

/// Partial results of neighbouring blocks, merged; at the end of the tree, the result.
#[derive(Serialize, Deserialize)]
pub(crate) struct Merge {
    pub(crate) reduction: Arc<Reduction>,
    /// At the end of the tree: whether the reduced axes stay.
    pub(super) finish: Option<bool>,
}

impl Kernel for Merge {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let partials = inputs.iter().map(Partial::try_from).collect::<Result<Vec<_>, _>>()?;
        let merged = combine(&self.reduction, &partials)?;
        match self.finish {
            Some(keepdims) => Ok(finalise(&self.reduction, &merged, keepdims)?.into()),
            None => Ok(merged.into()),
        }
    }

    fn name(&self) -> String {
        format!("{}-{}", self.reduction.op.name(), if self.finish.is_some() { "finish" } else { "merge" })
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
