//! The messages of a stream of Arrow IPC.

use super::bad;
use polars_arrow::datatypes::ArrowSchema;
use polars_arrow::io::ipc::write::{default_ipc_fields, schema_to_bytes};
use polars_arrow_format::ipc::planus::{Builder, ReadAsRoot};
use polars_arrow_format::ipc::{
    self, DictionaryBatch, FieldNode, Message, MessageHeader, MessageHeaderRef, MessageRef, MetadataVersion,
    RecordBatch, RecordBatchRef,
};
use raskt_value::{Buffer, TaskError};
use std::fmt::Display;

/// Every message and every buffer begins at a multiple of this: a cache line.
pub(super) const ALIGNMENT: usize = 64;

/// Under which name the schema has what Arrow has no word for.
pub(super) const SCHEMA_NOTE: &str = "raskt";

/// What begins each message, and the end.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The end of a stream.
pub(super) const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// Where the arrays of a batch lie in its body.
#[derive(Default)]
pub(super) struct Places {
    pub nodes: Vec<FieldNode>,
    pub buffers: Vec<ipc::Buffer>,
    /// How many buffers of texts, or bytes, each array of views has.
    pub variadic: Vec<i64>,
    /// How many bytes there are.
    pub length: usize,
}

impl Places {
    fn batch(self, rows: usize) -> RecordBatch {
        RecordBatch {
            length: rows as i64,
            nodes: Some(self.nodes),
            buffers: Some(self.buffers),
            compression: None,
            variadic_buffer_counts: Some(self.variadic).filter(|counts| !counts.is_empty()),
        }
    }
}

/// The message that columns begin with.
pub(super) fn schema(schema: &ArrowSchema, note: String) -> Vec<u8> {
    let notes = [(SCHEMA_NOTE.into(), note.into())].into_iter().collect();
    framed(&schema_to_bytes(schema, &default_ipc_fields(schema.iter_values()), Some(&notes)))
}

/// The message before the body of some rows.
pub(super) fn rows(rows: usize, places: Places) -> Vec<u8> {
    let length = places.length;
    message(MessageHeader::RecordBatch(Box::new(places.batch(rows))), length)
}

/// The message before the body of the words that codes stand for.
pub(super) fn dictionary(id: i64, words: usize, places: Places) -> Vec<u8> {
    let length = places.length;
    let batch = DictionaryBatch { id, data: Some(Box::new(places.batch(words))), is_delta: false };
    message(MessageHeader::DictionaryBatch(Box::new(batch)), length)
}

fn message(header: MessageHeader, body: usize) -> Vec<u8> {
    let message =
        Message { version: MetadataVersion::V5, header: Some(header), body_length: body as i64, custom_metadata: None };
    framed(Builder::new().finish(&message, None))
}

/// A message with its length before it, so long that what follows begins at a multiple of [`ALIGNMENT`].
fn framed(message: &[u8]) -> Vec<u8> {
    let length = (END.len() + message.len()).next_multiple_of(ALIGNMENT);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(CONTINUATION);
    bytes.extend(((length - END.len()) as u32).to_le_bytes());
    bytes.extend(message);
    bytes.resize(length, 0);
    bytes
}

/// Reads the messages of a stream one after the other.
pub(super) struct Messages<'a> {
    bytes: &'a Buffer,
    at: usize,
}

/// A message of rows or words, and its body.
pub(super) struct Batch<'a> {
    /// What the words are of, if it is one of words.
    pub dictionary: Option<i64>,
    pub batch: RecordBatchRef<'a>,
    pub body: Buffer,
}

impl<'a> Messages<'a> {
    pub fn of(bytes: &'a Buffer) -> Self {
        Self { bytes, at: 0 }
    }

    /// The note that the schema, which comes first, has.
    pub fn note(mut self) -> Result<&'a str, TaskError> {
        let (message, _) = self.message()?.ok_or_else(|| bad("it is empty"))?;
        let Some(MessageHeaderRef::Schema(schema)) = message.header().map_err(bad)? else {
            return Err(bad("it doesn't begin with a schema"));
        };
        for note in schema.custom_metadata().map_err(bad)?.into_iter().flatten() {
            let note = note.map_err(bad)?;
            if note.key().map_err(bad)? == Some(SCHEMA_NOTE) {
                return Ok(note.value().map_err(bad)?.unwrap_or_default());
            }
        }
        Err(bad(format!("its schema has no note {SCHEMA_NOTE}, by which types are told")))
    }

    /// The next batch; nothing at the end.
    pub fn batch(&mut self) -> Result<Option<Batch<'a>>, TaskError> {
        loop {
            let Some((message, body)) = self.message()? else { return Ok(None) };
            let found = match message.header().map_err(bad)? {
                Some(MessageHeaderRef::Schema(_)) => continue,
                Some(MessageHeaderRef::RecordBatch(batch)) => Batch { dictionary: None, batch, body },
                Some(MessageHeaderRef::DictionaryBatch(words)) => {
                    let batch = words.data().map_err(bad)?.ok_or_else(|| bad("words that aren't there"))?;
                    Batch { dictionary: Some(words.id().map_err(bad)?), batch, body }
                }
                _ => return Err(bad("a message of another kind")),
            };
            return Ok(Some(found));
        }
    }

    fn message(&mut self) -> Result<Option<(MessageRef<'a>, Buffer)>, TaskError> {
        let head = self.take(END.len())?;
        let (mark, length) = head.split_at(CONTINUATION.len());
        let length = u32::from_le_bytes(length.try_into().map_err(bad)?) as usize;
        if mark != CONTINUATION {
            return Err(bad("a message doesn't begin as one"));
        }
        if length == 0 {
            return Ok(None);
        }
        let message = MessageRef::read_as_root(self.take(length)?).map_err(bad)?;
        let length = number(message.body_length().map_err(bad)?)?;
        let body = self.bytes.part(self.at, length).ok_or_else(|| bad("a body lies outside of it"))?;
        self.at += length;
        Ok(Some((message, body)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], TaskError> {
        let all = slice_of(self.bytes);
        let end = self.at.checked_add(length).filter(|end| *end <= all.len());
        let end = end.ok_or_else(|| bad("it ends in a message"))?;
        let found = &all[self.at..end];
        self.at = end;
        Ok(found)
    }
}

/// The bytes of a buffer.
pub(super) fn slice_of(bytes: &Buffer) -> &[u8] {
    // SAFETY: a buffer's bytes are there and don't change while it is.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
}

/// A number that isn't negative, and small enough for a length.
pub(super) fn number(number: i64) -> Result<usize, TaskError> {
    usize::try_from(number).ok().filter(|number| *number <= LENGTH_MAX).ok_or_else(|| wrong(number))
}

fn wrong(number: impl Display) -> TaskError {
    bad(format!("{number} is no length"))
}

/// No machine has memory for as many bytes, or rows.
const LENGTH_MAX: usize = 1 << 48;
