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

/// Tasks that a worker is at, and that the scheduler of now hasn't handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adrift {
    /// The run.
    pub run: RunId,
    /// The tasks: they have one of its slots.
    pub tasks: Vec<TaskRange>,
}
