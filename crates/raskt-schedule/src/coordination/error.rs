//! Why something isn't done.

use super::bytes::Name;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Why something isn't done. Trying again helps only where something has gone meanwhile: of [`CoordinationError::TooMany`] and
/// [`CoordinationError::Exists`]; and of [`CoordinationError::NotWritten`] when there is room again.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum CoordinationError {
    /// There is more than may be.
    #[error("there may be {most} {what}, and this would be more")]
    TooMany {
        /// Of what.
        what: Quantity,
        /// How many there may be.
        most: u64,
    },
    /// What was asked can't be meant.
    #[error("{0}")]
    Malformed(String),
    /// There is nothing of that name.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// What there isn't.
        kind: Kind,
        /// The name.
        name: Name,
    },
    /// A dataset of that name is published.
    #[error("dataset `{name}` already exists; `override=True` replaces it")]
    Exists {
        /// The name.
        name: Name,
    },
    /// Somebody lets go of what it hasn't.
    #[error("{kind} `{name}` isn't held by who releases it: it was released before, or its time had run out")]
    NotHeld {
        /// A lock or a semaphore.
        kind: Kind,
        /// The name.
        name: Name,
    },
    /// A lease of that number is there.
    #[error("lease {lease} of semaphore `{name}` is held or asked for already")]
    LeaseTwice {
        /// The semaphore.
        name: Name,
        /// The lease, by the number that its session gave it.
        lease: u64,
    },
    /// A size that was said before is another one now.
    #[error("{kind} `{name}` has a size of {fixed}, which whoever named it first has fixed, and not {asked}")]
    OtherSize {
        /// A semaphore or a queue.
        kind: Kind,
        /// The name.
        name: Name,
        /// The size that it has.
        fixed: u64,
        /// The size that was said now.
        asked: u64,
    },
    /// It was there and was closed or deleted while this waited.
    #[error("{kind} `{name}` was closed or deleted while it was waited for")]
    Closed {
        /// What it was.
        kind: Kind,
        /// The name.
        name: Name,
    },
    /// Somebody lets go of what it has no more, though it hasn't let go of it before.
    #[error("{kind} `{name}` was lost before it was released, and others may have had it since: {why}")]
    Lost {
        /// A lock.
        kind: Kind,
        /// The name.
        name: Name,
        /// Why.
        why: String,
    },
    /// It is to outlive the scheduler, and couldn't.
    #[error("{what} stays as it was: what was asked can't be written down: {why}")]
    NotWritten {
        /// What was to be changed.
        what: String,
        /// Why that can't be written.
        why: String,
    },
}

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// What one holder has at a time.
    Lock,
    /// What so many holders have at a time.
    Semaphore,
    /// What is set or not.
    Event,
    /// What has one value.
    Variable,
    /// What has values in order.
    Queue,
    /// What events are logged under.
    Topic,
    /// Keys, and keys within them.
    Metadata,
    /// What was published.
    Dataset,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Lock => "lock",
            Self::Semaphore => "semaphore",
            Self::Event => "event",
            Self::Variable => "variable",
            Self::Queue => "queue",
            Self::Topic => "topic",
            Self::Metadata => "metadata",
            Self::Dataset => "dataset",
        })
    }
}

/// What there may be so many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantity {
    /// Bytes of a name.
    NameBytes,
    /// Names of a kind.
    Names(Kind),
    /// Bytes of a value.
    ValueBytes,
    /// Ranges of results of a value.
    ValueResults,
    /// Bytes of all values.
    AllBytes,
    /// Requests that wait.
    Waiting,
    /// Requests of a session that wait.
    WaitingOfASession,
    /// Locks that are asked for at once.
    LocksAtOnce,
    /// Leases that are refreshed at once.
    LeasesAtOnce,
    /// Leases or items.
    Items(Kind),
    /// Who names what.
    Acquaintances,
    /// Keys within keys.
    MetadataDepth,
    /// Bytes of all metadata.
    MetadataBytes,
    /// Bytes of an event.
    EventBytes,
    /// Topics that a session subscribes to.
    Subscriptions,
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameBytes => formatter.write_str("bytes in a name"),
            Self::Names(kind) => write!(formatter, "names of kind {kind}"),
            Self::ValueBytes => formatter.write_str("bytes in a value: scatter what is larger, and share its future"),
            Self::ValueResults => formatter.write_str("ranges of results that a value refers to"),
            Self::AllBytes => formatter.write_str("bytes in all values that the scheduler keeps"),
            Self::Waiting => formatter.write_str("requests that wait, of all clients and workers"),
            Self::WaitingOfASession => formatter.write_str("requests of a client or worker that wait"),
            Self::LocksAtOnce => formatter.write_str("locks that are asked for at once"),
            Self::LeasesAtOnce => formatter.write_str("leases that are refreshed at once"),
            Self::Items(kind) => write!(formatter, "items or leases of a {kind}"),
            Self::Acquaintances => {
                formatter.write_str("names of semaphores and queues in use, by all clients and workers")
            }
            Self::MetadataDepth => formatter.write_str("keys within keys of metadata"),
            Self::MetadataBytes => formatter.write_str("bytes in all metadata"),
            Self::EventBytes => formatter.write_str("bytes in an event of a topic"),
            Self::Subscriptions => formatter.write_str("topics that a client or worker subscribes to"),
        }
    }
}
