//! When the process is looked at.

use crate::machine;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Says when to look at what the process has.
pub(crate) struct ProcessWatch {
    since: Instant,
    /// Bytes that the process has beside results and tasks; nobody watches if they aren't known.
    baseline: AtomicU64,
    /// When somebody looked last, in milliseconds since then; when he did since a task had ended; and when freed memory was given
    /// back for what was seen, all of it or what the allocator of this program keeps.
    looked: AtomicU64,
    looked_at_end: AtomicU64,
    trimmed: AtomicU64,
    purged: AtomicU64,
}

const UNKNOWN: u64 = u64::MAX;

/// How long from one look to the next at least: a look takes some microseconds.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// The same of what the allocator of this program keeps: that takes less, but what is used again comes anew from the system.
const PURGE: Duration = Duration::from_millis(50);

/// How long freed memory is left alone after it was given back: that takes milliseconds.
const TRIM: Duration = Duration::from_secs(1);

impl ProcessWatch {
    pub fn new() -> Self {
        let [looked, looked_at_end, trimmed, purged] = [0; 4].map(AtomicU64::new);
        Self { since: Instant::now(), baseline: AtomicU64::new(UNKNOWN), looked, looked_at_end, trimmed, purged }
    }

    pub fn set(&self, baseline: u64) {
        self.baseline.store(baseline, Ordering::Relaxed);
    }

    /// Whether it is the first time, or so long ago; of several who ask, one is told so.
    fn is_due(&self, last: &AtomicU64, after: Duration) -> bool {
        let now = self.since.elapsed().as_millis() as u64 + 1;
        let before = last.load(Ordering::Relaxed);
        let is_due = before == 0 || now - before.min(now) >= after.as_millis() as u64;
        is_due && last.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// When it is, in milliseconds, and what the process has beyond the baseline, if it is time to look.
    pub fn taken(&self) -> Option<(u64, u64)> {
        self.taken_since(&self.looked)
    }

    /// The same at the end of a task.
    pub fn taken_at_end(&self) -> Option<(u64, u64)> {
        self.taken_since(&self.looked_at_end)
    }

    fn taken_since(&self, last: &AtomicU64) -> Option<(u64, u64)> {
        let baseline = self.baseline.load(Ordering::Relaxed);
        if baseline == UNKNOWN || !self.is_due(last, LOOK) {
            return None;
        }
        let at = self.since.elapsed().as_millis() as u64;
        Some((at, self.taken_now()?))
    }

    /// What the process has beyond the baseline, whoever looked before.
    pub fn taken_now(&self) -> Option<u64> {
        let baseline = Some(self.baseline.load(Ordering::Relaxed)).filter(|baseline| *baseline != UNKNOWN)?;
        Some(machine::own_bytes()?.saturating_sub(baseline))
    }

    /// Whether that may be given back which the allocator of this program keeps.
    pub fn may_purge(&self) -> bool {
        self.is_due(&self.purged, PURGE)
    }

    /// Whether freed memory may be given back for what was seen.
    pub fn may_trim(&self) -> bool {
        self.is_due(&self.trimmed, TRIM)
    }
}
