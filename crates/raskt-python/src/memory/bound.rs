//! A process that somebody ends if it takes more memory than it may.

use super::{CURRENT, Current, current, garbage};
use pyo3::prelude::*;
use raskt_execute::Store;
use raskt_store::{ProcessLimit, give_back_freed, keep_little_freed, taken_bytes};
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The process; 0 if there is none. Its forks are nobody's.
static BOUND: AtomicU32 = AtomicU32::new(0);

/// The process whose store is watched.
static WATCHED: AtomicU32 = AtomicU32::new(0);

/// The store of its worker, if that isn't the one of the process, and what the process may have.
static OF_WORKER: Mutex<Option<(Store, u64)>> = Mutex::new(None);

/// How often it is looked at, whatever goes on: oftener than it may take too much without being ended.
const GLANCE: Duration = Duration::from_millis(200);

/// A part of all that the process may have that it may have beside, whatever it has.
const PART_BESIDE: u64 = 10;

pub(super) fn is_bound(process: u32) -> bool {
    BOUND.load(Ordering::Relaxed) == process
}

/// From now on somebody ends this process if it takes more than its limit: results have less, so that there is room for what shows
/// too late.
#[pyfunction]
pub(super) fn bind_memory() {
    BOUND.store(std::process::id(), Ordering::Relaxed);
    CURRENT.lock().iter().for_each(Current::set_limits);
}

/// The same of a process whose worker has a store of its own, and `memory` bytes for all.
pub(crate) fn bind_worker(store: &Store, memory: u64) {
    BOUND.store(std::process::id(), Ordering::Relaxed);
    *OF_WORKER.lock() = Some((store.clone(), memory));
    garbage::watch();
}

/// The store that has the results of the worker that this process is, and all that the process may have.
pub(super) fn of_worker() -> Option<(Store, u64)> {
    if !is_bound(std::process::id()) {
        return None;
    }
    let own = OF_WORKER.lock().clone();
    own.or_else(current)
}

/// Results of this store leave for what the process is found to have that nobody was promised, also while nothing runs and nobody asks.
///
/// The thread asks nobody which store it is: somebody else may fork while it did.
pub(super) fn watch(store: &Store) {
    let process = std::process::id();
    if WATCHED.swap(process, Ordering::Relaxed) == process {
        return;
    }
    let store = store.clone();
    let glances = move || {
        loop {
            std::thread::sleep(GLANCE);
            store.look();
        }
    };
    // Without a thread it is looked at when tasks end, as elsewhere.
    let _ = std::thread::Builder::new().name("raskt-memory".into()).spawn(glances);
}

/// Bytes that the process has beside results for a while, until this goes: results leave for them, where that can be.
pub(crate) struct Beside {
    store: Store,
    bytes: u64,
}

/// So many bytes are there for a while, in a process that is ended if it takes too much.
pub(crate) fn have_beside(bytes: usize) -> Option<Beside> {
    let (store, _) = of_worker()?;
    let bytes = bytes as u64;
    store.hold_unasked(bytes);
    Some(Beside { store, bytes })
}

/// Whether this process may have so many bytes more for a moment, and isn't ended for that. What is a small part of all that it may have
/// is within what it has left in any case.
pub(crate) fn fits_beside(bytes: u64) -> bool {
    let Some((_, limit)) = of_worker().filter(|(_, limit)| bytes > limit / PART_BESIDE) else { return true };
    let roughly = limit.saturating_sub(bytes) / 2;
    let taken = || taken_bytes(std::process::id(), roughly);
    let bears = || taken().is_none_or(|taken| ProcessLimit(limit).bears(taken.saturating_add(bytes)));
    // Some of it may be what allocators keep of memory that was freed.
    bears() || {
        keep_little_freed();
        give_back_freed();
        bears()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.store.let_go_small(self.bytes);
    }
}
