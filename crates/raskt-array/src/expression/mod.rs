//! The expression: immutable nodes, each with its shape, data type, chunks and a key by content.

mod key;
mod source;
mod view;

pub(crate) use key::Content;
pub use source::arange_length;
pub(crate) use view::{View, ViewAxis};

use crate::blocks::Blockwise;
use crate::elementwise::MapOp;
use crate::kernel::{ReduceOp, Source};
use crate::{Chunks, Extent, Extents, Result};
use raskt_graph::{Grid, Lower};
use raskt_value::{Chunk, DType, Dims, Value};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// An n-dimensional array that is cut into blocks and not computed yet.
///
/// It is an immutable expression: operations make new ones that share it. Equal expressions have equal keys and are
/// computed once.
#[derive(Clone)]
pub struct Array(Arc<Node>);

struct Node {
    key: u128,
    dtype: DType,
    chunks: Chunks,
    expr: Expr,
    /// Whether the optimiser would leave it as it is.
    settled: bool,
}

/// What an array consists of.
pub(crate) enum Expr {
    /// Made from the index of each element.
    Generated(Source),
    /// In memory, of any layout; its shape is the array's. The token tells its bytes from others.
    Memory { chunk: Chunk, token: u128 },
    /// Blocks in memory or in a store, in C order of the grid.
    Blocks { values: Arc<[Value]>, token: u128 },
    /// Blocks that the tasks of another collection make, in C order of the grid.
    Lowered(Arc<dyn Lower>),
    /// Elementwise; the inputs have the shape and the chunks of the array.
    Map { op: MapOp, inputs: SmallVec<[Array; 3]> },
    /// The same elements, or some of them, along other axes.
    View { input: Array, view: View },
    /// The same elements in other blocks.
    Rechunk { input: Array },
    /// The same elements under another shape; blocks stay blocks, in order.
    Reshape { input: Array },
    /// The same blocks, of which the lengths are known now.
    Sized { input: Array },
    /// Elements brought together along axes.
    Reduce(Reduce),
    /// The elements at these positions along an axis.
    Take { input: Array, axis: usize, positions: Arc<[usize]> },
    /// One array after the other along an axis; they agree in the chunks of the other axes.
    Concatenate { inputs: Vec<Array>, axis: usize },
    /// A function of whole blocks.
    Blockwise(Blockwise),
}

/// A reduction of elements of its input's data type.
pub(crate) struct Reduce {
    pub(crate) input: Array,
    pub(crate) op: ReduceOp,
    pub(crate) axes: SmallVec<[usize; 4]>,
    /// Whether the axes stay, with length 1.
    pub(crate) keepdims: bool,
    pub(crate) ddof: f64,
    /// How many blocks are brought together in one task.
    pub(crate) split_every: u32,
}

impl Drop for Node {
    fn drop(&mut self) {
        if !self.expr.inputs().is_empty() {
            let expr = std::mem::replace(&mut self.expr, Expr::Concatenate { inputs: vec![], axis: 0 });
            crate::stack::grown(|| drop(expr));
        }
    }
}

impl Array {
    /// An array of these parts; `content` is what makes its key, beside data type and chunks.
    pub(crate) fn new(expr: Expr, dtype: DType, chunks: Chunks, mut content: Content) -> Self {
        let key = content.dtype(dtype).chunks(&chunks).finish();
        let settled = expr.is_settled();
        Self(Arc::new(Node { key, dtype, chunks, expr, settled }))
    }

    /// What tells it from others.
    pub fn key(&self) -> u128 {
        self.0.key
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// How it is cut into blocks.
    pub fn chunks(&self) -> &Chunks {
        &self.0.chunks
    }

    /// How many blocks it has along each axis.
    pub fn grid(&self) -> Grid {
        self.0.chunks.grid()
    }

    /// The lengths of its axes.
    pub fn shape(&self) -> Extents {
        self.0.chunks.shape()
    }

    /// The lengths of its axes, if they are known; else an error.
    pub fn known_shape(&self) -> Result<Dims> {
        self.0.chunks.known_shape("this operation")
    }

    /// How many axes it has.
    pub fn ndim(&self) -> usize {
        self.0.chunks.ndim()
    }

    /// How many elements it has.
    pub fn len(&self) -> Extent {
        self.shape().iter().try_fold(1_usize, |product, length| Some(product.saturating_mul((*length)?)))
    }

    /// Whether it has none, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&Some(0))
    }

    /// Bytes of its elements.
    pub fn nbytes(&self) -> Extent {
        Some(self.len()?.saturating_mul(self.dtype().size()))
    }

    /// What it is called: its last operation and the beginning of its key.
    pub fn name(&self) -> String {
        format!("{}-{:08x}", self.expr().label(), (self.key() >> 96) as u32)
    }

    pub(crate) fn expr(&self) -> &Expr {
        &self.0.expr
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.0.settled
    }

    pub(crate) fn is_single_block(&self) -> bool {
        self.chunks().axes().iter().all(|axis| axis.blocks() == 1)
    }
}

impl Expr {
    /// The arrays that it reads, in order.
    pub(crate) fn inputs(&self) -> &[Array] {
        match self {
            Self::Generated(_) | Self::Memory { .. } | Self::Blocks { .. } | Self::Lowered(_) => &[],
            Self::Map { inputs, .. } => inputs,
            Self::View { input, .. } | Self::Rechunk { input } | Self::Reshape { input } | Self::Sized { input } => {
                std::slice::from_ref(input)
            }
            Self::Reduce(Reduce { input, .. }) | Self::Take { input, .. } => std::slice::from_ref(input),
            Self::Concatenate { inputs, .. } => inputs,
            Self::Blockwise(blockwise) => &blockwise.inputs,
        }
    }

