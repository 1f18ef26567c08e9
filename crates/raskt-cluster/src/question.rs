//! What clients ask a scheduler, and what it answers: never more at a time than fits into a message.

use raskt_graph::{Resources, TaskId};
use raskt_schedule::{BEGINNING, Cursor, Death, RunId, TaskRange, WorkerId};
use serde::{Deserialize, Serialize};

/// Entries of one answer, at most. Where there may be more the answer says where the next one begins.
pub const ANSWER_ENTRIES_MAX: usize = 1 << 12;

/// Tasks that are looked at for one answer, at most.
pub(crate) const LOOKED_AT_MOST: usize = 1 << 18;

/// Of a longer key, so many bytes are told: with [`ANSWER_ENTRIES_MAX`] of them a message is well within its bound.
pub(crate) const KEY_BYTES: usize = 512;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// What the scheduler is about.
    Scheduler,
    /// What each worker has to do, and holds.
    Workers {
        /// The first.
        from: WorkerId,
    },
    /// Who holds results, and how large they are. What isn't in memory is left out.
    WhoHas {
        /// The tasks: [`ANSWER_ENTRIES_MAX`] of them at most.
        tasks: Vec<(RunId, TaskRange)>,
    },
    /// All results that are in memory and that somebody needs.
    Results {
        /// Where to begin.
        from: Cursor,
    },
    /// What a worker was handed out and hasn't ended.
    Processing {
        /// The worker.
        worker: WorkerId,
    },
    /// What is known of tasks.
    Stories {
        /// The tasks: [`ANSWER_ENTRIES_MAX`] of them at most.
        tasks: Vec<(RunId, TaskId)>,
    },
    /// The runs that are known.
    Runs {
        /// The first.
        from: RunId,
    },
    /// What the scheduler has noted down, the last of it.
    Log,
    /// Assignments that have ended lately.
    Stream {
        /// The first, of those that are remembered.
        from: u64,
    },
    /// Something is to be done.
    Order(Order),
}

impl Question {
    /// Whether it asks the same of a scheduler that has begun anew: it is about nothing that has other numbers there, nor is anything to
    /// be done.
    pub(crate) fn outlives_the_scheduler(&self) -> bool {
        match self {
            Self::Scheduler | Self::WhoHas { .. } | Self::Stories { .. } | Self::Log => true,
            Self::Workers { from } => *from == WorkerId(0),
            Self::Results { from } => *from == BEGINNING,
            Self::Runs { from } => *from == RunId(0),
            Self::Stream { from } => *from == 0,
            Self::Processing { .. } | Self::Order(_) => false,
        }
    }
}

/// What is to be done with the cluster. The answer comes when it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Workers get nothing more to do; when they have ended what they have, and others hold all that they alone held, they leave.
    Retire {
        /// Who.
        workers: Vec<WorkerId>,
        /// Whether they leave in the end; else they stay, without anything to do.
        leaves: bool,
    },
    /// More workers are to hold results.
    Replicate {
        /// The results.
        tasks: Vec<(RunId, TaskRange)>,
        /// How many workers are to hold each.
        copies: u32,
        /// Who may; everybody if nobody is named.
        among: Vec<WorkerId>,
    },
    /// Results go from workers that hold much, for their memory, to those that hold little: until that is as even as these results let it
    /// be. What several workers hold stays, and what a task of its own run is about to read; one of another run fetches it where it is then.
    /// Workers that are named and have left are left out.
    Rebalance {
        /// The results that may go; all if none is named.
        tasks: Vec<(RunId, TaskRange)>,
        /// Between whom; everybody if nobody is named.
        among: Vec<WorkerId>,
    },
    /// All runs end, nothing is held any more, and the processes of workers begin anew where somebody looks after them.
    Restart,
    /// Processes of workers begin anew where somebody looks after them; what they held is made again.
    RestartWorkers {
        /// Who.
        workers: Vec<WorkerId>,
    },
    /// Workers leave, and the scheduler ends.
    ShutDown,
}

