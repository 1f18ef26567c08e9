//! What goes over a connection once both sides know each other: a header of 64 bytes, a control part, and bulk segments.
//!
//! ```text
//! header 64 │ segment table 8·n │ control │ pad to 64 │ segment │ pad to 64 │ segment │ …
//! ```
//!
//! Segments are read into memory of which each begins at a multiple of 64 bytes, and are used where they lie. The header has a
//! checksum of its own, so that no length is believed that a flipped bit has made, and the body has one over all that is in
//! it: damage ends the connection, and never gives another message. No memory is taken for what was only announced.

mod buffer;
mod decoder;
mod encoder;
mod header;
mod squeeze;

pub use buffer::AlignedBuffer;
pub use decoder::Decoder;
pub use encoder::{Pieces, encode};
pub use header::{HEADER_BYTES, Header, WIRE_VERSION};
pub use squeeze::Squeeze;

use bytes::Bytes;

/// A control part may have so many bytes, written out.
pub const CONTROL_BYTES_MAX: usize = 4 << 20;
/// A frame may have so many bytes, all in all, on the wire and written out.
pub const FRAME_BYTES_MAX: usize = 64 << 20;
/// A frame may have so many bulk segments.
pub const SEGMENTS_MAX: usize = 16_384;
/// Where segments begin: at multiples of this many bytes.
pub const ALIGNMENT_BYTES: usize = 64;

/// One frame, read or to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: Kind,
    /// The number of the first message in it, or of the next one that its sender will send.
    pub sequence: u64,
    /// Its sender has all messages before this one.
    pub acknowledged: u64,
    /// So many bytes of messages have been taken by those for whom they were, since the session began.
    pub taken: u64,
    /// What describes the rest; at most [`CONTROL_BYTES_MAX`].
    pub control: Bytes,
    /// Memory that goes as it is.
    pub bulk: Vec<Bytes>,
}

impl Frame {
    /// One that belongs to no session.
    pub fn new(kind: Kind, control: Bytes, bulk: Vec<Bytes>) -> Self {
        Self { kind, sequence: 0, acknowledged: 0, taken: 0, control, bulk }
    }
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Messages of a session, one after the other.
    Messages = 1,
    /// A sign of life, which also confirms.
    Heartbeat = 2,
    /// The session is over: its sender has nothing more to say.
    Close = 3,
    /// Who is there, in words: the first frame in each direction.
    Introduction = 4,
    /// A step of a transfer in bulk.
    Transfer = 5,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        [Self::Messages, Self::Heartbeat, Self::Close, Self::Introduction, Self::Transfer]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// Why bytes aren't a frame, or a frame can't be written. After one the connection is of no more use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// These are other bytes than those of a frame.
    #[error("what came begins with `{0:08x}` and isn't a frame of raskt")]
    Magic(u32),
    /// Both sides had agreed on another version.
    #[error("a frame of wire version {0} came; this side reads {WIRE_VERSION}")]
    Version(u16),
    /// A bit was flipped on the way, or somebody wrote into the connection.
    #[error("the {0} of a frame was damaged on the way")]
    Damaged(&'static str),
    /// A newer version, or nonsense.
    #[error("a frame of unknown kind {0} came")]
    Kind(u8),
    /// More than is allowed, in whatever unit.
    #[error("a frame with {what} {value} came; at most {limit} are allowed")]
    TooLarge {
        /// Of what there is too much.
        what: &'static str,
        /// How much.
        value: u64,
        /// How much there may be.
        limit: u64,
    },
    /// The parts of a frame don't fit together.
    #[error("a frame came whose {0}")]
    Inconsistent(&'static str),
    /// What was compressed isn't what was announced.
    #[error("what came compressed can't be written out: {0}")]
    Compression(String),
}

/// How many bytes are missing to the next multiple of [`ALIGNMENT_BYTES`].
fn padding(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT_BYTES) - bytes
}

#[cfg(test)]
mod tests;
