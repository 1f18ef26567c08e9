//! What outlives the machine: what is under names, apart from who waits and who holds what.
//!
//! A [`Keeper`](super::Keeper) is told of each change. Whoever has the last value of every entry, and
//! [restores](super::Coordinator::restore) them in a new machine, has what was there: datasets, variables, events that are set, metadata, and
//! items of queues, those included that are on their way and weren't said to have arrived. Locks, leases, subscriptions and topics end
//! with the sessions that have them.

use super::bytes::{Bytes, Name, Value};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Under what something is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Entry {
    /// A dataset.
    Dataset(Name),
    /// A variable that has a value.
    Variable(Name),
    /// An event that is set; it has no value.
    Event(Name),
    /// Metadata under these keys.
    Metadata(Vec<Name>),
    /// How many items a queue may have, as eight bytes, the least first.
    QueueSize(Name),
    /// An item of a queue.
    Item {
        /// The queue.
        queue: Name,
        /// The number of the item: those that come before it have smaller ones.
        number: u64,
    },
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dataset(name) => write!(formatter, "dataset `{name}`"),
            Self::Variable(name) => write!(formatter, "variable `{name}`"),
            Self::Event(name) => write!(formatter, "event `{name}`"),
            Self::Metadata(keys) => write!(formatter, "metadata `{}`", keys.join(".")),
            Self::QueueSize(queue) | Self::Item { queue, .. } => write!(formatter, "queue `{queue}`"),
        }
    }
}

/// How a size is written.
pub(super) fn size_bytes(size: u64) -> Value {
    Value::plain(size.to_le_bytes())
}

/// The size that is written so.
pub(super) fn size(bytes: &Bytes) -> Option<u64> {
    bytes.0.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
