//! What the engine of a worker needs of whoever carries its words to its scheduler and to other workers.

use crate::held_results::{Adrift, HeldResults};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange, WorkerId, WorkerTold};
use raskt_value::{TaskError, Value};
use std::fmt;

/// The way from a worker to its scheduler and to other workers.
///
/// It is called by one thread at a time, with no lock held, and what is told comes in the order in which it is to arrive. It may
/// call the engine back. Meanwhile that goes on, and what it has to tell gathers: to wait here for long is to use up memory. The
/// thread may be one that runs tasks, and hold what their runner holds (the interpreter): it isn't to wait for who needs that.
pub trait Uplink: Send + Sync + 'static {
    /// Tells the scheduler.
    fn tell(&self, told: WorkerTold);

    /// A task has failed: called before the report is told that says so. The scheduler forgets a run at once when a task of it has
    /// failed for good, so that nobody could ask for the reason afterwards.
    fn failed(&self, failure: TaskFailure);

    /// Asks another worker for results. [`crate::WorkerEngine::fetched`] is to be called once with the answer, or when it is known
    /// that none will come: how often it is tried, and for how long, is the uplink's. Memory for it is promised.
    fn fetch(&self, request: FetchRequest);

    /// Nobody waits any more for what was asked for; an answer does no harm.
    fn give_up(&self, fetch: FetchId);

    /// All that is told from now on is for another scheduler, or one that has begun anew ([`crate::WorkerEngine::come_back`]): it is to
    /// be told first that this is here, piece by piece in this order, and that threads are at what is adrift: as many slots fewer there
    /// are. What was told before is no concern of it.
    fn returned(&self, _held: Vec<HeldResults>, _adrift: Vec<Adrift>) {}

    /// A machine of the worker panicked, which is a bug. It holds nothing any more and takes no orders: the scheduler is to lose it,
    /// and a new one may take its place.
    fn broke(&self, story: &str);
}

/// The number of a request to another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FetchId(pub u64);

/// Results that another worker is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRequest {
    /// What it is answered under.
    pub id: FetchId,
    /// The run.
    pub run: RunId,
    /// Who is said to hold them.
    pub from: WorkerId,
    /// The tasks whose results they are.
    pub tasks: Vec<TaskRange>,
}

/// What comes of a request: a value for each of its tasks, in their order, or why there is none.
pub type FetchAnswer = Result<Vec<Result<Value, Missing>>, Unreachable>;

/// Who was asked can't be reached, or didn't answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// Why a worker doesn't give a result.
#[derive(Clone, Debug)]
pub enum Missing {
    /// It isn't here: never was, was dropped, or can't be read any more, which the scheduler is told of.
    NotHere,
    /// It couldn't be read this time; another time it may.
    Unread(TaskError),
    /// It can't be sent, or read by who has asked, however often that is tried: whoever reads it fails.
    Unsendable(TaskError),
    /// The same, since whoever was to send it has died each time.
    Deadly(TaskError),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHere => f.write_str("the worker doesn't hold the result"),
            Self::Unsendable(error) | Self::Deadly(error) => write!(f, "the result can't be sent: {error}"),
            Self::Unread(error) => write!(f, "the result couldn't be read: {error}"),
        }
    }
}

/// A task that failed on a worker.
#[derive(Clone, Debug)]
pub struct TaskFailure {
    /// The run.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// Its key, as people see it.
    pub key: String,
    /// Why it failed.
    pub error: TaskError,
}
