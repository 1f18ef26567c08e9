//! Results as they are fetched: one piece that says what they are and has what is small, and a piece for each memory that is large.

use crate::bulk::Piece;
use bytes::Bytes;
use raskt_sync::guard;
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Buffer, ErrorKind, Parcel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

/// What comes first: what each value is.
#[derive(Default, Serialize, Deserialize)]
struct Contents {
    values: Vec<(WireForm, Vec<Part>)>,
}

#[derive(Serialize, Deserialize)]
enum Part {
    /// Memory that is here.
    Within(Vec<u8>),
    /// The next of the pieces.
    Apart,
}

/// Memory of fewer bytes is among the contents.
const SMALL_BYTES: usize = 4 << 10;

/// Pieces of one transfer: fewer than it may have. Memory beyond them is among the contents, however large it is.
const PIECES: usize = 16_000;

/// The pieces of `values`, which keep `keeper` until they have gone. Who packs an object is a stranger: his panic is an error.
pub(crate) fn pack(values: &[Value], keeper: &Arc<dyn Any + Send + Sync>) -> Result<Vec<Piece>, TaskError> {
    guard(|| packed(values, keeper)).unwrap_or_else(|story| Err(panicked("packed", &story)))
}

/// The values whose pieces have come. Who reads an object is a stranger, too.
pub(crate) fn unpack(decoders: &Decoders, pieces: Vec<Bytes>) -> Result<Vec<Value>, TaskError> {
    unpack_each(decoders, pieces)?.into_iter().collect()
}

/// The same, where one that can't be read keeps the others from nobody.
pub(crate) fn unpack_each(decoders: &Decoders, pieces: Vec<Bytes>) -> Result<Vec<Result<Value, TaskError>>, TaskError> {
    guard(|| unpacked(decoders, pieces)).unwrap_or_else(|story| Err(panicked("read", &story)))
}

fn packed(values: &[Value], keeper: &Arc<dyn Any + Send + Sync>) -> Result<Vec<Piece>, TaskError> {
    let (mut contents, mut pieces) = (Contents::default(), vec![]);
    for value in values {
        let Parcel { form, pieces: memory } = value.pack()?;
        let mut parts = Vec::with_capacity(memory.len());
        for buffer in memory {
            let bytes = Bytes::from_owner(Memory(buffer, keeper.clone()));
            if bytes.len() < SMALL_BYTES || pieces.len() >= PIECES {
                parts.push(Part::Within(bytes.to_vec()));
            } else {
                parts.push(Part::Apart);
                pieces.push(Piece::Own(bytes));
            }
        }
        contents.values.push((form, parts));
    }
    let contents = postcard::to_stdvec(&contents).map_err(|error| malformed(&error.to_string()))?;
    pieces.insert(0, Piece::Own(contents.into()));
    Ok(pieces)
}

fn unpacked(decoders: &Decoders, pieces: Vec<Bytes>) -> Result<Vec<Result<Value, TaskError>>, TaskError> {
    let mut pieces = pieces.into_iter();
    let contents = pieces.next().ok_or_else(|| malformed("nothing has come"))?;
    let contents: Contents = postcard::from_bytes(&contents).map_err(|error| malformed(&error.to_string()))?;
    let mut values = Vec::with_capacity(contents.values.len());
    for (form, parts) in contents.values {
        let memory = parts.into_iter().map(|part| match part {
            Part::Within(bytes) => Ok(aligned(&bytes)),
            Part::Apart => pieces.next().map(buffer_of).ok_or_else(|| malformed("a piece is missing")),
        });
        values.push(decoders.unpack(Parcel { form, pieces: memory.collect::<Result<_, _>>()? }));
    }
    match pieces.next() {
        None => Ok(values),
        Some(_) => Err(malformed("a piece is left over")),
    }
}

fn malformed(reason: &str) -> TaskError {
    TaskError::new(ErrorKind::Io, format!("results that were fetched can't be read: {reason}"))
}

fn panicked(what: &str, story: &str) -> TaskError {
    TaskError::new(ErrorKind::Panic, format!("there was a panic when a result was {what}: {story}"))
}

/// The memory of a value, for as long as it is sent.
struct Memory(Buffer, #[expect(dead_code, reason = "kept until the memory has gone")] Arc<dyn Any + Send + Sync>);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the buffer's bytes are valid for reads as long as it lives.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr(), self.0.len()) }
    }
}

/// Memory that has come, as it is if it begins where values may.
fn buffer_of(bytes: Bytes) -> Buffer {
    if !(bytes.as_ptr() as usize).is_multiple_of(Parcel::ALIGNMENT) {
        return aligned(&bytes);
    }
    let (start, length) = (NonNull::from(&*bytes).cast(), bytes.len());
    // SAFETY: the bytes stay where they are as long as their owner lives, and nobody else writes to them.
    unsafe { Buffer::from_raw(start, length, Arc::new(bytes)) }
}

/// A copy that begins where values may.
pub(crate) fn aligned(bytes: &[u8]) -> Buffer {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "bytes that are looked at through the buffer")] [u8; Parcel::ALIGNMENT]);
    let mut lines = vec![Line([0; Parcel::ALIGNMENT]); bytes.len().div_ceil(Parcel::ALIGNMENT)];
    // SAFETY: there is room for so many bytes, and nobody else has it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), lines.as_mut_ptr().cast(), bytes.len()) };
    let start = NonNull::from(lines.as_mut_slice()).cast();
    // SAFETY: the list keeps the bytes alive, and nobody writes to them.
    unsafe { Buffer::from_raw(start, bytes.len(), Arc::new(lines)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_value::Chunk;

    #[test]
    fn many_pieces_of_memory_are_few_enough_for_a_transfer() {
        let value = |at: i64| Value::from(Chunk::from_vec(vec![at; 520], &[520]).unwrap());
        let values: Vec<_> = (0..PIECES as i64 + 500).map(value).collect();
        let keeper: Arc<dyn Any + Send + Sync> = Arc::new(());
        let pieces = pack(&values, &keeper).unwrap();
        assert_eq!(pieces.len(), PIECES + 1);
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Own(bytes) => bytes,
            Piece::Shared(memory) => memory.bytes().clone(),
        });
        let found = unpack(&Decoders::default(), pieces.collect()).unwrap();
        let first = |value: &Value| value.as_chunk().and_then(Chunk::as_slice::<i64>).unwrap()[519];
        assert!(found.iter().map(first).eq(0..PIECES as i64 + 500));
    }
}
