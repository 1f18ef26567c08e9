//! A client of a cluster: submits graphs, gives data, and fetches results where they are.

mod adopting;
mod after_calls;
mod asking;
mod callbacks;
mod calling;
mod calls;
mod causes;
mod errands;
mod failed;
mod gathering;
mod giving;
mod home;
mod kept;
mod known;
mod returning;
mod run;
mod sending;
mod sent_errand;
mod shared;
mod sharing;
mod signal;
mod state;
mod table;
mod tasks;
mod unreached;
mod waiting;
mod watch;
mod watching;

use crate::driver::{Listening, Network, Peer, inbox};
use crate::face::Face;
use crate::hello::Role;
use crate::message::{GRAPH_BYTES_MAX, GRAPH_PIECE_BYTES, Submission, WorkerInfo};
use crate::security::InsecureError;
use crate::session::Lost;
use crate::{Address, ListenError};
use after_calls::AfterCalls;
use bytes::Bytes;
use errands::Errands;
use giving::Shelf;
use home::Home;
use known::{State, not_there_yet};
use raskt_schedule::{FailureScope, Import, RunId, TaskRange};
use raskt_value::Value;
use shared::Shared;
use state::RunState;
use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::TaskTable;

pub use calls::Call;
pub use failed::{ClusterError, TaskFailed};
pub use run::RemoteRun;
pub use sent_errand::{SentErrand, SentQuestion};
pub use table::TaskState;
pub use tasks::TaskRun;
pub use unreached::Unreached;
pub use waiting::Gather;
pub use watch::{Until, Watch};

/// How long a client that is dropped waits until the scheduler has heard so.
const GOODBYE: Duration = Duration::from_secs(1);

/// How often it is asked whether a client that isn't let in yet is wanted still.
const GLANCE: Duration = Duration::from_millis(50);

/// A client of a cluster. It keeps what it wants there alive: when it goes, so do its runs.
pub struct Client {
    shared: Arc<Shared>,
    network: Arc<Network>,
    listening: Listening,
    /// The last to go: when the network is gone, nobody is to be called any more.
    _errands: EndOfErrands,
}

struct EndOfErrands(Arc<Shared>);

impl Drop for EndOfErrands {
    fn drop(&mut self) {
        self.0.errands.end();
        // Who hears of a session and who sends in it would keep each other.
        self.0.send_calls_at_last();
        let outbox = self.0.state.lock().outbox.take();
        drop(outbox);
    }
}

/// A graph that is to be run.
#[derive(Default)]
pub struct Job {
    /// As it travels: what `postcard` writes of its form.
    pub graph: Bytes,
    /// What is wanted of it.
    pub wanted: Vec<TaskRange>,
    /// Data, and the tasks that stand for it.
    pub given: Vec<(TaskRange, Vec<Value>)>,
    /// Tasks that stand for tasks of other runs of the cluster, which are there when this is submitted.
    pub imports: Vec<Import>,
    /// Of runs of others among these, the marks that came with their names ([`TaskRun::mark_of`]).
    pub named: Vec<(RunId, u64)>,
    /// The run whose task submits it, if one does.
    pub parent: Option<RunId>,
    /// What its tasks need beside it, be they made late or once more: it stays here as long as anybody needs the run.
    pub keeps: Vec<Arc<dyn Any + Send + Sync>>,
}

