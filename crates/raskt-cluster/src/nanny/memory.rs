//! Whether a process has held too much memory for too long.

use std::time::Duration;

/// The part of its limit, in percent, beyond which a worker is ended: it has had every chance to write results to disk by then.
const TERMINATE_PERCENT: u128 = 95;

/// What is known of the memory of one process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Excess {
    since: Option<Duration>,
}

impl Excess {
    /// It takes `taken` bytes now; says whether that has been too much for `patience`.
    pub fn handle(&mut self, now: Duration, taken: u64, limit: u64, patience: Duration) -> bool {
        if u128::from(taken) * 100 <= u128::from(limit) * TERMINATE_PERCENT {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        now.saturating_sub(since) >= patience
    }
}
