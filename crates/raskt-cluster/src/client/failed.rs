//! Why there are no results.

use crate::face::Face;
use crate::message::{ErrorForm, FailureForm};
use raskt_graph::TaskId;
use raskt_schedule::{Death, RunId};
use raskt_value::{ErrorKind, TaskError};
use std::fmt;
use std::sync::Arc;

/// Why a run, or a task, has no results.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClusterError {
    /// A task failed.
    #[error("task `{key}` failed: {error}")]
    Task {
        /// Its key.
        key: String,
        /// Why.
        error: TaskError,
    },
    /// A task killed its workers.
    #[error("{}{}", died(*.deaths, *.alone, *.suffices, &named(*.task, .key.as_deref())), told(.cause.as_deref()))]
    Killed {
        /// How many.
        deaths: usize,
        /// How many of them ran nothing else.
        alone: usize,
        /// Whether the task is taken to be the reason by that, or by those that ran little else: if not, it is one of many that ran when
        /// workers died before they had come any further.
        suffices: bool,
        /// The task.
        task: TaskId,
        /// What it is called, where somebody knows that.
        key: Option<String>,
        /// Why the last of them was ended, if somebody has said.
        cause: Option<String>,
    },
    /// A result is there, and can't be had here.
    #[error("{error}")]
    Unread {
        /// Its place among those that were asked for.
        at: usize,
        /// Why.
        error: TaskError,
    },
    /// Something that nobody can make again is gone.
    #[error("{0}")]
    Lost(String),
    /// The cluster doesn't take it.
    #[error("{0}")]
    Refused(String),
    /// No worker has as much memory.
    #[error("{0}")]
    TooLarge(String),
    /// The cluster is out of reach.
    #[error("{0}")]
    Disconnected(String),
    /// This client has let go of it.
    #[error("the result of task {} of layer {} of run {} isn't wanted any more: it was released", .task.index, .task.layer.0, .run.0)]
    Released {
        /// The run.
        run: RunId,
        /// The task.
        task: TaskId,
    },
    /// It isn't there by the time that was given.
    #[error("the results didn't come in the time that was given")]
    TimedOut,
}

/// So many deaths of its own fail a task, or data.
const ENOUGH: usize = 3;

fn died(deaths: usize, alone: usize, suffices: bool, task: &str) -> String {
    let found = format!("{deaths} workers died while they ran {task}");
    match alone {
        _ if !suffices => {
            format!("workers die again and again, and what they had done is lost each time; the last ran {task}")
        }
        0 => format!("{found}, each of them beside something else that could be the reason as well"),
        _ if alone == deaths => format!("{found}, and nothing else that could be the reason"),
        _ => format!("{found}, {alone} of them with nothing else that could be the reason"),
    }
}

fn named(task: TaskId, key: Option<&str>) -> String {
    let number = format!("task {} of layer {}", task.index, task.layer.0);
    key.map_or(number.clone(), |key| format!("`{key}` ({number})"))
}

fn told(cause: Option<&str>) -> String {
    cause.map(|cause| format!(": {cause}")).unwrap_or_default()
}

/// Why tasks have failed. What was raised is read when it is asked for, by whoever asks: that may take an interpreter.
pub struct TaskFailed {
    cause: Cause,
    face: Arc<dyn Face>,
}

enum Cause {
    Task(FailureForm),
    Whole(ClusterError),
}

impl TaskFailed {
    /// A task failed, and others with it.
    pub(super) fn of_task(failure: FailureForm, face: Arc<dyn Face>) -> Arc<Self> {
        Arc::new(Self { cause: Cause::Task(failure), face })
    }

    /// All that was still to come of a run has failed.
    pub(super) fn of_run(error: ClusterError, face: Arc<dyn Face>) -> Arc<Self> {
        Arc::new(Self { cause: Cause::Whole(error), face })
    }

