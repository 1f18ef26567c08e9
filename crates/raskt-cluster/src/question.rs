//! What clients ask a scheduler, and what it answers: never more at a time than fits into a message.

use serde::{Deserialize, Serialize};

/// Entries of one answer, at most. Whoever gets as many asks again, from the last on.
pub const ANSWER_ENTRIES_MAX: usize = 1 << 14;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// What the scheduler is about.
    Scheduler,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Of [`Question::Scheduler`].
    Scheduler(SchedulerFacts),
    /// It can't be answered.
    Refused(String),
}

/// What a scheduler is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulerFacts {
    /// Nanoseconds since it began.
    pub age_nanoseconds: u64,
    /// Clients that are there.
    pub clients: u64,
    /// Workers that are there.
    pub workers: u64,
    /// Runs that clients have going, or keep results of.
    pub runs: u64,
}
