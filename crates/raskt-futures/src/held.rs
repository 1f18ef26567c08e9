//! Results that a cluster holds, as values of this process.

use hashbrown::HashMap;
use raskt_cluster::{Client, ClusterError, Gather, TaskFailed, TaskRun, TaskState, Unreached};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use raskt_value::{DType, StoredValue, Summary, TaskError, Value};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A result of a cluster, or one that is to come: wanted there as long as this is kept.
///
/// As a value it may stand wherever a kept result may: on its own cluster a graph imports it, and elsewhere it is fetched before
/// anything runs.
pub struct HeldResult {
    client: Arc<Client>,
    run: TaskRun,
    task: TaskId,
    /// Data type and shape, if it is known to be a block.
    block: OnceLock<(DType, Box<[usize]>)>,
    /// Whether it is data that this client gives, and nobody can make again once it has let go of it.
    is_data: bool,
    /// The process whose client holds it.
    process: u32,
    is_cancelled: AtomicBool,
    /// Why it was cancelled, if somebody has said.
    reason: OnceLock<Box<str>>,
    /// After its run was submitted.
    since: u64,
}

/// Where a result stands.
pub enum Standing {
    /// It is to come, or to come again.
    Pending,
    /// A worker has it.
    Available,
    /// It won't come, unless that is asked for.
    Failed(Arc<TaskFailed>),
    /// Nobody wants it any more.
    Cancelled,
}

impl HeldResult {
    /// That of a task of a run of `client`.
    pub fn new(client: Arc<Client>, run: TaskRun, task: TaskId, is_data: bool) -> Arc<Self> {
        let (block, is_cancelled, reason) = Default::default();
        let (process, since) = (std::process::id(), client.now());
        Arc::new(Self { client, run, task, block, is_data, process, is_cancelled, reason, since })
    }

    /// Whether it is data that this client gives.
    pub fn is_data(&self) -> bool {
        self.is_data
    }

    /// It is known to be a block of this type and shape.
    pub fn is_block(&self, dtype: DType, shape: Box<[usize]>) {
        // A task has one result: whoever knows more of it knows the same.
        let _ = self.block.set((dtype, shape));
    }

    /// What a value stands for, if for one of these.
    pub fn of(value: &Value) -> Option<Arc<Self>> {
        match value {
            Value::Stored(kept) => kept.clone().into_any().downcast().ok(),
            _ => None,
        }
    }

    /// A value that stands for it.
    pub fn value(self: Arc<Self>) -> Value {
        Value::Stored(self)
    }

    /// The client that holds it.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// The process whose client holds it: a fork has none of its threads, and waits for it in vain.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// The run and the task whose result it is.
    pub fn place(&self) -> (RunId, TaskId) {
        (self.run.id(), self.task)
    }

    /// The same as others know it: those of the run whose result it is, be that another client's.
    pub fn source(&self) -> (RunId, TaskId) {
        self.run.source_of(self.task)
    }

    /// What tells that run from any other of its number, if it is known.
    pub fn mark(&self) -> Option<u64> {
        self.run.mark_of(self.task)
    }

    /// Waits until the scheduler has heard of the run: what others say of it comes by other ways, and may be sooner there.
    pub fn await_heard(&self, patience: Duration) -> Result<(), ClusterError> {
        // Once for all that there are by then.
        match self.standing() {
            Standing::Pending if !self.client.is_heard(self.since) => self.client.barrier(patience),
            _ => Ok(()),
        }
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        if self.is_cancelled() {
            return Standing::Cancelled;
        }
        match self.run.state(self.task) {
            TaskState::Pending => Standing::Pending,
            TaskState::Available => Standing::Available,
            TaskState::Failed(failed) if failed.is_cancelled() => Standing::Cancelled,
            TaskState::Failed(failed) => Standing::Failed(failed),
            TaskState::Released => Standing::Cancelled,
        }
    }

    /// Whether somebody has cancelled it.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Nobody here wants it any more, nor what has still to be computed from it. Where others want it, or something of that, it goes on
    /// unless this is done `by_force`. Says whether it hadn't come to its end before.
    pub fn cancel(&self, by_force: bool) -> bool {
        let was_open = matches!(self.standing(), Standing::Pending | Standing::Available);
        if !self.is_cancelled.swap(true, Ordering::Relaxed) {
            self.run.cancel(&[TaskRange::one(self.task)], by_force);
        }
        was_open
    }

    /// Why it is cancelled: whoever asks for the result hears it.
    pub fn note_reason(&self, reason: &str) {
        if !self.is_cancelled() {
            let _ = self.reason.set(reason.into());
        }
    }

