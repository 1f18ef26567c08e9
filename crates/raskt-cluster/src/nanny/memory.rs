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

/// Bytes that a process takes from others; nothing if it has ended, or the system doesn't say. Of files that it has mapped, its libraries
/// among them, nothing counts: the system takes that back when it likes, and no result leaves memory for it.
pub(super) fn taken_bytes(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    match (bytes("RssAnon:"), bytes("RssShmem:")) {
        (Some(own), Some(shared)) => Some(own.saturating_add(shared)),
        // The system doesn't tell them apart.
        _ => bytes("VmRSS:"),
    }
}
