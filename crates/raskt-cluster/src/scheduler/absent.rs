//! Who was there before the scheduler began anew, and is waited for.

use crate::question::Question;
use raskt_schedule::{Failure, RunId, TaskRange};
use std::collections::BTreeSet;
use std::time::Instant;

/// Workers of before are waited for: nothing is handed out.
pub(super) struct Recovery {
    pub until: Instant,
    /// Those that aren't back, by what stays the same if somebody starts them again.
    pub expected: BTreeSet<u128>,
    /// The numbers that they had.
    pub old: Vec<u32>,
    /// What clients have asked meanwhile, of which nobody knows yet what there is.
    pub asked: Vec<(u32, u64, Question)>,
}

impl Recovery {
    /// Questions that wait until workers are back, at most; others are answered as far as can be.
    pub const ASKED_MOST: usize = 1 << 12;
}

/// Clients of before that aren't back.
#[derive(Default)]
pub(super) struct Absent {
    pub clients: BTreeSet<u32>,
    pub until: Option<Instant>,
    /// When clients are told next of what they needn't keep.
    pub tells_at: Option<Instant>,
}

/// What a client cancels while workers of before are waited for.
pub(super) struct Cancel {
    pub client: u32,
    pub run: RunId,
    pub tasks: Vec<TaskRange>,
    pub by_force: bool,
}

/// Tasks of a run that were cancelled before the scheduler began, or failed with such.
pub(super) struct CancelledBefore {
    pub run: RunId,
    pub tasks: Vec<TaskRange>,
    /// Those that their client wants all the same: it knows that they won't come.
    pub wanted: Vec<TaskRange>,
    pub failure: Failure,
}
