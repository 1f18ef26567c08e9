//! The engine, as callers see it.

use crate::completion::{Completion, RunResult};
use crate::handle::RunHandle;
use crate::lending::{Loan, run_of};
use crate::options::EngineOptions;
use crate::owner::{OwnsRuns, tell_owners};
use crate::recover::Recovery;
use crate::runner::Runners;
use crate::shared::Shared;
use crate::state::{State, Submitted};
use crate::{RunError, threads};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{RunId, TaskRange};
use raskt_store::{Limits, Past, Store};
use raskt_value::Value;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The number of runs that never began.
const NO_RUN: RunId = RunId(u64::MAX);

/// Runs graphs on the threads of this process.
///
/// Threads start with the first work and live until [`Engine::shut_down`] or the engine's end. A clone is the same engine.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

impl PartialEq for Engine {
    /// Whether both are one engine.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Engine {}

impl Engine {
    /// An engine whose tasks are run by `runners`, with a store of its own.
    pub fn new(options: EngineOptions, runners: Runners) -> Self {
        Self::with_store(options, Store::new(Limits::of_memory(options.memory_limit)), runners)
    }

    /// An engine whose results are in `store`, which others may use as well.
    pub fn with_store(options: EngineOptions, store: Store, runners: Runners) -> Self {
        Self(Shared::new(options, Recovery { runners, store }, threads::wake))
    }

    /// Writes down, in the file `path`, everything that happens to the scheduler, so that it can be looked at and done again
    /// (`raskt_schedule::Flight`). To be called before the first graph is submitted.
    pub fn record_flight(&self, path: &Path) -> std::io::Result<()> {
        self.0.lock().record_flight(path)
    }

    /// Whether a flight record is being written.
    pub fn has_flight_record(&self) -> bool {
        self.0.lock().head.is_recorded()
    }

    /// Starts to run what `wanted` needs of `graph`. The run of tasks that the graph doesn't have ends at once.
    ///
    /// Somebody has to wait for it: where no threads can be had, it is whoever waits that runs it. A task that submits it is
    /// expected to wait at once, and to run what it can of it itself: no thread is woken for it before.
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
        let is_waited_for = parent.is_some() && owner.is_none();
        let submitted = Submitted::new(graph, wanted, parent, (owner.clone(), past), completion.clone());
        let submit = |submitted| {
            let submit = |state: &mut State| {
                if state.is_shut_down {
                    completion.complete(Err(RunError::ShutDown));
                }
                state.is_left_to_waiter = is_waited_for;
                state.submit(submitted)
            };
            // If the engine breaks down over it, the owners of all runs are told: this one's too.
            self.0.change(submit).unwrap_or_else(|error| {
                completion.complete(Err(error));
                Ok(NO_RUN)
            })
        };
        let run = submitted.and_then(submit).unwrap_or_else(|error| {
            completion.complete(Err(error.clone()));
            tell_owners(owner.into_iter().map(|owner| (owner, error.clone())).collect());
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
        self.0.work().notify_all();
        while self.0.lock().pool.live() > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.recovery.runners.shut_down();
    }

    /// Assignments that nobody waits for any more and that threads are still at, since they can't be stopped. They keep the
    /// memory that was promised for them, and beyond one for each slot they keep their slots.
    pub fn strays(&self) -> usize {
        self.0.lock().strays()
    }

    /// Slots that those take up: so many fewer are there for what comes.
    pub fn stray_slots(&self) -> usize {
        self.0.lock().pool.strays_in_places()
    }

    /// Whether this process is a fork of the one that made it: it runs nothing here.
    pub fn is_left_behind(&self) -> bool {
        self.0.is_left_behind()
    }

    /// If the calling thread runs a task, of whichever engine, gives its slot to other tasks until the loan is dropped: for
    /// tasks that wait for something which other tasks bring about.
    pub fn lend_slot() -> Option<SlotLoan> {
        Loan::of_all().map(SlotLoan)
    }

    /// The same of a task that waits for what this process does, as far as is known: it may be to blame for what becomes of that.
    pub fn lend_slot_within() -> Option<SlotLoan> {
        Loan::of_slots().map(SlotLoan)
    }

    /// The same of a task that goes on meanwhile.
    pub fn secede() -> Option<SlotLoan> {
        Loan::of_seceded().map(SlotLoan)
    }

    /// The values themselves, of those that stand for what a store keeps: they are read, or computed again.
    pub fn load(&self, values: Vec<Value>) -> RunResult {
        values.into_iter().map(|value| self.0.recovery.value(value)).collect()
    }

    /// Where its results are.
    pub fn store(&self) -> &Store {
        &self.0.store
    }
}

/// A slot that a waiting task has lent to others; it comes back when this is dropped.
pub struct SlotLoan(Loan);

impl SlotLoan {
    /// Whether the task had a slot to give that others don't have already: one that has seceded has none.
    pub fn has_slot(&self) -> bool {
        self.0.has_own()
    }
}
