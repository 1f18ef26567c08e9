//! Results that aren't in memory, and whose files were dropped or bad: the thread that needs one computes it again.
//!
//! It does so alone, task after task: to lend its slot and wait for others would let each loss start one more task, which
//! may meet a loss itself.

mod recompute;

use crate::RunError;
use crate::batch::Stored;
use crate::made::Made;
use crate::runner::{Runner, Runners};
use raskt_store::{Holder, Pins, Store, StoredRef};
use raskt_value::{CancelToken, TaskError, Value};
use std::cell::Cell;
use std::sync::Arc;

/// What it takes to compute a result again.
pub(crate) struct Recovery {
    pub runners: Runners,
    pub store: Store,
}

impl Recovery {
    /// Puts in all of `values` that aren't there, for `holder`, who was promised memory for them.
    pub fn inputs(&self, values: &mut [Value], holder: Holder, cancel: &CancelToken) -> Result<(), TaskError> {
        for value in values {
            if let Some(kept) = StoredRef::of(value) {
                *value = self.found(&kept, Some(holder), cancel).map_err(RunError::into_task_error)?;
            }
        }
        Ok(())
    }

    /// Results that another store keeps become values of their own, which this engine's store may keep. On a failure those
    /// before it are left.
    pub fn adopt(&self, made: &mut Vec<Made>, runner: &dyn Runner, cancel: &CancelToken) -> Result<(), TaskError> {
        for at in 0..made.len() {
            let Made::Here(value) = &made[at] else { continue };
            let Some(kept) = StoredRef::of(value).filter(|kept| !self.store.keeps(kept)) else { continue };
            match unheld(runner, || self.found(&kept, None, cancel)) {
                Ok(value) => made[at] = Made::Here(value),
                Err(error) => {
                    made.truncate(at);
                    return Err(error.into_task_error());
                }
            }
        }
        Ok(())
    }

    pub fn found(
        &self,
        kept: &Arc<StoredRef>,
        holder: Option<Holder>,
        cancel: &CancelToken,
    ) -> Result<Value, RunError> {
        if let Some(value) = kept.fetch().map_err(RunError::Unread)? {
            return Ok(value);
        }
        let value = self.compute(kept.lineage(), cancel)?;
        kept.restore(value, holder).map_err(RunError::Unread)
    }

    /// The value itself, if `value` stands for one that a store keeps.
    pub fn value(&self, value: Value) -> Result<Value, RunError> {
        self.itself(value, &CancelToken::default())
    }

    /// What a task gave: itself, or what it stands for.
    fn itself(&self, value: Value, cancel: &CancelToken) -> Result<Value, RunError> {
        match StoredRef::of(&value) {
            Some(kept) => self.found(&kept, None, cancel),
            None => Ok(value),
        }
    }
}

/// Results that stores keep, for tasks of a runner.
pub(crate) struct Unheld<'a> {
    recovery: &'a Recovery,
    runner: &'a dyn Runner,
    cancel: &'a CancelToken,
    /// Whether one of them was lost.
    has_lost: Cell<bool>,
}

impl<'a> Unheld<'a> {
    pub fn new(recovery: &'a Recovery, runner: &'a dyn Runner, cancel: &'a CancelToken) -> Self {
        Self { recovery, runner, cancel, has_lost: Cell::new(false) }
    }

    /// Whether one of those that were asked for is lost: it can't be read, and isn't made again here.
    pub fn has_lost(&self) -> bool {
        self.has_lost.get()
    }
}

impl Stored for Unheld<'_> {
    fn value(&self, value: Value) -> Result<(Value, Pins), RunError> {
        let Some(kept) = StoredRef::of(&value) else { return Ok((value, Pins::default())) };
        let pins = kept.pin();
        let found = match kept.in_memory() {
            Some(found) => found,
            None => {
                let (recovery, cancel) = (self.recovery, self.cancel);
                let found = unheld(self.runner, || recovery.found(&kept, None, cancel));
                self.has_lost.set(self.has_lost.get() || found.as_ref().is_err_and(RunError::is_loss));
                found?
            }
        };
        Ok((found, pins))
    }
}

/// Calls `wait` while `runner` holds nothing. A result may be on its way to disk, and whoever writes it needs the interpreter:
/// to hold that and wait would stop both for ever.
fn unheld<T: Send>(runner: &dyn Runner, wait: impl FnOnce() -> T + Send) -> T {
    let (mut wait, mut waited) = (Some(wait), None);
    runner.let_wait(&mut || waited = wait.take().map(|wait| wait()));
    waited.expect("a runner calls what it is given")
}
