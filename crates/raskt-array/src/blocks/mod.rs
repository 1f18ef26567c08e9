//! Functions of whole blocks: users' own, and the steps of products and factorisations.

pub(crate) mod agree;
pub(crate) mod carry;
pub(crate) mod inputs;
pub(crate) mod native;
pub(crate) mod shapes;

use crate::expression::{Content, Expr};
use crate::layout::axes_of;
use crate::reduce::Scan;
use crate::wire::BlockKernel;
use crate::{Array, ArrayError, AxisChunks, ChunkSpec, Chunks, Extent, Extents, Result};
use raskt_graph::{Op, OpBody, OpFlags, OpKind};
use raskt_value::{DType, NativeOp};
use smallvec::SmallVec;
use std::sync::Arc;

/// A function of blocks that another crate runs: a Python function.
#[derive(Clone)]
pub struct BlockFunction {
    /// What it is called in messages.
    pub name: String,
    /// What tells it, with its other arguments, from other functions.
    pub key: u128,
    /// The runner that understands the body.
    pub kind: OpKind,
    /// What the scheduler needs to know about it.
    pub flags: OpFlags,
    /// What the runner needs to know about it.
    pub body: OpBody,
}

/// How [`Array::map_blocks`] calls a function and what comes out.
pub struct MapBlocks {
    /// The function: it gets a block of each input, and its task index is the number of the output block.
    pub function: BlockFunction,
    /// The type of the elements that it gives.
    pub dtype: DType,
    /// Axes (of the broadcast inputs) that its result lacks; they are made one block first.
    pub drop_axis: Vec<isize>,
    /// Axes (of the result) that its result has in addition.
    pub new_axis: Vec<isize>,
    /// The lengths of the result's blocks along each axis: `Size` for all alike, `Lengths` one by one, anything else
    /// where they are those of the inputs.
    pub chunks: Option<Vec<ChunkSpec>>,
}

/// A node whose blocks are a function of blocks of its inputs.
#[derive(Clone)]
pub(crate) struct Blockwise {
    pub(crate) inputs: Vec<Array>,
    /// How each input is read.
    pub(crate) reads: Vec<BlockInput>,
    /// For a running sum or product of its first input, which one, and along which axis.
    pub(crate) scan: Option<(Scan, usize)>,
    function: BlockFunction,
}

/// Which block of an input a block reads: for each axis of the input, the axis of the output whose coordinate is
/// taken; `None` for block 0.
#[derive(Clone, Debug)]
pub(crate) struct BlockInput(pub(crate) SmallVec<[Option<u8>; 4]>);

impl BlockInput {
    /// The block with the same coordinates.
    pub(crate) fn same(ndim: usize) -> Self {
        Self::axes((0..ndim).map(Some))
    }

    pub(crate) fn axes(axes: impl IntoIterator<Item = Option<usize>>) -> Self {
        Self(axes.into_iter().map(|axis| axis.map(|axis| axis as u8)).collect())
    }
}

impl Blockwise {
    /// A function of our own, which its name (and words added later) tells from others.
    pub(crate) fn native(
        name: &str,
        kernel: impl Into<BlockKernel>,
        inputs: Vec<Array>,
        reads: Vec<BlockInput>,
    ) -> Self {
        let kernel: BlockKernel = kernel.into();
        let body: OpBody = Arc::new(NativeOp(Arc::new(kernel)));
        let key = Content::new(name).finish();
        let function = BlockFunction { name: name.into(), key, kind: OpKind::Array, flags: OpFlags::default(), body };
        Self { inputs, reads, scan: None, function }
    }

    /// The same, each of whose blocks may use all threads.
    pub(crate) fn with_all_threads(mut self) -> Self {
        self.function.flags.uses_all_threads = true;
        self
    }

    /// The same function with one more argument that tells it from others.
    pub(crate) fn word(mut self, word: u64) -> Self {
        self.function.key = Content::new("argument").key(self.function.key).word(word).finish();
        self
    }

    /// The same function, which is known to be a running sum or product along an axis.
    pub(crate) fn running(mut self, scan: Scan, axis: usize) -> Self {
        self.scan = Some((scan, axis));
        self
    }

    pub(crate) fn with_inputs(&self, inputs: Vec<Array>) -> Self {
        Self { inputs, ..self.clone() }
    }

    pub(crate) fn write(&self, content: &mut Content) {
        content.key(self.function.key);
        for read in &self.reads {
            content.words(read.0.iter().map(|axis| axis.map_or(u64::MAX, u64::from)));
        }
    }

    pub(crate) fn name(&self) -> String {
        self.function.name.clone()
    }

    pub(crate) fn is_native(&self) -> bool {
        self.function.kind != OpKind::Python
    }

    pub(crate) fn op(&self) -> Op {
        let BlockFunction { name, key, kind, flags, body } = self.function.clone();
        Op { kind, name: name.into(), digest: key, flags, body }
    }
}

