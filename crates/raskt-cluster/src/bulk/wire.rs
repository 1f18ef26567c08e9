//! A connection for transfers: steps out and in, chunks into the memory where they stay, and files beside them.

use super::handles;
use super::step::Step;
use super::{BulkError, CHUNK_BYTES};
use crate::frame::{AlignedBuffer, Frame, HEADER_BYTES, Header, Kind, Pieces, Squeeze, encode};
use crate::stream::Stream;
use bytes::{Buf, Bytes, BytesMut};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::AsyncWrite;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Room for the heads of frames. It is small, so that little of a chunk comes to lie in it.
const HEAD_BYTES: usize = 4 << 10;
/// Pieces of memory that go into one call of the system.
const WRITE_PIECES: usize = 64;
/// Files that came and that no step has named yet, at most.
const FILES_MAX: usize = 64;

/// The connection.
#[derive(Debug)]
pub(super) struct Wire {
    stream: Stream,
    waiting: BytesMut,
    chunk: Option<Chunk>,
    pieces: Pieces,
    is_flushed: bool,
    files_in: VecDeque<OwnedFd>,
    /// Files that go along with the next bytes.
    files_out: Vec<Arc<OwnedFd>>,
}

/// What came.
#[derive(Debug)]
pub(super) struct Arrival {
    pub step: Step,
    /// The buffer that was lent for a chunk, with the chunk in it.
    pub buffer: Option<AlignedBuffer>,
}

/// A chunk that is coming.
#[derive(Debug)]
struct Chunk {
    step: Step,
    header: Header,
    /// The checksum of what came before the chunk.
    checksum: u64,
    buffer: AlignedBuffer,
    from: usize,
    until: usize,
    padding: usize,
}

/// Lends memory for a chunk of so many bytes: room for as many at least. None if nobody wants it.
pub(super) type Lend<'a> = &'a mut dyn FnMut(&Step, usize) -> Option<AlignedBuffer>;

impl Wire {
    pub fn new(stream: Stream, waiting: BytesMut) -> Self {
        let (pieces, files_in, files_out) = Default::default();
        Self { stream, waiting, chunk: None, pieces, is_flushed: true, files_in, files_out }
    }

    /// Whether memory can be handed over.
    pub fn takes_files(&self) -> bool {
        matches!(self.stream, Stream::Unix(_))
    }

    /// Bytes that wait to be written.
    pub fn unwritten(&self) -> usize {
        self.pieces.remaining()
    }

    /// Adds a step to what is to be written, and a chunk that belongs to it.
    pub fn push(&mut self, step: &Step, chunk: Option<Bytes>) -> Result<(), BulkError> {
        let control = postcard::to_allocvec(step).map_err(|error| BulkError::Violation(error.to_string()))?;
        let frame = Frame::new(Kind::Transfer, control.into(), chunk.into_iter().collect());
        self.is_flushed = false;
        encode(&frame, Squeeze::Never, &mut self.pieces).map_err(|error| BulkError::Violation(error.to_string()))
    }

    /// Adds a step and files that go along; nothing else may be waiting to be written.
    pub fn push_with_files(&mut self, step: &Step, files: Vec<Arc<OwnedFd>>) -> Result<(), BulkError> {
        debug_assert_eq!(self.unwritten(), 0);
        self.files_out = files;
        self.push(step, None)
    }

