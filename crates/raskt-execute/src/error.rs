//! Why runs fail.

use raskt_schedule::EventError;
use raskt_store::MemoryReport;
use raskt_value::{ErrorKind, TaskError};
use std::fmt;
use std::path::PathBuf;
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
    /// A result that a store keeps couldn't be had; trying again helps if it is there, and reading it was interrupted.
    #[error("{0}")]
    Unread(TaskError),
    /// There was no memory for it, and nothing that could have left memory. Trying again helps if others let go of results.
    #[error("there is no memory left for the computation: {0}")]
    Memory(Arc<MemoryReport>),
    /// It can't go on, which is a bug of the engine; what was going on is told by a flight record.
    #[error("the computation can't go on ({0}); this is a bug in raskt")]
    Stalled(String),
    /// A machine of the engine panicked, which is a bug of the engine. All computations of the engine end with this; the next
    /// ones find it in order.
    #[error("{0}")]
    Broken(Arc<Breakdown>),
    /// Tasks were asked for that its graph doesn't have.
    #[error("the computation can't be run: it asks for {0}")]
    Refused(#[from] EventError),
    /// No thread could be had to run it, while all those that there are wait for results of others.
    #[error("no thread can be had to run the computation ({cause}), and {}", at_others(.threads))]
    Threads {
        /// The threads that there are.
        threads: usize,
        /// Why there isn't one more.
        cause: String,
    },
    /// This process was forked while it ran: it is the parent's to run.
    #[error("this process was forked from the one that runs the computation, and has none of the threads that run it")]
    Forked,
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
            Self::Task { error, .. } | Self::Unread(error) => error.kind,
            Self::Memory(_) | Self::Threads { .. } => ErrorKind::Memory,
            Self::Stalled(_) | Self::Broken(_) => ErrorKind::Panic,
            Self::Refused(_) => ErrorKind::Value,
            Self::Cancelled | Self::ShutDown | Self::Forked => ErrorKind::Cancelled,
        }
    }

    /// Whether it is that a result is lost.
    pub(crate) fn is_loss(&self) -> bool {
        matches!(self, Self::Unread(error) if error.kind == ErrorKind::Lost)
    }

    /// The same for the task that needed what couldn't be had. What it was caused by travels along.
    pub(crate) fn into_task_error(self) -> TaskError {
        let cause = match &self {
            Self::Task { error, .. } | Self::Unread(error) => error.cause.clone(),
            _ => None,
        };
        TaskError { kind: self.kind(), message: self.to_string(), cause }
    }
}

/// Why none of the threads that there are runs it.
fn at_others(threads: &usize) -> String {
    match threads {
        0 => "there is no other".into(),
        1 => "the only one that runs tasks waits for results".into(),
        threads => format!("all {threads} that run tasks wait for results"),
    }
}

/// How an engine broke down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// What panicked, and where.
    pub story: String,
    /// The flight record up to then, if one was written.
    pub flight: Option<PathBuf>,
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the engine broke down, which is a bug in raskt: {}; ", self.story)?;
        match &self.flight {
            Some(path) => write!(f, "the flight record up to then is `{}`", path.display()),
            None => write!(f, "the setting `flight-record` names a folder for records of what led to it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_in_words_that_are_true() {
        let said = |threads| RunError::Threads { threads, cause: "refused".into() }.to_string();
        let begins = "no thread can be had to run the computation (refused), and ";
        assert_eq!(said(0), format!("{begins}there is no other"));
        assert_eq!(said(1), format!("{begins}the only one that runs tasks waits for results"));
        assert_eq!(said(7), format!("{begins}all 7 that run tasks wait for results"));
    }
}
