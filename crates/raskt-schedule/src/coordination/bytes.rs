//! Names and values: what is said of them, and nothing of what they mean.

use crate::{RunId, TaskRange};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What something is shared by.
pub type Name = Arc<str>;

/// A client or a worker, for as long as it is there. Numbers aren't used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Session(pub u64);

/// What a session has asked, by a number that it chooses; not used again while it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestId(pub u64);

/// Bytes that nobody looks into. Clones are the same memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bytes(pub Arc<[u8]>);

impl Bytes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self(Arc::from([]))
    }
}

impl<T: AsRef<[u8]>> From<T> for Bytes {
    fn from(bytes: T) -> Self {
        Self(bytes.as_ref().into())
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Bytes({})", self.len())
    }
}

/// What is put under a name: bytes, and results of runs that they refer to, which stay alive while the name has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// What whoever put it there makes of it.
    pub bytes: Bytes,
    /// The results.
    pub results: Vec<(RunId, TaskRange)>,
}

impl Value {
    /// One that refers to no results.
    pub fn plain(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), results: vec![] }
    }

    /// What it counts: its bytes, and what keeping it costs.
    pub(super) fn cost_bytes(&self) -> u64 {
        (self.bytes.len() + self.results.len() * size_of::<(RunId, TaskRange)>()) as u64 + VALUE_COST_BYTES
    }
}

/// What keeping a value, a lock, a lease or a waiting request costs beside what is in it, about.
pub(super) const VALUE_COST_BYTES: u64 = 64;
