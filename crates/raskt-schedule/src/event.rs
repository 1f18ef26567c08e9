use crate::{Attempt, LossCause, Offer, RunId, TaskRange, WorkerId};
use raskt_graph::{Graph, TaskId};
use std::sync::Arc;

/// Everything that can happen to the scheduler.
#[derive(Clone, Debug)]
pub enum Event {
    /// A client submitted a graph and wants the results of some of its tasks.
    GraphAdded {
        /// A number never used before.
        run: RunId,
        /// What is to be done.
        graph: Arc<Graph>,
        /// The tasks whose results are kept until they are released.
        wanted: Vec<TaskRange>,
    },
    /// A client wants the results of more tasks of a run, or of tasks that it had released. Tasks are wanted once: to want one
    /// again changes nothing.
    Wanted {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A client no longer wants some results. What isn't done and nobody else needs is cancelled.
    Released {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A client no longer wants a run, be it finished or not: nothing of it remains.
    RunReleased {
        /// The run.
        run: RunId,
    },
    /// A worker offers itself.
    WorkerJoined {
        /// A number never used before.
        worker: WorkerId,
        /// What it brings.
        offer: Offer,
    },
    /// A worker has more or fewer slots than before: a task that waits for others lends its slot.
    WorkerResized {
        /// The worker.
        worker: WorkerId,
        /// Tasks that it runs at a time from now on.
        slots: u32,
    },
    /// A worker is gone, with everything that it held.
    WorkerLost {
        /// The worker.
        worker: WorkerId,
        /// Why.
        cause: LossCause,
    },
    /// A worker no longer has results that it should have: what is still needed of them is recomputed, and no task is
    /// blamed.
    ResultsLost {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker gives back tasks that it hasn't begun, as it was asked to.
    TakenBack {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker tells how tasks ended.
    Reported {
        /// The worker.
        worker: WorkerId,
        /// How they ended.
        report: Report,
    },
}

/// How the tasks of one assignment ended, but for those that were taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The run that they belong to.
    pub run: RunId,
    /// The attempt that the assignment had.
    pub attempt: Attempt,
    /// How each group of tasks ended.
    pub outcomes: Vec<(TaskRange, Outcome)>,
    /// Time that all of it took on one thread.
    pub nanoseconds: u64,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its result is in the worker's memory.
    Done {
        /// Bytes of the results of the group.
        bytes: u64,
    },
    /// It failed; the worker keeps the reason.
    Failed,
    /// It wasn't run, since another task of the assignment failed before it.
    NotRun,
}

/// Everything that the scheduler asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A worker is to run tasks.
    Assign {
        /// The worker.
        worker: WorkerId,
        /// The tasks.
        assignment: Assignment,
    },
    /// A worker is to give back tasks of an assignment, as far as it hasn't begun them.
    TakeBack {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker is to drop results that nobody will read.
    Discard {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker is to forget a run: assignments not yet started, results, errors.
    Forget {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
    },
    /// All wanted results of a run are in memory; they stay until the run is released.
    Finished {
        /// The run.
        run: RunId,
    },
    /// A run ended early, since a task failed for good.
    Failed {
        /// The run.
        run: RunId,
        /// The task.
        task: TaskId,
        /// The worker that knows why.
        worker: WorkerId,
    },
}

/// Tasks for one slot of a worker, to be run one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The run that they belong to.
    pub run: RunId,
    /// The number of this hand-out.
    pub attempt: Attempt,
    /// The tasks, in order. All are ready: none reads another.
    pub tasks: Vec<TaskRange>,
    /// Bytes of results and scratch that are to be reserved before they start.
    pub memory: u64,
}

impl Assignment {
    /// How many tasks it has.
    pub fn len(&self) -> u64 {
        self.tasks.iter().map(TaskRange::len).sum()
    }

    /// Whether it has no task.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}
