use raskt_store::MemoryReport;
use raskt_value::{ErrorKind, TaskError};
use std::sync::Arc;
use thiserror::Error;

/// Why a run gave no result.
#[derive(Clone, Debug, Error)]
pub enum RunError {
    /// A task failed; trying again helps only if the task is flaky.
    #[error("task `{key}` failed: {error}")]
    Task {
        /// The key of the task, as people see it.
        key: String,
        /// Why it failed.
        error: TaskError,
    },
    /// There was no memory for it, and nothing that could have left memory. Trying again helps if others let go of results.
    #[error("there is no memory left for the computation: {0}")]
    Memory(Arc<MemoryReport>),
    /// It can't go on, which is a bug of the engine; what was going on is told by a flight record.
    #[error("the computation can't go on ({0}); this is a bug in raskt")]
    Stalled(String),
    /// It was cancelled.
    #[error("the computation was cancelled")]
    Cancelled,
    /// The engine was shut down while it ran.
    #[error("the engine was shut down while the computation ran")]
    ShutDown,
}

impl RunError {
    /// The sort of failure, for callers that map it to their own.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Task { error, .. } => error.kind,
            Self::Memory(_) => ErrorKind::Memory,
            Self::Stalled(_) => ErrorKind::Panic,
            Self::Cancelled | Self::ShutDown => ErrorKind::Cancelled,
        }
    }
}
