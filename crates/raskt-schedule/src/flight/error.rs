//! What is wrong with a record.

use raskt_graph::GraphError;
use std::sync::Arc;
use thiserror::Error;

/// The form of records: the one that is written, and the only one that is read.
pub(super) const VERSION: u64 = 9;

/// Bytes that aren't a flight record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FlightError {
    /// They don't begin as a flight record of this version does.
    #[error("this is not a flight record of version {VERSION}")]
    NotOne,
    /// They end within an event.
    #[error("the flight record ends within an event")]
    Torn,
    /// It was made under a rule that isn't known, so that nobody can tell what came of it.
    #[error("the flight record was made with the {kind} {name:?} of {numbers} numbers, which this build doesn't know")]
    UnknownPolicy {
        /// What the rule decides.
        kind: &'static str,
        /// What it is called.
        name: Arc<str>,
        /// How many numbers it depends on.
        numbers: usize,
    },
    /// They say something that can't be.
    #[error("the flight record is damaged: {0}")]
    Malformed(&'static str),
    /// They hold a graph that makes no sense.
    #[error("the flight record holds a graph that makes no sense")]
    Graph(#[from] GraphError),
}
