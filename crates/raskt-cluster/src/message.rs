//! What clients, workers and the scheduler say to each other, once a session is there.
//!
//! Graphs go as bulk, written once by the client: the scheduler reads the rules of it, and passes the same bytes on. Results never
//! pass through the scheduler: whoever wants them fetches them where they are.

use crate::bulk::Source;
use crate::coordination::{Ask, Packed, Told};
use crate::errand::{Errand, ErrandEnd};
use crate::failure::Root;
pub use crate::failure::{ErrorForm, FailureForm};
use crate::hello::{Identity, Role};
use crate::question::{Answer, Question};
use crate::small::Small;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{FailureScope, Held, Import, Offer, RunId, TaskRange, WorkerId, WorkerOrder, WorkerTold};
use serde::{Deserialize, Serialize};

/// A graph has so many bytes at most.
pub(crate) const GRAPH_BYTES_MAX: usize = 1 << 30;

/// A larger one goes in pieces of so many bytes, each in a message of its own.
pub(crate) const GRAPH_PIECE_BYTES: usize = 32 << 20;

/// From a client to the scheduler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FromClient {
    /// A piece of a graph that is submitted after this; it is the one piece of bulk.
    GraphPiece,
    /// A graph is to be run; it, or the last piece of it, is the one piece of bulk.
    Submit(Submission),
    /// Results aren't wanted any more.
    Release {
        /// The tasks, by run.
        tasks: Vec<(RunId, TaskRange)>,
    },
    /// Results weren't to be had where they were said to be: who holds them is to be told again.
    Where {
        /// The tasks, by run.
        tasks: Vec<(RunId, TaskRange)>,
    },
    /// Nothing is wanted any more of runs.
    ReleaseRuns {
        /// The runs.
        runs: Vec<RunId>,
    },
    /// Failed tasks are to be run again.
    Retry {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// The first message of one that has been there before: it isn't a new client.
    Back {
        /// Its number then.
        client: u32,
        /// What it was told by the scheduler then, and nobody else.
        secret: [u8; 16],
    },
    /// What it still wants of runs that the scheduler knows: the next part. Of others nothing is wanted any more.
    Has {
        /// By run, the tasks; nothing for one that is wanted as a whole.
        runs: Vec<(RunId, Option<Vec<TaskRange>>)>,
        /// There is no more of it.
        is_last: bool,
    },
    /// Tasks are cancelled, and with them whatever has still to be computed from them. Their client wants them no more.
    Cancel {
        /// The tasks.
        tasks: Vec<(RunId, TaskRange)>,
        /// Also those that others want, or of which something would be computed that others want.
        by_force: bool,
    },
    /// An answer is wanted as soon as all that was said before has been taken in.
    Barrier {
        /// What the answer is known by.
        number: u64,
    },
    /// What all workers are to have, those that come later too: the one piece of bulk; without one they have it no longer.
    Plugin {
        /// What the answer is known by.
        number: u64,
        /// What it is called: it takes the place of another one of that name.
        name: String,
    },
    /// Something is to be answered.
    Ask {
        /// A number that the client hasn't used.
        number: u64,
        /// What.
        question: Question,
    },
    /// Workers are to do something beside their tasks.
    Errand(Errand),
    /// Something is asked of what is shared by name; its bytes are the bulk.
    Coordination(Packed<Ask>),
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// A number of those that the client was given.
    pub run: RunId,
    /// Random, and the same for all runs of a client: what tells this run from any other that ever had its number, be it that what is known
    /// of that was lost.
    pub mark: u64,
    /// Runs that it reads under names which were given away, and their marks: it isn't taken if others have their numbers by now.
    pub named: Vec<(RunId, u64)>,
    /// The run whose task submits it.
    pub parent: Option<RunId>,
    /// The tasks whose results are kept.
    pub wanted: Vec<TaskRange>,
    /// What ends when one of its tasks fails.
    pub failure: FailureScope,
    /// Tasks that stand for tasks of other runs.
    pub imports: Vec<Import>,
    /// Tasks that stand for data, which the client gives to whoever fetches it.
    pub given: Vec<TaskRange>,
    /// Where: the best first.
    pub given_at: Vec<String>,
    /// Its client keeps something for as long as anybody needs the run, and is told when nobody does.
    pub keeps: bool,
    /// Pieces of its graph have come before.
    pub in_pieces: bool,
}

