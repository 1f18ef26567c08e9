use crate::handle::{Completion, RunHandle};
use crate::lending::run_of;
use crate::observer::tell_freed;
use crate::runner::Runners;
use crate::state::State;
use crate::{RunError, threads};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Progress, RunId, TaskRange, Ticket};
use raskt_store::{Asker, Broken, Limits, Past, Reply, Store};
use raskt_sync::{Condvar, Mutex, MutexGuard, guard};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The number of runs that never began.
const NO_RUN: RunId = RunId(u64::MAX);

/// How an engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// Threads of the pool; none means that whoever waits runs the tasks.
    pub threads: usize,
    /// Bytes that results and running tasks may hold, where the engine has a store to itself.
    pub memory_limit: u64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, memory_limit: usual_memory_limit() }
    }
}

/// Eight tenths of what the machine or the container has: the rest is for everything else.
pub fn usual_memory_limit() -> u64 {
    raskt_store::machine_memory().map_or(u64::MAX, |bytes| bytes / 10 * 8)
}

/// Runs graphs on the threads of this process.
///
/// Threads start with the first work and live until [`Engine::shut_down`] or the engine's end. A clone is the same engine.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Told when there is work to pick, and when threads are to end.
    work: Condvar,
    pub runners: Runners,
    pub options: EngineOptions,
    pub store: Store,
    /// What the store knows the engine by.
    pub number: u32,
    itself: Weak<Shared>,
}

/// Somebody whose runs nobody waits for, and who has to know if one of them won't be run.
pub trait OwnsRuns: Send + Sync + 'static {
    /// So many of the runs have ended with this error before a thread had begun them. Called without any lock of the engine,
    /// which is in order.
    fn ended_unbegun(&self, runs: usize, error: &RunError);
}

impl Asker for Shared {
    fn answered(&self, replies: Vec<(u64, Reply)>) {
        if let Some(shared) = self.itself.upgrade() {
            let answer = |state: &mut State| {
                replies.into_iter().for_each(|(ticket, reply)| state.answered(Ticket(ticket), reply));
            };
            // All that a break concerns are told of it.
            let _ = shared.change(answer);
        }
    }

    fn store_broke(&self, broken: &Broken) {
        let Some(shared) = self.itself.upgrade() else { return };
        let is_known = shared.lock().broke_for >= broken.number;
        // A thread of the engine may have met it, and runs may have come since.
        if !is_known {
            shared.lock().broke_for = broken.number;
            shared.break_down(&broken.to_string());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.store.leave(self.number);
    }
}

impl Engine {
    /// An engine whose tasks are run by `runners`, with a store of its own.
    pub fn new(options: EngineOptions, runners: Runners) -> Self {
        Self::with_store(options, Store::new(Limits::of_memory(options.memory_limit)), runners)
    }

    /// An engine whose results are in `store`, which others may use as well.
    pub fn with_store(options: EngineOptions, store: Store, runners: Runners) -> Self {
        Self(Arc::new_cyclic(|itself: &Weak<Shared>| {
            let number = store.enlist(itself.clone());
            let state = Mutex::new(State::new(options.threads.max(1) as u32, store.clone(), number));
            Shared { state, work: Condvar::new(), runners, options, store, number, itself: itself.clone() }
        }))
    }

    /// Writes down, in the file `path`, everything that happens to the scheduler, so that it can be looked at and done again
    /// (`raskt_schedule::Flight`). To be called before the first graph is submitted.
    pub fn record_flight(&self, path: &Path) -> std::io::Result<()> {
        self.0.lock().record_flight(path)
    }

    /// Whether a flight record is being written.
    pub fn has_flight_record(&self) -> bool {
        self.0.lock().pilot.is_recorded()
    }

    /// Starts to run what `wanted` needs of `graph`. The run of tasks that the graph doesn't have ends at once.
    ///
    /// Somebody has to wait for it: where no threads can be had, it is whoever waits that runs it.
    pub fn submit(&self, graph: Arc<Graph>, wanted: Vec<TaskId>) -> RunHandle {
        self.submit_of(graph, wanted, None, None)
    }

