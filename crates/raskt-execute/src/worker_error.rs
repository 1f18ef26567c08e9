//! Why a worker doesn't do what it is told.

use crate::RunError;
use raskt_schedule::{EventError, RunId, TaskRange};
use raskt_store::{Broken, MemoryReport, StoredRef};
use raskt_value::Value;
use std::sync::Arc;
use thiserror::Error;

/// Why a worker doesn't do what it is told. Whoever tells it is at fault, or knows it before long.
#[derive(Clone, Debug, Error)]
pub enum WorkerError {
    /// The graph of the run wasn't told, or was forgotten.
    #[error("the worker has no graph of run {}", .0.0)]
    UnknownRun(RunId),
    /// It names what the graph of the run doesn't have.
    #[error("the worker is told of {0}")]
    Refused(#[from] EventError),
    /// What is to be fetched is nothing that the run imports.
    #[error("the worker is to fetch tasks {}..{} of layer {} of run {}, which aren't imported", .tasks.start, .tasks.end, .tasks.layer.0, .run.0)]
    NotImported {
        /// The run that they are of.
        run: RunId,
        /// The tasks.
        tasks: TaskRange,
    },
    /// So many results at a time nobody asks for.
    #[error("{asked} results are asked for at a time; {most} may be")]
    TooMany {
        /// How many.
        asked: u64,
        /// How many may be.
        most: u64,
    },
    /// Its store broke over it.
    #[error(transparent)]
    Store(#[from] Broken),
    /// There is no memory for it: whoever has more is ended, and nothing can leave.
    #[error("there is no memory left for what comes: {0}")]
    Memory(Arc<MemoryReport>),
    /// It broke down, as its uplink was told.
    #[error("the worker broke down, and takes no more orders")]
    Broken,
    /// This process was forked from the one whose worker it is.
    #[error("this process was forked from the one that the worker is in")]
    Forked,
    /// It was shut down.
    #[error("the worker was shut down")]
    ShutDown,
}

impl WorkerError {
    /// Why the engine's state couldn't be changed.
    pub(crate) fn of(error: RunError) -> Self {
        match error {
            RunError::Forked => Self::Forked,
            _ => Self::Broken,
        }
    }
}

/// Whether a result isn't in memory, has no file, and isn't one that a kernel makes from nothing: of a worker, what it was made of
/// may be anywhere.
pub(crate) fn is_lost(value: &Value) -> bool {
    StoredRef::of(value).is_some_and(|kept| !kept.is_there() && kept.lineage().get().is_none())
}
