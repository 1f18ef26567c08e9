//! Room for those who ask for more of a resource than comes free at a time.
//!
//! Where others ask for less, there would never be enough: whatever comes free they take. So whoever stands aside for a resource,
//! while none of those who ask for the same has a turn, for as long as the patience lasts, gets a worker where nobody else is given
//! any of that resource, until there is enough for one assignment; then all begins anew. What goes first anyway, or is lent to those
//! whom a task waits for, is no such turn. The worker is one that is expected to have enough soon, and another one if it turns out to
//! be at something for long. Those who don't ask for the resource aren't concerned, nor is anybody of a higher priority: he is given
//! what he asks for as if nobody else did.

mod reserving;

use crate::needs::Need;
use crate::policy::Admission;
use crate::{Time, WorkerId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Reserves {
    /// Who stands aside for it.
    aside: BTreeMap<Need, Aside>,
    by_time: BTreeSet<(Time, Need)>,
    /// The workers that are kept.
    kept: BTreeMap<Need, Kept>,
    /// Where to look next: for one that can be kept, and of those that are.
    next: WorkerId,
    next_kept: Need,
    /// A worker isn't kept any more that was.
    has_ended: bool,
}

/// Those who stand aside for the same.
#[derive(Clone, Copy, Debug)]
struct Aside {
    /// Since when somebody does, or when it was last looked at whether its worker can still have it.
    since: Time,
    /// The highest priority of those who have since.
    priority: i32,
}

/// A worker that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    worker: WorkerId,
    since: Time,
    /// How many were before it, without anybody being served.
    before: u32,
}

impl Reserves {
    pub fn note(&mut self, need: Need, now: Time, priority: i32) {
        match self.aside.entry(need) {
            Entry::Occupied(mut aside) => aside.get_mut().priority = aside.get().priority.max(priority),
            Entry::Vacant(vacant) => {
                vacant.insert(Aside { since: now, priority });
                self.by_time.insert((now, need));
            }
        }
    }

    /// The priority of those who stand aside for it.
    pub fn priority(&self, need: Need) -> Option<i32> {
        self.aside.get(&need).map(|aside| aside.priority)
    }

    pub fn next_due(&mut self, now: Time, admission: &Admission) -> Option<Need> {
        let &(since, need) = self.by_time.first().filter(|(since, _)| admission.patience_ends(*since) <= now)?;
        self.by_time.remove(&(since, need));
        self.aside.remove(&need);
        Some(need)
    }

    pub fn end(&mut self, need: Need) -> Option<WorkerId> {
        if let Some(aside) = self.aside.remove(&need) {
            self.by_time.remove(&(aside.since, need));
        }
        let kept = self.kept.remove(&need);
        self.has_ended |= kept.is_some();
        kept.map(|kept| kept.worker)
    }

    /// Whether, since this was last asked, it has ended that a worker is kept.
    pub fn take_has_ended(&mut self) -> bool {
        std::mem::take(&mut self.has_ended)
    }

    /// The worker that is kept for it.
    pub fn kept_for(&self, need: Need) -> Option<WorkerId> {
        self.kept.get(&need).map(|kept| kept.worker)
    }

    /// `worker` is kept, instead of the one that was.
    pub fn keep(&mut self, need: Need, worker: WorkerId, since: Time) {
        let before = self.kept.get(&need).map_or(0, |kept| kept.before.saturating_add(1));
        self.kept.insert(need, Kept { worker, since, before });
    }

    /// Whether the worker that is kept has been for long enough to give it up for another one: the first for so many `nanoseconds`,
    /// and each for twice as long as the one before it.
    pub fn may_move(&self, need: Need, now: Time, nanoseconds: u64) -> bool {
        self.kept.get(&need).is_some_and(|kept| {
            let term = nanoseconds.saturating_mul(1 << kept.before.min(32));
            now.0.saturating_sub(kept.since.0) >= term
        })
    }

    /// Where to look next for a worker.
    pub fn look_from(&self) -> WorkerId {
        self.next
    }

    pub fn look_on_from(&mut self, worker: WorkerId) {
        self.next = worker;
    }

    pub fn is_empty(&self) -> bool {
        self.aside.is_empty() && self.kept.is_empty()
    }

    /// What workers are kept for, and which, from the place where to look next.
    pub fn kept_from_next(&self) -> impl Iterator<Item = (Need, WorkerId)> {
        let all = self.kept.range(self.next_kept..).chain(self.kept.range(..self.next_kept));
        all.map(|(&need, kept)| (need, kept.worker))
    }

    /// Of the workers that are kept, the one for this is to be looked at next.
    pub fn look_next_at(&mut self, need: Need) {
        self.next_kept = need;
    }

    /// What workers are kept for, and which.
    pub fn kept(&self) -> impl Iterator<Item = (Need, WorkerId)> {
        self.kept.iter().map(|(&need, kept)| (need, kept.worker))
    }
}
