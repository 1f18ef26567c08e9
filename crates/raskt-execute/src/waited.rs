//! For how long the tasks of a thread have waited, with their slots given to others: what ran meanwhile in their place counts for
//! itself.

use std::cell::Cell;
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
}

impl Pause {
    pub fn begin() -> Self {
        Self { began: Instant::now(), before: waited() }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        // Of what ran meanwhile, the waits are a part of this one.
        WAITED.set(self.before + self.began.elapsed());
    }
}
