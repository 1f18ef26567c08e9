//! Producers wait for memory, and go ahead again ([`crate::waits`]).

use crate::placed::Relief;
use crate::planted::{self, Bug};
use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::waits::{HeldBack, WAITING_LOOKED_AT, Wait};
use crate::{Fetch, RunId, Time, WorkerId};
use raskt_graph::LayerId;
use smallvec::SmallVec;

/// Reads of an assignment that are looked at to tell where it gives memory back.
const HOLDERS_LOOKED_AT: usize = 8;

impl Scheduler {
    /// Whether, and for whom, tasks of `run` that could start wait for memory.
    pub fn held_back(&self, run: RunId) -> Option<HeldBack> {
        self.waits.of_run(run)
    }

    /// Whether tasks of `run` that could start wait for others to free memory.
    pub fn is_held_back(&self, run: RunId) -> bool {
        self.held_back(run).is_some()
    }

    /// When the scheduler is to be told that time has passed ([`crate::Event::TimePassed`]), if nothing happens before.
    pub fn wakes_at(&self) -> Option<Time> {
        self.waits.first_end()
    }

    /// Whether a producer of `layer`, for which no worker has memory, waits; it is noted if so. If there is nobody to wait for it
    /// goes ahead at the end, when everybody had his turn, or with its next turn, should others have taken what there was.
    pub(crate) fn wait(
        &mut self,
        run: RunId,
        class: u32,
        layer: LayerId,
        requirement: Option<&Requirement>,
        is_end: bool,
    ) -> Wait {
        let key = (run, class, layer);
        let Some(since) = self.waits.since(key, self.now) else { return Wait::GoesAhead };
        let last = self.settings.admission.patience_ends(since);
        let relief = match last <= self.now {
            true => None,
            false => self.workers.relief(self.queue.family(run), requirement, self.now),
        };
        let Some(((worker, waits_for), until)) = relief else {
            self.waits.remove(key);
            if planted::has(Bug::LackingIsPassed) && !is_end {
                return Wait::Passes;
            }
            let is_known = self.waits.find_nobody(key, since);
            return if is_end || is_known || last <= self.now { Wait::GoesAhead } else { Wait::Passes };
        };
        let until = last.min(until);
        self.waits.hold(key, HeldBack { since, until, worker, waits_for });
        Wait::Waits
    }

    /// Those whose patience is over stand in line, and of those that wait some are looked at if memory has come free.
    pub(crate) fn wake_waiting(&mut self) {
        while let Some((run, class)) = self.waits.next_ended(self.now, &self.settings.admission) {
            self.steps += 1;
            self.queue.wake_one(run, class);
        }
        if self.workers.has_room() && std::mem::take(&mut self.workers.has_freed) {
            self.queue.wake_some(WAITING_LOOKED_AT);
        }
    }

    /// What an assignment of `run` that is about to be placed on `worker` gives back, if that is soon.
    pub(crate) fn relief(
        &self,
        run: RunId,
        worker: WorkerId,
        nanoseconds: Option<u64>,
        fetches: &[Fetch],
    ) -> Option<Relief> {
        let admission = &self.settings.admission;
        let state = self.workers.get(worker)?;
        let before = if state.has_slot() { 0 } else { state.nanoseconds_a_slot() };
        let holders = fetches.iter().map(|fetch| fetch.from).take(HOLDERS_LOOKED_AT);
        let mut at: SmallVec<[WorkerId; 4]> = std::iter::once(worker).chain(holders).collect();
        at.sort_unstable();
        at.dedup();
        let until = admission.patience_ends(self.now);
        admission.is_soon(before, nanoseconds).then(|| Relief { family: self.queue.family(run), until, at })
    }
}
