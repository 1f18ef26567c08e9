//! What is given to whoever asks.

use super::Missing;
use super::shared::SharedMemory;
use bytes::Bytes;
use std::fmt;

/// Finds results. It is called by the thread of transfers and must not wait; the reply may be given later, by anybody.
pub trait Provide: Send + Sync + 'static {
    /// Gives the pieces of a result to whoever asks for it by its name.
    fn provide(&self, result: &[u8], reply: Reply);
}

/// One piece of a result.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Memory of this process.
    Own(Bytes),
    /// Memory that can be handed over as it is.
    Shared(SharedMemory),
}

impl Piece {
    pub(super) fn bytes(&self) -> &Bytes {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(memory) => memory.bytes(),
        }
    }
}

/// What was found, or why there is nothing.
pub(super) type Found = Result<Vec<Piece>, Missing>;

/// Whoever has asked waits for this. Dropped, it says that the result isn't there.
pub struct Reply {
    peer: u64,
    answer: Option<Box<dyn FnOnce(Found) + Send>>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Reply")
    }
}

impl Reply {
    pub(super) fn new(peer: u64, answer: impl FnOnce(Found) + Send + 'static) -> Self {
        Self { peer, answer: Some(Box::new(answer)) }
    }

    /// The connection of whoever has asked, by a number of this process.
    pub fn peer(&self) -> u64 {
        self.peer
    }

    /// There it is.
    pub fn give(mut self, pieces: Vec<Piece>) {
        self.answer(Ok(pieces));
    }

    /// There it isn't.
    pub fn refuse(mut self, why: Missing) {
        self.answer(Err(why));
    }

    fn answer(&mut self, found: Found) {
        if let Some(answer) = self.answer.take() {
            answer(found);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.answer(Err(Missing::NotThere));
    }
}
