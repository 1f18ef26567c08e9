//! What is derived of the workers, and kept as they change.

use crate::placed::Relief;
use crate::settings::Settings;
use crate::worker_state::{OpenWorkers, Seat, WorkerState};
use crate::{Attempt, Offer, RunId, Time, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What counting again gives as well.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    /// Workers with room for an assignment.
    pub open: OpenWorkers,
    /// Workers that have more assignments than slots, by how many more.
    pub ahead: BTreeSet<(u64, WorkerId)>,
    /// Workers that somebody might ask for, by their name and by what they offer.
    pub by_name: BTreeMap<Arc<str>, BTreeSet<WorkerId>>,
    pub by_resource: BTreeMap<Arc<str>, BTreeSet<WorkerId>>,
    /// Workers that are kept for suspects, and those of them that have still other things to do.
    pub quarantined: u64,
    pub draining: BTreeSet<WorkerId>,
    pub slots: u64,
    /// Workers whose memory has a bound.
    pub bounded: u64,
    /// Assignments that give back more memory than they take, by the family of their run, where they do, and until when anybody
    /// waits for them.
    pub reliefs: BTreeSet<(RunId, WorkerId, Time, RunId, Attempt)>,
}

/// What is derived of one worker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkerRank {
    /// Where it stands among those with room, if it has any.
    pub seat: Option<Seat>,
    pub ahead: u64,
    pub is_quarantined: bool,
    pub is_draining: bool,
    pub slots: u64,
    pub is_bounded: bool,
}

impl WorkerRank {
    pub fn of(worker: WorkerId, state: &WorkerState, settings: &Settings) -> Self {
        Self {
            seat: state.has_room(&settings.rebalance).then(|| state.seat(worker, &settings.admission)),
            ahead: state.ahead(),
            is_quarantined: state.quarantine().is_some(),
            is_draining: state.quarantine().is_some_and(|kept| kept.attempt.is_none()),
            slots: state.slots(),
            is_bounded: state.memory_limit() < u64::MAX,
        }
    }
}

impl Derived {
    pub fn put_in(&mut self, worker: WorkerId, standing: WorkerRank) {
        self.open.change(None, standing.seat);
        self.count_in(worker, standing);
    }

    pub fn take_out(&mut self, worker: WorkerId, standing: WorkerRank) {
        self.open.change(standing.seat, None);
        self.count_out(worker, standing);
    }

    pub fn change(&mut self, worker: WorkerId, before: WorkerRank, now: WorkerRank) {
        self.open.change(before.seat, now.seat);
        self.count_out(worker, before);
        self.count_in(worker, now);
    }

    fn count_in(&mut self, worker: WorkerId, standing: WorkerRank) {
        let WorkerRank { ahead, is_quarantined, is_draining, slots, is_bounded, .. } = standing;
        if ahead > 0 {
            self.ahead.insert((ahead, worker));
        }
        if is_draining {
            self.draining.insert(worker);
        }
        self.quarantined += u64::from(is_quarantined);
        self.slots += slots;
        self.bounded += u64::from(is_bounded);
    }

    fn count_out(&mut self, worker: WorkerId, standing: WorkerRank) {
        let WorkerRank { ahead, is_quarantined, is_draining, slots, is_bounded, .. } = standing;
        if ahead > 0 {
            self.ahead.remove(&(ahead, worker));
        }
        if is_draining {
            self.draining.remove(&worker);
        }
        self.quarantined -= u64::from(is_quarantined);
        self.slots -= slots;
        self.bounded -= u64::from(is_bounded);
    }

    /// An assignment that gives memory back has come, or gone.
    pub fn change_relief(&mut self, run: RunId, attempt: Attempt, relief: &Relief, is_new: bool) {
        for &worker in &relief.at {
            let key = (relief.family, worker, relief.until, run, attempt);
            _ = if is_new { self.reliefs.insert(key) } else { self.reliefs.remove(&key) };
        }
    }

    pub fn add_offer(&mut self, worker: WorkerId, offer: &Offer) {
        self.by_name.entry(offer.name.clone()).or_default().insert(worker);
        for name in offer.resources.keys() {
            self.by_resource.entry(name.clone()).or_default().insert(worker);
        }
    }

    pub fn remove_offer(&mut self, worker: WorkerId, offer: &Offer) {
        let lists = [(&mut self.by_name, vec![&offer.name]), (&mut self.by_resource, offer.resources.keys().collect())];
        for (list, names) in lists {
            for name in names {
                if let Some(workers) = list.get_mut(name) {
                    workers.remove(&worker);
                    if workers.is_empty() {
                        list.remove(name);
                    }
                }
            }
        }
    }
}