    /// The same for results that are kept for long: they can be made again of `past`, whose graph has the same tasks.
    pub fn submit_with_past(&self, graph: Arc<Graph>, wanted: Vec<TaskId>, past: Option<Arc<Past>>) -> RunHandle {
        self.submit_of(graph, wanted, None, past)
    }

    /// The same for a run that nobody waits for: `owner` is told if it ends before a thread has begun it.
    pub fn submit_unattended(&self, graph: Arc<Graph>, wanted: Vec<TaskId>, owner: Weak<dyn OwnsRuns>) -> RunHandle {
        self.submit_of(graph, wanted, Some(owner), None)
    }

    fn submit_of(
        &self,
        graph: Arc<Graph>,
        wanted: Vec<TaskId>,
        owner: Option<Weak<dyn OwnsRuns>>,
        past: Option<Arc<Past>>,
    ) -> RunHandle {
        let completion = Arc::new(Completion::default());
        let (wanted, parent) = (TaskRange::of(wanted), run_of(&self.0));
        let submitted = self.0.change(|state| {
            if state.is_shut_down {
                completion.complete(Err(RunError::ShutDown));
            }
            state.submit(graph, wanted, parent, (owner, past), completion.clone())
        });
        let run = submitted.flatten().unwrap_or_else(|error| {
            completion.complete(Err(error));
            NO_RUN
        });
        RunHandle { shared: self.0.clone(), run, completion }
    }

    /// Breaks the engine down as a panic of one of its machines does; for tests of those who use it.
    pub fn break_down(&self, story: &str) {
        let _ = self.0.change(|_| panic!("{story}"));
    }

    /// Ends every run and every thread, and waits for the threads up to `patience`.
    pub fn shut_down(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        // If it breaks down over this, all runs have ended as well.
        let _ = self.0.change(|state| {
            state.is_shut_down = true;
            state.end_all(&RunError::ShutDown);
        });
        self.0.work.notify_all();
        while self.0.lock().pool.live() > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.runners.shut_down();
    }

    /// Where its results are.
    pub fn store(&self) -> &Store {
        &self.0.store
    }
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub fn work(&self) -> &Condvar {
        &self.work
    }

    /// Changes the state, sees to it that threads take up new work, and drops what nobody needs when the lock is gone. If a
    /// machine panics on the way, all runs end with the error that comes back, and the machines begin anew.
    pub fn change<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> Result<T, RunError> {
        let (result, garbage, freed, unbegun) = {
            let mut state = self.state.lock();
            let result = guard(|| {
                let result = change(&mut state);
                threads::wake(self, &mut state);
                result
            });
            let result = result.map_err(|story| state.break_down(story));
            let unbegun = std::mem::take(&mut state.ended_unbegun);
            (result, state.take_garbage(), std::mem::take(&mut state.freed), unbegun)
        };
        drop(garbage);
        tell_freed(&freed);
        tell_owners(unbegun);
        result
    }

    /// Something panicked where the machines don't see it, and would wait for it for ever.
    pub fn break_down(self: &Arc<Self>, story: &str) {
        let _ = self.change(|_| std::panic::panic_any(story.to_owned()));
    }

    pub fn release(self: &Arc<Self>, run: RunId) {
        // A breakdown ends the run as well.
        let _ = self.change(|state| state.release(run));
    }

    pub fn progress(&self, run: RunId) -> Option<Progress> {
        self.state.lock().pilot.scheduler.progress(run)
    }
}

fn tell_owners(mut unbegun: Vec<(Weak<dyn OwnsRuns>, RunError)>) {
    while let Some((owner, error)) = unbegun.pop() {
        let others = unbegun.extract_if(.., |(other, _)| other.ptr_eq(&owner)).count();
        if let Some(owner) = owner.upgrade() {
            owner.ended_unbegun(1 + others, &error);
        }
    }
}
