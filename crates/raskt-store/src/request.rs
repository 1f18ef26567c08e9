//! Requests for memory, and the answers to them.

use crate::sizes::Outputs;
use crate::slot::SlotId;
use crate::{Broken, MemoryReport};
use std::sync::Arc;

/// Somebody who asks for memory: an engine.
pub trait Asker: Send + Sync + 'static {
    /// What became of requests that had to wait, by ticket. It is called by threads of the store, without any lock of it.
    fn answered(&self, replies: Vec<(u64, Reply)>);

    /// The store is broken: none of the requests will be answered. Called in the same way.
    fn store_broke(&self, broken: &Broken);
}

/// What becomes of a request that had to wait.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The memory is promised; `is_loading` says that inputs are still being read, and that `Loaded` follows.
    Promised {
        /// Whether inputs are still being read.
        is_loading: bool,
    },
    /// The inputs are in memory, as far as they can be read.
    Loaded,
    /// Nothing can leave memory any more, and nothing runs whose end would free any.
    Exhausted(Arc<MemoryReport>),
}

/// What a request is answered at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The memory is promised; `is_loading` says that inputs are being read, and that `Loaded` follows.
    Promised {
        /// Whether inputs are being read.
        is_loading: bool,
    },
    /// A reply follows.
    Pending,
}

/// What is known of what asks for memory, beside how much it asks for.
#[derive(Clone, Debug)]
pub struct Extent {
    /// So many of the bytes are fetched from elsewhere and read: they aren't what it makes.
    pub fetched: u64,
    /// What it makes that isn't among the bytes, since nobody knows how large it will be.
    pub outputs: Outputs,
}

/// A request that waits for memory.
#[derive(Debug)]
pub(crate) struct Request {
    pub holder: crate::Holder,
    /// Beside what its inputs need.
    pub bytes: u64,
    /// Each once, with its size. They are pinned, and whoever asks keeps them in the store.
    pub inputs: Vec<(SlotId, u64)>,
    /// Bytes of inputs that are too small to be kept one by one.
    pub small: u64,
    /// So many of `bytes` are fetched from elsewhere, to be read.
    pub fetched: u64,
    /// What it makes.
    pub outputs: Outputs,
}

impl Request {
    /// Bytes that are promised for what it makes.
    pub fn makes(&self) -> u64 {
        self.bytes.saturating_sub(self.fetched)
    }

    /// Bytes of its inputs.
    pub fn reads(&self) -> u64 {
        self.inputs.iter().fold(self.small, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}
