//! All workers, and the orders in which they are found.

mod able;

use crate::collections::by_number::ByNumber;
use crate::holdings::Move;
use crate::needs::Needs;
use crate::placed::Placed;
use crate::policy::Candidate;
use crate::requirement::Requirement;
use crate::settings::Settings;
use crate::suspects::Quarantine;
use crate::worker_rank::{Derived, WorkerRank};
use crate::worker_state::WorkerState;
use crate::{Attempt, Offer, RunId, TaskRange, Time, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// The workers, and what is derived from what each of them has.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    workers: ByNumber<WorkerId, WorkerState>,
    derived: Derived,
    /// What is required of them.
    pub needs: Needs,
    settings: Settings,
    /// Workers that are kept for suspects and that have changed.
    changed: BTreeSet<WorkerId>,
    /// The last of those that were looked at to move their suspects.
    last_draining: WorkerId,
    /// Workers that are kept for those who ask for much of a resource, and that have changed.
    reserved_changed: BTreeSet<WorkerId>,
    /// Workers of which it is to be told when they have nothing placed any more.
    awaited: BTreeSet<WorkerId>,
    /// Those that have come to that, or have left.
    rested: Vec<WorkerId>,
    /// Some worker has come to have room or more memory for producers, or gives none back that it would have.
    pub has_freed: bool,
}

/// Workers of which memory is given back that are looked at to find out whether waiting helps.
const RELIEFS_LOOKED_AT: usize = 8;

/// The part of the workers that may be kept for suspects while others have work, and one in any case: a twentieth.
const QUARANTINED_PART: u64 = 20;

impl Workers {
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    pub fn add(&mut self, worker: WorkerId, offer: Offer) {
        self.derived.add_offer(worker, &offer);
        let state = WorkerState::new(offer);
        self.derived.put_in(worker, WorkerRank::of(worker, &state, &self.settings));
        let concerned = self.needs.concerned(state.offer());
        self.workers.insert(worker, state);
        self.has_freed = true;
        concerned.into_iter().for_each(|need| self.look_at(need, worker));
    }

    /// Takes a worker away, and gives what it had.
    pub fn remove(&mut self, worker: WorkerId) -> BTreeMap<(RunId, Attempt), Placed> {
        let Some(state) = self.workers.remove(&worker) else { return BTreeMap::new() };
        if self.awaited.remove(&worker) {
            self.rested.push(worker);
        }
        self.has_freed = true;
        self.derived.take_out(worker, WorkerRank::of(worker, &state, &self.settings));
        self.derived.remove_offer(worker, state.offer());
        for (&(run, attempt), placed) in state.placed() {
            placed.relief.iter().for_each(|relief| self.derived.change_relief(run, attempt, relief, false));
        }
        for need in self.needs.met_by(worker).into_iter().chain(self.needs.concerned(state.offer())) {
            self.look_at(need, worker);
        }
        state.into_placed()
    }

    pub fn resize(&mut self, worker: WorkerId, slots: u32, memory: u64) {
        self.change(worker, |state| state.resize(slots, memory));
    }

    /// So many slots of `worker` are those of tasks that wait for anything.
    pub fn lend_to_anybody(&mut self, worker: WorkerId, slots: u32) {
        self.change(worker, |state| state.lend_to_anybody(slots));
    }

    /// What `worker` has waits, as it says, or not any more.
    pub fn note_waiting(&mut self, worker: WorkerId, of: (RunId, Attempt), does: bool) {
        if let Some(state) = self.workers.get_mut(&worker) {
            state.note_waiting(of, does);
        }
    }

    /// `worker` is called otherwise from now on.
    pub fn rename(&mut self, worker: WorkerId, name: Arc<str>) {
        let Some(state) = self.workers.get_mut(&worker) else { return };
        let before = state.rename(name);
        let now = state.offer().clone();
        self.derived.remove_offer(worker, &before);
        self.derived.add_offer(worker, &now);
        self.has_freed = true;
        let mut concerned = self.needs.concerned(&before);
        concerned.extend(self.needs.concerned(&now));
        concerned.extend(self.needs.met_by(worker));
        concerned.into_iter().for_each(|need| self.look_at(need, worker));
    }

