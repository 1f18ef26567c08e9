//! How much data each worker is to fetch, of all runs.

use raskt_schedule::WorkerId;
use raskt_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shared by the data of all runs, each of which says what changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    of: BTreeMap<WorkerId, u64>,
    is_one_free: bool,
}

impl Asked {
    /// A worker is to fetch so many more.
    pub fn add(&self, worker: WorkerId, count: u64) {
        if count > 0 {
            *self.0.lock().of.entry(worker).or_default() += count;
        }
    }

    /// So many have come, or are for others to fetch.
    pub fn take(&self, worker: WorkerId, count: u64) {
        let mut counts = self.0.lock();
        let Some(left) = counts.of.get_mut(&worker) else { return };
        *left = left.saturating_sub(count);
        if *left == 0 {
            counts.of.remove(&worker);
            counts.is_one_free = true;
        }
    }

    /// Whether a worker has nothing to fetch.
    pub fn is_free(&self, worker: WorkerId) -> bool {
        !self.0.lock().of.contains_key(&worker)
    }

    /// Whether one has come to have nothing to fetch since this was last asked, or may have.
    pub fn is_one_free(&self) -> bool {
        std::mem::take(&mut self.0.lock().is_one_free)
    }

    /// Somebody has come.
    pub fn one_comes(&self) {
        self.0.lock().is_one_free = true;
    }
}
