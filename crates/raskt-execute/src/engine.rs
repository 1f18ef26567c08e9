use crate::handle::{Completion, RunHandle};
use crate::observer::tell_freed;
use crate::runner::Runners;
use crate::state::State;
use crate::{RunError, threads};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Progress, RunId, Ticket};
use raskt_store::sync::{Condvar, Mutex, MutexGuard};
use raskt_store::{Asker, Limits, Reply, Store};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

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
pub struct Engine(Arc<Shared>);

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

impl Asker for Shared {
    fn answered(&self, replies: Vec<(u64, Reply)>) {
        if let Some(shared) = self.itself.upgrade() {
            shared
                .change(|state| replies.into_iter().for_each(|(ticket, reply)| state.answered(Ticket(ticket), reply)));
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

    /// Starts to run what `wanted` needs of `graph`.
    pub fn submit(&self, graph: Arc<Graph>, wanted: Vec<TaskId>) -> RunHandle {
        let completion = Arc::new(Completion::default());
        let run = self.0.change(|state| {
            if state.is_shut_down {
                completion.complete(Err(RunError::ShutDown));
            }
            state.submit(graph, wanted, completion.clone())
        });
        RunHandle { shared: self.0.clone(), run, completion }
    }

    /// Ends every run and every thread, and waits for the threads up to `patience`.
    pub fn shut_down(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        self.0.change(|state| {
            state.is_shut_down = true;
            state.end_all(&RunError::ShutDown);
        });
        self.0.work.notify_all();
        while self.0.lock().live_threads > 0 && Instant::now() < deadline {
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

    /// Changes the state, sees to it that threads take up new work, and drops what nobody needs when the lock is gone.
    pub fn change<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> T {
        let (result, garbage, freed) = {
            let mut state = self.state.lock();
            let result = change(&mut state);
            threads::wake(self, &mut state);
            (result, state.take_garbage(), std::mem::take(&mut state.freed))
        };
        drop(garbage);
        tell_freed(&freed);
        result
    }

    pub fn release(self: &Arc<Self>, run: RunId) {
        self.change(|state| state.release(run));
    }

    pub fn progress(&self, run: RunId) -> Option<Progress> {
        self.state.lock().pilot.scheduler.progress(run)
    }

    /// Runs tasks on this thread until `is_done` or until `deadline`.
    pub fn work_until(self: &Arc<Self>, deadline: Instant, is_done: impl Fn() -> bool) {
        while !is_done() && Instant::now() < deadline {
            let Some(execution) = self.lock().pick() else { return };
            threads::run_stretch(self, execution, &mut || !is_done() && Instant::now() < deadline);
        }
    }

    /// If this thread runs a task, of whichever engine, gives its slot to other tasks until the guard is dropped, so that
    /// tasks that wait for tasks don't starve them.
    pub fn lend_slot() -> Option<Lent> {
        threads::works_for().map(|shared| {
            shared.store.lend(true);
            shared.change(|state| {
                state.lent_slots += 1;
                state.blocked_threads += 1;
                state.resize();
            });
            Lent(shared)
        })
    }
}

/// A slot that was lent.
pub(crate) struct Lent(Arc<Shared>);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.store.lend(false);
        self.0.change(|state| {
            state.lent_slots -= 1;
            state.blocked_threads -= 1;
            state.resize();
        });
    }
}
