//! What it means that a task fails, and what is told of it.

use crate::{Death, RunId, WorkerId};
use raskt_graph::TaskId;
use serde::{Deserialize, Serialize};

/// What ends when a task of a run fails for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureScope {
    /// The run: nobody can use a part of it.
    #[default]
    Run,
    /// The task, and whatever can't be computed without it: each task is something by itself, and the rest goes on.
    Task,
}

/// Why tasks can't be computed: the one that failed first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The run of that task: another one than that of its readers, where they imported it.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// The worker that knows why, or the last one that died of it; none if it stood for data that was given and is gone.
    pub worker: Option<WorkerId>,
    /// The deaths of workers that had it, if that is why it is failed.
    pub story: Vec<Death>,
}