impl Array {
    /// Applies a function to blocks.
    ///
    /// The inputs are cut alike, as for elementwise work; an input with one block along an axis of length 1 gives that
    /// block to all.
    pub fn map_blocks(spec: MapBlocks, inputs: &[Self]) -> Result<Self> {
        if inputs.is_empty() {
            return Err(ArrayError::Value("map_blocks needs at least one array".into()));
        }
        let mut common = broadcast_chunks(inputs)?;
        let dropped = axes_of(&spec.drop_axis, common.ndim())?;
        for &axis in &dropped {
            let cut = &mut common.axes_mut()[axis];
            let length =
                cut.length().filter(|_| cut.is_known()).ok_or_else(|| ArrayError::Unknown { what: "drop_axis".into() });
            *cut = if cut.blocks() == 1 { cut.clone() } else { AxisChunks::single(length?) };
        }
        let ndim = common.ndim() - dropped.len() + spec.new_axis.len();
        let new = axes_of(&spec.new_axis, ndim)?;
        let mut kept = (0..common.ndim()).filter(|axis| !dropped.contains(axis));
        let sources: Vec<Option<usize>> =
            (0..ndim).map(|axis| if new.contains(&axis) { None } else { kept.next() }).collect();
        let blocks =
            |axis: usize| sources[axis].map_or_else(|| AxisChunks::single(1), |from| common.axes()[from].clone());
        let chunks = output_chunks((0..ndim).map(blocks).collect(), &new, spec.chunks.as_deref())?;
        let labels: Vec<_> = inputs.iter().map(|input| labels_of(input, &common)).collect();
        let (inputs, reads): (Vec<_>, Vec<_>) = inputs
            .iter()
            .zip(&labels)
            .map(|(input, labels)| read_of(input, &common, labels, &sources))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let inputs = agree::agreeing(&inputs, &labels);
        let blockwise = Blockwise { inputs, reads, scan: None, function: spec.function };
        Ok(Expr::Blockwise(blockwise).into_array(spec.dtype, chunks))
    }
}

/// The chunks that the inputs have together.
fn broadcast_chunks(inputs: &[Array]) -> Result<Chunks> {
    let shapes: Vec<Extents> = inputs.iter().map(Array::shape).collect();
    let slices: Vec<&[Extent]> = shapes.iter().map(|shape| shape.as_slice()).collect();
    crate::broadcast_shapes(&slices)?;
    crate::elementwise::common_chunks(inputs)
}

/// The axis of all inputs together that each axis of one of them is; `None` for one that is repeated along it.
fn labels_of(input: &Array, common: &Chunks) -> Vec<Option<usize>> {
    let new = common.ndim() - input.ndim();
    let own = input.chunks().axes().iter().zip(&common.axes()[new..]).enumerate();
    own.map(|(axis, (own, target))| (own.length() == target.length()).then_some(axis + new)).collect()
}

/// The input cut as the others are, and how it is read.
fn read_of(
    input: &Array,
    common: &Chunks,
    labels: &[Option<usize>],
    sources: &[Option<usize>],
) -> Result<(Array, BlockInput)> {
    let own = input.chunks().axes().iter().zip(labels);
    let cut = own.map(|(own, label)| label.map_or_else(|| own.clone(), |axis| common.axes()[axis].clone()));
    let axes = labels.iter().map(|label| label.and_then(|axis| sources.iter().position(|from| *from == Some(axis))));
    Ok((input.rechunk_to(Chunks::new(cut))?, BlockInput::axes(axes)))
}

fn output_chunks(mut blocks: Vec<AxisChunks>, new: &[usize], asked: Option<&[ChunkSpec]>) -> Result<Chunks> {
    let Some(asked) = asked else { return Ok(Chunks::new(blocks)) };
    if asked.len() != blocks.len() {
        return Err(ArrayError::Chunks(format!(
            "the result of map_blocks has {} axes, and `chunks` has {}: say which with drop_axis and new_axis",
            blocks.len(),
            asked.len()
        )));
    }
    for (axis, spec) in asked.iter().enumerate() {
        let count = blocks[axis].blocks() as usize;
        let lengths = match spec {
            ChunkSpec::Size(size) => vec![*size; count],
            ChunkSpec::Unknown => {
                blocks[axis] = AxisChunks::unknown(count as u32);
                continue;
            }
            ChunkSpec::Lengths(lengths) if new.contains(&axis) && lengths.len() == 1 => lengths.clone(),
            ChunkSpec::Lengths(lengths) if lengths.len() == count => lengths.clone(),
            ChunkSpec::Lengths(lengths) => {
                return Err(ArrayError::Chunks(format!(
                    "`chunks` has {} blocks along axis {axis} and the blocks that the function gets are {count}",
                    lengths.len()
                )));
            }
            _ => continue,
        };
        blocks[axis] = AxisChunks::uneven(&lengths);
    }
    Ok(Chunks::new(blocks))
}
