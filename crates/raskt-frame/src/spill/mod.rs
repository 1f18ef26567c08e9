//! Tables as bytes and back, so that they can leave memory, and travel.
//!
//! A table is a stream of Arrow IPC that any process reads which knows Arrow: a schema, the words of categories, and batches of
//! rows. The buffers of the columns are the bodies of its messages as they are, each from a multiple of 64 on; so nothing is
//! converted on either way, every bit is what it was (the payloads of NaN, what lies under missing values), and a table that is
//! read refers to one piece of memory. What Arrow has no word for (the engine's types, what is known of order and of values)
//! stands in the schema's notes.
//!
//! A store reads what it has written itself, whose checksum it knows, and which stands for the types that stayed in memory. What
//! comes from elsewhere is checked as it is read: types, places of buffers, texts, codes of categories.

mod held;
mod message;
mod notes;
mod parcel;
mod primitive;
mod read;
mod write;

pub(crate) use held::bytes;
pub(crate) use parcel::{add_decoders, pack};

use crate::table::{FrameTable, TableFacts};
use notes::Notes;
use polars::prelude::*;
use polars::series::IsSorted;
use raskt_value::{Buffer, Codec, Decoder, Encoded, ErrorKind, TaskError, Unwritten, Value};
use std::sync::Arc;

/// Writes tables.
pub(crate) struct TableCodec;

impl Codec for TableCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let table = FrameTable::of(value)?;
        let (pieces, columns) = write::stream(&table.frame, table.facts())?;
        Ok(Encoded { pieces, decoder: Arc::new(TableDecoder { columns, facts: table.facts().cloned() }) })
    }
}

impl FrameTable {
    /// The table as a stream of Arrow IPC: pieces that follow one another, among them the buffers of its columns as they are.
    pub fn to_ipc(&self) -> Result<Vec<Buffer>, TaskError> {
        Ok(write::stream(&self.frame, self.facts())?.0)
    }

    /// The table that such a stream is, which begins at a multiple of 64, and is nobody else's to change; it may have come from
    /// anywhere. The table refers to its memory.
    pub fn from_ipc(bytes: &Buffer) -> Result<Self, TaskError> {
        let notes = Notes::read(bytes)?;
        let rows = notes.rows;
        let (columns, facts) = notes.known()?;
        let frame = read::table(&columns, bytes, read::Trust::Nothing)?;
        if frame.height() != rows {
            return Err(bad(format!("it has {} rows, and is to have {rows}", frame.height())));
        }
        let facts = facts.map(|facts| Arc::new(facts.of(&frame)));
        Ok(Self::with_facts(frame, facts))
    }
}

/// What is known of a table that a store has written, beside its bytes.
struct TableDecoder {
    columns: Vec<KnownColumn>,
    facts: Option<Arc<TableFacts>>,
}

/// A column without its values.
struct KnownColumn {
    name: PlSmallStr,
    dtype: DataType,
    sorted: IsSorted,
}

impl Decoder for TableDecoder {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        let frame = read::table(&self.columns, &bytes, read::Trust::OwnBytes)?;
        Ok(FrameTable::with_facts(frame, self.facts.clone()).into())
    }
}

/// A copy that shares memory with nothing: what was cut out of a table keeps all of that table alive.
pub(crate) fn unshared(frame: &DataFrame) -> Result<DataFrame, TaskError> {
    let (pieces, columns) = write::stream(frame, None)?;
    read::table(&columns, &write::together(&pieces), read::Trust::OwnBytes)
}

/// The error for bytes that don't have the layout that they were written with.
fn bad(what: impl std::fmt::Display) -> TaskError {
    TaskError::new(ErrorKind::Lost, format!("a written table can't be read back: {what}"))
}

#[cfg(test)]
mod tests;
