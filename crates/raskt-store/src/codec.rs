//! Values as bytes and back.

use raskt_value::{Buffer, Chunk, Codec, DType, Dims, ErrorKind, LayoutError, Strides, TaskError, Value};
use std::sync::Arc;

/// How `value` is written and read back; nothing if it has to stay in memory.
pub(crate) fn codec_of(value: &Value) -> Option<Arc<dyn Codec>> {
    match value {
        Value::Chunk(chunk) => Some(Arc::new(ChunkCodec { dtype: chunk.dtype(), shape: chunk.shape().into() })),
        Value::Table(table) => table.codec(),
        Value::Foreign(object) => object.codec(),
        Value::Manifest(_) | Value::Kept(_) => None,
    }
}

/// Whether nobody but the caller refers to the memory of `value`, so that dropping it frees that memory.
pub(crate) fn is_sole(value: &Value) -> bool {
    match value {
        Value::Chunk(chunk) => Arc::strong_count(chunk) == 1 && Arc::strong_count(chunk.buffer().owner()) == 1,
        Value::Table(table) => Arc::strong_count(table) == 1,
        Value::Foreign(object) => Arc::strong_count(object) == 1,
        Value::Manifest(_) | Value::Kept(_) => false,
    }
}

/// Blocks of one shape: their elements in C order. What they look like stays in memory.
struct ChunkCodec {
    dtype: DType,
    shape: Dims,
}

impl Codec for ChunkCodec {
    fn encode(&self, value: &Value) -> Result<Vec<Buffer>, TaskError> {
        let chunk = value.as_chunk().ok_or_else(|| TaskError::new(ErrorKind::Type, "expected an array block"))?;
        let chunk = chunk.to_contiguous();
        let Some(start) = std::ptr::NonNull::new(chunk.as_ptr().cast_mut()).filter(|_| !chunk.is_empty()) else {
            return Ok(vec![]);
        };
        // SAFETY: the elements of a contiguous block lie in its buffer from its first one on, and the owner keeps them alive.
        Ok(vec![unsafe { Buffer::from_raw(start, chunk.bytes(), chunk.buffer().owner().clone()) }])
    }

    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        let mut strides = Strides::from_elem(1, self.shape.len());
        for axis in (1..self.shape.len()).rev() {
            strides[axis - 1] = strides[axis] * self.shape[axis].max(1) as isize;
        }
        let chunk = Chunk::from_parts(self.dtype, self.shape.clone(), strides, 0, bytes);
        chunk.map(Value::from).map_err(|error: LayoutError| TaskError::new(ErrorKind::Lost, error.to_string()))
    }
}
