//! What the scheduler is told, and what it has done: all of its words with the world.

mod error;

pub use error::EventError;

use crate::{Attempt, Death, Failure, FailureScope, Import, LossCause, Offer, RunId, StallCause, TaskRange, WorkerId};
use raskt_graph::{Graph, TaskId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that can happen to the scheduler.
#[derive(Clone, Debug)]
pub enum Event {
    /// A client submitted a graph and wants the results of some of its tasks.
    GraphAdded {
        /// A number never used before.
        run: RunId,
        /// The run whose task submits it, if it is one of this scheduler's: it shares in that one's part of the workers' time,
        /// and goes before it.
        parent: Option<RunId>,
        /// What is to be done.
        graph: Arc<Graph>,
        /// The tasks whose results are kept until they are released.
        wanted: Vec<TaskRange>,
        /// What ends when one of its tasks fails for good. Where tasks stand alone, the client is told of each result.
        failure: FailureScope,
        /// Tasks of the graph that stand for tasks of other runs, which have to be there.
        imports: Vec<Import>,
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
    /// Tasks that have failed, of a run whose tasks stand alone, are to be run again: with all that failed because of the same, and
    /// with what failed first, be that of another run.
    Retried {
        /// The run.
        run: RunId,
        /// The tasks. Of others nothing is changed.
        tasks: Vec<TaskRange>,
    },
    /// Tasks of a run whose tasks stand alone have been cancelled, by a client that has released those that it wanted: what isn't done of
    /// them won't be, nor what has still to be computed from them, here or in runs that import them. That fails because of the first of
    /// them, whoever comes to need it, until it is retried. What is there and somebody wants all the same fails as well; others of
    /// these runs go on.
    Cancelled {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A client put data into a worker: results of tasks that can't be run. They are wanted from now on, so that the last copy
    /// stays until they are released.
    Scattered {
        /// The run.
        run: RunId,
        /// The tasks that stand for the data.
        tasks: Vec<TaskRange>,
        /// Who holds it.
        worker: WorkerId,
        /// Bytes of all of it.
        bytes: u64,
    },
    /// A worker that has come back says what it has of a run from before this scheduler knew it: what is missing of that needn't
    /// be made, and what was to be read for it alone neither. A worker that comes back has no hand-outs; what it had begun under
    /// another scheduler it tells of in the same way when it is done.
    Kept {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks whose results it holds, and the bytes of each range.
        tasks: Vec<(TaskRange, u64)>,
    },
    /// A worker that has come back, and has said what it has, still runs tasks that another scheduler has handed out, or this one
    /// before it gave the worker up. What of them is ready is handed out to it, though it may have no slot: so nobody else begins it.
    RunsOn {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks that one of its threads is at.
        tasks: Vec<TaskRange>,
    },
    /// Of what a worker will say that it has kept, this is data of a client: results of tasks that can't be run. They are wanted from now
    /// on. It isn't the worker that says so, and it counts for nothing of what that says.
    GiftsKept {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks that stand for the data.
        tasks: Vec<TaskRange>,
        /// Bytes of all of it.
        bytes: u64,
    },
    /// A client no longer wants a run, be it finished or not: nothing of it remains, but for what others import of it. These keep
    /// its graph as well, of which their results are made if they are lost.
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
    /// A worker has more or fewer slots than before, say since a task that waits for something lends its slot; or more or less
    /// memory. A task that waits gives nothing back before what it waits for has come: while there is one, the memory is to
    /// have no bound. One without either begins nothing any more, and gives back what comes all the same.
    WorkerResized {
        /// The worker.
        worker: WorkerId,
        /// Tasks that it runs at a time from now on.
        slots: u32,
        /// Bytes that it may hold from now on.
        memory: u64,
    },
    /// So many of a worker's slots are those of tasks that wait for what isn't a run of theirs: for what they have submitted as a client
    /// does, say. Whatever it is may have to run here.
    WorkerLends {
        /// The worker.
        worker: WorkerId,
        /// How many of its slots are lent so from now on.
        slots: u32,
    },
    /// What a worker has begun waits for something that other tasks bring about, as it says, or not any more: if the worker dies
    /// meanwhile, what else it has begun is more likely the reason.
    Waits {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The assignment.
        attempt: Attempt,
        /// Whether it waits from now on.
        does: bool,
    },
    /// A worker is called otherwise from now on: what is to run on a worker of its new name may run there, and nothing more of what is
    /// to run on one of its name of before.
    WorkerRenamed {
        /// The worker.
        worker: WorkerId,
        /// Its name.
        name: Arc<str>,
    },
    /// Tasks of a worker wait for `run` and lend their slots to others until it has ended: they go on in them before anybody
    /// else is given them.
    SlotsLent {
        /// The worker.
        worker: WorkerId,
        /// The run that they wait for.
        run: RunId,
        /// How many.
        slots: u32,
    },
    /// Tasks of a worker no longer wait for `run`, which hasn't ended.
    SlotsReturned {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// How many.
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
    /// A worker has begun an assignment: what it does from now on may be what kills it. A worker whose death is nobody's
    /// fault needn't say it.
    Started {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
    },
    /// A worker has copies of results that others hold as well: it names only those that it holds as it says so.
    Fetched {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks whose results it fetched.
        tasks: Vec<TaskRange>,
    },
    /// Copies of results go from a worker that others hold as well, and that no task of their run is about to read. Those of which
    /// that isn't so stay: whoever asks for it is told of nothing, since nobody misses what is gone.
    CopiesDropped {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker couldn't fetch an input, and so gives back the assignment that needs it.
    FetchFailed {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The task whose result it couldn't fetch, and the run that it is of: another one if it is imported.
        input_run: RunId,
        /// The task.
        task: TaskId,
        /// The worker that was to give it.
        from: WorkerId,
        /// It was reached, and doesn't have the result.
        reached: bool,
    },
    /// An input of an assignment can't be sent by who holds it, however often that is tried, or can't be read by who has asked: the
    /// assignment comes back, to be run where the input is. The worker has said why, for the case that it can't be run there either.
    Unsendable {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The task that reads it.
        reader: TaskId,
        /// Who holds the input.
        from: WorkerId,
        /// Those who were to send it have died.
        is_deadly: bool,
    },
    /// A worker gives back tasks that it hasn't begun, as it was asked to.
    Recalled {
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
    /// Nothing happened until the time that [`crate::Scheduler::wakes_at`] had said.
    TimePassed,
}

impl Event {
    /// The run of which a client wants something with it, or nothing more.
    pub(crate) fn asking(&self) -> Option<RunId> {
        match self {
            Self::Wanted { run, .. }
            | Self::Released { run, .. }
            | Self::Retried { run, .. }
            | Self::RunReleased { run }
            | Self::SlotsLent { run, .. }
            | Self::SlotsReturned { run, .. } => Some(*run),
            _ => None,
        }
    }

    /// The worker that says with it what it holds, and of which run.
    pub(crate) fn holder(&self) -> Option<(WorkerId, RunId)> {
        match self {
            Self::Reported { worker, report } => Some((*worker, report.run)),
            Self::Fetched { worker, run, .. }
            | Self::Scattered { worker, run, .. }
            | Self::Kept { worker, run, .. } => Some((*worker, *run)),
            _ => None,
        }
    }
}

/// How the tasks of one assignment ended, but for those that were taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The run that they belong to.
    pub run: RunId,
    /// The attempt that the assignment had.
    pub attempt: Attempt,
    /// How each group of tasks ended.
    pub outcomes: Vec<(TaskRange, Outcome)>,
    /// Time that all of it took on one thread, without that in which tasks waited for runs: others had the slot.
    pub nanoseconds: u64,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Its result is in the worker's memory.
    Done {
        /// Bytes of the results of the group.
        bytes: u64,
    },
    /// It was done, and its result went when the last of its readers in the assignment was done ([`Assignment::transient`]).
    Consumed {
        /// Bytes that the results of the group had.
        bytes: u64,
    },
    /// It failed; the worker keeps the reason.
    Failed,
    /// It wasn't run, since another task of the assignment failed before it, or an input of it was lost. That isn't a failure
    /// of its own; a worker that gives no such cause is asked again a few times, and then it is one.
    NotRun,
}

impl Outcome {
    /// Takes one more task into the last of `groups` if it follows there and ended alike, else into a group of its own.
    pub fn push(groups: &mut Vec<(TaskRange, Self)>, task: TaskId, outcome: Self) {
        if let Some((range, last)) = groups.last_mut()
            && range.layer == task.layer
            && range.end == task.index
            && let Some(joined) = last.joined(outcome)
        {
            (range.end, *last) = (range.end + 1, joined);
        } else {
            groups.push((TaskRange::one(task), outcome));
        }
    }

    fn joined(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Done { bytes }, Self::Done { bytes: more }) => {
                Some(Self::Done { bytes: bytes.saturating_add(more) })
            }
            (Self::Consumed { bytes }, Self::Consumed { bytes: more }) => {
                Some(Self::Consumed { bytes: bytes.saturating_add(more) })
            }
            (Self::NotRun, Self::NotRun) => Some(Self::NotRun),
            _ => None,
        }
    }
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
    Recall {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// A worker is to drop results that nobody will read. What it said meanwhile may be on its way: of a result that it has
    /// come to hold and not told of yet, or told of after the first `inventory_version` times, the scheduler will think anew, and it
    /// stays. Told of is a result as fetched, as scattered, or in a report as [`Outcome::Done`]: another outcome, of a later attempt at
    /// the same task, says nothing of what an earlier one has left.
    Discard {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
        /// How often the worker had said what it holds: with [`Event::Reported`], [`Event::Fetched`], [`Event::Scattered`] and
        /// [`Event::Kept`].
        inventory_version: u64,
    },
    /// A worker is to forget a run: assignments not yet started, results, errors.
    Forget {
        /// The worker.
        worker: WorkerId,
        /// The run.
        run: RunId,
    },
    /// All wanted results of a run are in memory, or have failed; they stay until the run is released.
    Finished {
        /// The run.
        run: RunId,
    },
    /// Of a run whose tasks stand alone, wanted results have come to be in memory. Each is told once, until it is told to be
    /// unavailable or is released.
    Available {
        /// The run.
        run: RunId,
        /// The results, by who holds them.
        results: Vec<Held>,
    },
    /// Results that were told to be available are no longer in memory. They will be computed again, or have failed.
    Unavailable {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// Of a run whose tasks stand alone, wanted tasks have failed: they won't be run unless that is asked for.
    TasksFailed {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
        /// Why.
        failure: Failure,
    },
    /// A run can't go on as things are. It does when they change, say when another worker joins; a client that would rather
    /// have an error releases the run.
    Stalled {
        /// The run.
        run: RunId,
        /// What it waits for.
        cause: StallCause,
    },
    /// A run that was said to be stalled goes on.
    Resumed {
        /// The run.
        run: RunId,
    },
    /// A run ended early, since data that was given is gone, and nobody can make it again.
    Lost {
        /// The run.
        run: RunId,
        /// The run that the data was of: another one if what it imports was made of it.
        root: RunId,
        /// The tasks of that which stood for the data.
        tasks: Vec<TaskRange>,
    },
    /// A run ended early, since a task failed for good.
    Failed {
        /// The run.
        run: RunId,
        /// The run of the task: another one if it is imported.
        root: RunId,
        /// The task.
        task: TaskId,
        /// The worker that knows why; or the last one that died of it.
        worker: WorkerId,
        /// The deaths of workers that had it, if that is why it is failed.
        story: Vec<Death>,
    },
}

/// Results that a worker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Who holds them.
    pub worker: WorkerId,
    /// The tasks whose results they are.
    pub tasks: TaskRange,
    /// Bytes of all of them, as far as is known: taken to be of equal size, as those of their layer were told last.
    pub bytes: u64,
}

/// Results that a worker is to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetch {
    /// The run that they are of: another one than that of the assignment if they are imported.
    pub run: RunId,
    /// Who holds them.
    pub from: WorkerId,
    /// The tasks whose results they are.
    pub tasks: TaskRange,
    /// Others will read them as well, so that the copies are worth keeping, and telling of. If not, they are dropped when the
    /// assignment has run.
    pub keep: bool,
}

/// Tasks for one slot of a worker, to be run one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The run that they belong to.
    pub run: RunId,
    /// The number of this hand-out.
    pub attempt: Attempt,
    /// The tasks, in order. What one reads is in memory, or is the result of one that stands before it.
    pub tasks: Vec<TaskRange>,
    /// Those of the tasks whose results are read by later ones of this assignment alone. Such a result needn't be kept: it
    /// may go once all its readers in the assignment are done, and is then reported as [`Outcome::Consumed`]. Where one of them
    /// isn't done, or was taken back, it is kept and reported as done. Until then it stands apart from what the worker holds:
    /// that may have come otherwise, and doesn't go with it.
    pub transient: Vec<TaskRange>,
    /// Bytes that are to be reserved before they start: results, scratch, and inputs that are to be fetched.
    pub memory: u64,
    /// How many of these bytes are of inputs that are to be fetched.
    pub fetched: u64,
    /// Inputs that the worker doesn't hold.
    pub fetches: Vec<Fetch>,
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
