//! What is wrong with a graph.

use crate::{LayerId, OpId, TaskId};
use thiserror::Error;

/// A graph that makes no sense. Each is a bug of the collection that wrote it.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// A layer reads a layer that doesn't come before it.
    #[error("layer `{reader}` reads layer {input:?}, which does not come before it")]
    InputNotEarlier {
        /// Name of the layer that reads.
        reader: String,
        /// The layer that it wants to read.
        input: LayerId,
    },
    /// A layer takes another for larger or smaller than it is.
    #[error("layer `{reader}` takes layer {input:?} for {assumed} tasks, and it has {actual}")]
    InputSize {
        /// Name of the layer that reads.
        reader: String,
        /// The layer that it reads.
        input: LayerId,
        /// Tasks that it assumes there.
        assumed: u64,
        /// Tasks that are there.
        actual: u64,
    },
    /// An edge leads to a task that doesn't exist or doesn't come before its reader.
    #[error("task {reader} of layer `{layer}` reads task {input}, which does not come before it")]
    Edge {
        /// Name of the layer.
        layer: String,
        /// The task that reads, by index.
        reader: u64,
        /// The task that it wants to read.
        input: TaskId,
    },
    /// A map between axes names an axis that isn't there, or block ranges that run backwards.
    #[error("layer `{layer}` has a malformed index map: {reason}")]
    IndexMap {
        /// Name of the layer.
        layer: String,
        /// What is wrong.
        reason: String,
    },
    /// A layer names an op that isn't in the table.
    #[error("layer `{layer}` runs {op:?}, which is not in the op table")]
    UnknownOp {
        /// Name of the layer.
        layer: String,
        /// The op.
        op: OpId,
    },
    /// Two ops of a graph that has come from elsewhere are said to be one.
    #[error("{op:?} is one that came before it, going by its digest")]
    SameDigest {
        /// The later one.
        op: OpId,
    },
    /// A layer that has come from elsewhere has annotations that didn't come with it.
    #[error("layer `{layer}` names annotations that are not there")]
    UnknownAnnotations {
        /// Name of the layer.
        layer: String,
    },
    /// More layers or tasks than an edge can name.
    #[error("`{what}` has {found}, and at most {limit} can be named")]
    TooMany {
        /// What there is too much of.
        what: String,
        /// How many there are.
        found: u64,
        /// How many there may be.
        limit: u64,
    },
    /// A task reads more others than can be counted down as they come.
    #[error("a task of layer `{layer}` reads up to {found} others, and at most {limit} can be counted")]
    TooManyInputs {
        /// Name of the layer.
        layer: String,
        /// How many it reads at the most.
        found: u64,
        /// How many it may read.
        limit: u64,
    },
    /// A layer that lists each of its tasks would have so many of them that memory would run short: no bug, but more than
    /// is implemented. The text says of what, and what to do.
    #[error("{0}")]
    TooLarge(String),
    /// Lowering a collection failed for a reason of its own.
    #[error("{0}")]
    Lowering(String),
}