    /// Tasks of `worker` lend so many slots while they wait, or get them back.
    pub fn lend(&mut self, worker: WorkerId, slots: u64, lends: bool) {
        self.change(worker, |state| state.change_lent(slots, lends));
    }

    /// Tasks of `worker` wait for `run`, which requires something; or not any more.
    pub fn wait_for(&mut self, worker: WorkerId, run: RunId, does: bool) {
        if let Some(state) = self.workers.get_mut(&worker) {
            state.wait_for(run, does);
        }
    }

    pub fn get(&self, worker: WorkerId) -> Option<&WorkerState> {
        self.workers.get(&worker)
    }

    pub fn contains(&self, worker: WorkerId) -> bool {
        self.workers.contains_key(&worker)
    }

    pub fn ids(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.keys().copied()
    }

    /// Whether one is so of those that are no later than `last`.
    pub fn any_until(&self, last: WorkerId, is_so: impl Fn(&WorkerState) -> bool) -> bool {
        self.workers.until(last).any(|worker| self.get(worker).is_some_and(&is_so))
    }

    /// The last that has come of those that are there.
    pub fn newest(&self) -> Option<WorkerId> {
        self.workers.last()
    }

    pub fn len(&self) -> usize {
        self.workers.len()
    }

    /// Slots of all workers.
    pub fn slots(&self) -> u64 {
        self.derived.slots
    }

    /// `worker` has come to have something of `run`, or waits for it; or neither any more.
    pub fn know(&mut self, worker: WorkerId, run: RunId, does: bool) {
        if let Some(state) = self.workers.get_mut(&worker) {
            state.know(run, does);
        }
    }

    /// Runs that `worker` has something of, or waits for.
    pub fn known(&self, worker: WorkerId) -> Vec<RunId> {
        self.workers.get(&worker).into_iter().flat_map(WorkerState::known).copied().collect()
    }

    /// Counts that `worker` said what it holds.
    pub fn hear(&mut self, worker: WorkerId) {
        if let Some(state) = self.workers.get_mut(&worker) {
            state.hear();
        }
    }

    /// Whether any worker has room for anything.
    pub fn has_room(&self) -> bool {
        !self.derived.open.is_empty()
    }

    /// Results of `run` have come to a worker, or gone.
    pub fn hold(&mut self, run: RunId, moved: Move, each: u64) {
        let Some(state) = self.workers.get_mut(&moved.worker) else { return };
        let before = state.seat(moved.worker, &self.settings.admission);
        let left = state.memory_left(&self.settings.admission);
        state.hold(run, moved, each);
        self.has_freed |= state.memory_left(&self.settings.admission) > left;
        if state.seat(moved.worker, &self.settings.admission) != before {
            let now = WorkerRank::of(moved.worker, state, &self.settings);
            self.derived.change(moved.worker, WorkerRank { seat: now.seat.map(|_| before), ..now }, now);
            self.place_anew(moved.worker);
        }
    }

    /// Whether it matters to any worker how much it holds.
    pub fn has_memory_limit(&self) -> bool {
        self.derived.bounded > 0
    }

    /// Of the assignments of `family` that give memory back of a worker which could take what meets `requirement`: which worker
    /// and which run it is of which nobody waits first any more, and when that is so of all.
    pub fn relief(
        &self,
        family: RunId,
        requirement: Option<&Requirement>,
        now: Time,
    ) -> Option<((WorkerId, RunId), Time)> {
        let mut next = WorkerId(0);
        let mut soonest: Option<(Time, (WorkerId, RunId))> = None;
        let mut last = Time(0);
        for _ in 0..RELIEFS_LOOKED_AT {
            let from = (family, next, Time(0), RunId(0), Attempt(0));
            let Some(&(of, worker, ..)) = self.derived.reliefs.range(from..).next() else { break };
            if of != family {
                break;
            }
            if self.could_take(worker, requirement) {
                let mut reliefs = self.reliefs_at(family, worker, now);
                let first = reliefs.next();
                last = last.max(reliefs.next_back().or(first).map_or(Time(0), |(until, _)| until));
                let first = first.map(|(until, run)| (until, (worker, run)));
                soonest = first.filter(|first| soonest.is_none_or(|soonest| first.0 < soonest.0)).or(soonest);
            }
            let Some(later) = worker.0.checked_add(1) else { break };
            next = WorkerId(later);
        }
        soonest.map(|(_, first)| (first, last))
    }

