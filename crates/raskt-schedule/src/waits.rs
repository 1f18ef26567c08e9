//! How long producers wait for memory, and for whom.
//!
//! To wait is worth it only where it helps soon. A producer waits for tasks of its own family of runs (see
//! [`crate::run_queue`]) which give back more than they make, of the memory of a worker that could take it, and whose end is
//! near, as far as their time is known. If there is no such task, or the patience is over, it goes ahead, and the worker makes room by
//! spilling.

use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::seat::Relief;
use crate::{Fetch, RunId, Time, WorkerId};
use raskt_graph::LayerId;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A run some of whose tasks could start, and wait for others to free memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// Since when some of it has waited without a break.
    pub since: Time,
    /// When it goes ahead at the latest.
    pub until: Time,
    /// The worker whose memory it waits for.
    pub worker: WorkerId,
    /// The run whose tasks are expected to free it: itself, or one of its family.
    pub waits_for: RunId,
}

/// Reads of an assignment that are looked at to tell where it gives memory back.
const HOLDERS_LOOKED_AT: usize = 8;

/// Heads of one queue that are looked at behind those that wait for memory.
pub(crate) const HEADS_LOOKED_AT: usize = 16;

/// What waits for memory, after one event: tasks of a layer are alike.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    now: BTreeMap<(RunId, LayerId), HeldBack>,
    /// Those of the event before.
    before: BTreeMap<(RunId, LayerId), HeldBack>,
    wakes_at: Option<Time>,
}

/// Heads of a queue that wait for memory.
pub(crate) type Passed = SmallVec<[LayerId; 4]>;

impl Waits {
    /// Another event: who waits is found out anew.
    pub fn begin(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.wakes_at = None;
    }

    /// Since when tasks of a layer have waited.
    fn since(&self, run: RunId, layer: LayerId, now: Time) -> Time {
        let key = (run, layer);
        self.now.get(&key).or(self.before.get(&key)).map_or(now, |held| held.since)
    }

    fn note(&mut self, run: RunId, layer: LayerId, held: HeldBack) {
        self.wakes_at = Some(self.wakes_at.map_or(held.until, |at| at.min(held.until)));
        self.now.insert((run, layer), held);
    }

    /// A task of a layer is handed out: the next one waits anew.
    pub fn end(&mut self, run: RunId, layer: LayerId) {
        self.now.remove(&(run, layer));
        self.before.remove(&(run, layer));
    }

    pub fn iter(&self) -> impl Iterator<Item = (RunId, HeldBack)> {
        self.now.iter().map(|(&(run, _), &held)| (run, held))
    }
}

impl Scheduler {
    /// Whether, and for whom, tasks of `run` that could start wait for memory.
    pub fn held_back(&self, run: RunId) -> Option<HeldBack> {
        let of_run = self.waits.now.range((run, LayerId(0))..=(run, LayerId(u32::MAX)));
        of_run.map(|(_, &held)| held).min_by_key(|held| held.since)
    }

    /// Whether tasks of `run` that could start wait for others to free memory.
    pub fn is_held_back(&self, run: RunId) -> bool {
        self.held_back(run).is_some()
    }

    /// When the scheduler is to be told that time has passed ([`crate::Event::TimePassed`]), if nothing happens before.
    pub fn wakes_at(&self) -> Option<Time> {
        self.waits.wakes_at
    }

    /// Whether a producer of `layer`, for which no worker has memory, waits; it is noted if so.
    pub(crate) fn waits(&mut self, run: RunId, layer: LayerId, requirement: Option<&Requirement>) -> bool {
        let since = self.waits.since(run, layer, self.now);
        let last = since.0.saturating_add(self.settings.patience_nanoseconds);
        if last <= self.now.0 {
            return false;
        }
        let family = self.queue.family(run);
        let Some((waited, until)) = self.seats.relief(family, requirement, self.now) else { return false };
        let (worker, waits_for) = waited;
        let until = Time(last.min(until.0));
        self.waits.note(run, layer, HeldBack { since, until, worker, waits_for });
        true
    }

    /// What an assignment of `run` that is about to be placed on `worker` gives back, if that is soon.
    pub(crate) fn relief(
        &self,
        run: RunId,
        worker: WorkerId,
        nanoseconds: Option<u64>,
        fetches: &[Fetch],
    ) -> Option<Relief> {
        let patience = self.settings.patience_nanoseconds;
        let seat = self.seats.get(worker)?;
        let before = if seat.has_slot() { 0 } else { seat.nanoseconds_a_slot() };
        let is_near = nanoseconds.is_none_or(|nanoseconds| before.saturating_add(nanoseconds) <= patience);
        let holders = fetches.iter().map(|fetch| fetch.from).take(HOLDERS_LOOKED_AT);
        let mut at: SmallVec<[WorkerId; 4]> = std::iter::once(worker).chain(holders).collect();
        at.sort_unstable();
        at.dedup();
        let until = Time(self.now.0.saturating_add(patience));
        is_near.then(|| Relief { family: self.queue.family(run), until, at })
    }
}