    /// The same operation on other inputs, which have the shapes and chunks of the old ones.
    pub(crate) fn with_inputs(&self, inputs: &[Array]) -> Self {
        let first = || inputs[0].clone();
        match self {
            Self::Generated(source) => Self::Generated(source.clone()),
            Self::Memory { chunk, token } => Self::Memory { chunk: chunk.clone(), token: *token },
            Self::Blocks { values, token } => Self::Blocks { values: values.clone(), token: *token },
            Self::Lowered(source) => Self::Lowered(source.clone()),
            Self::Map { op, .. } => Self::Map { op: op.clone(), inputs: inputs.iter().cloned().collect() },
            Self::View { view, .. } => Self::View { input: first(), view: view.clone() },
            Self::Rechunk { .. } => Self::Rechunk { input: first() },
            Self::Reshape { .. } => Self::Reshape { input: first() },
            Self::Sized { .. } => Self::Sized { input: first() },
            Self::Reduce(reduce) => Self::Reduce(Reduce { input: first(), axes: reduce.axes.clone(), ..*reduce }),
            Self::Take { axis, positions, .. } => {
                Self::Take { input: first(), axis: *axis, positions: positions.clone() }
            }
            Self::Concatenate { axis, .. } => Self::Concatenate { inputs: inputs.to_vec(), axis: *axis },
            Self::Blockwise(blockwise) => Self::Blockwise(blockwise.with_inputs(inputs.to_vec())),
        }
    }

    /// What makes the key of this operation on `inputs`, but for data type and chunks.
    pub(crate) fn content(&self, inputs: &[Array]) -> Content {
        let mut content = Content::new(self.tag());
        inputs.iter().for_each(|input| _ = content.key(input.key()));
        match self {
            Self::Generated(source) => _ = content.source(source),
            Self::View { view, .. } => {
                content.words(view.start.iter().map(|&start| start as u64));
                content.words(view.axes.iter().map(|axis| axis.from.map_or(u64::MAX, u64::from)));
                content.words(view.axes.iter().map(|axis| axis.step as u64));
            }
            Self::Map { op, .. } => op.write(&mut content),
            Self::Reduce(reduce) => {
                content.text(reduce.op.name()).words(reduce.axes.iter().map(|&axis| axis as u64));
                content
                    .word(u64::from(reduce.keepdims))
                    .word(reduce.ddof.to_bits())
                    .word(u64::from(reduce.split_every));
            }
            Self::Take { axis, positions, .. } => {
                content.word(*axis as u64).words(positions.iter().map(|&position| position as u64));
            }
            Self::Concatenate { axis, .. } => _ = content.word(*axis as u64),
            Self::Blockwise(blockwise) => blockwise.write(&mut content),
            Self::Lowered(source) => _ = content.key(source.key()),
            Self::Rechunk { .. } | Self::Reshape { .. } | Self::Sized { .. } => {}
            Self::Blocks { token, .. } => _ = content.key(*token),
            Self::Memory { chunk, token } => {
                content.key(*token).word(chunk.offset() as u64);
                content.words(chunk.strides().iter().map(|&stride| stride as u64));
            }
        }
        content
    }

    /// The array of this expression.
    pub(crate) fn into_array(self, dtype: DType, chunks: Chunks) -> Array {
        let content = self.content(self.inputs());
        Array::new(self, dtype, chunks, content)
    }

    fn tag(&self) -> &'static str {
        match self {
            Self::Generated(_) => "source",
            Self::Memory { .. } => "memory",
            Self::Blocks { .. } => "blocks",
            Self::Lowered(_) => "from-tasks",
            Self::Map { .. } => "map",
            Self::View { .. } => "view",
            Self::Rechunk { .. } => "rechunk",
            Self::Reshape { .. } => "reshape",
            Self::Sized { .. } => "sized",
            Self::Reduce(_) => "reduce",
            Self::Take { .. } => "take",
            Self::Concatenate { .. } => "concatenate",
            Self::Blockwise(_) => "blockwise",
        }
    }

    /// The operation's name, for people.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Generated(source) => source.generator.name().to_string(),
            Self::Map { op, .. } => op.name().to_string(),
            Self::Reduce(reduce) => reduce.op.name().to_string(),
            Self::Blockwise(blockwise) => blockwise.name(),
            _ => self.tag().to_string(),
        }
    }

    fn is_settled(&self) -> bool {
        self.inputs().iter().all(Array::is_settled)
            && match self {
                Self::View { input, .. } => match input.expr() {
                    Self::View { .. } | Self::Map { .. } | Self::Generated(_) | Self::Memory { .. } => false,
                    Self::Reduce(_) | Self::Concatenate { .. } => false,
                    Self::Blockwise(function) => function.scan.is_none(),
                    _ => true,
                },
                Self::Rechunk { input } => !matches!(
                    input.expr(),
                    Self::Rechunk { .. } | Self::Map { .. } | Self::Generated(_) | Self::Memory { .. }
                ),
                _ => true,
            }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({}, {}, chunks={:?})", self.expr().label(), self.dtype(), self.chunks())
    }
}
