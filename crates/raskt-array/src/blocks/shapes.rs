//! The shapes of blocks that nobody knew before they were computed.

use crate::wire::BlockKernel;
use crate::{Array, Chunks};
use raskt_graph::{GraphBuilder, GraphError, Layer, LayerId, Lower, MapInput, Op, OpFlags, OpKind, Shape};
use raskt_value::{Call, Chunk, DType, ErrorKind, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

impl Array {
    /// The lengths of the axes of each block, one block after the other in C order: 64-bit integers, of which each block has its own.
    pub fn block_shapes(&self) -> Self {
        let lengths = Chunks::from_lengths(&[vec![self.ndim(); self.chunks().blocks() as usize]]);
        Self::from_lower(Arc::new(BlockShapes(self.clone())), DType::I64, lengths)
    }
}

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
            body: Arc::new(NativeOp(Arc::new(BlockKernel::from(ShapeOfBlock)))),
        });
        let inputs = vec![MapInput::same(layer, grid.clone())];
        graph.layer(Layer::new("block shape", op, Shape::Map { grid, inputs }))
    }
}

/// Gives the shape of the block that it reads.
#[derive(Serialize, Deserialize)]
pub(crate) struct ShapeOfBlock;

impl Kernel for ShapeOfBlock {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let chunk = inputs.first().and_then(Value::as_chunk);
        let chunk = chunk.ok_or_else(|| TaskError::new(ErrorKind::Type, "only blocks of arrays have a shape"))?;
        let lengths: Vec<i64> = chunk.shape().iter().map(|&length| length as i64).collect();
        let count = lengths.len();
        Ok(Chunk::from_vec(lengths, &[count]).expect("as many as there are").into())
    }

    fn name(&self) -> String {
        "block shape".into()
    }
}
