//! What a client knows of a run that is one whole.

use super::failed::TaskFailed;
use raskt_schedule::{Held, TaskRange};
use raskt_sync::Mutex;
use std::sync::Arc;

/// What is known of a run.
pub(crate) struct RunState {
    pub wanted: Vec<TaskRange>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Who holds what is wanted, once all of it is there.
    held: Option<Vec<Held>>,
    /// What was told of that so far.
    coming: Vec<Held>,
    failed: Option<Arc<TaskFailed>>,
    stalled: Option<String>,
}

impl RunState {
    pub fn new(wanted: Vec<TaskRange>) -> Self {
        Self { wanted, known: Mutex::default() }
    }

    pub fn finished(&self, held: Vec<Held>, is_last: bool) {
        let mut known = self.known.lock();
        known.coming.extend(held);
        if is_last {
            known.held = Some(std::mem::take(&mut known.coming));
        }
    }

    /// Who holds its results isn't known any more.
    pub fn go(&self) {
        let mut known = self.known.lock();
        known.held = None;
        known.coming.clear();
    }

    pub fn end(&self, failed: Arc<TaskFailed>) {
        self.known.lock().failed.get_or_insert(failed);
    }

    pub fn stalled(&self, cause: Option<String>) {
        self.known.lock().stalled = cause;
    }

    /// What it waits for, if it can't go on as things are.
    pub fn cause(&self) -> Option<String> {
        self.known.lock().stalled.clone()
    }

    /// Who holds its results, as was told last.
    pub fn held(&self) -> Result<Option<Vec<Held>>, Arc<TaskFailed>> {
        let known = self.known.lock();
        match &known.failed {
            Some(failed) => Err(failed.clone()),
            None => Ok(known.held.clone()),
        }
    }
}
