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
    /// It has `resident` bytes now; says whether that has been too much for `patience`.
    pub fn handle(&mut self, now: Duration, resident: u64, limit: u64, patience: Duration) -> bool {
        if u128::from(resident) * 100 <= u128::from(limit) * TERMINATE_PERCENT {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        now.saturating_sub(since) >= patience
    }
}

/// Bytes that a process has resident; nothing if it has ended, or the system doesn't say.
pub(super) fn resident_bytes(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}