    /// Assignments of `family` that give memory of `worker` back and are still worth waiting for.
    pub fn reliefs_at(
        &self,
        family: RunId,
        worker: WorkerId,
        now: Time,
    ) -> impl DoubleEndedIterator<Item = (Time, RunId)> {
        let from = (family, worker, Time(now.0.saturating_add(1)), RunId(0), Attempt(0));
        let to = (family, worker, Time(u64::MAX), RunId(u64::MAX), Attempt(u32::MAX));
        self.derived.reliefs.range(from..=to).map(|&(_, _, until, run, _)| (until, run))
    }

    /// What placement has to know of `worker`, which would have to fetch `missing_bytes`.
    pub fn candidate(&self, worker: WorkerId, missing_bytes: u64) -> Candidate {
        let nanoseconds_placed = self.workers.get(&worker).map_or(0, WorkerState::nanoseconds_a_slot);
        Candidate { worker, nanoseconds_placed, missing_bytes }
    }

    /// A worker that is kept for suspects and to which something has happened since it was last asked about.
    pub fn next_changed(&mut self) -> Option<WorkerId> {
        self.changed.pop_first()
    }

    /// The same of those that are kept for somebody who asks for much of a resource.
    pub fn next_reserved(&mut self) -> Option<WorkerId> {
        self.reserved_changed.pop_first()
    }

    /// Workers that are kept for suspects and have still other things to do: so many of them at most, those first that come after
    /// the last of those that were given before.
    pub fn next_draining(&mut self, most: usize) -> Vec<WorkerId> {
        let (draining, last) = (&self.derived.draining, self.last_draining);
        let later = draining.range((Bound::Excluded(last), Bound::Unbounded));
        let next: Vec<_> = later.chain(draining.range(..=last)).copied().take(most).collect();
        self.last_draining = next.last().copied().unwrap_or(last);
        next
    }

    /// Keeps a worker for suspects, or lets it take anything again.
    pub fn quarantine(&mut self, worker: WorkerId, quarantine: Option<Quarantine>) {
        self.change(worker, |state| state.change_quarantine(quarantine));
    }

    /// Whether one more worker may be kept for suspects: if it has nothing to do, any, and else a part of them.
    pub fn may_quarantine(&self, is_idle: bool) -> bool {
        match is_idle {
            true => {
                self.derived.open.places().first().is_some_and(|(_, load, _)| *load == 0) || self.has_idle_but_full()
            }
            false => {
                let most = (self.workers.len() as u64 / QUARANTINED_PART).max(1);
                self.has_room() && self.derived.quarantined < most
            }
        }
    }

    /// Whether a worker has nothing to do and no memory for producers.
    fn has_idle_but_full(&self) -> bool {
        self.derived.open.places().range((true, 0, WorkerId(0))..).next().is_some_and(|(_, load, _)| *load == 0)
    }

    /// Workers that were given work in advance, the one with the most first.
    pub fn ahead(&self) -> impl Iterator<Item = WorkerId> {
        self.derived.ahead.iter().rev().map(|&(_, worker)| worker)
    }

    pub fn place(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, placed: Placed) {
        self.change(worker, |state| state.place(run, attempt, placed));
    }

    /// Ends an assignment; nothing if the worker doesn't have it.
    pub fn close(&mut self, worker: WorkerId, run: RunId, attempt: Attempt) -> Option<Placed> {
        let mut closed = None;
        self.change(worker, |state| closed = state.close(run, attempt));
        closed
    }

    /// Takes `tasks` out of an assignment, which ends with the last of them. Says for whom they were asked back.
    pub fn take_out(
        &mut self,
        worker: WorkerId,
        run: RunId,
        attempt: Attempt,
        tasks: &[TaskRange],
    ) -> Option<WorkerId> {
        let mut stolen_for = None;
        self.change(worker, |state| stolen_for = state.take_out(run, attempt, tasks));
        stolen_for
    }

    pub fn start(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, is_forgotten: bool) {
        self.change(worker, |state| state.start(run, attempt, is_forgotten));
    }

