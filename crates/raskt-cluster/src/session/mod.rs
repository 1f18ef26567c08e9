//! Messages in order and once, over connections that come and go.
//!
//! A [`Session`] is a state machine without clock and socket: time is an argument, in nanoseconds since any beginning. It
//! numbers what is sent, keeps it until the other side has confirmed it, and sends it again over the next connection when one
//! broke. So a link that is down for less than [`Limits::resume_nanoseconds`] loses, doubles and reorders nothing; after that the
//! session is over for both sides, and what one of them still says in its name is refused.
//!
//! ```text
//!              handle_up                 nothing heard, or handle_down
//!  (beginning) ─────────▶ Connected ─────────────────────────────▶ Suspect ───────────▶ Unreachable
//!                             ▲                                       │                     │
//!                             └──────────────── Resumed ◀─────────────┴──── heard again ────┤
//!                                                                                           ▼
//!                                                         window over, refused, closed ▶ Lost
//! ```
//!
//! **Back-pressure.** Each message counts until whoever it is for has *taken* it ([`Session::handle_taken`]). A sender that has
//! more out than the window allows is told that it is full. So neither side holds more than a window of the other's
//! messages, however slow anybody is, and reading never stops: signs of life get through. What a server owes ([`Session::owe`]) waits
//! on its side for the window.

mod awake;
pub(crate) mod batch;
mod health;
mod incoming;
mod limits;
mod machine;
mod outgoing;

pub use health::{Event, Lost};
pub use limits::Limits;
pub use machine::Session;
pub use outgoing::SendError;

use bytes::Bytes;

/// A message, written out, and memory that goes with it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// What the message says.
    pub control: Bytes,
    /// What it brings along.
    pub bulk: Vec<Bytes>,
}

impl Payload {
    /// What it counts in the window: its bytes, and what keeping it costs.
    pub fn window_bytes(&self) -> u64 {
        let bulk: usize = self.bulk.iter().map(|part| part.len() + SEGMENT_COST_BYTES).sum();
        (self.control.len() + bulk + MESSAGE_COST_BYTES) as u64
    }
}

/// What keeping a message costs beside its bytes.
const MESSAGE_COST_BYTES: usize = 64;
/// What keeping a segment costs beside its bytes.
const SEGMENT_COST_BYTES: usize = 64;

/// What a peer that keeps to the rules doesn't do. The connection is of no more use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Something was lost on the way; the next connection brings it.
    #[error("message {expected} was expected and {came} came")]
    Gap {
        /// What should have come.
        expected: u64,
        /// What came.
        came: u64,
    },
    /// The peer believes to have been sent what wasn't, or to have what is long gone.
    #[error("the peer speaks of message {said}; there are those from {first} to {next}")]
    Unknown {
        /// What it spoke of.
        said: u64,
        /// The oldest that is still there.
        first: u64,
        /// The next one.
        next: u64,
    },
    /// More came than the window allows.
    #[error("{bytes} bytes came that nobody has taken; the window is {window}")]
    Window {
        /// How many.
        bytes: u64,
        /// How many there may be.
        window: u64,
    },
    /// The messages of a frame don't fit into it.
    #[error("the messages of a frame don't fit into it")]
    Malformed,
    /// A frame of another kind than sessions have.
    #[error("a frame of kind {0:?} came within a session")]
    Kind(crate::frame::Kind),
}

impl Violation {
    /// Whether another connection can mend it.
    pub fn is_mended_by_another_connection(&self) -> bool {
        matches!(self, Self::Gap { .. } | Self::Kind(_))
    }
}

#[cfg(test)]
mod tests;
