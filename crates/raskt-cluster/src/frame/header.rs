//! The first 64 bytes of a frame.

use super::{CONTROL_BYTES_MAX, FRAME_BYTES_MAX, FrameError, Kind, SEGMENTS_MAX};
use xxhash_rust::xxh3::xxh3_64;

/// How long it is.
pub const HEADER_BYTES: usize = 64;
/// The form of frames, and of what is said in them, that this build writes and reads: another number whenever one of the messages changes.
pub const WIRE_VERSION: u16 = 7;
/// What each frame begins with: `RSKF`.
const MAGIC: u32 = u32::from_le_bytes(*b"RSKF");
/// The checksum of the header stands behind what it is of.
const CHECKED_BYTES: usize = 56;

/// What a frame says of itself. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the frame is.
    pub kind: Kind,
    /// How parts are compressed that are: see `Squeeze`.
    pub codec: u8,
    /// Bytes of the control part, as it comes.
    pub control_wire_bytes: u32,
    /// Bytes of the control part, written out.
    pub control_bytes: u32,
    /// How many bulk segments there are.
    pub segments: u32,
    /// Bytes of all segments as they come, with what fills up between them.
    pub bulk_wire_bytes: u32,
    /// See [`Frame`](super::Frame).
    pub sequence: u64,
    /// See [`Frame`](super::Frame).
    pub acknowledged: u64,
    /// See [`Frame`](super::Frame).
    pub taken: u64,
    /// The checksum of all that follows.
    pub body_checksum: u64,
}

impl Header {
    /// The header as bytes, with its checksum.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&MAGIC.to_le_bytes());
        put(&WIRE_VERSION.to_le_bytes());
        put(&[self.kind as u8, self.codec]);
        for number in [self.control_wire_bytes, self.control_bytes, self.segments, self.bulk_wire_bytes] {
            put(&number.to_le_bytes());
        }
        for number in [self.sequence, self.acknowledged, self.taken, self.body_checksum] {
            put(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header and refuses what is damaged or beyond the bounds.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Self, FrameError> {
        let short = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if short(0) != MAGIC {
            return Err(FrameError::Magic(short(0)));
        }
        if long(CHECKED_BYTES) != xxh3_64(&bytes[..CHECKED_BYTES]) {
            return Err(FrameError::Damaged("header"));
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != WIRE_VERSION {
            return Err(FrameError::Version(version));
        }
        let header = Self {
            kind: Kind::of(bytes[6]).ok_or(FrameError::Kind(bytes[6]))?,
            codec: bytes[7],
            control_wire_bytes: short(8),
            control_bytes: short(12),
            segments: short(16),
            bulk_wire_bytes: short(20),
            sequence: long(24),
            acknowledged: long(32),
            taken: long(40),
            body_checksum: long(48),
        };
        header.check().map(|()| header)
    }

    fn check(&self) -> Result<(), FrameError> {
        at_most("bytes of control", self.control_wire_bytes, CONTROL_BYTES_MAX)?;
        at_most("bytes of control", self.control_bytes, CONTROL_BYTES_MAX)?;
        at_most("bulk segments", self.segments, SEGMENTS_MAX)?;
        at_most("bytes of bulk", self.bulk_wire_bytes, FRAME_BYTES_MAX - CONTROL_BYTES_MAX)?;
        if self.segments == 0 && self.bulk_wire_bytes > 0 {
            return Err(FrameError::Inconsistent("bulk belongs to no segment"));
        }
        Ok(())
    }

    /// Bytes of the segment table and the control part, with what fills up behind them.
    pub fn head_bytes(&self) -> usize {
        let bytes = self.table_bytes() + self.control_wire_bytes as usize;
        if self.segments == 0 { bytes } else { bytes.next_multiple_of(super::ALIGNMENT_BYTES) }
    }

    /// Bytes of the segment table.
    pub fn table_bytes(&self) -> usize {
        self.segments as usize * 8
    }
}

pub(super) fn at_most(what: &'static str, value: impl TryInto<u64>, limit: usize) -> Result<(), FrameError> {
    let (value, limit) = (value.try_into().unwrap_or(u64::MAX), limit as u64);
    if value > limit { Err(FrameError::TooLarge { what, value, limit }) } else { Ok(()) }
}
