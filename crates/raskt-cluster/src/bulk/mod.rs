//! Results that go from process to process, in bulk.
//!
//! ```text
//!  fetcher                                          counter (who gives)
//!    │ Request: which result, which parts, credit        │
//!    │ ────────────────────────────────────────────────▶ │  Provide finds it
//!    │ Working, as long as it is packed                  │
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Opened: how long its pieces are                   │
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Chunk, Chunk, … as far as the credit goes         │
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Credit: so many bytes more                        │
//!    │ ────────────────────────────────────────────────▶ │
//! ```
//!
//! Whoever fetches has reserved memory before, and takes no more than that. Chunks are read into the memory that the result
//! stays in. Who says nothing for long is dead: one that is slow says that he is at it. Several transfers share a connection, and take
//! turns chunk by chunk. On one host, over a Unix socket, whoever fetches reads the giver's memory, if the system lets one process of a
//! user see into another:
//!
//! ```text
//!    │ Request, with a proof to be found there           │
//!    │ ────────────────────────────────────────────────▶ │
//!    │ Opened; Lent: where the pieces and the proof lie  │  holds them
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Read (or Unreadable: let them come otherwise)     │
//!    │ ────────────────────────────────────────────────▶ │
//!    │ Kept: they were there all the time                │  lets them go
//!    │ ◀──────────────────────────────────────────────── │
//! ```
//!
//! What was read counts when the giver has said that he held it until then: had he let go of it, or died, others' bytes could be among
//! it. Where memory can't be read, it is handed over, sealed so that nobody can change or cut it (`Handles`).

mod copying;
mod counter;
mod error;
mod fetcher;
mod handles;
mod lending;
mod line;
mod mapping;
mod order;
mod pages;
mod peer_memory;
mod reading;
mod receiving;
mod reply;
mod sending;
mod shared;
pub(crate) mod step;
#[cfg(test)]
mod tests;
mod times;
mod wire;

pub(crate) use counter::Counter;
pub use error::BulkError;
pub use fetcher::{Fetcher, Source};
pub use order::Fetch;
pub use reply::{Piece, Provide, Reply};
pub use shared::{SharedBuffer, SharedMemory};
pub use step::{Missing, Part};

/// A chunk has so many bytes at most.
pub const CHUNK_BYTES: usize = 1 << 20;
/// So many bytes of a transfer may be under way.
const CREDIT_BYTES: u64 = 8 << 20;
/// So many transfers of one connection go on at a time; others wait where they are asked for.
const TRANSFERS_MAX: usize = 16;
/// A result has so many pieces at most, and a request so many parts.
const PIECES_MAX: usize = 16_384;
/// The name of a result is no longer.
const NAME_BYTES_MAX: usize = 4096;
/// Results of fewer bytes go through the socket also where memory could be handed over.
const HANDLE_BYTES_MIN: u64 = 256 << 10;
/// Results of fewer bytes aren't read out of the giver's memory.
const LENT_BYTES_MIN: u64 = 1 << 20;