    /// Notes that an assignment of `worker` is asked back for another one.
    pub fn steal(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, stolen_for: WorkerId) {
        self.change(worker, |state| state.steal(run, attempt, stolen_for));
        self.change(stolen_for, |state| state.expect(worker, run, attempt));
    }

    /// Whether something is on its way to `worker` that was asked back for it.
    fn is_expecting(&self, worker: WorkerId) -> bool {
        let incoming = self.workers.get(&worker).and_then(WorkerState::incoming);
        incoming.is_some_and(|(from, run, attempt)| {
            let placed = self.workers.get(&from).and_then(|state| state.find(run, attempt));
            // What has begun isn't given back, and nobody says so.
            placed.is_some_and(|placed| placed.stolen_for == Some(worker) && !placed.is_started)
        })
    }

    /// Notes that `worker` couldn't fetch from `holder` for an assignment that was handed out then; whether it can't again.
    pub fn note_unreachable(&mut self, worker: WorkerId, holder: WorkerId, handed_out: Time, now: Time) -> bool {
        let ways = self.workers.get_mut(&worker).map(WorkerState::closed_ways_mut);
        ways.is_some_and(|ways| ways.note(holder, handed_out, now))
    }

    /// Whether `worker` is known not to reach `holder`.
    pub fn cannot_reach(&self, worker: WorkerId, holder: WorkerId, now: Time) -> bool {
        self.workers.get(&worker).is_some_and(|state| state.closed_ways().contains(holder, now))
    }

    /// Ends all assignments that `worker` has of a run, and gives them.
    pub fn forget(&mut self, worker: WorkerId, run: RunId, above: &[RunId]) -> Vec<Placed> {
        let mut ended = vec![];
        self.change(worker, |state| ended = state.forget(run, above));
        ended
    }

    /// Changes a state, and what is derived from it.
    pub fn change(&mut self, worker: WorkerId, change: impl FnOnce(&mut WorkerState)) {
        let Some(state) = self.workers.get_mut(&worker) else { return };
        let before = WorkerRank::of(worker, state, &self.settings);
        let left = state.memory_left(&self.settings.admission);
        change(state);
        self.has_freed |= state.memory_left(&self.settings.admission) > left;
        let now = WorkerRank::of(worker, state, &self.settings);
        if now.is_quarantined {
            self.changed.insert(worker);
        }
        if state.kept_for().is_some() {
            self.reserved_changed.insert(worker);
        }
        for (run, attempt, relief, is_new) in state.take_relief_changed() {
            self.derived.change_relief(run, attempt, &relief, is_new);
            self.has_freed |= !is_new;
        }
        self.has_freed |= now.seat.is_some() && before.seat.is_none();
        if now != before {
            self.derived.change(worker, before, now);
        }
        if self.awaited.contains(&worker) && !state.has_placed() {
            self.awaited.remove(&worker);
            self.rested.push(worker);
        }
        self.place_anew(worker);
    }

    /// Whether `worker` has something placed; if so [`Self::take_rested`] tells when it hasn't any more.
    pub fn await_rest(&mut self, worker: WorkerId) -> bool {
        let works = self.get(worker).is_some_and(WorkerState::has_placed);
        if works {
            self.awaited.insert(worker);
        }
        works
    }

    pub fn take_rested(&mut self) -> Vec<WorkerId> {
        std::mem::take(&mut self.rested)
    }

    /// Asserts that what is derived is what counting again gives, and shows each assignment to `check`.
    pub fn validate(&self, mut check: impl FnMut(WorkerId, RunId, Attempt, &Placed)) {
        let mut derived = Derived::default();
        for (&worker, state) in self.workers.iter() {
            derived.add_offer(worker, state.offer());
            derived.put_in(worker, WorkerRank::of(worker, state, &self.settings));
            state.validate();
            for (&(run, attempt), placed) in state.placed() {
                placed.relief.iter().for_each(|relief| derived.change_relief(run, attempt, relief, true));
            }
            state.placed().for_each(|(&(run, attempt), placed)| check(worker, run, attempt, placed));
        }
        assert_eq!(self.derived, derived, "what is derived from the workers");
        self.needs.validate(|requirement| (self.able_with_places(requirement), self.restricts(requirement)));
    }
}