    /// The error, made anew each time.
    pub fn error(&self) -> ClusterError {
        match &self.cause {
            Cause::Whole(error) => error.clone(),
            Cause::Task(FailureForm { error: Some(form), .. }) => {
                ClusterError::Task { key: form.key.clone(), error: self.face.error(ErrorForm::clone(form)) }
            }
            Cause::Task(FailureForm { story, task, killed, .. }) if !story.is_empty() => ClusterError::Killed {
                deaths: story.len(),
                alone: story.iter().filter(|death| death.alone).count(),
                suffices: Death::count(story.iter().copied()) >= ENOUGH,
                task: *task,
                key: killed.as_ref().map(|killed| killed.key.clone()),
                cause: killed.as_ref().and_then(|killed| killed.cause.clone()),
            },
            Cause::Task(FailureForm { is_lost: true, .. }) => {
                ClusterError::Lost("data that the graph was given is gone with its worker".into())
            }
            Cause::Task(FailureForm { run, task, .. }) => ClusterError::Lost(format!(
                "task {} of layer {} of run {} failed, and why isn't known any more",
                task.index, task.layer.0, run.0
            )),
        }
    }

    /// The error as it travels, if a task raised one.
    pub fn form(&self) -> Option<&ErrorForm> {
        match &self.cause {
            Cause::Task(failure) => failure.error.as_deref(),
            Cause::Whole(_) => None,
        }
    }

    /// Whether something that they depend on was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.form().is_some_and(|form| form.kind == ErrorKind::Cancelled)
    }

    /// The task that failed first, and its run, unless it is the run as a whole that can't go on.
    pub fn root(&self) -> Option<(RunId, TaskId)> {
        match &self.cause {
            Cause::Task(failure) => Some((failure.run, failure.task)),
            Cause::Whole(_) => None,
        }
    }

    /// The deaths of workers that had that task, if that is why.
    pub fn story(&self) -> &[Death] {
        match &self.cause {
            Cause::Task(failure) => &failure.story,
            Cause::Whole(_) => &[],
        }
    }
}

impl fmt::Debug for TaskFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Task(failure) => failure.fmt(f),
            Cause::Whole(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::NativeFace;
    use raskt_graph::LayerId;
    use raskt_schedule::WorkerId;
    use raskt_value::wire::Decoders;

    /// What is said of a task at so many deaths of its own, and at so many beside so many others.
    fn said(alone: u32, beside: u32, others: u64) -> String {
        let of_its_own =
            (0..alone).map(|at| Death { worker: WorkerId(at), others: 0, alone: true, started: true, in_part: false });
        let beside = (0..beside).map(|at| Death {
            worker: WorkerId(alone + at),
            others,
            alone: false,
            started: true,
            in_part: others <= 1,
        });
        let (task, story) = (TaskId::new(LayerId(2), 7), of_its_own.chain(beside).collect());
        let failure = FailureForm { run: RunId(1), task, error: None, story, is_lost: false, killed: None };
        TaskFailed::of_task(failure, Arc::new(NativeFace(Decoders::default()))).error().to_string()
    }

    #[test]
    fn a_task_is_said_to_be_the_reason_where_it_is() {
        let task = "task 7 of layer 2";
        let alone = format!("3 workers died while they ran {task}, and nothing else that could be the reason");
        assert_eq!(said(3, 0, 0), alone);
        let some =
            format!("8 workers died while they ran {task}, 3 of them with nothing else that could be the reason");
        assert_eq!(said(3, 5, 63), some);
        // Data is given up as well if each of its workers ran something.
        let beside = format!("16 workers died while they ran {task}, each of them beside something else");
        assert!(said(0, 16, 1).starts_with(&beside), "{}", said(0, 16, 1));
        for (alone, beside) in [(0, 33), (2, 31), (0, 1), (1, 0), (2, 0)] {
            let told = said(alone, beside, 63);
            assert!(told.starts_with("workers die again and again"), "{told}");
        }
    }
}
