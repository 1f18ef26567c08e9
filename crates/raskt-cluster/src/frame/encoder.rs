//! Frames to pieces of memory, which are written together without having been copied together.

use super::header::at_most;
use super::{
    ALIGNMENT_BYTES, CONTROL_BYTES_MAX, FRAME_BYTES_MAX, Frame, FrameError, HEADER_BYTES, Header, SEGMENTS_MAX,
    Squeeze, padding,
};
use bytes::{Buf, Bytes};
use std::collections::VecDeque;
use std::io::IoSlice;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A longer control part is a piece of its own; a shorter one is copied behind the header.
const CONTROL_COPY_BYTES: usize = 16 << 10;
static ZEROS: [u8; ALIGNMENT_BYTES] = [0; ALIGNMENT_BYTES];

/// Adds a frame to what is to be written.
pub fn encode(frame: &Frame, squeeze: Squeeze, pieces: &mut Pieces) -> Result<(), FrameError> {
    check(frame)?;
    let control = squeeze.squeeze(&frame.control).map_or_else(|| frame.control.clone(), Bytes::from);
    let bulk: Vec<Bytes> = frame.bulk.iter().map(|part| shortened(part, squeeze)).collect();
    let mut head = Vec::with_capacity(HEADER_BYTES + bulk.len() * 8 + control.len().min(CONTROL_COPY_BYTES) + 64);
    head.resize(HEADER_BYTES, 0);
    for (segment, original) in bulk.iter().zip(&frame.bulk) {
        head.extend_from_slice(&(segment.len() as u32).to_le_bytes());
        head.extend_from_slice(&(original.len() as u32).to_le_bytes());
    }
    let fill = if bulk.is_empty() { 0 } else { padding(bulk.len() * 8 + control.len()) };
    let mut checksum = xxh3_64(&head[HEADER_BYTES..]);
    for part in std::iter::once(&control).chain(&bulk) {
        checksum = xxh3_64_with_seed(part, checksum);
    }
    let header = Header {
        kind: frame.kind,
        codec: squeeze.code(),
        control_wire_bytes: control.len() as u32,
        control_bytes: frame.control.len() as u32,
        segments: bulk.len() as u32,
        bulk_wire_bytes: bulk.iter().map(|part| part.len() + padding(part.len())).sum::<usize>() as u32,
        sequence: frame.sequence,
        acknowledged: frame.acknowledged,
        taken: frame.taken,
        body_checksum: checksum,
    };
    head[..HEADER_BYTES].copy_from_slice(&header.encode());
    if control.len() <= CONTROL_COPY_BYTES {
        head.extend_from_slice(&control);
        head.resize(head.len() + fill, 0);
        pieces.push(head.into());
    } else {
        pieces.push(head.into());
        pieces.push(control);
        pieces.push(Bytes::from_static(&ZEROS[..fill]));
    }
    for segment in bulk {
        let fill = padding(segment.len());
        pieces.push(segment);
        pieces.push(Bytes::from_static(&ZEROS[..fill]));
    }
    Ok(())
}

fn check(frame: &Frame) -> Result<(), FrameError> {
    at_most("bytes of control", frame.control.len(), CONTROL_BYTES_MAX)?;
    at_most("bulk segments", frame.bulk.len(), SEGMENTS_MAX)?;
    let bulk: usize = frame.bulk.iter().map(|part| part.len() + padding(part.len())).sum();
    at_most("bytes of bulk", bulk, FRAME_BYTES_MAX - CONTROL_BYTES_MAX)
}

fn shortened(part: &Bytes, squeeze: Squeeze) -> Bytes {
    squeeze.squeeze(part).map_or_else(|| part.clone(), Bytes::from)
}

/// Pieces of memory that are to be written one after the other.
#[derive(Debug, Default)]
pub struct Pieces {
    pieces: VecDeque<Bytes>,
    bytes: usize,
}

impl Pieces {
    /// Adds a piece.
    pub fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.bytes += piece.len();
            self.pieces.push_back(piece);
        }
    }
}

impl Buf for Pieces {
    fn remaining(&self) -> usize {
        self.bytes
    }

    fn chunk(&self) -> &[u8] {
        self.pieces.front().map_or(&[], |piece| piece)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut count = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            *slice = IoSlice::new(piece);
            count += 1;
        }
        count
    }

    fn advance(&mut self, mut bytes: usize) {
        assert!(bytes <= self.bytes, "more was written than there is");
        self.bytes -= bytes;
        while bytes > 0 {
            let Some(first) = self.pieces.front_mut() else { return };
            if bytes < first.len() {
                return first.advance(bytes);
            }
            bytes -= first.len();
            self.pieces.pop_front();
        }
    }
}
