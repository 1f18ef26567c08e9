//! Writes an optimised expression into a graph, layer by layer.
//!
//! Elementwise work is fused: a layer computes all of it that lies between blocks that are there (results of other
//! layers, arrays in memory, sources) and the array that is wanted, or the reduction that eats it. Reductions end in
//! trees. Blocks that move (slices of results, new cuts) are overlaps, irregular moves list their edges.

mod fuse;
mod fused;
mod gather;
mod moves;
mod sharing;

pub(crate) use fused::{Fused, Merge};
pub(crate) use gather::{Pass, Taking};
pub(crate) use moves::{Recut, Reshaping, Slicing};

use crate::blocks::Blockwise;
use crate::expression::{Content, Expr};
use crate::wire::BlockKernel;
use crate::{Array, Chunks};
use raskt_graph::{Cost, GraphBuilder, GraphError, Grid, Layer, LayerId, Lower, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_value::{Given, Kernel, NativeOp, Value};
use sharing::Sharing;
use smallvec::SmallVec;
use std::sync::Arc;

impl Lower for Array {
    fn key(&self) -> u128 {
        Array::key(self)
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let optimized = self.optimize();
        let sharing = Sharing::of(&optimized);
        Planner { graph, sharing }.materialise(&optimized)
    }
}

/// Adds the layers of expressions to a graph.
struct Planner<'a> {
    graph: &'a mut GraphBuilder,
    sharing: Sharing,
}

impl Planner<'_> {
    /// The layer whose tasks are the blocks of `array`; it is added unless it is there.
    fn materialise(&mut self, array: &Array) -> Result<LayerId, GraphError> {
        if let Some(layer) = self.graph.lowered(array.key()) {
            return Ok(layer);
        }
        let layer = crate::stack::grown(|| self.lower_node(array))?;
        self.graph.set_lowered(array.key(), layer);
        Ok(layer)
    }

    fn lower_node(&mut self, array: &Array) -> Result<LayerId, GraphError> {
        match array.expr() {
            Expr::Lowered(source) => self.graph.lower(source.as_ref()),
            Expr::Sized { input } => self.materialise(input),
            Expr::Reduce(reduce) => self.reduction(array, reduce),
            Expr::Rechunk { input } => self.recut(array, input),
            Expr::Reshape { input } => self.reshape(array, input),
            Expr::Take { input, axis, positions } => self.take(array, input, *axis, positions),
            Expr::Concatenate { inputs, axis } => self.concatenate(array, inputs, *axis),
            Expr::Blockwise(blockwise) => self.blockwise(array, blockwise),
            Expr::Blocks { values, token } if is_kept(values) => self.kept_blocks(array, values, *token),
            Expr::Blocks { values, .. } if self.graph.keeps_data_apart() => self.given_blocks(array, values.clone()),
            Expr::Memory { chunk, .. } if self.graph.keeps_data_apart() => {
                let blocks = fused::blocks_of(chunk, array.chunks());
                self.given_blocks(array, blocks)
            }
            Expr::Generated(_) | Expr::Memory { .. } | Expr::Blocks { .. } | Expr::Map { .. } | Expr::View { .. } => {
                self.elementwise(array)
            }
        }
    }

    /// Whether the elements of `array` are, or are to be, blocks of a layer of their own.
    fn has(&self, array: &Array) -> bool {
        self.sharing.keeps(array) || self.graph.lowered(array.key()).is_some()
    }

    /// Blocks that a store keeps are a layer of their own: they are read before a task that needs them starts, and take no
    /// memory by being named.
    fn kept_blocks(&mut self, array: &Array, values: &Arc<[Value]>, token: u128) -> Result<LayerId, GraphError> {
        let mut op = native_op(Given(values.clone()), digest("given", token));
        op.flags.gives_stored = true;
        let cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };
        self.add("blocks".into(), op, Shape::Map { grid: array.grid(), inputs: vec![] }, cost)
    }

    /// Blocks that are there, as a layer of their own.
    fn given_blocks(&mut self, array: &Array, values: Arc<[Value]>) -> Result<LayerId, GraphError> {
        let shape = Shape::Map { grid: array.grid(), inputs: vec![] };
        self.native(array, Given(values), digest("given blocks", array.key()), shape, 0.0)
    }

    fn blockwise(&mut self, array: &Array, blockwise: &Blockwise) -> Result<LayerId, GraphError> {
        let mut inputs = Vec::with_capacity(blockwise.inputs.len());
        for (input, read) in blockwise.inputs.iter().zip(&blockwise.reads) {
            let layer = self.materialise(input)?;
            inputs.push(MapInput { layer, grid: input.grid(), axes: read.0.clone() });
        }
        let shape = Shape::Map { grid: array.grid(), inputs };
        self.add(array.name(), blockwise.op(), shape, cost(array.chunks(), array.dtype().size(), 4.0))
    }

    /// Adds a layer of a native op, named after `array`.
    fn native(
        &mut self,
        array: &Array,
        kernel: impl Into<BlockKernel>,
        digest: u128,
        shape: Shape,
        nanoseconds: f64,
    ) -> Result<LayerId, GraphError> {
        let cost = cost(array.chunks(), array.dtype().size(), nanoseconds);
        self.add(array.name(), native_op(kernel, digest), shape, cost)
    }

    fn add(&mut self, name: String, op: Op, shape: Shape, cost: Cost) -> Result<LayerId, GraphError> {
        let op = self.graph.op(op);
        self.graph.layer(Layer::new(name, op, shape).with_cost(cost))
    }
}

/// Whether a store keeps any of the blocks.
fn is_kept(values: &[Value]) -> bool {
    values.iter().any(|value| matches!(value, Value::Stored(_)))
}

fn native_op(kernel: impl Into<BlockKernel>, digest: u128) -> Op {
    let kernel: BlockKernel = kernel.into();
    let name = kernel.name().into();
    let body = Arc::new(NativeOp(Arc::new(kernel)));
    Op { kind: OpKind::Array, name, digest, flags: OpFlags::default(), body }
}

/// The digest of an op that does `what` for the array of this key.
fn digest(what: &str, key: u128) -> u128 {
    Content::new(what).key(key).finish()
}

/// What a task costs that makes a block of these chunks, at so many nanoseconds an element.
fn cost(chunks: &Chunks, element: usize, nanoseconds: f64) -> Cost {
    let elements = chunks.largest_block().unwrap_or(0);
    Cost {
        nanoseconds: 1000 + (elements as f64 * nanoseconds) as u64,
        output_bytes: (elements.saturating_mul(element)) as u64,
        scratch_bytes: 0,
    }
}

/// The grid of fan-ins that is `fan_in` along the axes of `grid` that are reduced and longer than 1, else 1.
fn fan_ins(grid: &Grid, axes: &[usize], split_every: u32) -> SmallVec<[u32; 4]> {
    let lengths = grid.lengths();
    let long = axes.iter().filter(|&&axis| lengths[axis] > 1).count().max(1);
    let each = (f64::from(split_every).powf(1.0 / long as f64) + 1e-9).floor().max(2.0) as u32;
    let fan_in = |(axis, &length): (usize, &u32)| if length > 1 && axes.contains(&axis) { each } else { 1 };
    lengths.iter().enumerate().map(fan_in).collect()
}
