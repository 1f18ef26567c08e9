//! Memory that the process has taken and that nobody was promised: objects whose size doesn't show, what tasks hold while
//! they run, what libraries keep.
//!
//! It is measured now and then by whoever asks for memory, and while somebody waits. Little of it is nothing (allocators
//! keep some of what was freed), a peak between two looks is nothing, and what has grown goes down step by step. It counts
//! like results: so others leave memory earlier, and fewer tasks run at once. One always may.

use std::collections::VecDeque;

/// What was seen of the process.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    /// The last looks.
    recent: VecDeque<u64>,
    /// How many tasks ran at the last looks.
    running: VecDeque<usize>,
    /// Bytes beyond what is known of.
    pub bytes: u64,
    /// Bytes that a running task is taken to add, from how many ran when they were seen.
    pub each: u64,
    /// The most that there were.
    pub peak: u64,
}

/// Looks in a row that have to agree.
const LOOKS: usize = 2;

/// Looks of which the one with most running tasks counts, for what each of them adds.
const LOOKS_EACH: usize = 8;

/// What counts for nothing, in bytes and in shares of the limit.
const TOLERANCE_BYTES: u64 = 64 << 20;
const TOLERANCE_SHARE: u64 = 16;

/// The share of what was seen that goes with each look that doesn't see it any more, and of what tasks are taken to add.
const FADES: u64 = 8;
const FADES_EACH: u64 = 256;

impl Unseen {
    /// The process has `excess` bytes that are known of nowhere, while `running` tasks run.
    pub fn saw(&mut self, excess: u64, running: usize, limit: u64) {
        self.recent.push_back(excess);
        if self.recent.len() > LOOKS {
            self.recent.pop_front();
        }
        let least = self.recent.iter().copied().min().unwrap_or(0);
        let tolerance = tolerance(limit);
        let sure = if self.recent.len() == LOOKS && least >= tolerance { least } else { 0 };
        let faded = self.bytes - self.bytes / FADES;
        self.bytes = sure.max(if faded >= tolerance { faded } else { 0 });
        self.running.push_back(running);
        if self.running.len() > LOOKS_EACH {
            self.running.pop_front();
        }
        let running = self.running.iter().copied().max().unwrap_or(0).max(1) as u64;
        self.each = (self.each - self.each.div_ceil(FADES_EACH)).max(sure / running);
        self.peak = self.peak.max(self.bytes);
    }

    /// Whether so much may be what allocators keep of freed memory.
    pub fn is_suspicious(excess: u64, limit: u64) -> bool {
        excess >= tolerance(limit)
    }
}

fn tolerance(limit: u64) -> u64 {
    TOLERANCE_BYTES.max(limit / TOLERANCE_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_peak_is_nothing_and_what_stays_counts_until_it_goes() {
        let mut unseen = Unseen::default();
        for excess in [0, GIB, 0, GIB, 0, GIB] {
            unseen.saw(excess, 2, GIB);
            assert_eq!((unseen.bytes, unseen.each), (0, 0));
        }
        unseen.saw(GIB / 2, 1, GIB);
        assert_eq!((unseen.bytes, unseen.each), (GIB / 2, GIB / 4));
        let mut last = unseen.bytes;
        for _ in 0..40 {
            unseen.saw(0, 2, GIB);
            assert!(unseen.bytes <= last);
            last = unseen.bytes;
        }
        assert_eq!((unseen.bytes, unseen.peak), (0, GIB / 2));
        assert!(unseen.each > 0, "what tasks are taken to add is forgotten later");
        (0..10_000).for_each(|_| unseen.saw(0, 2, GIB));
        assert_eq!(unseen.each, 0);
    }

    #[test]
    fn little_is_nothing() {
        let mut unseen = Unseen::default();
        for _ in 0..10 {
            unseen.saw(TOLERANCE_BYTES - 1, 1, GIB / 2);
        }
        assert_eq!(unseen.bytes, 0);
    }
}
