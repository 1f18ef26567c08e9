//! What is shared by name, and the results that names keep alive.

use crate::coordination::{CoordinationServer, Limits};
use crate::message::RUNS_OF_A_CLIENT;
use crate::random::random_number;
use crate::ranges::RangeMap;
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Under this number the scheduler wants results for the sake of names; no client has it.
pub(super) const NAMES: u32 = u32::MAX;

/// What is shared, and what that keeps alive.
pub(super) struct Sharing {
    pub server: CoordinationServer,
    /// The results, and what stands for each.
    pub kept: BTreeMap<RunId, RangeMap<StandIn>>,
    /// How many tasks of each own run are still wanted.
    pub left: BTreeMap<RunId, u64>,
    next: u64,
    /// That of own runs: the next scheduler gives the same numbers to others.
    pub mark: u64,
}

/// The own run whose tasks stand for a range of results, and how much smaller their numbers are than those of the results.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct StandIn {
    pub run: RunId,
    pub shift: u64,
}

/// How late it is by the clock on the wall.
pub(super) fn unix_nanoseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

impl Sharing {
    /// Nothing yet, of a scheduler whose time begins now.
    pub fn new() -> Self {
        let began = unix_nanoseconds();
        let (kept, left) = Default::default();
        Self { server: CoordinationServer::new(began, Limits::default()), kept, left, next: 0, mark: random_number() }
    }

    /// A number for an own run.
    pub fn number(&mut self) -> RunId {
        self.next += 1;
        RunId(u64::from(NAMES) * RUNS_OF_A_CLIENT + self.next)
    }
}
