//! A run, as whoever submitted it sees it.

use crate::RunError;
use crate::completion::{Completion, RunResult};
use crate::execution::Execution;
use crate::lending::Waiting;
use crate::shared::Shared;
use crate::threads::run_stretch;
use raskt_schedule::{Progress, RunId};
use raskt_value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A run that was submitted. Dropping it cancels the run if it hasn't ended, and lets go of its results.
pub struct RunHandle {
    pub(crate) shared: Arc<Shared>,
    pub(crate) run: RunId,
    pub(crate) completion: Arc<Completion>,
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
        values.into_iter().map(|value| self.shared.recovery.value(value)).collect()
    }

    /// Waits as [`Self::wait_timeout`] does, and leaves large results where they are: some of what comes back only stands
    /// for them ([`Value::Stored`]).
    pub fn wait_timeout_kept(&self, timeout: Duration) -> Option<RunResult> {
        let deadline = Instant::now() + timeout;
        let mut waiting = Waiting::begin(&self.shared, self.run);
        loop {
            if self.shared.is_left_behind() {
                return Some(Err(RunError::Forked));
            }
            if let Some(result) = self.completion.take() {
                waiting.ended();
                return Some(result);
            }
            if Instant::now() >= deadline {
                return None;
            }
            let nudges = self.completion.nudges();
            match waiting.next() {
                Some(execution) => self.run_while_waiting(execution, deadline, &mut waiting),
                None => self.wait_for_others(deadline, nudges, &mut waiting),
            }
        }
    }

    fn run_while_waiting(&self, execution: Execution, deadline: Instant, waiting: &mut Waiting<'_>) {
        run_stretch(&self.shared, execution, &mut |state, kind| {
            let goes_on = !state.has_ended(self.run) && Instant::now() < deadline;
            if goes_on { waiting.pick_of(state, kind) } else { None }
        });
    }

    fn wait_for_others(&self, deadline: Instant, nudges: u64, waiting: &mut Waiting<'_>) {
        waiting.pause();
        if self.shared.store.help() {
            return;
        }
        // Without threads, another caller may be at the work that this one waits for, or leave work to it.
        let until = waiting.glance().map_or(deadline, |glance| deadline.min(Instant::now() + glance));
        self.completion.wait(nudges, until);
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
        if self.shared.is_left_behind() {
            return;
        }
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

impl Drop for RunHandle {
    fn drop(&mut self) {
        self.shared.release(self.run);
    }
}
