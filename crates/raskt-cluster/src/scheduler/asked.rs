//! How much data each worker is to fetch, of all runs.

use raskt_schedule::{RunId, WorkerId};
use raskt_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shared by the data of all runs, each of which says what changes.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    counts: Arc<Mutex<Counts>>,
    /// Whose data it is.
    run: RunId,
}

#[derive(Debug, Default)]
struct Counts {
    of: BTreeMap<WorkerId, BTreeMap<RunId, u64>>,
    is_one_free: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Self { counts: Arc::default(), run: RunId(0) }
    }
}

impl Asked {
    /// The same, for the data of a run.
    pub fn of(&self, run: RunId) -> Self {
        Self { run, ..self.clone() }
    }

    /// A worker is to fetch so many more.
    pub fn add(&self, worker: WorkerId, count: u64) {
        if count > 0 {
            *self.counts.lock().of.entry(worker).or_default().entry(self.run).or_default() += count;
        }
    }

    /// So many have come, or are for others to fetch.
    pub fn take(&self, worker: WorkerId, count: u64) {
        let mut counts = self.counts.lock();
        let Some(of_worker) = counts.of.get_mut(&worker) else { return };
        let Some(left) = of_worker.get_mut(&self.run) else { return };
        *left = left.saturating_sub(count);
        if *left == 0 {
            of_worker.remove(&self.run);
        }
        if of_worker.is_empty() {
            counts.of.remove(&worker);
            counts.is_one_free = true;
        }
    }

    /// The runs of whose data a worker is to fetch some.
    pub fn runs(&self, worker: WorkerId) -> Vec<RunId> {
        self.counts.lock().of.get(&worker).map(|runs| runs.keys().copied().collect()).unwrap_or_default()
    }

    /// Whether a worker has nothing to fetch.
    pub fn is_free(&self, worker: WorkerId) -> bool {
        !self.counts.lock().of.contains_key(&worker)
    }

    /// Whether one has come to have nothing to fetch since this was last asked, or may have.
    pub fn is_one_free(&self) -> bool {
        std::mem::take(&mut self.counts.lock().is_one_free)
    }

    /// Somebody has come.
    pub fn one_comes(&self) {
        self.counts.lock().is_one_free = true;
    }
}
