//! How values become bytes, and bytes values.

use crate::{Buffer, TaskError, Value};
use std::sync::Arc;

/// Writes values of one kind as bytes, so that they can leave memory for a while.
pub trait Codec: Send + Sync {
    /// The value as bytes. It may take its time, and locks of other worlds: it is never called under a lock of the store.
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten>;

    /// Whether somebody who got the value may have changed it since it was written: then it is compared with what was
    /// written before it is let go again.
    fn may_change(&self) -> bool {
        false
    }

    /// Drops a value that was written, so that its memory is free when this returns.
    fn let_go(&self, value: Value) {
        drop(value);
    }
}

/// A value as bytes.
pub struct Encoded {
    /// The bytes: pieces that follow one another.
    pub pieces: Vec<Buffer>,
    /// Makes the value of them. It stays in memory, and whatever describes the bytes with it.
    pub decoder: Arc<dyn Decoder>,
}

/// Makes a value of the bytes that it was written as.
pub trait Decoder: Send + Sync {
    /// The value that was written as `bytes`, which begin at a multiple of 64 and are nobody else's.
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError>;

    /// Is told that nobody hears of an error of [`Self::decode`]: whoever needs the value decodes it himself. If the error was a
    /// signal's, that mustn't be lost.
    fn unheard(&self, error: &TaskError) {
        let _ = error;
    }
}

impl<F: Fn(Buffer) -> Result<Value, TaskError> + Send + Sync> Decoder for F {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        self(bytes)
    }
}

/// Why a value isn't written.
#[derive(Clone, Debug)]
pub enum Unwritten {
    /// Somebody else refers to it, so that letting it go would free nothing. That may be over later.
    Shared,
    /// Something came between that says nothing of the value, such as a signal. It may work later.
    Interrupted,
    /// It can't be written, now or later.
    Failed(TaskError),
}

impl From<TaskError> for Unwritten {
    fn from(error: TaskError) -> Self {
        Self::Failed(error)
    }
}
