//! Garbage in cycles. Python collects it by how many objects there are and not by what they have: a few large ones that hold themselves
//! stay until somebody ends the process for them.

use super::bound::of_worker;
use pyo3::prelude::*;
use raskt_store::give_back_freed;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The process in which it is looked for.
static WATCHED: AtomicU32 = AtomicU32::new(0);

/// How often it is looked whether it is worth it.
const GLANCE: Duration = Duration::from_millis(200);

/// It is, where the process has this part of all that it may have, which nobody was promised, and more than was found to be in use.
const PART: u64 = 8;

/// Collecting takes no more than this part of the time: Python does nothing else meanwhile.
const PART_OF_TIME: u32 = 20;

/// From now on a process that is ended for what it takes collects garbage before, on a thread of its own: it may wait long for Python.
pub(super) fn watch() {
    let process = std::process::id();
    if WATCHED.swap(process, Ordering::Relaxed) == process {
        return;
    }
    let glances = || {
        let mut left = 0;
        loop {
            std::thread::sleep(GLANCE);
            let Some((store, limit)) = of_worker() else { continue };
            left = store.unpromised().min(left);
            if store.unpromised() - left > limit / PART {
                std::thread::sleep(collected() * PART_OF_TIME);
                // It is in use, and no garbage: it isn't looked for again before there is as much more.
                store.look();
                left = store.unpromised();
            }
        }
    };
    // Without a thread Python does it when it does.
    let _ = std::thread::Builder::new().name("raskt-garbage".into()).spawn(glances);
}

/// Collects it, and says how long that took.
fn collected() -> Duration {
    let began = Python::try_attach(|py| {
        let began = Instant::now();
        // Whose collection fails has lost nothing.
        let _ = py.import("gc").and_then(|module| module.call_method0("collect"));
        began
    });
    give_back_freed();
    began.map_or(Duration::ZERO, |began| began.elapsed())
}
