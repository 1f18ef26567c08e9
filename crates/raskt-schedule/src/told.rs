//! What a worker and a scheduler of another process tell each other: events and actions without the worker's number, which whoever
//! carries them knows.

mod inventory;

pub use inventory::Inventory;

use crate::within::are_of;
use crate::{Action, Assignment, Attempt, Event, EventError, Report, RunId, TaskRange, WorkerId};
use raskt_graph::{Graph, TaskId};
use serde::{Deserialize, Serialize};

/// What a worker tells its scheduler; each is an [`Event`], where it is explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the event of the same name")]
pub enum WorkerTold {
    /// [`Event::Reported`].
    Reported(Report),
    /// [`Event::Started`].
    Started { run: RunId, attempt: Attempt },
    /// [`Event::Recalled`].
    Recalled { run: RunId, attempt: Attempt, tasks: Vec<TaskRange> },
    /// [`Event::Fetched`].
    Fetched { run: RunId, tasks: Vec<TaskRange> },
    /// [`Event::FetchFailed`].
    FetchFailed { run: RunId, attempt: Attempt, input_run: RunId, task: TaskId, from: WorkerId, reached: bool },
    /// [`Event::Unsendable`].
    Unsendable { run: RunId, attempt: Attempt, reader: TaskId, from: WorkerId, is_deadly: bool },
    /// [`Event::Scattered`].
    Scattered { run: RunId, tasks: Vec<TaskRange>, bytes: u64 },
    /// [`Event::Kept`].
    Kept { run: RunId, tasks: Vec<(TaskRange, u64)> },
    /// [`Event::ResultsLost`].
    ResultsLost { run: RunId, tasks: Vec<TaskRange> },
    /// [`Event::WorkerResized`].
    Resized { slots: u32, memory: u64 },
    /// [`Event::WorkerLends`].
    Lends { slots: u32 },
    /// [`Event::Waits`].
    Waits { run: RunId, attempt: Attempt, does: bool },
    /// [`Event::SlotsLent`].
    SlotsLent { run: RunId, slots: u32 },
    /// [`Event::SlotsReturned`].
    SlotsReturned { run: RunId, slots: u32 },
}

impl WorkerTold {
    /// What the scheduler hears if `worker` tells it.
    pub fn into_event(self, worker: WorkerId) -> Event {
        match self {
            Self::Reported(report) => Event::Reported { worker, report },
            Self::Started { run, attempt } => Event::Started { worker, run, attempt },
            Self::Recalled { run, attempt, tasks } => Event::Recalled { worker, run, attempt, tasks },
            Self::Fetched { run, tasks } => Event::Fetched { worker, run, tasks },
            Self::FetchFailed { run, attempt, input_run, task, from, reached } => {
                Event::FetchFailed { worker, run, attempt, input_run, task, from, reached }
            }
            Self::Unsendable { run, attempt, reader, from, is_deadly } => {
                Event::Unsendable { worker, run, attempt, reader, from, is_deadly }
            }
            Self::Scattered { run, tasks, bytes } => Event::Scattered { worker, run, tasks, bytes },
            Self::Kept { run, tasks } => Event::Kept { worker, run, tasks },
            Self::ResultsLost { run, tasks } => Event::ResultsLost { worker, run, tasks },
            Self::Resized { slots, memory } => Event::WorkerResized { worker, slots, memory },
            Self::Lends { slots } => Event::WorkerLends { worker, slots },
            Self::Waits { run, attempt, does } => Event::Waits { worker, run, attempt, does },
            Self::SlotsLent { run, slots } => Event::SlotsLent { worker, run, slots },
            Self::SlotsReturned { run, slots } => Event::SlotsReturned { worker, run, slots },
        }
    }
}

/// What a scheduler wants of a worker; each is an [`Action`], where it is explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the action of the same name")]
pub enum WorkerOrder {
    /// [`Action::Assign`].
    Assign(Assignment),
    /// [`Action::Recall`].
    Recall { run: RunId, attempt: Attempt, tasks: Vec<TaskRange> },
    /// [`Action::Discard`].
    Discard { run: RunId, tasks: Vec<TaskRange>, inventory_version: u64 },
    /// [`Action::Forget`].
    Forget { run: RunId },
}

impl WorkerOrder {
    /// What `action` wants of which worker; the action itself if that is nothing.
    pub fn of(action: Action) -> Result<(WorkerId, Self), Action> {
        match action {
            Action::Assign { worker, assignment } => Ok((worker, Self::Assign(assignment))),
            Action::Recall { worker, run, attempt, tasks } => Ok((worker, Self::Recall { run, attempt, tasks })),
            Action::Discard { worker, run, tasks, inventory_version } => {
                Ok((worker, Self::Discard { run, tasks, inventory_version }))
            }
            Action::Forget { worker, run } => Ok((worker, Self::Forget { run })),
            other => Err(other),
        }
    }
}

impl TaskRange {
    /// Whether `graph` has all of `ranges`: for who gets them from another process.
    pub fn check_all(ranges: &[Self], graph: &Graph) -> Result<(), EventError> {
        are_of(graph, ranges)
    }
}

impl Assignment {
    /// Whether `graph` has all the tasks that it names, and there is something to do: for who gets it from another process. What is to
    /// be fetched of other runs isn't looked at.
    pub fn check(&self, graph: &Graph) -> Result<(), EventError> {
        are_of(graph, &self.tasks)?;
        are_of(graph, &self.transient)?;
        let own = self.fetches.iter().filter(|fetch| fetch.run == self.run);
        own.into_iter().try_for_each(|fetch| are_of(graph, &[fetch.tasks]))?;
        if self.tasks.iter().all(TaskRange::is_empty) { Err(EventError::NoTask) } else { Ok(()) }
    }
}
