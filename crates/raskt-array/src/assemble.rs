//! Blocks put together.

use crate::kernel::copy::{self, Piece};
use crate::{Array, ArrayError, AxisChunks, Chunks, Result};
use raskt_value::{CancelToken, Chunk, DType, Value};

/// The whole array in C order, from its blocks in C order of the grid. A single block comes back without a copy.
pub fn assemble(values: &[Value], array: &Array) -> Result<Chunk> {
    let chunks = measured(values, array.dtype(), array.chunks())?;
    if let [value] = values {
        return block(value).cloned();
    }
    let shape = chunks.known_shape("putting blocks together")?;
    let grid = chunks.grid();
    let pieces = values.iter().enumerate().map(|(index, value)| {
        let at = grid.coordinates(index as u64);
        let at = chunks.axes().iter().zip(&at).map(|(axis, &at)| axis.start(at)).collect();
        Ok(Piece { chunk: block(value)?.clone(), at })
    });
    let pieces = pieces.collect::<Result<Vec<_>>>()?;
    Ok(copy::assemble(array.dtype(), &shape, &pieces, &CancelToken::default())?)
}

impl Array {
    /// The array with its blocks computed: `values`, in C order of the grid.
    pub fn persisted(&self, values: Vec<Value>) -> Result<Self> {
        Self::from_blocks(values, self.dtype(), self.chunks().clone())
    }

    /// The same expression with the block lengths that its computed blocks have.
    pub fn with_chunk_sizes(&self, values: &[Value]) -> Result<Self> {
        if self.chunks().is_known() {
            return Ok(self.clone());
        }
        let chunks = measured(values, self.dtype(), self.chunks())?;
        Ok(crate::expression::Expr::Sized { input: self.clone() }.into_array(self.dtype(), chunks))
    }
}

/// The data type and the shape of the block that `value` is or stands for.
fn layout(value: &Value) -> Result<(DType, &[usize])> {
    value.block_layout().ok_or_else(|| refused(value))
}

fn refused(value: &Value) -> ArrayError {
    ArrayError::Block(format!("expected an array block, got a {}", value.type_name()))
}

/// The array block that `value` is.
pub(crate) fn block(value: &Value) -> Result<&Chunk> {
    value.as_chunk().ok_or_else(|| refused(value))
}

/// `chunks` with unknown lengths read off the blocks; an error if a block isn't what it should be.
pub(crate) fn measured(values: &[Value], dtype: DType, chunks: &Chunks) -> Result<Chunks> {
    let grid = chunks.grid();
    if values.len() as u64 != grid.len() {
        return Err(ArrayError::Block(format!("expected {} blocks, got {}", grid.len(), values.len())));
    }
    let mut lengths: Vec<Vec<Option<usize>>> = chunks.axes().iter().map(|axis| axis.lengths().collect()).collect();
    for (index, value) in values.iter().enumerate() {
        let ((found_dtype, shape), at) = (layout(value)?, grid.coordinates(index as u64));
        let wrong = |expected: String| {
            let found = format!("{found_dtype} {shape:?}");
            ArrayError::Block(format!("block {:?} should be {expected}, and is {found}", at.as_slice()))
        };
        if found_dtype != dtype || shape.len() != lengths.len() {
            return Err(wrong(format!("{dtype} of {} axes", lengths.len())));
        }
        for (axis, &found) in shape.iter().enumerate() {
            let known = lengths[axis][at[axis] as usize].get_or_insert(found);
            if *known != found {
                return Err(ArrayError::Value(format!(
                    "blocks that stand beside each other are not of one length along axis {axis}, but of {known} and \
                     {found}: they do not make an array"
                )));
            }
        }
    }
    let axes = lengths.into_iter().map(|axis| AxisChunks::uneven(&axis.into_iter().flatten().collect::<Vec<_>>()));
    Ok(if chunks.is_known() { chunks.clone() } else { Chunks::new(axes) })
}
