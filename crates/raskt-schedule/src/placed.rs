//! What is remembered of an assignment that a worker has.

use crate::requirement::Requirement;
use crate::{RunId, TaskRange, Time, WorkerId};
use raskt_graph::Resources;
use smallvec::SmallVec;
use std::sync::Arc;

/// An assignment that was handed out.
#[derive(Debug)]
pub(crate) struct Placed {
    pub tasks: Vec<TaskRange>,
    /// What it is expected to take on one thread, and to hold.
    pub nanoseconds: u64,
    pub memory: u64,
    /// Nanoseconds that its family was charged for.
    pub charged: u64,
    /// When it was handed out.
    pub since: Time,
    /// That of its tasks.
    pub priority: i32,
    /// It runs in a slot that tasks have lent which wait for its run.
    pub is_lent: bool,
    pub requirement: Option<Arc<Requirement>>,
    /// The part of what it requires that it has from tasks that wait for its run, by the runs that these are of.
    pub borrowed: Vec<(RunId, Resources)>,
    /// When it has run, there is more memory than before, and that is soon.
    pub relief: Option<Relief>,
    /// The worker said that it has begun.
    pub is_started: bool,
    /// It is asked back for this worker, which has nothing to do.
    pub stolen_for: Option<WorkerId>,
    /// It can be run nowhere else.
    pub stays: bool,
}

impl Placed {
    /// What it takes of its worker's resources, beyond what it has borrowed.
    pub fn own_resources(&self) -> Resources {
        let Some(requirement) = &self.requirement else { return Resources::new() };
        let mut own = requirement.resources.clone();
        for (name, amount) in self.borrowed.iter().flat_map(|(_, amounts)| amounts) {
            if let Some(left) = own.get_mut(name) {
                *left = left.saturating_sub(*amount);
            }
        }
        own.retain(|_, amount| *amount > 0);
        own
    }

    /// How long it may take still, as far as can be told: what has taken longer than was expected may take as long once more.
    pub fn left(&self, now: Time) -> u64 {
        let had = now.0.saturating_sub(self.since.0);
        if had < self.nanoseconds { self.nanoseconds - had } else { had }
    }
}

/// What a hand-out is like, beside its tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handed {
    /// There is more memory than before when it has run.
    pub gives_back: bool,
    /// It goes into a slot that tasks have lent which wait for it.
    pub is_lent: bool,
    /// It can be run nowhere else.
    pub stays: bool,
}

/// What an assignment does that gives back more memory than it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relief {
    /// The family of its run, whose tasks may wait for it.
    pub family: RunId,
    /// Until when they do, at the longest.
    pub until: Time,
    /// Workers that hold what it reads, as far as they are looked at.
    pub at: SmallVec<[WorkerId; 4]>,
}
