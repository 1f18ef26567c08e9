use crate::RunError;
use crate::engine::Shared;
use parking_lot::{Condvar, Mutex};
use raskt_schedule::{Progress, RunId};
use raskt_value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// On an engine without threads this is what runs the tasks.
    pub fn wait_timeout(&self, timeout: Duration) -> Option<RunResult> {
        let deadline = Instant::now() + timeout;
        if self.shared.options.threads == 0 {
            self.shared.work_until(deadline, || self.completion.is_complete());
            return self.completion.result.lock().take();
        }
        let _lent = self.shared.lend_slot();
        let mut slot = self.completion.result.lock();
        while slot.is_none() {
            if self.completion.changed.wait_until(&mut slot, deadline).timed_out() {
                break;
            }
        }
        slot.take()
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

    /// How far the run has come.
    pub fn progress(&self) -> Option<Progress> {
        self.shared.progress(self.run)
    }
}

impl Drop for RunHandle {
    fn drop(&mut self) {
        self.shared.release(self.run);
    }
}