    /// Why it was cancelled, if somebody has said.
    pub fn reason(&self) -> Option<&str> {
        self.reason.get().map(|reason| &**reason)
    }

    /// What it waits for, if it can't go on as things are.
    pub fn stalled(&self) -> Option<String> {
        self.run.stalled()
    }
}

/// Has those made again that have failed: each run hears of all that are of it at once.
///
/// # Errors
/// If the cluster is out of reach, or nobody wants one of them any more: nothing is made again then.
pub fn retry(results: &[Arc<HeldResult>]) -> Result<(), ClusterError> {
    if results.iter().any(|result| result.is_cancelled()) {
        let why = "what was cancelled isn't made again by a retry: submit the call once more";
        return Err(ClusterError::Refused(why.into()));
    }
    let mut runs: HashMap<(*const Client, RunId), (&TaskRun, Vec<TaskId>)> = HashMap::new();
    for result in results {
        let run = (Arc::as_ptr(&result.client), result.run.id());
        runs.entry(run).or_insert_with(|| (&result.run, vec![])).1.push(result.task);
    }
    runs.into_values().try_for_each(|(run, mut tasks)| {
        tasks.sort_unstable();
        tasks.dedup();
        run.retry(&TaskRange::of(tasks))
    })
}

/// The tasks of results, as runs and ranges.
pub fn ranges_of<'a>(results: impl Iterator<Item = &'a HeldResult>) -> Vec<(RunId, Vec<TaskRange>)> {
    let mut ranges: Vec<(RunId, Vec<TaskRange>)> = vec![];
    for result in results {
        let (run, task) = result.place();
        match ranges.last_mut() {
            Some((last, tasks)) if *last == run => TaskRange::push(tasks, task),
            _ => ranges.push((run, vec![TaskRange::one(task)])),
        }
    }
    ranges
}

/// Fetches the results, which are of one client, in order.
pub fn fetch(results: &[Arc<HeldResult>], deadline: Option<Instant>) -> Result<Vec<Value>, ClusterError> {
    fetching(results).wait(deadline)
}

/// The same, to be waited for in several steps: what has come stays. Nothing is asked for before the first of them.
pub fn fetching(results: &[Arc<HeldResult>]) -> Fetching {
    Fetching { held: results.to_vec(), on_the_way: None, unreached: Unreached::default() }
}

/// Results that are fetched, and that nobody lets go of meanwhile.
pub struct Fetching {
    held: Vec<Arc<HeldResult>>,
    on_the_way: Option<Gather>,
    unreached: Unreached,
}

impl Fetching {
    /// The results in their order; [`ClusterError::TimedOut`] if they aren't there by then, and may be waited for again.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Result<Vec<Value>, ClusterError> {
        self.gather().map_or(Ok(vec![]), |gather| gather.wait(deadline))
    }

    /// The same, where what can't be had here keeps nobody from the others.
    pub fn wait_each(&mut self, deadline: Option<Instant>) -> Result<Vec<Result<Value, TaskError>>, ClusterError> {
        self.gather().map_or(Ok(vec![]), |gather| gather.wait_each(deadline))
    }

    /// Says why it can't go on as things are, if it can't: also while somebody else waits for it.
    pub fn stalled(&self) -> impl Fn() -> Option<String> + use<> {
        let (first, unreached) = (self.held.first().cloned(), self.unreached.clone());
        move || first.as_ref().and_then(|held| held.stalled()).or_else(|| unreached.story())
    }

    fn gather(&mut self) -> Option<&mut Gather> {
        let first = self.held.first()?;
        let ranges = || ranges_of(self.held.iter().map(|result| &**result));
        let begin = || first.client.gathering(&ranges()).saying(self.unreached.clone());
        Some(self.on_the_way.get_or_insert_with(begin))
    }
}

impl StoredValue for HeldResult {
    fn bytes(&self) -> usize {
        self.block.get().map_or(0, |(dtype, shape)| shape.iter().fold(dtype.size(), |size, n| size.saturating_mul(*n)))
    }

    fn block(&self) -> Option<(DType, &[usize])> {
        self.block.get().map(|(dtype, shape)| (*dtype, &**shape))
    }

    fn summary(&self) -> Option<Summary> {
        None
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Drop for HeldResult {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // In a fork the client's threads aren't there, and its locks may be held for ever.
            std::mem::forget((self.client.clone(), self.run.clone()));
        } else if !self.is_cancelled() {
            self.run.release(&[TaskRange::one(self.task)]);
        }
    }
}
