//! Workers are kept for those who have stood aside for long ([`crate::reserves`]).

use crate::needs::Need;
use crate::planted::{self, Bug};
use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::worker_state::WorkerState;
use crate::workers::Workers;
use crate::{RunId, WorkerId};
use std::iter;
use std::sync::Arc;

/// Workers that are looked at to find the one with the least to do.
const ABLE_LOOKED_AT: usize = 16;

impl Scheduler {
    /// Somebody has come to stand aside for `need`.
    pub(crate) fn note_aside(&mut self, need: Need) {
        if self.workers.needs.requirement(need).is_some_and(|requirement| !requirement.resources.is_empty()) {
            self.reserves.note(need, self.now);
        }
    }

    /// Something of this priority is handed out in line that requires this. If it is one of those who stand aside, or might, they
    /// have had a turn. What goes first anyway is none: it may go on elsewhere for as long as it likes.
    pub(crate) fn end_reserve(&mut self, requirement: &Requirement, worker: WorkerId, priority: i32) {
        if self.reserves.is_empty() {
            return;
        }
        let Some(need) = self.workers.needs.find(requirement) else { return };
        let aside = self.queue.first_aside(need);
        let goes_first = aside.is_some_and(|aside| priority > aside);
        if goes_first && self.reserves.kept_for(need) != Some(worker) {
            return;
        }
        self.drop_reserve(need);
        if aside.is_some() {
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
            let is_kept = self.reserves.kept_for(need).is_some_and(|worker| self.workers.needs.is_able(need, worker));
            if !is_kept {
                self.drop_reserve(need);
                self.keep_worker(need, priority);
            }
            self.note_aside(need);
        }
    }

    fn keep_worker(&mut self, need: Need, priority: i32) {
        let Some(requirement) = self.workers.needs.requirement(need).cloned() else { return };
        if planted::has(Bug::NothingGathers) {
            return;
        }
        let able: Vec<_> = self.workers.needs.able_from(need, self.reserves.look_from()).take(ABLE_LOOKED_AT).collect();
        self.steps += able.len() as u64;
        let able = able.into_iter().inspect(|worker| self.reserves.look_on_from(*worker));
        let workers = able.filter_map(|worker| Some((worker, self.workers.get(worker)?)));
        let found = workers.filter(|(_, state)| state.may_be_kept_for(&requirement, priority));
        if let Some((worker, _)) = found.min_by_key(|&(worker, state)| (state.load(), worker)) {
            self.workers.keep_for(worker, Some(requirement));
            self.reserves.keep(need, worker);
        }
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
        let uses = |other: &Requirement| other.resources.keys().any(|name| requirement.resources.contains_key(name));
        is_free && !others.any(|(_, placed)| placed.requirement.as_deref().is_some_and(uses))
    }
}
