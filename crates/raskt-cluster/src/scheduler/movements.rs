//! Orders of clients that aren't done: each is a movement until it is.

use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Orders that aren't done, and copies that are under way for them.
#[derive(Default)]
pub(super) struct Movements {
    pub next: u64,
    pub open: BTreeMap<u64, Movement>,
    pub next_copy: u64,
    /// For which of them a copy is made.
    pub copies: BTreeMap<u64, Copying>,
    /// Copies that workers are to be told of when others have been made.
    pub waiting: VecDeque<Planned>,
}

/// Copies of results of a run that one worker is to make of what another holds.
pub(super) struct Planned {
    pub movement: u64,
    pub run: RunId,
    pub from: WorkerId,
    pub to: WorkerId,
    pub tasks: Vec<TaskRange>,
}

/// A copy that a worker was told to make.
pub(super) struct Copying {
    pub movement: u64,
    pub to: WorkerId,
    /// Whom it goes from, where it is moved.
    pub moved: Option<Moved>,
}

/// Results that go from a worker when another one has them.
pub(super) struct Moved {
    pub run: RunId,
    pub from: WorkerId,
    pub tasks: Vec<TaskRange>,
}

/// An order that isn't done.
pub(super) struct Movement {
    pub client: u32,
    pub number: u64,
    /// The workers that it is about.
    pub workers: Vec<WorkerId>,
    pub kind: Kind,
    /// Copies that are under way, or wait until others have been made.
    pub under_way: usize,
    /// How often one failed.
    pub failures: u32,
    /// Why the last one did.
    pub reason: String,
}

pub(super) enum Kind {
    /// They end what they have, others get what they hold, and they leave.
    Retire { leaves: bool },
    /// They are to hold more; answered when all copies have been made.
    Replicate,
    /// What is copied goes from where it was; answered when all of it has gone.
    Rebalance,
    /// Those that haven't answered are waited for.
    Restart(BTreeSet<WorkerId>),
}

impl Movements {
    /// How many orders a client has that aren't done.
    pub fn of_client(&self, client: u32) -> usize {
        self.open.values().filter(|movement| movement.client == client).count()
    }

    /// Takes away those of a client.
    pub fn take_of(&mut self, client: u32) -> Vec<Movement> {
        self.open.extract_if(.., |_, movement| movement.client == client).map(|(_, movement)| movement).collect()
    }
}

impl Movement {
    pub fn new((client, number): (u32, u64), workers: Vec<WorkerId>, kind: Kind) -> Self {
        Self { client, number, workers, kind, under_way: 0, failures: 0, reason: String::new() }
    }
}
