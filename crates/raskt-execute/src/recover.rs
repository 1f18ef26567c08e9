//! Results that aren't in memory, and whose files were dropped or bad: the thread that needs one computes it again.
//!
//! It does so alone, task after task: to lend its slot and wait for others would let each loss start one more task, which
//! may meet a loss itself.

mod again;

use crate::RunError;
use crate::batch::Made;
use crate::engine::Shared;
use crate::execution::Execution;
use raskt_store::{Holder, Kept};
use raskt_value::{CancelToken, TaskError, Value};
use std::sync::Arc;

/// Puts in all inputs that aren't there; the tasks fail if one can't be had.
pub(crate) fn inputs(shared: &Arc<Shared>, execution: &mut Execution) {
    if execution.is_whole {
        return;
    }
    execution.is_whole = true;
    let holder = Holder { asker: shared.number, ticket: execution.ticket.0 };
    for value in &mut execution.reads.outside {
        let Some(kept) = Kept::of(value) else { continue };
        match found(shared, &kept, Some(holder), &execution.cancel) {
            Ok(found) => *value = found,
            Err(error) => {
                execution.failure = Some(TaskError::new(error.kind(), error.to_string()));
                return;
            }
        }
    }
}

/// Results that another store keeps become values of their own, which this engine's store may keep. On a failure those
/// before it are left.
pub(crate) fn adopt(shared: &Arc<Shared>, made: &mut Vec<Made>, cancel: &CancelToken) -> Result<(), TaskError> {
    for at in 0..made.len() {
        let Made::Here(value) = &made[at] else { continue };
        let Some(kept) = Kept::of(value).filter(|kept| !shared.store.keeps(kept)) else { continue };
        match found(shared, &kept, None, cancel) {
            Ok(value) => made[at] = Made::Here(value),
            Err(error) => {
                made.truncate(at);
                return Err(TaskError::new(error.kind(), error.to_string()));
            }
        }
    }
    Ok(())
}

/// The value itself, if `value` stands for one that a store keeps.
pub(crate) fn value(shared: &Arc<Shared>, value: Value) -> Result<Value, RunError> {
    itself(shared, value, &CancelToken::default())
}

fn found(
    shared: &Arc<Shared>,
    kept: &Arc<Kept>,
    holder: Option<Holder>,
    cancel: &CancelToken,
) -> Result<Value, RunError> {
    if let Some(value) = kept.fetch() {
        return Ok(value);
    }
    let value = again::compute(shared, kept.lineage(), cancel)?;
    kept.restore(value.clone(), holder);
    Ok(value)
}

/// What a task gave: itself, or what it stands for.
fn itself(shared: &Arc<Shared>, value: Value, cancel: &CancelToken) -> Result<Value, RunError> {
    match Kept::of(&value) {
        Some(kept) => found(shared, &kept, None, cancel),
        None => Ok(value),
    }
}
