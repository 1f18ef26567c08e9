use crate::engine::{Lent, Shared};
use crate::{Engine, RunError, recover};
use raskt_schedule::{Progress, RunId};
use raskt_store::sync::{Condvar, Mutex};
use raskt_value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a caller of an engine without threads looks for work while another caller is at it.
const GLANCE: Duration = Duration::from_millis(1);

/// What a run gave: its wanted results in the order in which they were asked for.
pub type RunResult = Result<Vec<Value>, RunError>;

/// A run that was submitted. Dropping it cancels the run if it hasn't ended, and lets go of its results.
pub struct RunHandle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) run: RunId,
    pub(crate) completion: Arc<Completion>,
}

/// Where the end of a run is told.
#[derive(Default)]
pub(crate) struct Completion {
    result: Mutex<Option<RunResult>>,
    changed: Condvar,
}

impl Completion {
    pub fn complete(&self, result: RunResult) {
        let mut slot = self.result.lock();
        if slot.is_none() {
            *slot = Some(result);
            self.changed.notify_all();
        }
    }

    pub fn is_complete(&self) -> bool {
        self.result.lock().is_some()
    }
}

impl RunHandle {
    /// Waits until the run has ended, or until `timeout` has passed; the result is there once.
    ///
    /// On an engine without threads this is what runs the tasks. Results that are on disk are read, which may take longer.
    pub fn wait_timeout(&self, timeout: Duration) -> Option<RunResult> {
        self.wait_timeout_kept(timeout).map(|result| self.load(result?))
    }

    /// The same results in memory: those that a store keeps are read, or computed again.
    pub fn load(&self, values: Vec<Value>) -> RunResult {
        values.into_iter().map(|value| recover::value(&self.shared, value)).collect()
    }

    /// Waits as [`Self::wait_timeout`] does, and leaves large results where they are: some of what comes back only stands
    /// for them ([`Value::Kept`]).
    pub fn wait_timeout_kept(&self, timeout: Duration) -> Option<RunResult> {
        let deadline = Instant::now() + timeout;
        let _lent = Shared::lend_slot();
        let has_threads = self.shared.options.threads > 0;
        loop {
            if !has_threads {
                self.shared.work_until(deadline, || self.completion.is_complete());
            }
            let mut slot = self.completion.result.lock();
            if slot.is_some() || Instant::now() >= deadline {
                return slot.take();
            }
            // Without threads, another caller may be at the work that this one waits for, or leave work to it.
            let until = if has_threads { deadline } else { deadline.min(Instant::now() + GLANCE) };
            drop(self.completion.changed.wait_until(slot, until));
        }
    }

    /// Waits until the run has ended.
    pub fn wait(&self) -> RunResult {
        loop {
            if let Some(result) = self.wait_timeout(Duration::from_secs(3600)) {
                return result;
            }
        }
    }

    /// Stops the run: no further task starts, and a wait ends with [`RunError::Cancelled`]. Tasks that run already are
    /// told, and their results count for nothing.
    pub fn cancel(&self) {
        self.completion.complete(Err(RunError::Cancelled));
        self.shared.release(self.run);
    }

    /// Whether the run has ended.
    pub fn is_done(&self) -> bool {
        self.completion.is_complete()
    }

    /// How far the run has come.
    pub fn progress(&self) -> Option<Progress> {
        self.shared.progress(self.run)
    }
}

impl Engine {
    /// If the calling thread runs a task, of whichever engine, gives its slot to other tasks until the loan is dropped: for
    /// tasks that wait for something which other tasks bring about.
    pub fn lend_slot() -> Option<SlotLoan> {
        Shared::lend_slot().map(SlotLoan)
    }
}

/// A slot that a waiting task has lent to others; it comes back when this is dropped.
pub struct SlotLoan(#[expect(dead_code, reason = "kept only to be dropped later")] Lent);

impl Drop for RunHandle {
    fn drop(&mut self) {
        self.shared.release(self.run);
    }
}
