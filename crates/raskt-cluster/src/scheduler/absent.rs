//! Who was there before the scheduler began anew, and is waited for.

use std::collections::BTreeSet;
use std::time::Instant;

/// Workers of before are waited for: nothing is handed out.
pub(super) struct Recovery {
    pub until: Instant,
    /// Those that aren't back, by what stays the same if somebody starts them again.
    pub expected: BTreeSet<u128>,
    /// The numbers that they had.
    pub old: Vec<u32>,
}

/// Clients of before that aren't back.
#[derive(Default)]
pub(super) struct Absent {
    pub clients: BTreeSet<u32>,
    pub until: Option<Instant>,
    /// When clients are told next of what they needn't keep.
    pub tells_at: Option<Instant>,
}
