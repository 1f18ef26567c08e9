//! The engine as a worker of a scheduler in another process.

use crate::execution::facts;
use crate::giving::{Given, Giver, Peer, Wanted};
use crate::held_results::HeldResults;
use crate::imports::Imports;
use crate::lending::run_of;
use crate::options::EngineOptions;
use crate::recover::Recovery;
use crate::runner::Runners;
use crate::shared::Shared;
use crate::state::{RunEntry, State};
use crate::threads;
use crate::unheard::Unheard;
use crate::uplink::{FetchAnswer, FetchId, Uplink};
use crate::worker_error::WorkerError;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Import, Offer, RunId, TaskRange, WorkerOrder};
use raskt_store::{Arriving, Limits, Lineage, Store, StoredRef};
use raskt_value::{TaskError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs tasks on the threads of this process as a scheduler elsewhere wants it.
///
/// What that wants comes in by [`Self::handle`], in the order in which the scheduler said it, with the graph of each run before its
/// first assignment ([`Self::add_graph`]). What it is told, and what is asked of other workers, goes out by the [`Uplink`]. A clone
/// is the same worker. The engine keeps the uplink until [`Self::shut_down`]: one that keeps the engine in turn would keep both.
///
/// Runs that its tasks submit are for other engines of the process. While a task waits for one its slot is told to be free.
#[derive(Clone)]
pub struct WorkerEngine {
    shared: Arc<Shared>,
    giver: Arc<Giver>,
}

/// Results that may be asked for at a time.
const MOST_VALUES: u64 = 1 << 24;

/// How often it is looked whether threads have ended.
const GLANCE: Duration = Duration::from_millis(1);

impl WorkerEngine {
    /// A worker whose tasks are run by `runners`, with a store of its own.
    pub fn new(options: EngineOptions, runners: Runners, uplink: Arc<dyn Uplink>) -> Self {
        Self::with_store(options, Store::new(Limits::of_memory(options.memory_limit)), runners, uplink)
    }

    /// A worker whose results are in `store`, which others may use as well. It has one thread at the least.
    pub fn with_store(options: EngineOptions, store: Store, runners: Runners, uplink: Arc<dyn Uplink>) -> Self {
        let options = EngineOptions { threads: options.threads.max(1), ..options };
        let shared = Shared::of_worker(options, Recovery { runners, store }, threads::wake, uplink);
        Self { giver: Giver::new(shared.clone()), shared }
    }

    /// What it offers when it joins: its threads and its memory. Resources and a name are its driver's to add.
    pub fn offer(&self) -> Offer {
        Offer { memory: self.shared.store.memory_limit(), ..Offer::slots(self.shared.options.threads as u32) }
    }

    /// Takes in the graph of a run, and what of it stands for tasks of other runs. To be told of it again changes nothing.
    pub fn add_graph(&self, run: RunId, graph: Arc<Graph>, imports: &[Import]) -> Result<(), WorkerError> {
        let imports = Imports::new(&graph, imports)?;
        let entry = RunEntry::of_worker(graph, imports);
        self.change(|state| state.add_graph(run, entry))
    }

    /// The graph of a run can't be read here: its tasks fail with `error`.
    pub fn add_unread(&self, run: RunId, error: TaskError) -> Result<(), WorkerError> {
        let entry = RunEntry { unread: Some(error), ..RunEntry::of_guests() };
        self.change(|state| state.add_graph(run, entry))
    }

    /// Does what the scheduler wants. An error is a fault of whoever wants it, or comes of what it has been told already.
    pub fn handle(&self, order: WorkerOrder) -> Result<(), WorkerError> {
        self.change(|state| state.obey(order))
    }

    /// Takes orders on a thread that must not wait until the scheduler hears what comes of them.
    pub fn unheard(&self) -> Unheard<'_> {
        Unheard(&self.shared)
    }

    /// Tells the scheduler what [`Self::unheard`] orders have left to be told.
    pub fn tell(&self) {
        if !self.shared.is_left_behind() {
            self.shared.tell_rest();
        }
    }

    /// Takes in data that a client gives, as the results of tasks of which the scheduler is told. As much of it as was `arriving` counts there
    /// no longer.
    pub fn put(&self, run: RunId, values: Vec<(TaskId, Value)>, arriving: &Arriving) -> Result<(), WorkerError> {
        let values = self.kept_all(run, values, arriving)?;
        self.change(|state| state.put(run, values))?;
        self.shared.store.make_room();
        Ok(())
    }

    /// Takes in copies of results that other workers hold, of which the scheduler is told. What is here already stays as it is.
    pub fn put_copies(&self, run: RunId, values: Vec<(TaskId, Value)>, arriving: &Arriving) -> Result<(), WorkerError> {
        let values = self.kept_all(run, values, arriving)?;
        self.change(|state| state.put_copies(run, values))?;
        self.shared.store.make_room();
        Ok(())
    }

    /// Of so many bytes more that are to come ahead of any task, as many as there is memory for, if whoever has more is ended. It costs
    /// little, however much is kept.
    pub fn room_for(&self, bytes: u64) -> u64 {
        self.shared.store.room_for(bytes)
    }

    /// So many bytes are on their way for [`Self::put`] or [`Self::put_copies`].
    pub fn expect(&self, bytes: u64) -> Arriving {
        self.shared.store.expect(bytes)
    }

    /// Calls `then` once the uplink has heard all that there is to tell by now: what is sent by it comes after that. Where nobody is told
    /// anything any more it is never called.
    pub fn once_told(&self, then: impl FnOnce() + Send + 'static) {
        let _ = self.change(|state| {
            state.once_told(Box::new(then));
            Ok(())
        });
    }

    /// The large ones of these results, which are of one run, in the store; an error if there is no memory for all of them.
    fn kept_all(
        &self,
        run: RunId,
        values: Vec<(TaskId, Value)>,
        arriving: &Arriving,
    ) -> Result<Vec<(TaskId, Value)>, WorkerError> {
        let (graph, engine) = self.look(|state| (state.graph_of(run), state.engine))?;
        let graph = graph?;
        TaskRange::check_all(&TaskRange::of(values.iter().map(|(task, _)| *task)), &graph)?;
        let bytes: u64 = values.iter().map(|(_, value)| value.bytes() as u64).sum();
        if let Some(report) = self.shared.store.lacks_room(bytes, arriving) {
            return Err(WorkerError::Memory(Arc::new(report)));
        }
        let of = (&*graph, run, engine);
        values.into_iter().map(|(task, value)| Ok((task, self.keep(of, task, value, arriving)?))).collect()
    }

    /// An answer to [`Uplink::fetch`].
    pub fn fetched(&self, fetch: FetchId, answer: FetchAnswer) {
        let awaited = self.look(|state| state.awaited(fetch));
        let answer = match awaited {
            Ok(Some(awaited)) => awaited.keep(&self.shared.store, answer),
            _ => answer,
        };
        // A breakdown is told otherwise.
        let _ = self.shared.change(|state| state.fetched(fetch, answer));
    }

    /// Gives results to another worker or a client: `told` is called with those that are here, at once or by another thread when
    /// they are read. They stay in memory as long as [`Given`] does. What can't be read any more isn't here.
    pub fn values(
        &self,
        run: RunId,
        tasks: &[TaskRange],
        told: impl FnOnce(Given) + Send + 'static,
    ) -> Result<(), WorkerError> {
        self.values_of(0, &tasks.iter().map(|&range| (run, range)).collect::<Vec<_>>(), told)
    }

    /// The same of several runs, for one of those who ask: what one takes in slowly keeps no other one waiting.
    pub fn values_of(
        &self,
        peer: Peer,
        tasks: &[(RunId, TaskRange)],
        told: impl FnOnce(Given) + Send + 'static,
    ) -> Result<(), WorkerError> {
        let lens = tasks.iter().map(|(_, range)| range.end.saturating_sub(range.start));
        let asked = lens.fold(0, u64::saturating_add);
        if asked > MOST_VALUES {
            return Err(WorkerError::TooMany { asked, most: MOST_VALUES });
        }
        let tasks: Vec<_> = tasks.iter().copied().filter(|(_, range)| !range.is_empty()).collect();
        let values = self.look(|state| state.results_of(&tasks))?;
        self.giver.give(peer, Wanted { values, told: Box::new(told) });
        Ok(())
    }

    /// Those of these results that are here and that no store keeps.
    pub fn small_values(&self, run: RunId, tasks: &[TaskRange]) -> Vec<(TaskId, Value)> {
        let tasks: Vec<_> = tasks.iter().map(|&range| (run, range)).collect();
        let found = self.look(|state| state.results_of(&tasks)).unwrap_or_default().into_iter();
        let found = found.filter_map(|(_, task, value)| Some((task, value?)));
        found.filter(|(_, value)| !matches!(value, Value::Stored(_))).collect()
    }

    /// The key of a task that failed, and why, until the run is forgotten.
    pub fn error_of(&self, run: RunId, task: TaskId) -> Option<(String, TaskError)> {
        self.look(|state| state.error_of(run, task)).ok()?
    }

    /// What it holds and has told of, for a scheduler that comes back.
    pub fn inventory(&self) -> Vec<HeldResults> {
        let held = self.look(|state| state.held()).unwrap_or_default();
        held.into_iter().map(|(run, tasks)| HeldResults { run, tasks }).collect()
    }

    /// Another scheduler of the same runs is there, or it has begun anew: what was handed out and hasn't begun is dropped. What runs has
    /// `patience` to end; then [`Uplink::returned`] is called with all that is here, and what still runs is told of when it is done.
    pub fn come_back(&self, patience: Duration) -> Result<(), WorkerError> {
        let deadline = Instant::now() + patience;
        self.change(State::drop_orders)?;
        while !self.look(State::is_idle)? && Instant::now() < deadline {
            std::thread::sleep(GLANCE);
        }
        self.change(State::come_back)
    }

    /// Begins nothing more from now on, and gives it back. Others may still have what is here.
    pub fn close(&self) {
        if self.shared.is_left_behind() {
            return;
        }
        let (_, is_left) = self.shared.change_unheard(State::close);
        if is_left {
            // A scheduler that takes nothing keeps nobody from leaving.
            let shared = self.shared.clone();
            let _ = std::thread::Builder::new().name("raskt-leaves".into()).spawn(move || shared.tell_rest());
        }
    }

    /// The same; and lets what it has begun end and be told of as long as there is time left.
    pub fn wind_down(&self, left: &dyn Fn() -> Duration) {
        // Where nothing has any time nobody would hear of it before the end.
        if self.shared.is_left_behind() || left().is_zero() {
            return;
        }
        self.close();
        while !self.shared.lock().is_at_rest() && !left().is_zero() {
            std::thread::sleep(GLANCE);
        }
    }

    /// The same; then cancels what still runs, and lets go of everything. Threads that can't be stopped go on.
    pub fn shut_down(&self, grace: Duration) {
        if self.shared.is_left_behind() {
            return;
        }
        let deadline = Instant::now() + grace;
        self.wind_down(&|| deadline.saturating_duration_since(Instant::now()));
        let uplink = self.shared.change(|state| state.leave());
        drop(uplink);
        self.shared.work().notify_all();
        while self.shared.lock().pool.live() > 0 && Instant::now() < deadline {
            std::thread::sleep(GLANCE);
        }
        self.shared.recovery.runners.shut_down();
    }

    /// Breaks the worker down as a panic of one of its machines does; for tests of those who use it.
    pub fn break_down(&self, story: &str) {
        let _ = self.shared.change(|_| panic!("{story}"));
    }

    /// Assignments that nobody waits for any more and that threads are still at, since they can't be stopped.
    pub fn strays(&self) -> usize {
        self.shared.lock().strays()
    }

    /// Runs that it knows, whether nothing is being fetched, and what goes on for nobody.
    #[cfg(test)]
    pub(crate) fn leftovers(&self) -> (usize, bool, usize) {
        let state = self.shared.lock();
        let is_fetched = state.head.elsewhere().is_none_or(|elsewhere| elsewhere.fetches.is_empty());
        (state.known_runs(), is_fetched, state.strays())
    }

    /// Where it stands, for whoever looks why it stands still.
    #[cfg(test)]
    pub(crate) fn describe(&self) -> String {
        let report = self.store().report();
        format!("{}; {}; {}", self.shared.lock().describe(), self.giver.describe(), report.unwrap())
    }

    /// The run of the task of this worker that the calling thread is in, the innermost.
    pub fn run_here(&self) -> Option<RunId> {
        run_of(&self.shared)
    }

    /// What tells it from other workers of the process.
    pub fn number(&self) -> u64 {
        u64::from(self.shared.number())
    }

    /// Where its results are.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> Result<T, WorkerError>) -> Result<T, WorkerError> {
        self.shared.change(change).map_err(WorkerError::of)?
    }

    /// Looks at the state. In a fork its lock may be held for ever.
    fn look<T>(&self, look: impl FnOnce(&State) -> T) -> Result<T, WorkerError> {
        if self.shared.is_left_behind() { Err(WorkerError::Forked) } else { Ok(look(&self.shared.lock())) }
    }

    /// A large value goes into the store, and others leave for it.
    fn keep(
        &self,
        (graph, run, engine): (&Graph, RunId, u32),
        task: TaskId,
        value: Value,
        arriving: &Arriving,
    ) -> Result<Value, WorkerError> {
        if StoredRef::of(&value).is_some() || value.bytes() < Store::KEPT_BYTES {
            return Ok(value);
        }
        let facts = facts(graph, (run, engine), task, &value);
        Ok(Value::Stored(self.shared.store.keep_arrived(value, Lineage::none(), facts, arriving)?))
    }
}
