//! The end of a run, and those who wait for it.

use crate::RunError;
use raskt_sync::{Condvar, Mutex};
use raskt_value::Value;
use std::time::Instant;

/// What a run gave: its wanted results in the order in which they were asked for.
pub type RunResult = Result<Vec<Value>, RunError>;

/// Where the end of a run is told.
#[derive(Default)]
pub(crate) struct Completion {
    result: Mutex<Option<RunResult>>,
    nudges: Mutex<u64>,
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

    /// What it was completed with; once.
    pub fn take(&self) -> Option<RunResult> {
        self.result.lock().take()
    }

    /// Lets those who wait look whether there is something that they can do.
    pub fn nudge(&self) {
        // Who is about to wait holds the result: he is told, or sees it before.
        let _result = self.result.lock();
        *self.nudges.lock() += 1;
        self.changed.notify_all();
    }

    /// How often somebody was nudged.
    pub fn nudges(&self) -> u64 {
        *self.nudges.lock()
    }

    /// Waits until it is complete, or somebody is nudged beyond the first `nudges` times; up to `until`.
    pub fn wait(&self, nudges: u64, until: Instant) {
        let mut result = self.result.lock();
        while result.is_none() && self.nudges() == nudges && Instant::now() < until {
            (result, _) = self.changed.wait_until(result, until);
        }
    }
}
