//! Room for those who ask for more of a resource than comes free at a time.
//!
//! Where others ask for less, there would never be enough: whatever comes free they take. So whoever stands aside for a resource,
//! while nothing is handed out that requires the same, for as long as the patience lasts, gets a worker where nobody else is given
//! any of that resource, until there is enough for one assignment; then all begins anew. Those who don't ask for the resource
//! aren't concerned, nor is anybody of a higher priority kept waiting by whom a worker's resource is in use.

mod reserving;

use crate::needs::Need;
use crate::policy::Admission;
use crate::{Time, WorkerId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Reserves {
    /// Since when somebody stands aside for it, or when it was last looked at whether its worker can still have it.
    since: BTreeMap<Need, Time>,
    by_time: BTreeSet<(Time, Need)>,
    /// The workers that are kept.
    kept: BTreeMap<Need, WorkerId>,
    /// Where to look next.
    next: WorkerId,
    /// A worker isn't kept any more that was.
    has_ended: bool,
}

impl Reserves {
    pub fn note(&mut self, need: Need, now: Time) {
        if let Entry::Vacant(vacant) = self.since.entry(need) {
            vacant.insert(now);
            self.by_time.insert((now, need));
        }
    }

    pub fn next_due(&mut self, now: Time, admission: &Admission) -> Option<Need> {
        let &(since, need) = self.by_time.first().filter(|(since, _)| admission.patience_ends(*since) <= now)?;
        self.by_time.remove(&(since, need));
        self.since.remove(&need);
        Some(need)
    }

    pub fn end(&mut self, need: Need) -> Option<WorkerId> {
        if let Some(since) = self.since.remove(&need) {
            self.by_time.remove(&(since, need));
        }
        let kept = self.kept.remove(&need);
        self.has_ended |= kept.is_some();
        kept
    }

    /// Whether, since this was last asked, it has ended that a worker is kept.
    pub fn take_has_ended(&mut self) -> bool {
        std::mem::take(&mut self.has_ended)
    }

    /// The worker that is kept for it.
    pub fn kept_for(&self, need: Need) -> Option<WorkerId> {
        self.kept.get(&need).copied()
    }

    pub fn keep(&mut self, need: Need, worker: WorkerId) {
        self.kept.insert(need, worker);
    }

    /// Where to look next for a worker.
    pub fn look_from(&self) -> WorkerId {
        self.next
    }

    pub fn look_on_from(&mut self, worker: WorkerId) {
        self.next = worker;
    }

    pub fn is_empty(&self) -> bool {
        self.since.is_empty() && self.kept.is_empty()
    }

    /// What workers are kept for, and which.
    pub fn kept(&self) -> impl Iterator<Item = (Need, WorkerId)> {
        self.kept.iter().map(|(&need, &worker)| (need, worker))
    }
}
