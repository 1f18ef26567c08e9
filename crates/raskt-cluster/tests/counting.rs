//! Stories that count how often tasks run in this process, one at a time.

mod cut;
mod restart;
mod workplace;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    workplace::COUNTS.store(true, Ordering::Relaxed);
    workplace::RUNS.lock().unwrap().clear();
    guard
}

/// Not a test, but the process of a scheduler that is killed, when it is called as such.
#[test]
fn scheduler_process() {
    workplace::killed::be_scheduler();
}