/// From the scheduler to a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToClient {
    /// The first message.
    Welcome {
        /// The first of the numbers that its runs have; it may use [`RUNS_OF_A_CLIENT`] of them.
        first_run: RunId,
        /// What tells what this scheduler has handed out from what any other has, that of before it began anew being the same.
        lineage: [u8; 16],
        /// By what the client is known when it comes back; nothing if the scheduler keeps no journal.
        secret: Option<[u8; 16]>,
    },
    /// The answer to one that has been there before.
    Back {
        /// Its runs are as they were, and it is told of them next; if not, it is a new client.
        is_known: bool,
    },
    /// Runs of it that are known: the next part.
    Knows {
        /// The runs.
        runs: Vec<RunId>,
        /// There is no more of it.
        is_last: bool,
    },
    /// Runs that will be known when the client comes back.
    Taken {
        /// The runs.
        runs: Vec<RunId>,
    },
    /// Workers that are there, or have come.
    Joined(Vec<WorkerInfo>),
    /// A worker is gone.
    Left(WorkerId),
    /// All that is wanted of a run is there, or has failed.
    Finished {
        /// The run.
        run: RunId,
        /// Who holds it, if the run ends as a whole: the next part.
        held: Vec<Held>,
        /// There is no more of it.
        is_last: bool,
    },
    /// A run ended early.
    Failed {
        /// The run.
        run: RunId,
        /// Why.
        failure: FailureForm,
    },
    /// Of a run whose tasks stand alone, results are there.
    Available {
        /// The run.
        run: RunId,
        /// By who holds them.
        results: Vec<Held>,
        /// Some of them, if they are small.
        small: Vec<Small>,
    },
    /// They no longer are.
    Unavailable {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// Of a run whose tasks stand alone, tasks have failed.
    TasksFailed {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
        /// Why.
        failure: FailureForm,
    },
    /// The same, because of a task that the client was told of before.
    TasksFailedToo {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
        /// The task that failed first, and its run.
        root: Root,
    },
    /// A run ended early, because of a task that the client was told of before.
    FailedToo {
        /// The run.
        run: RunId,
        /// The task that failed first, and its run.
        root: Root,
    },
    /// Tasks of a run that failed first aren't referred to any more.
    FailuresForgotten {
        /// The run.
        run: RunId,
    },
    /// Nobody needs the data any more that a run was given, if it was given any: its client needn't keep it.
    DataNotNeeded {
        /// The run.
        run: RunId,
    },
    /// A run ended early, since data that was given is gone.
    Lost {
        /// The run.
        run: RunId,
    },
    /// A run can't go on as things are.
    Stalled {
        /// The run.
        run: RunId,
        /// What it waits for.
        cause: String,
    },
    /// It goes on.
    Resumed {
        /// The run.
        run: RunId,
    },
    /// The scheduler can't go on, because of a bug.
    Broken(String),
    /// A run isn't taken.
    Refused {
        /// The run.
        run: RunId,
        /// Why.
        reason: String,
    },
    /// What was said under a number has been taken in, with all that was said before.
    Heard {
        /// The number.
        number: u64,
        /// Why it isn't done, if it isn't.
        refused: Option<String>,
    },
    /// Somebody has restarted the cluster: all runs have ended.
    Restarted,
    /// To what was asked.
    Answer {
        /// The number of the question.
        number: u64,
        /// What is answered.
        answer: Answer,
    },
    /// A worker's part of an errand is over.
    ErrandOver {
        /// The errand.
        number: u64,
        /// The worker.
        worker: WorkerId,
        /// How it ended.
        end: ErrandEnd,
    },
    /// Something is said of what is shared by name; its bytes are the bulk.
    Coordination(Packed<Told>),
}

