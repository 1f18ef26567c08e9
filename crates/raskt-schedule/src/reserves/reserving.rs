//! Workers are kept for those who have stood aside for long ([`crate::reserves`]).

use crate::needs::Need;
use crate::placed::Placed;
use crate::planted::{self, Bug};
use crate::requirement::{Requirement, Sums, change_sums};
use crate::scheduler::Scheduler;
use crate::worker_state::WorkerState;
use crate::workers::Workers;
use crate::{RunId, Time, WorkerId};
use smallvec::SmallVec;
use std::iter;
use std::sync::Arc;

/// Workers that are looked at to find the one with the least to do.
const ABLE_LOOKED_AT: usize = 16;

/// Workers that are kept for others which are looked at for whoever finds no other one.
const KEPT_LOOKED_AT: usize = 16;

/// Requirements of a higher priority that are looked at when a worker has changed that is kept.
const ASKED_LOOKED_AT: usize = 16;

impl Scheduler {
    /// Somebody has come to stand aside for `need`.
    pub(crate) fn note_aside(&mut self, need: Need) {
        if self.workers.needs.requirement(need).is_some_and(|requirement| !requirement.resources.is_empty()) {
            let priority = self.queue.first_aside(need).unwrap_or(i32::MIN);
            self.reserves.note(need, self.now, priority);
        }
    }

    /// Something of this priority is handed out in line that requires this. If it is one of those who stand aside, or might, they
    /// have had a turn. What goes first anyway is none: it may go on elsewhere for as long as it likes.
    pub(crate) fn end_reserve(&mut self, requirement: &Requirement, worker: WorkerId, priority: i32) {
        if self.reserves.is_empty() {
            return;
        }
        let Some(need) = self.workers.needs.find(requirement) else { return };
        let goes_first = self.reserves.priority(need).is_some_and(|aside| priority > aside);
        if goes_first && self.reserves.kept_for(need) != Some(worker) {
            return;
        }
        self.drop_reserve(need);
        if self.queue.first_aside(need).is_some() {
            self.note_aside(need);
        }
    }

    /// Nobody requires it any more, or whoever does begins to wait anew.
    pub(crate) fn drop_reserve(&mut self, need: Need) {
        if let Some(worker) = self.reserves.end(need) {
            self.workers.keep_for(worker, None);
        }
    }

    /// Somebody who required this has nothing to start any more.
    pub(crate) fn note_undemanded(&mut self, need: Need) {
        let of_need = (need, RunId(0), 0)..=(need, RunId(u64::MAX), u32::MAX);
        if !self.reserves.is_empty() && self.requiring.range(of_need).next().is_none() {
            self.drop_reserve(need);
        }
    }

    /// A worker is gone that was kept for those who require this.
    pub(crate) fn lose_reserve(&mut self, requirement: &Requirement) {
        if let Some(need) = self.workers.needs.find(requirement) {
            self.reserves.end(need);
            self.note_aside(need);
        }
    }

    /// Keeps workers for those who have stood aside for long.
    pub(crate) fn keep_room(&mut self) {
        // All of them first: who is noted again, without any patience or at the end of time, would be due again at once.
        let due: Vec<_> = iter::from_fn(|| self.reserves.next_due(self.now, &self.settings.admission)).collect();
        for need in due {
            self.steps += 1;
            let Some(priority) = self.queue.first_aside(need) else {
                self.drop_reserve(need);
                continue;
            };
            let kept = self.reserves.kept_for(need).filter(|&worker| self.workers.needs.is_able(need, worker));
            match kept {
                Some(worker) => self.move_reserve(need, priority, worker),
                None => {
                    self.drop_reserve(need);
                    let found = self.find_worker(need, priority);
                    found.into_iter().for_each(|(_, _, worker)| self.keep_worker(need, worker));
                }
            }
            self.note_aside(need);
        }
    }

    /// A worker that is kept for those of a lower priority and could take this, which adds `net` bytes: nobody waits for them.
    pub(crate) fn find_reserved(
        &mut self,
        requirement: Option<&Requirement>,
        priority: i32,
        net: u64,
    ) -> Option<WorkerId> {
        let requirement = requirement.filter(|_| !self.reserves.is_empty())?;
        let kept: SmallVec<[_; KEPT_LOOKED_AT]> = self.reserves.kept_from_next().take(KEPT_LOOKED_AT).collect();
        self.steps += kept.len() as u64;
        let admission = &self.settings.admission;
        let admits = |worker| net == 0 || self.workers.get(worker).is_some_and(|state| state.admits(admission, net));
        let goes_first = |need| self.reserves.priority(need).is_some_and(|other| other < priority);
        let is_found = |&&(need, worker): &&(Need, WorkerId)| {
            goes_first(need) && self.workers.would_take(worker, requirement) && admits(worker)
        };
        let found = kept.iter().find(is_found).copied();
        // The same would be found to be of no use again.
        let next = found.or(kept.last().map(|&(need, worker)| (need.next(), worker)));
        next.into_iter().for_each(|(need, _)| self.reserves.look_next_at(need));
        found.map(|(_, worker)| worker)
    }

