//! What a worker meets of what is required, by what keeps it from taking that now.
//!
//! Very many may ask for different amounts of the same. A worker changes with each assignment that it is given or has done: looked at
//! are then only those whose place may be another one by that.

use super::need::Need;
use crate::WorkerId;
use crate::requirement::Requirement;
use crate::settings::Settings;
use crate::worker_state::{Seat, WorkerState};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where a worker stands that meets a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It can take it, and stands there among others who can.
    Open(Seat),
    /// It has less left of this resource than so much.
    Lacks(Arc<str>, u64),
    /// What is left is kept for those who require this.
    Kept(Arc<Requirement>),
    /// It has what is required, and no room for another assignment.
    NoRoom,
}

impl Standing {
    /// Where `worker` stands for those who require this, which it meets.
    pub fn of(worker: WorkerId, state: &WorkerState, requirement: &Requirement, settings: &Settings) -> Self {
        if let Some((name, amount)) = state.lacks(requirement) {
            return Self::Lacks(name.clone(), amount);
        }
        if let Some(keeper) = state.is_kept_from(requirement) {
            return Self::Kept(keeper.clone());
        }
        match state.has_room(&settings.rebalance) {
            true => Self::Open(state.seat(worker, &settings.admission)),
            false => Self::NoRoom,
        }
    }

    /// Where one stands who can take it.
    pub fn seat(&self) -> Option<Seat> {
        if let Self::Open(seat) = self { Some(*seat) } else { None }
    }
}

/// What one worker meets. What was found to keep it from taking something is true until it is looked at again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Met {
    open: BTreeSet<Need>,
    without_room: BTreeSet<Need>,
    kept: BTreeMap<Arc<Requirement>, BTreeSet<Need>>,
    lacking: BTreeMap<Arc<str>, BTreeSet<(u64, Need)>>,
}

impl Met {
    pub fn insert(&mut self, need: Need, standing: &Standing) {
        match standing {
            Standing::Open(_) => _ = self.open.insert(need),
            Standing::NoRoom => _ = self.without_room.insert(need),
            Standing::Kept(keeper) => _ = self.kept.entry(keeper.clone()).or_default().insert(need),
            Standing::Lacks(name, amount) => {
                self.lacking.entry(name.clone()).or_default().insert((*amount, need));
            }
        }
    }

    pub fn remove(&mut self, need: Need, standing: &Standing) {
        match standing {
            Standing::Open(_) => _ = self.open.remove(&need),
            Standing::NoRoom => _ = self.without_room.remove(&need),
            Standing::Kept(keeper) => remove_from(&mut self.kept, keeper, &need),
            Standing::Lacks(name, amount) => remove_from(&mut self.lacking, name, &(*amount, need)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.without_room.is_empty() && self.kept.is_empty() && self.lacking.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = Need> {
        self.within(|_| u64::MAX)
    }

    /// Those that lack no more than there is by `has` of what they lack.
    pub fn within(&self, has: impl Fn(&Arc<str>) -> u64) -> impl Iterator<Item = Need> {
        let others = self.open.iter().chain(&self.without_room).chain(self.kept.values().flatten()).copied();
        others.chain(self.not_lacking(has))
    }

    /// Those that the worker, which is as `state` says, may stand otherwise for than it did.
    pub fn may_have_moved(&self, state: &WorkerState, has_room: bool) -> impl Iterator<Item = Need> {
        let roomy = self.without_room.iter().filter(move |_| has_room);
        let let_go = self.kept.iter().filter(|(keeper, _)| state.keeper() != Some(*keeper));
        let others = self.open.iter().chain(roomy).chain(let_go.flat_map(|(_, needs)| needs)).copied();
        others.chain(self.not_lacking(|name| state.free(name)))
    }

    fn not_lacking(&self, has: impl Fn(&Arc<str>) -> u64) -> impl Iterator<Item = Need> {
        self.lacking.iter().flat_map(move |(name, needs)| {
            let last = (has(name), Need::LAST);
            needs.range(..=last).map(|&(_, need)| need)
        })
    }
}

fn remove_from<K: Ord, T: Ord>(sets: &mut BTreeMap<K, BTreeSet<T>>, key: &K, member: &T) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(member);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}
