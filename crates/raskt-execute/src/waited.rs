//! For how long the tasks of a thread have waited, with their slots given to others: what ran meanwhile in their place counts for
//! itself.

use std::cell::Cell;
use std::thread::{ThreadId, current};
use std::time::{Duration, Instant};

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// How long that is in all, for the calling thread.
pub(crate) fn waited() -> Duration {
    WAITED.get()
}

/// While it lives, the tasks of this thread wait.
pub(crate) struct Pause {
    began: Instant,
    /// What they had waited until then.
    before: Duration,
    thread: ThreadId,
}

impl Pause {
    pub fn begin() -> Self {
        Self { began: Instant::now(), before: waited(), thread: current().id() }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        // Another thread may be the one that ends it.
        if self.thread != current().id() {
            return;
        }
        // Of what ran meanwhile, the waits are a part of this one.
        WAITED.set(self.before + self.began.elapsed());
    }
}
