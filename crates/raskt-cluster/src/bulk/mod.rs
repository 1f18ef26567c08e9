//! Results that go from process to process, in bulk.
//!
//! ```text
//!  fetcher                                          counter (who gives)
//!    │ Request: which result, which parts, credit        │
//!    │ ────────────────────────────────────────────────▶ │  Provide finds it
//!    │ Opened: how long its pieces are                   │
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Chunk, Chunk, … as far as the credit goes         │
//!    │ ◀──────────────────────────────────────────────── │
//!    │ Credit: so many bytes more                        │
//!    │ ────────────────────────────────────────────────▶ │
//! ```
//!
//! Whoever fetches has reserved memory before, and takes no more than that. Chunks are read into the memory that the result
//! stays in. Several transfers share a connection, and take turns chunk by chunk. On one host, over a Unix socket, the memory
//! itself is handed over, sealed so that nobody can change or cut it (`Handles`).

mod counter;
mod error;
mod fetcher;
mod handles;
mod receiving;
mod sending;
mod shared;
pub(crate) mod step;
mod wire;

pub(crate) use counter::Counter;
pub use counter::{Piece, Provide, Reply};
pub use error::BulkError;
pub use fetcher::{Fetch, Fetcher, Source};
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
