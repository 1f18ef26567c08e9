//! What a worker has, as it says so.

use raskt_schedule::{RunId, TaskRange};

/// Results of a run that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldResults {
    /// The run.
    pub run: RunId,
    /// The tasks, in order, with the bytes of each range.
    pub tasks: Vec<(TaskRange, u64)>,
}
