//! Several messages in one frame: for each the bytes of its control part, the number of its segments, and the part itself.

use super::{Payload, Violation};
use bytes::{Buf, Bytes};

/// What stands before each message.
const PREFIX_BYTES: usize = 8;
/// A frame takes messages until it has so many bytes of either part. A longer message has a frame of its own.
const BATCH_BYTES: usize = 128 << 10;
/// A frame has so many messages at most.
const BATCH_MESSAGES: usize = 4096;

/// The longest message: its control part with the prefix must fit into a frame.
pub(super) const MESSAGE_CONTROL_BYTES_MAX: usize = crate::frame::CONTROL_BYTES_MAX - PREFIX_BYTES;

/// How many of the messages go into the next frame, and that frame's parts.
pub(crate) fn pack<'a>(messages: impl Iterator<Item = &'a Payload>) -> (usize, Bytes, Vec<Bytes>) {
    let (mut count, mut control, mut bulk, mut bulk_bytes) = (0, Vec::new(), Vec::new(), 0);
    for message in messages.take(BATCH_MESSAGES) {
        let message_bulk: usize = message.bulk.iter().map(Bytes::len).sum();
        let (control_after, bulk_after) =
            (control.len() + PREFIX_BYTES + message.control.len(), bulk_bytes + message_bulk);
        let fits = control_after <= BATCH_BYTES
            && bulk_after <= BATCH_BYTES
            && bulk.len() + message.bulk.len() <= BATCH_MESSAGES;
        if count > 0 && !fits {
            break;
        }
        control.extend_from_slice(&(message.control.len() as u32).to_le_bytes());
        control.extend_from_slice(&(message.bulk.len() as u32).to_le_bytes());
        control.extend_from_slice(&message.control);
        bulk.extend(message.bulk.iter().cloned());
        bulk_bytes = bulk_after;
        count += 1;
    }
    (count, control.into(), bulk)
}

/// The messages of a frame.
pub(crate) fn unpack(mut control: Bytes, bulk: Vec<Bytes>) -> Result<Vec<Payload>, Violation> {
    let mut bulk = bulk.into_iter();
    let mut messages = vec![];
    while !control.is_empty() {
        if control.len() < PREFIX_BYTES || messages.len() == BATCH_MESSAGES {
            return Err(Violation::Malformed);
        }
        let (bytes, segments) = (control.get_u32_le() as usize, control.get_u32_le() as usize);
        if bytes > control.len() || segments > bulk.len() {
            return Err(Violation::Malformed);
        }
        messages.push(Payload { control: control.split_to(bytes), bulk: bulk.by_ref().take(segments).collect() });
    }
    if bulk.next().is_some() { Err(Violation::Malformed) } else { Ok(messages) }
}