/// How many runs a client may have in its life.
pub const RUNS_OF_A_CLIENT: u64 = 1 << 32;

/// Ranges of given data that one message names, at most.
pub const RANGES_OF_DATA: usize = 1 << 13;

/// A worker, as clients and other workers know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerInfo {
    /// Its number.
    pub worker: WorkerId,
    /// What people call it.
    pub name: String,
    /// Where it gives results: the best first.
    pub addresses: Vec<String>,
    /// Which process it must be there.
    pub identity: Identity,
    /// Tasks that it runs at a time.
    pub slots: u32,
    /// Bytes that it may hold.
    pub memory: u64,
}

impl WorkerInfo {
    /// From whom its results are fetched.
    pub(crate) fn source(&self) -> Source {
        let addresses = self.addresses.iter().filter_map(|address| address.parse().ok()).collect();
        Source { addresses, role: Role::Worker, identity: Some(self.identity) }
    }
}

/// From a worker to the scheduler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// What one has that comes back, part by part, before it joins; and later, when that is done which it had begun before.
    Kept {
        /// The run.
        run: RunId,
        /// Its mark.
        mark: u64,
        /// The tasks whose results it holds, with the bytes of each range.
        tasks: Vec<(TaskRange, u64)>,
    },
    /// What one still runs that comes back, before it joins: there is a slot less for each.
    RunsOn {
        /// The run.
        run: RunId,
        /// Its mark.
        mark: u64,
        /// The tasks that one of its threads is at.
        tasks: Vec<TaskRange>,
    },
    /// It is there.
    Join(Offer),
    /// An event of its machine.
    Told {
        /// The event.
        told: WorkerTold,
        /// Results that it tells of and that a client wants to hear of, if they are small.
        small: Vec<Small>,
    },
    /// A task has failed; the report that says so comes after it.
    Failed {
        /// The run.
        run: RunId,
        /// The task.
        task: TaskId,
        /// Why.
        error: ErrorForm,
    },
    /// The next piece of a graph is wanted.
    GraphPiece {
        /// The run.
        run: RunId,
        /// From which byte on.
        from: u64,
    },
    /// Data that it was to fetch from a client couldn't be had.
    NotGiven {
        /// The run.
        run: RunId,
        /// What of it.
        tasks: Vec<TaskRange>,
        /// Why.
        reason: String,
    },
    /// It is there, and has heard what came before the question.
    Pong {
        /// The number of the question.
        number: u64,
    },
    /// Copies of results were made, or not.
    Copied {
        /// The number of the order.
        copy: u64,
        /// Why they weren't.
        failure: Option<String>,
    },
    /// It was to begin anew, and nobody would start it.
    Stays,
    /// Plugins that came before it was asked don't keep its tasks waiting any more.
    Prepared {
        /// The number of the question.
        number: u64,
    },
    /// Whoever looks after it is about to end it.
    IsEnded {
        /// Why, as it goes on after the worker's name.
        why: String,
    },
    /// An errand is over.
    ErrandOver {
        /// Its number with the scheduler.
        errand: u64,
        /// How it ended.
        end: ErrandEnd,
    },
    /// Something is asked of what is shared by name; its bytes are the bulk.
    Coordination(Packed<Ask>),
    /// It begins nothing more, takes no data, and goes when what it has begun is done, or its time is over.
    Leaves {
        /// Another one takes its place then.
        returns: bool,
    },
}