    /// Writes what can be; ready when all is.
    pub fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.pieces.has_remaining() {
            let mut slices = [IoSlice::new(&[]); WRITE_PIECES];
            let count = self.pieces.chunks_vectored(&mut slices);
            let slices = &slices[..count];
            let written = match &self.stream {
                Stream::Unix(unix) if !self.files_out.is_empty() => {
                    ready!(handles::poll_send(unix, cx, slices, &self.files_out))?
                }
                _ => ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, slices))?,
            };
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            // They go with the first byte.
            self.files_out.clear();
            self.pieces.advance(written);
        }
        if !self.is_flushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            self.is_flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    /// The next step that has come whole.
    pub fn poll_next(&mut self, cx: &mut Context<'_>, lend: Lend<'_>) -> Poll<Result<Arrival, BulkError>> {
        loop {
            if let Some(arrival) = self.take(lend)? {
                return Poll::Ready(Ok(arrival));
            }
            let bytes = ready!(self.poll_read(cx)).map_err(|error| BulkError::Lost(error.to_string()))?;
            if bytes == 0 {
                return Poll::Ready(Err(BulkError::Lost("the other side closed it".to_owned())));
            }
        }
    }

    /// The files that came for a step.
    pub fn take_files(&mut self, count: usize) -> Option<Vec<OwnedFd>> {
        (count <= self.files_in.len()).then(|| self.files_in.drain(..count).collect())
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Stream::Unix(unix) = &self.stream {
            let mut bytes = [0; HEAD_BYTES * 4];
            let count = ready!(handles::poll_receive(unix, cx, &mut bytes, &mut self.files_in))?;
            if self.files_in.len() > FILES_MAX {
                return Poll::Ready(Err(io::Error::other("more files came than were announced")));
            }
            self.waiting.extend_from_slice(&bytes[..count]);
            return Poll::Ready(Ok(count));
        }
        if let Some(chunk) = &mut self.chunk
            && chunk.missing() > 0
        {
            let missing = chunk.missing();
            let room = chunk.buffer.room();
            let most = room.len().min(missing);
            let count = ready!(self.stream.poll_read_room(cx, &mut room[..most]))?;
            // SAFETY: so many were read into the room just now.
            unsafe { chunk.buffer.advance(count) };
            return Poll::Ready(Ok(count));
        }
        self.waiting.reserve(HEAD_BYTES);
        let room = self.waiting.spare_capacity_mut();
        let count = ready!(self.stream.poll_read_room(cx, &mut room[..HEAD_BYTES]))?;
        // SAFETY: so many were read into the room just now.
        unsafe { self.waiting.set_len(self.waiting.len() + count) };
        Poll::Ready(Ok(count))
    }

    fn take(&mut self, lend: Lend<'_>) -> Result<Option<Arrival>, BulkError> {
        if self.chunk.is_none() {
            match self.begin(lend)? {
                None => return Ok(None),
                Some(Begun::Step(step)) => return Ok(Some(Arrival { step, buffer: None })),
                Some(Begun::Chunk(chunk)) => self.chunk = Some(chunk),
            }
        }
        let Some(chunk) = &mut self.chunk else { return Ok(None) };
        let most = chunk.missing().min(self.waiting.len());
        let used = chunk.buffer.fill(&self.waiting[..most]);
        self.waiting.advance(used);
        if chunk.missing() > 0 || self.waiting.len() < chunk.padding {
            return Ok(None);
        }
        self.waiting.advance(chunk.padding);
        self.chunk.take().map(Chunk::finish).transpose()
    }

    fn begin(&mut self, lend: Lend<'_>) -> Result<Option<Begun>, BulkError> {
        let violation = |error: &dyn std::fmt::Display| BulkError::Violation(error.to_string());
        let Some(header) = self.waiting.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let header = Header::decode(header).map_err(|error| violation(&error))?;
        let is_plain = header.codec == 0 && header.segments <= 1 && header.control_bytes == header.control_wire_bytes;
        if header.kind != Kind::Transfer || !is_plain || header.bulk_wire_bytes as usize > CHUNK_BYTES {
            return Err(violation(&"a frame came that is no step of a transfer"));
        }
        if self.waiting.len() < HEADER_BYTES + header.head_bytes() {
            return Ok(None);
        }
        self.waiting.advance(HEADER_BYTES);
        let head = self.waiting.split_to(header.head_bytes());
        let (table, control) = head.split_at(header.table_bytes());
        let control = &control[..header.control_wire_bytes as usize];
        let checksum = xxh3_64_with_seed(control, xxh3_64(table));
        let step: Step = postcard::from_bytes(control).map_err(|error| violation(&error))?;
        let Some(table) = table.first_chunk::<8>() else {
            let is_whole = checksum == header.body_checksum;
            return if is_whole {
                Ok(Some(Begun::Step(step)))
            } else {
                Err(violation(&"a step was damaged on the way"))
            };
        };
        let bytes = u32::from_le_bytes([table[0], table[1], table[2], table[3]]) as usize;
        let padding = (header.bulk_wire_bytes as usize).checked_sub(bytes).filter(|padding| *padding < 64);
        let padding = padding.ok_or_else(|| violation(&"a chunk has another length than its frame"))?;
        let buffer = lend(&step, bytes).unwrap_or_else(|| AlignedBuffer::announced(bytes));
        if buffer.missing() < bytes {
            return Err(violation(&"a chunk is longer than what is missing"));
        }
        let from = buffer.filled();
        Ok(Some(Begun::Chunk(Chunk { step, header, checksum, buffer, from, until: from + bytes, padding })))
    }
}

enum Begun {
    Step(Step),
    Chunk(Chunk),
}

impl Chunk {
    fn missing(&self) -> usize {
        self.until - self.buffer.filled()
    }

    fn finish(self) -> Result<Arrival, BulkError> {
        let checksum = xxh3_64_with_seed(&self.buffer.as_slice()[self.from..], self.checksum);
        if checksum != self.header.body_checksum {
            return Err(BulkError::Violation("a chunk was damaged on the way".to_owned()));
        }
        Ok(Arrival { step: self.step, buffer: Some(self.buffer) })
    }
}
