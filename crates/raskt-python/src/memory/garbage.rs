//! Garbage in cycles. Python collects it by how many objects there are and not by what they have: some large ones that hold themselves
//! stay until somebody ends the process for them. A process that may be ended collects it by its bytes.

use super::bound::{is_bound, of_worker};
use crate::ending::attached;
use pyo3::prelude::*;
use raskt_execute::Store;
use raskt_store::give_back_freed;
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The process in which it is looked for, be there tasks that end or not.
static WATCHED: AtomicU32 = AtomicU32::new(0);

/// How often it is looked at most, when tasks end and otherwise: tasks may leave gigabytes a second.
const BETWEEN_TASKS: Duration = Duration::from_millis(10);
const GLANCE: Duration = Duration::from_millis(200);

/// It may be garbage, where the process has this part of all that it may have, of which nobody knows, and more than was found to be
/// in use.
const PART: u64 = 8;

/// Collecting what turns out to be in use takes no more than this part of the time, and less each time: Python does nothing else
/// meanwhile.
const PART_OF_TIME: u32 = 20;

/// Where there is such a part more it is collected all the same: the rest may be gone before that time is over.
const URGENT: u64 = 4;

/// How often the pause is twice as long.
const MOST_DOUBLED: u32 = 6;

static GARBAGE: Mutex<Garbage> = Mutex::new(Garbage { looked: None, in_use: 0, not_before: None, in_vain: 0 });

struct Garbage {
    looked: Option<Instant>,
    /// Bytes that were there after it was collected last, or fewer that were there since.
    in_use: u64,
    not_before: Option<Instant>,
    /// How often there was none, one time after the other.
    in_vain: u32,
}

/// From now on a process that is ended for what it takes collects garbage before, on a thread of its own: it may wait long for Python.
pub(super) fn watch() {
    let process = std::process::id();
    if WATCHED.swap(process, Ordering::Relaxed) == process {
        return;
    }
    let glances = || {
        loop {
            std::thread::sleep(GLANCE);
            // No lock is held without the interpreter: who forks has that, and the child would have the lock for ever.
            attached(|py| much().map(|(store, limit)| collect(py, &store, limit)));
        }
    };
    // Without a thread it is collected when tasks end.
    let _ = std::thread::Builder::new().name("raskt-garbage".into()).spawn(glances);
}

/// A task has ended.
pub(crate) fn task_ended(py: Python<'_>) {
    if WATCHED.load(Ordering::Relaxed) != 0
        && let Some((store, limit)) = much()
    {
        collect(py, &store, limit);
    }
}

/// The store of this process and all that it may have, where much of that may be garbage.
fn much() -> Option<(Store, u64)> {
    {
        let mut garbage = GARBAGE.try_lock()?;
        let now = Instant::now();
        let is_soon = garbage.looked.is_some_and(|looked| now - looked < BETWEEN_TASKS);
        if is_soon || !is_bound(std::process::id()) {
            return None;
        }
        garbage.looked = Some(now);
    }
    let (store, limit) = of_worker()?;
    let beside = store.beside()?;
    GARBAGE.try_lock()?.may_be(beside, limit).then_some((store, limit))
}

impl Garbage {
    /// Whether so many bytes may be garbage.
    fn may_be(&mut self, beside: u64, limit: u64) -> bool {
        let is_paused = self.not_before.is_some_and(|then| Instant::now() < then);
        if !is_paused {
            // What comes and goes with each task is no more garbage than before.
            self.in_use = self.in_use.min(beside);
        }
        beside.saturating_sub(self.in_use) > limit / if is_paused { URGENT } else { PART }
    }
}

fn collect(py: Python<'_>, store: &Store, limit: u64) {
    let (before, began) = (store.beside().unwrap_or(0), Instant::now());
    // It may have gone while Python was waited for.
    if !GARBAGE.try_lock().is_some_and(|mut garbage| garbage.may_be(before, limit)) {
        return;
    }
    // Whose collection fails has lost nothing.
    let _ = py.import("gc").and_then(|module| module.call_method0("collect"));
    give_back_freed();
    let after = store.beside().unwrap_or(0);
    if let Some(mut garbage) = GARBAGE.try_lock() {
        garbage.in_use = after;
        let is_in_vain = before.saturating_sub(after) < limit / PART / 2;
        garbage.in_vain = if is_in_vain { (garbage.in_vain + 1).min(MOST_DOUBLED) } else { 0 };
        let pause = began.elapsed() * PART_OF_TIME * (1 << garbage.in_vain);
        garbage.not_before = is_in_vain.then(|| Instant::now() + pause);
    }
    // Whoever was to wait for memory needn't.
    store.look();
}