/// Why a client has no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// It can't listen for those who fetch its data.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A thread or a socket can't be had.
    #[error("the client can't start: {0}")]
    Io(#[from] io::Error),
    /// Whoever is there isn't called at all.
    #[error(transparent)]
    Insecure(#[from] InsecureError),
    /// Nobody answers, or it isn't let in.
    #[error("no scheduler at `{address}`: {reason}")]
    Unreached {
        /// Where.
        address: String,
        /// Why.
        reason: String,
    },
}

impl Client {
    /// Connects with the scheduler at `scheduler`, and waits for it up to `patience`. Data that graphs are given is fetched from
    /// this process at `listen`.
    pub fn connect(
        network: Network,
        scheduler: &Address,
        listen: &Address,
        face: Arc<dyn Face>,
        patience: Duration,
    ) -> Result<Self, ConnectError> {
        Self::connect_while(network, (scheduler, listen), face, patience, || true)
    }

    /// The same, as long as `is_wanted` says so, which is asked now and then.
    pub fn connect_while(
        network: Network,
        (scheduler, listen): (&Address, &Address),
        face: Arc<dyn Face>,
        patience: Duration,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Self, ConnectError> {
        network.check_dialing(scheduler)?;
        let network = Arc::new(network);
        let shelf = Arc::new(Shelf::start()?);
        let listening = network.serve_results(listen, &[Role::Worker], shelf.clone())?;
        let (errands, waiting) = Errands::new();
        let shared = Arc::new(Shared::new(face, network.fetcher(), shelf, errands));
        let hearing = shared.coordination.session();
        let hears = (shared.clone(), hearing.clone());
        let inbox = inbox(move |incoming| hears.0.hear(&hears.1, incoming));
        let outbox = network.connect(scheduler, Role::Scheduler, inbox)?;
        shared.state.lock().outbox = Some(outbox.clone());
        let carrier = AfterCalls::new(&shared, outbox);
        // One that is lost already is told so when it asks.
        let _ = hearing.carried_by(Arc::new(carrier));
        let _ = shared.home.set(Home::new(&network, scheduler.clone()));
        waiting.start(shared.clone())?;
        let client = Self { _errands: EndOfErrands(shared.clone()), shared, network, listening };
        client.await_welcome(scheduler, patience, is_wanted)?;
        Ok(client)
    }

    fn await_welcome(
        &self,
        scheduler: &Address,
        patience: Duration,
        is_wanted: impl Fn() -> bool,
    ) -> Result<(), ConnectError> {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        // Which workers there are comes right behind.
        while state.next_run.is_none() || !state.knows_workers {
            let left = deadline.saturating_duration_since(Instant::now());
            let reason = match &state.lost {
                Some(lost) => lost.clone(),
                None if left.is_zero() => format!("it didn't answer within {} s", patience.as_secs_f64()),
                None => {
                    drop(self.shared.changed.wait_for(state, left.min(GLANCE)));
                    // Who says so may need what somebody has who needs this.
                    let is_wanted = is_wanted();
                    state = self.shared.state.lock();
                    if is_wanted {
                        continue;
                    }
                    "nobody waits for it any more".to_owned()
                }
            };
            drop(state);
            self.hang_up();
            return Err(ConnectError::Unreached { address: scheduler.to_string(), reason });
        }
        Ok(())
    }

    /// Has a graph run, as one whole: the first task that fails for good ends it.
    pub fn submit(&self, job: Job) -> Result<RemoteRun, ClusterError> {
        self.begin(job, FailureScope::Run, |state, id, wanted| {
            let run = Arc::new(RunState::new(wanted));
            state.runs.insert(id, run.clone());
            RemoteRun::new(id, run, self.shared.clone())
        })
    }

    /// Has a graph run each of whose tasks is something by itself: one that fails takes along what can't be made without it, and
    /// the others go on. Returns when the job is on its way; what of it isn't taken is told as failed.
    pub fn submit_tasks(&self, job: Job) -> Result<TaskRun, ClusterError> {
        let mut imports = job.imports.clone();
        imports.retain(|import| !import.tasks.is_empty());
        imports.sort_unstable_by_key(|import| import.tasks);
        let imports: Arc<[Import]> = imports.into();
        let named = job.named.clone();
        let gives = !job.given.is_empty();
        self.begin(job, FailureScope::Task, |state, id, wanted| {
            let awaits = state.awaited_by(&imports, gives.then_some(id));
            state.tables.insert(id, TaskTable::new(&wanted).standing_for(imports.clone()).awaiting(awaits));
            TaskRun::new(id, (imports, named), self.shared.clone())
        })
    }

    /// Begins a run under a number of its own, and sends what it is to do.
    fn begin<T>(
        &self,
        job: Job,
        failure: FailureScope,
        begin: impl FnOnce(&mut State, RunId, Vec<TaskRange>) -> T,
    ) -> Result<T, ClusterError> {
        let Job { graph, wanted, given, imports, named, parent, keeps } = job;
        if !imports.is_empty() {
            self.shared.send_calls_of(|run| imports.iter().any(|import| import.run == run));
        }
        let mark = self.shared.mark;
        let largest = given.iter().flat_map(|(_, values)| values).map(|value| value.bytes() as u64).max();
        let given_at = vec![self.listening.address().to_string()];
        let ranges = given.iter().map(|(range, _)| *range).collect();
        let in_pieces = graph.len() > GRAPH_PIECE_BYTES;
        let does_keep = !keeps.is_empty();
        let submission = |run, wanted| {
            let (given, keeps) = (ranges, does_keep);
            Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces }
        };
        let mut state = self.shared.state.lock();
        check_size(&state, largest.unwrap_or(0))?;
        let run = state.take_number()?;
        let begun = begin(&mut state, run, wanted.clone());
        let outbox = state.outbox.clone();
        let is_too_large = graph.len() > GRAPH_BYTES_MAX;
        let submission = submission(run, wanted);
        if !is_too_large {
            // Whoever submits it once more, from now on, has what it is given.
            self.shared.shelf.put(run, given, keeps);
            state.keep_unwritten(&submission, &graph);
        }
        drop(state);
        if is_too_large {
            let bytes = graph.len();
            let advice = "data in it is better given beside it";
            return Err(ClusterError::Refused(format!(
                "a graph has {bytes} bytes; {GRAPH_BYTES_MAX} may be: {advice}"
            )));
        }
        let sent = outbox.ok_or_else(not_there_yet).and_then(|outbox| self.shared.submit(&outbox, submission, graph));
        match sent {
            Ok(()) => Ok(begun),
            Err(error) => {
                self.shared.has_not_begun(run, &error);
                Err(error)
            }
        }
    }

    /// Watches tasks of runs whose tasks stand alone.
    pub fn watch(&self, tasks: &[(RunId, Vec<TaskRange>)]) -> Watch {
        self.send_calls();
        self.shared.watch(tasks)
    }

    /// Has `call` called once when all these tasks have settled, at once if they have: by a thread of the client, and with no lock
    /// held.
    pub fn on_settled(&self, tasks: &[(RunId, Vec<TaskRange>)], call: Box<dyn FnOnce() + Send>) {
        self.send_calls();
        self.shared.on_settled(tasks, call);
    }

    /// The same for what may take as long as it likes: by another thread. All that is to be called of one thing, whose number is `of`,
    /// is called in order.
    pub fn call_when_settled(&self, tasks: &[(RunId, Vec<TaskRange>)], of: u64, call: Box<dyn FnOnce() + Send>) {
        let callbacks = self.shared.callbacks.clone();
        self.on_settled(tasks, Box::new(move || callbacks.call(of, call)));
    }

    /// The results of these tasks, in their order, if all have come along already: nothing is waited for.
    pub fn at_hand(&self, tasks: &[(RunId, Vec<TaskRange>)]) -> Result<Option<Vec<Value>>, ClusterError> {
        self.shared.at_hand(tasks)
    }

    /// The results of these tasks, in their order, as soon as all are there: fetched straight from the workers that hold them. The
    /// first that failed is the error.
    pub fn gather(
        &self,
        tasks: &[(RunId, Vec<TaskRange>)],
        deadline: Option<Instant>,
    ) -> Result<Vec<Value>, ClusterError> {
        self.gathering(tasks).wait(deadline)
    }

    /// The same, to be waited for in several steps.
    pub fn gathering(&self, tasks: &[(RunId, Vec<TaskRange>)]) -> Gather {
        self.send_calls();
        Gather::of(&self.shared, tasks)
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Option<Peer> {
        self.shared.state.lock().outbox.as_ref()?.peer()
    }

    /// Which cluster it is of, as names of results say it: the same for all its clients, also when the scheduler has begun anew with its
    /// journal.
    pub fn named(&self) -> Option<[u8; 16]> {
        self.shared.state.lock().known_as.map(|known_as| known_as.lineage)
    }

    /// Whether tasks of its cluster can be clients of it wherever they run, and have by its name what a client knows: not where workers
    /// are known by certificates, which say that they are workers.
    pub fn tasks_are_clients(&self) -> bool {
        self.shared.home.get().is_some_and(|home| !matches!(home.scheduler, Address::Tls { .. }))
    }

    /// Workers that are there.
    pub fn workers(&self) -> Vec<WorkerInfo> {
        self.shared.state.lock().workers.values().cloned().collect()
    }

    /// Waits until there are so many workers; says whether there are.
    pub fn wait_for_workers(&self, count: usize, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        while state.workers.len() < count && state.lost.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_for(state, left).0;
        }
        state.workers.len() >= count
    }

    /// Why the cluster is out of reach for good, if it is.
    pub fn lost(&self) -> Option<String> {
        self.shared.state.lock().lost.clone()
    }

    /// Leaves the cluster.
    pub fn close(&self, patience: Duration) {
        self.shared.send_calls_at_last();
        // Others may wait for what was cancelled.
        self.shared.errands.tell_now(&*self.shared, patience);
        self.hang_up();
        self.network.close(patience);
        // A scheduler that is slow to answer the farewell leaves the session open for a while; whoever asks hears that it is over.
        self.shared.end_for_good(&Lost::Closed);
    }

    fn hang_up(&self) {
        let outbox = self.shared.state.lock().outbox.clone();
        outbox.into_iter().for_each(|outbox| outbox.close());
    }
}

/// An error if no worker could ever hold a value with so many bytes: whoever gives it still has it.
fn check_size(state: &State, bytes: u64) -> Result<(), ClusterError> {
    match state.workers.values().map(|worker| worker.memory).max() {
        Some(most) if bytes > most => Err(ClusterError::TooLarge(format!(
            "a value that is given has {bytes} bytes, and the worker with most memory has {most}: give it in parts"
        ))),
        _ => Ok(()),
    }
}

impl Drop for Client {
    /// Whoever doesn't hear that it leaves keeps for it what it holds until its session is lost.
    fn drop(&mut self) {
        self.close(GOODBYE);
    }
}