/// What is answered: each to the question of its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are explained at the questions")]
pub enum Answer {
    Scheduler(SchedulerFacts),
    Workers(Vec<WorkerFacts>),
    WhoHas(Vec<ResultFacts>),
    Results {
        results: Vec<ResultFacts>,
        next: Option<Cursor>,
    },
    Processing(Vec<ProcessingFacts>),
    Stories(Vec<StoryFacts>),
    Runs(Vec<RunFacts>),
    Log(Vec<LogFacts>),
    Stream {
        ended: Vec<StreamFacts>,
        next: u64,
    },
    /// It was done, by or to these workers.
    Done(Vec<WorkerId>),
    /// It can't be.
    Refused(String),
}

/// What a scheduler is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulerFacts {
    /// Nanoseconds since it began.
    pub age_nanoseconds: u64,
    /// Clients that are there.
    pub clients: u64,
    /// Workers that are there.
    pub workers: u64,
    /// Runs that clients have going, or keep results of.
    pub runs: u64,
    /// Tasks of these, and those of them that are done.
    pub tasks: u64,
    /// See `tasks`.
    pub done: u64,
    /// Tasks that have failed, and why is known.
    pub failed: u64,
    /// Errands that aren't over.
    pub errands: u64,
}

/// What a worker has to do, and holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFacts {
    /// Which.
    pub worker: WorkerId,
    /// What it offers beside slots and memory, in thousandths.
    pub resources: Resources,
    /// Nanoseconds since it was heard of, and since it joined.
    pub heard_nanoseconds: u64,
    /// See `heard_nanoseconds`.
    pub age_nanoseconds: u64,
    /// It gets nothing more to do.
    pub is_retiring: bool,
    /// It gets nothing to do until plugins are set up.
    pub is_preparing: bool,
    /// Assignments that it hasn't ended, and those of them that it has begun.
    pub assignments: u64,
    /// See `assignments`.
    pub started: u64,
    /// What these are expected to take on one thread.
    pub nanoseconds: u64,
    /// Results that it holds and that somebody needs, and their bytes.
    pub results: u64,
    /// See `results`.
    pub bytes: u64,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultFacts {
    /// The run that made it.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// As people see it, as far as a scheduler knows.
    pub key: String,
    /// Its bytes, as those of others of its layer were told last.
    pub bytes: u64,
    /// Who holds it.
    pub workers: Vec<WorkerId>,
}

/// A task that a worker has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessingFacts {
    /// The run.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// As people see it, as far as a scheduler knows.
    pub key: String,
    /// Nanoseconds since it was handed out.
    pub nanoseconds: u64,
    /// The worker has said that it has begun with it, or others that were handed out with it.
    pub is_started: bool,
}

/// What is known of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryFacts {
    /// The run.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// As people see it, as far as a scheduler knows.
    pub key: String,
    /// Where it stands: "waiting", "ready", "processing", "memory", "erred", "released" or "forgotten".
    pub state: String,
    /// Who has it.
    pub worker: Option<WorkerId>,
    /// How often it has failed and was tried again.
    pub failures: u32,
    /// The deaths of workers that had it.
    pub deaths: Vec<Death>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Which.
    pub run: RunId,
    /// Whose.
    pub client: u32,
    /// Its tasks that somebody needs, and those of them that are done.
    pub total: u64,
    /// See `total`.
    pub done: u64,
    /// Bytes of its graph.
    pub bytes: u64,
}

/// Tasks that were handed out together, and have ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFacts {
    /// Who ran them.
    pub worker: WorkerId,
    /// The run.
    pub run: RunId,
    /// The first of them.
    pub key: String,
    /// Nanoseconds since that was told.
    pub age_nanoseconds: u64,
    /// What they took on one thread.
    pub nanoseconds: u64,
    /// How many were done, and how many failed.
    pub done: u64,
    /// See `done`.
    pub failed: u64,
    /// Bytes of their results.
    pub bytes: u64,
    /// What was said of them by the name `span`; nothing if it wasn't.
    pub span: String,
}

/// Something that the scheduler has noted down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFacts {
    /// Nanoseconds before now.
    pub age_nanoseconds: u64,
    /// How grave: "INFO", "WARNING" or "ERROR".
    pub level: String,
    /// What.
    pub words: String,
}
