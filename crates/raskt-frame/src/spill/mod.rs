//! Tables as bytes and back, so that they can leave memory.
//!
//! The buffers of the columns are written as they are, one after the other, each from a multiple of 64 on; what they are
//! ([`Layout`]) stays in memory. So nothing is converted on either way, every bit is what it was (the payloads of NaN, what
//! lies under missing values), and a table that is read back refers to one piece of memory.

mod held;
mod layout;
mod read;
mod write;

pub(crate) use held::bytes;

use crate::table::FrameTable;
use layout::Layout;
use polars::prelude::*;
use polars::series::IsSorted;
use raskt_value::{Buffer, Codec, Decoder, Encoded, ErrorKind, TaskError, Unwritten, Value};
use std::sync::Arc;
use write::Pieces;

/// Writes tables.
pub(crate) struct TableCodec;

impl Codec for TableCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let (pieces, decoder) = encode(&FrameTable::of(value)?.frame)?;
        Ok(Encoded { pieces, decoder: Arc::new(decoder) })
    }
}

/// What isn't in the bytes of a table.
struct TableDecoder {
    rows: usize,
    columns: Vec<ColumnLayout>,
}

struct ColumnLayout {
    name: PlSmallStr,
    dtype: DataType,
    sorted: IsSorted,
    chunks: Vec<Layout>,
}

fn encode(frame: &DataFrame) -> Result<(Vec<Buffer>, TableDecoder), TaskError> {
    let columns: Vec<Series> = frame.columns().iter().map(|column| column.as_materialized_series().clone()).collect();
    let mut pieces = Pieces::default();
    let mut layouts = vec![];
    for column in &columns {
        let chunks = column.chunks().iter().map(|chunk| pieces.put_array(&**chunk)).collect::<Result<_, _>>()?;
        let (name, dtype) = (column.name().clone(), column.dtype().clone());
        layouts.push(ColumnLayout { name, dtype, sorted: column.is_sorted_flag(), chunks });
    }
    Ok((pieces.finish(), TableDecoder { rows: frame.height(), columns: layouts }))
}

impl Decoder for TableDecoder {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        Ok(FrameTable::from(self.table(&bytes)?).into())
    }
}

impl TableDecoder {
    fn table(&self, bytes: &Buffer) -> Result<DataFrame, TaskError> {
        let columns = self.columns.iter().map(|column| column.read(bytes)).collect::<Result<Vec<_>, _>>()?;
        DataFrame::new(self.rows, columns).map_err(|error| bad(&error.to_string()))
    }
}

impl ColumnLayout {
    fn read(&self, bytes: &Buffer) -> Result<Column, TaskError> {
        let chunks = self.chunks.iter().map(|chunk| read::array(chunk, bytes)).collect::<Result<_, _>>()?;
        // SAFETY: the chunks have the types that those of a column of this type had.
        let mut column = unsafe { Series::from_chunks_and_dtype_unchecked(self.name.clone(), chunks, &self.dtype) };
        column.set_sorted_flag(self.sorted);
        Ok(column.into())
    }
}

/// A copy that shares memory with nothing: what was cut out of a table keeps all of that table alive.
pub(crate) fn unshared(frame: &DataFrame) -> Result<DataFrame, TaskError> {
    let (pieces, decoder) = encode(frame)?;
    let mut bytes: Vec<write::Line> = vec![];
    bytes.resize(pieces.iter().map(Buffer::len).sum::<usize>().div_ceil(size_of::<write::Line>()), write::Line::ZERO);
    let mut at = 0;
    for piece in &pieces {
        // SAFETY: the pieces fit in, one after the other, and nobody else has the bytes.
        unsafe {
            let to = bytes.as_mut_ptr().cast::<u8>().add(at);
            std::ptr::copy_nonoverlapping(piece.as_ptr(), to, piece.len());
        }
        at += piece.len();
    }
    decoder.table(&write::buffer_of(bytes, at))
}

/// The error for bytes that don't have the layout that they were written with.
fn bad(what: &str) -> TaskError {
    TaskError::new(ErrorKind::Lost, format!("a spilled table can't be read back: {what}"))
}

#[cfg(test)]
mod tests;