    /// Something has happened to workers that are kept: those of a higher priority who stand aside, and whom these could take, have
    /// their turn again. Says whether there is one.
    pub(crate) fn wake_before_reserves(&mut self) -> bool {
        let mut has_woken = false;
        while let Some(worker) = self.workers.next_reserved() {
            self.steps += 1;
            has_woken |= self.wake_before_reserve(worker);
        }
        has_woken
    }

    fn wake_before_reserve(&mut self, worker: WorkerId) -> bool {
        let kept_for = self.workers.get(worker).and_then(WorkerState::kept_for);
        let kept_for = kept_for.and_then(|requirement| self.workers.needs.find(requirement));
        let priority = kept_for.and_then(|need| self.reserves.priority(need));
        let Some((kept_for, priority)) = kept_for.zip(priority) else { return false };
        let asked: SmallVec<[_; ASKED_LOOKED_AT]> = self.queue.asked_before(priority).take(ASKED_LOOKED_AT).collect();
        self.steps += asked.len() as u64;
        let is_taken = |need: &Need| {
            let requirement = self.workers.needs.requirement(*need);
            requirement.is_some_and(|requirement| self.workers.would_take(worker, requirement))
        };
        let taken: SmallVec<[_; ASKED_LOOKED_AT]> = asked.into_iter().filter(is_taken).collect();
        self.reserves.look_next_at(kept_for);
        taken.into_iter().fold(false, |has_woken, need| self.queue.wake(need) | has_woken)
    }

    /// `kept` may be at something that takes very long. If there is another worker where enough comes free in less than half of the
    /// time, that is kept, and `kept` no longer. What is expected may be wrong: so each is kept for twice as long as the one
    /// before it, and one of them in the end for as long as its tasks take.
    fn move_reserve(&mut self, need: Need, priority: i32, kept: WorkerId) {
        let term = self.settings.admission.patience_nanoseconds;
        if !self.reserves.may_move(need, self.now, term) {
            return;
        }
        let Some(requirement) = self.workers.needs.requirement(need).cloned() else { return };
        let left = self.workers.get(kept).map_or(0, |state| state.has_enough_in(&requirement, self.now));
        if let Some((.., worker)) = self.find_worker(need, priority).filter(|(other, ..)| *other < left / 2) {
            self.workers.keep_for(kept, None);
            self.keep_worker(need, worker);
        }
    }

    fn keep_worker(&mut self, need: Need, worker: WorkerId) {
        let requirement = self.workers.needs.requirement(need).cloned();
        self.workers.keep_for(worker, requirement);
        self.reserves.keep(need, worker, self.now);
    }

    /// Of some workers that may be kept, the one that has enough soonest, or the least loaded; in how long, and its load.
    fn find_worker(&mut self, need: Need, priority: i32) -> Option<(u64, u64, WorkerId)> {
        let requirement = self.workers.needs.requirement(need).cloned()?;
        if planted::has(Bug::NothingGathers) {
            return None;
        }
        let able: Vec<_> = self.workers.needs.able_from(need, self.reserves.look_from()).take(ABLE_LOOKED_AT).collect();
        self.steps += able.len() as u64;
        let able = able.into_iter().inspect(|worker| self.reserves.look_on_from(*worker));
        let workers = able.filter_map(|worker| Some((worker, self.workers.get(worker)?)));
        let found = workers.filter(|(_, state)| state.may_be_kept_for(&requirement, priority));
        let rank = |(worker, state): (WorkerId, &WorkerState)| {
            (state.has_enough_in(&requirement, self.now), state.load(), worker)
        };
        found.map(rank).min()
    }
}

impl Workers {
    /// Keeps what is required of a worker's resources for those who require it, or lets anybody have it again.
    fn keep_for(&mut self, worker: WorkerId, requirement: Option<Arc<Requirement>>) {
        self.change(worker, |state| state.keep_for(requirement));
    }
}

impl WorkerState {
    /// Whether it can be kept for `requirement`: for nobody else, and no task of a higher priority uses what is required.
    fn may_be_kept_for(&self, requirement: &Requirement, priority: i32) -> bool {
        let is_free = self.kept_for().is_none() && self.quarantine().is_none();
        let mut others = self.placed().filter(|(_, placed)| placed.priority > priority);
        is_free
            && !others.any(|(_, placed)| placed.requirement.as_deref().is_some_and(|other| other.shares(requirement)))
    }

    /// In how long it may have what is required, if nobody else is given any of it.
    fn has_enough_in(&self, requirement: &Requirement, now: Time) -> u64 {
        let lacks = |(name, &amount): (&Arc<str>, &u64)| (name.clone(), amount.saturating_sub(self.free(name)).into());
        let mut lacking: Sums = requirement.resources.iter().map(lacks).filter(|(_, amount)| *amount > 0).collect();
        let own = |placed: &Placed| placed.requirement.is_some().then(|| (placed.left(now), placed.own_resources()));
        let mut using: Vec<_> = self.placed().filter_map(|(_, placed)| own(placed)).collect();
        using.sort_by_key(|(left, _)| *left);
        let mut enough = 0;
        for (left, own) in using {
            if own.keys().any(|name| lacking.contains_key(name)) {
                change_sums(&mut lacking, &own, false);
                enough = left;
            }
        }
        enough
    }
}