/// From the scheduler to a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// The first message.
    Welcome {
        /// Its number.
        worker: WorkerId,
        /// What tells what this scheduler has handed out from what any other has.
        lineage: [u8; 16],
    },
    /// Workers that are there, or have come.
    Joined(Vec<WorkerInfo>),
    /// A worker is gone.
    Left(WorkerId),
    /// There will be work of a run, whose graph, or the first piece of it, is the first piece of bulk; the second, if it reads others, is
    /// what it reads ([`Reads`]).
    Graph {
        /// The run.
        run: RunId,
        /// Its mark: what is here of another run of its number is forgotten.
        mark: u64,
        /// Tasks whose results go along with the word that they are there, if they are small.
        told: Vec<TaskRange>,
        /// The bytes of its graph.
        bytes: u64,
    },
    /// The piece of the graph that was asked for, unless nobody needs it any more.
    GraphPiece {
        /// The run.
        run: RunId,
    },
    /// What the scheduler wants.
    Order(WorkerOrder),
    /// Whether it is there.
    Ping {
        /// The number of the question.
        number: u64,
    },
    /// Data of a run is to be fetched from a client.
    Fetch {
        /// The run.
        run: RunId,
        /// The tasks that stand for it.
        tasks: Vec<TaskRange>,
        /// Where it is given.
        from: Vec<String>,
        /// Which process gives it.
        identity: Identity,
    },
    /// It is to have this from now on, before any task that comes later: the one piece of bulk; without one, no longer.
    Plugin {
        /// What it is called.
        name: String,
        /// A client has just said so: one that is there already is begun again.
        is_new: bool,
    },
    /// Before it is told of those: all that there are. Others that it has from before it has no longer.
    Plugins {
        /// What they are called.
        names: Vec<String>,
    },
    /// It is to say when a task that comes now would begin: it gets none before.
    Prepare {
        /// How many of these it has got.
        number: u64,
    },
    /// It is to do something beside its tasks; what, is the one piece of bulk.
    Errand {
        /// Its number with the scheduler.
        errand: u64,
    },
    /// Something is said of what is shared by name; its bytes are the bulk.
    Coordination(Packed<Told>),
    /// It is to hold copies of results.
    Copy {
        /// A number for the answer.
        copy: u64,
        /// The run.
        run: RunId,
        /// The tasks whose results they are.
        tasks: Vec<TaskRange>,
        /// Who holds them.
        from: WorkerId,
    },
    /// Its process is to begin anew, if somebody looks after it.
    Restart,
    /// It is to leave.
    Leave,
    /// The scheduler can't go on, because of a bug.
    Broken(String),
    /// It is called so, as another worker has its name, or has it no more.
    Called {
        /// Its name from now on.
        name: String,
    },
}

/// What a run reads of others. It may be as much as all that it has, and goes where that is no matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// What of it stands for tasks of other runs.
    pub imports: Vec<Import>,
    /// The marks of these, each once: what is here of other runs of these numbers is forgotten.
    pub marks: Vec<(RunId, u64)>,
}

impl Reads {
    /// As it goes; nothing if it reads nothing.
    pub fn to_bulk(&self) -> Option<Bytes> {
        let bytes = (!self.imports.is_empty()).then(|| postcard::to_stdvec(self).ok());
        bytes.flatten().map(Bytes::from)
    }

    /// What has come.
    pub fn of(bulk: Option<&Bytes>) -> Result<Self, String> {
        let Some(bytes) = bulk else { return Ok(Self::default()) };
        postcard::from_bytes(bytes).map_err(|error| format!("what it reads of other runs: {error}"))
    }
}

/// The name under which results are fetched: of whom, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultNames(pub Vec<(RunId, TaskRange)>);

impl ResultNames {
    /// Ranges of one request at most: so that it fits, whatever the numbers are.
    pub const MOST: usize = 4096 / 40;

    /// As it is asked for.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// What was asked for, if it is a name.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let names: Self = postcard::from_bytes(bytes).ok()?;
        let is_name = |(_, tasks): &(RunId, TaskRange)| tasks.start < tasks.end;
        (!names.0.is_empty() && names.0.iter().all(is_name)).then_some(names)
    }
}
