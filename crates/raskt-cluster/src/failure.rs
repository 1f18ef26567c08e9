//! Why tasks failed, as it travels.

use raskt_graph::TaskId;
use raskt_schedule::{Death, RunId};
use raskt_value::ErrorKind;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Why tasks failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureForm {
    /// The run of the task that failed first.
    pub run: RunId,
    /// That task.
    pub task: TaskId,
    /// What it raised, if it did: the same for all that failed with it.
    pub error: Option<Arc<ErrorForm>>,
    /// The deaths of workers that had it, if that is why.
    pub story: Vec<Death>,
    /// It stood for data that was given, and is gone.
    pub is_lost: bool,
    /// Why the last of those workers was ended, if somebody has said.
    pub cause: Option<String>,
}

/// An error of a task as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorForm {
    /// The key of the task, as people see it.
    pub key: String,
    /// What sort of failure it is.
    pub kind: ErrorKind,
    /// What was tried, the value and the cause.
    pub message: String,
    /// The cause itself where it isn't ours, as the face of the worker has written it.
    pub cause: Option<Vec<u8>>,
}

impl FailureForm {
    /// By what it is referred to.
    pub fn root(&self) -> Root {
        (self.run, self.task)
    }

    /// Whether it was cancelled, or what it depends on was.
    pub fn is_cancellation(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.kind == ErrorKind::Cancelled)
    }
}

/// A task that failed by itself, and its run.
pub(crate) type Root = (RunId, TaskId);
