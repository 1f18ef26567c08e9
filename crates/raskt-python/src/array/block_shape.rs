//! The shapes of blocks that nobody knew before they were computed.

use super::ArrayExpr;
use pyo3::prelude::*;
use raskt_array::{Array, Chunks};
use raskt_graph::{GraphBuilder, GraphError, Layer, LayerId, Lower, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_value::{Buffer, Call, Chunk, DType, Element, Kernel, NativeOp, TaskError, Value, with_element};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// The shapes of another array's blocks, one after the other.
struct BlockShapes(Array);

impl Lower for BlockShapes {
    fn key(&self) -> u128 {
        self.0.key().wrapping_add(xxh3_128(b"block shapes"))
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let layer = graph.lower(&self.0)?;
        let grid = self.0.grid();
        let op = graph.op(Op {
            kind: OpKind::Array,
            name: "block shape".into(),
            digest: xxh3_128(b"raskt block shape"),
            flags: OpFlags::default(),
            body: Arc::new(NativeOp(Arc::new(ShapeOfBlock))),
        });
        let inputs = vec![MapInput::same(layer, grid.clone())];
        graph.layer(Layer::new("block shape", op, Shape::Map { grid, inputs }))
    }
}

struct ShapeOfBlock;

impl Kernel for ShapeOfBlock {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let chunk = inputs[0].as_chunk().expect("blocks of arrays are chunks");
        let lengths: Vec<i64> = chunk.shape().iter().map(|&length| length as i64).collect();
        let count = lengths.len();
        Ok(Chunk::from_vec(lengths, &[count]).expect("as many as there are").into())
    }

    fn name(&self) -> String {
        "block shape".into()
    }
}

/// The lengths of each block of `x`, one block after the other in C order.
#[pyfunction]
fn array_block_shapes(x: &ArrayExpr) -> ArrayExpr {
    let blocks = x.array.chunks().blocks() as usize;
    let lengths = Chunks::from_lengths(&[vec![x.array.ndim(); blocks]]);
    Array::from_lower(Arc::new(BlockShapes(x.array.clone())), DType::I64, lengths).into()
}

/// A block of `shape` that takes no memory.
pub(super) fn stand_in(dtype: DType, shape: &[usize]) -> Value {
    let strides = shape.iter().map(|_| 0).collect();
    let buffer = with_element!(dtype, T => one_element::<T>());
    Chunk::from_parts(dtype, shape.into(), strides, 0, buffer).expect("one element for all").into()
}

fn one_element<T: Element>() -> Buffer {
    // SAFETY: all zero bits are a value of every element type.
    Buffer::from_vec(vec![unsafe { std::mem::zeroed::<T>() }])
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_block_shapes, module)?)
}
