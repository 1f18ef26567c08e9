//! Names of layers, ops and tasks: plain numbers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A layer of a graph, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LayerId(pub u32);

/// An op of a graph, by position in its op table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpId(pub u32);

/// A task: a position in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskId {
    /// The layer.
    pub layer: LayerId,
    /// The position in it.
    pub index: u64,
}

impl TaskId {
    /// Tasks of a layer that an edge can name: 2⁴⁴.
    pub const INDEX_BITS: u32 = 44;

    /// The task at `index` of `layer`.
    pub fn new(layer: LayerId, index: u64) -> Self {
        Self { layer, index }
    }

    /// Whether an edge can name it.
    pub(crate) fn can_be_named(self) -> bool {
        self.index >> Self::INDEX_BITS == 0 && u64::from(self.layer.0) >> (u64::BITS - Self::INDEX_BITS) == 0
    }

    /// Both parts in eight bytes, as edges are stored: 20 bits of layer over 44 bits of index.
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.layer.0) << Self::INDEX_BITS | self.index
    }

    pub(crate) fn unpack(packed: u64) -> Self {
        let index = packed & ((1 << Self::INDEX_BITS) - 1);
        Self { layer: LayerId((packed >> Self::INDEX_BITS) as u32), index }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.layer.0, self.index)
    }
}
