//! What results may have of the memory of a process that is ended if it takes too much.

/// Bytes that a process may have. Somebody watches it, and ends it when it has had more than 95 % of them for a while, or far more at
/// all: what results and running tasks have stays below that, so that nobody is ended for what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimit(pub u64);

/// More than that it isn't to have for any length of time.
const ENDED_PERCENT: u64 = 95;

/// What results and tasks may have together: the rest is for what tasks take beside what they were promised, and shows too late.
const RESULTS_PERCENT: u64 = 80;

/// What they may have where no result can leave memory.
const BOUND_PERCENT: u64 = 85;

impl ProcessLimit {
    /// Whether a process that has so many bytes goes on.
    pub fn bears(self, resident: u64) -> bool {
        resident <= self.0 / 100 * ENDED_PERCENT
    }

    /// What results and tasks may have, beside `own` bytes that the process has in any case: the limit of its store.
    pub fn for_results(self, own: u64) -> u64 {
        (self.0 / 100 * RESULTS_PERCENT).saturating_sub(own)
    }

    /// What they may have where no result can leave memory, since the disk is full, say: the bound of its store.
    pub fn at_most(self, own: u64) -> u64 {
        (self.0 / 100 * BOUND_PERCENT).saturating_sub(own)
    }
}
