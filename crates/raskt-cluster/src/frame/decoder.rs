//! Bytes to frames, without sockets: whoever reads feeds it.

use super::header::at_most;
use super::{
    AlignedBuffer, CONTROL_BYTES_MAX, FRAME_BYTES_MAX, Frame, FrameError, HEADER_BYTES, Header, Squeeze, padding,
};
use bytes::{Buf, Bytes, BytesMut};
use std::mem::MaybeUninit;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Room for headers and control parts that is offered to one read.
const READ_BYTES: usize = 64 << 10;
/// With less room than this, more is taken.
const READ_BYTES_LEAST: usize = 8 << 10;

/// Takes bytes as they come and gives frames.
///
/// Either [`feed`](Self::feed) it, or read into its [`room`](Self::room) and [`advance`](Self::advance) it, so that bulk comes to lie
/// where it stays. Then ask [`next`](Self::next) until there is no more. After an error it is of no more use.
#[derive(Debug, Default)]
pub struct Decoder {
    /// What has come and isn't taken apart yet.
    waiting: BytesMut,
    /// A frame whose bulk is coming.
    partial: Option<Partial>,
}

#[derive(Debug)]
struct Partial {
    header: Header,
    head: Bytes,
    bulk: AlignedBuffer,
}

impl Decoder {
    /// One at the beginning of a connection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes, all of them.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// Where the next bytes go. Between frames that is room for some of them; within bulk it is the bulk's own memory.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        match &mut self.partial {
            Some(partial) if self.waiting.is_empty() && partial.bulk.missing() > 0 => partial.bulk.room(),
            _ => {
                if self.waiting.capacity() - self.waiting.len() < READ_BYTES_LEAST {
                    self.waiting.reserve(READ_BYTES);
                }
                self.waiting.spare_capacity_mut()
            }
        }
    }

    /// Says that so many bytes were read into the room that was offered last.
    ///
    /// # Safety
    /// They were.
    pub unsafe fn advance(&mut self, bytes: usize) {
        match &mut self.partial {
            // SAFETY: the caller has filled them.
            Some(partial) if self.waiting.is_empty() && partial.bulk.missing() > 0 => unsafe {
                partial.bulk.advance(bytes)
            },
            _ => {
                assert!(self.waiting.len() + bytes <= self.waiting.capacity());
                // SAFETY: the caller has filled them, and they lie within what was allocated.
                unsafe { self.waiting.set_len(self.waiting.len() + bytes) }
            }
        }
    }

    /// What has come between two frames, for whoever reads on in another way.
    pub(crate) fn into_waiting(self) -> BytesMut {
        self.waiting
    }

    /// Whether a frame has begun and hasn't come to its end.
    pub fn is_within_frame(&self) -> bool {
        !self.waiting.is_empty() || self.partial.is_some()
    }

    /// The next frame that has come whole.
    #[expect(clippy::should_implement_trait, reason = "it may have more when it was fed more")]
    pub fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        if self.partial.is_none() {
            self.partial = self.begin()?;
        }
        let Some(partial) = &mut self.partial else { return Ok(None) };
        let used = partial.bulk.fill(&self.waiting);
        self.waiting.advance(used);
        if partial.bulk.missing() > 0 {
            return Ok(None);
        }
        self.partial.take().map(Partial::finish).transpose()
    }

    /// Header and control part, if they are there.
    fn begin(&mut self) -> Result<Option<Partial>, FrameError> {
        let Some(header) = self.waiting.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let header = Header::decode(header)?;
        if self.waiting.len() < HEADER_BYTES + header.head_bytes() {
            return Ok(None);
        }
        self.waiting.advance(HEADER_BYTES);
        let head = self.waiting.split_to(header.head_bytes()).freeze();
        let bulk = AlignedBuffer::announced(header.bulk_wire_bytes as usize);
        Ok(Some(Partial { header, head, bulk }))
    }
}

impl Partial {
    fn finish(self) -> Result<Frame, FrameError> {
        let Self { header, head, bulk } = self;
        let (table, control) = head.split_at(header.table_bytes());
        let segments = segments(table, bulk.filled())?;
        let control = head.slice_ref(&control[..header.control_wire_bytes as usize]);
        let bulk = if segments.is_empty() { Bytes::new() } else { bulk.finish() };
        let parts: Vec<Bytes> =
            segments.iter().map(|segment| bulk.slice(segment.at..segment.at + segment.wire)).collect();
        let mut checksum = xxh3_64(table);
        for part in std::iter::once(&control).chain(&parts) {
            checksum = xxh3_64_with_seed(part, checksum);
        }
        if checksum != header.body_checksum {
            return Err(FrameError::Damaged("body"));
        }
        let squeeze = Squeeze::of(header.codec)?;
        let control_bytes = header.control_bytes as usize;
        at_most("bytes of control", control_bytes, CONTROL_BYTES_MAX)?;
        Ok(Frame {
            kind: header.kind,
            sequence: header.sequence,
            acknowledged: header.acknowledged,
            taken: header.taken,
            control: written_out(control, control_bytes, squeeze)?,
            bulk: (parts.into_iter().zip(&segments))
                .map(|(part, segment)| written_out(part, segment.bytes, squeeze))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Where a segment lies in the bulk, how long it is there, and written out.
struct Segment {
    at: usize,
    wire: usize,
    bytes: usize,
}

fn segments(table: &[u8], bulk: usize) -> Result<Vec<Segment>, FrameError> {
    let mut segments = Vec::with_capacity(table.len() / 8);
    let (mut at, mut written_out) = (0, 0_usize);
    for (wire, bytes) in table.chunks_exact(8).map(entry) {
        segments.push(Segment { at, wire, bytes });
        at += wire + padding(wire);
        written_out += bytes;
    }
    at_most("bytes of bulk, written out,", written_out, FRAME_BYTES_MAX)?;
    if at == bulk { Ok(segments) } else { Err(FrameError::Inconsistent("segments don't add up to its bulk")) }
}

fn entry(bytes: &[u8]) -> (usize, usize) {
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    (number(0), number(4))
}

/// A part that is as long as it should be came as it is.
fn written_out(part: Bytes, bytes: usize, squeeze: Squeeze) -> Result<Bytes, FrameError> {
    if part.len() == bytes { Ok(part) } else { squeeze.expand(&part, bytes) }
}
