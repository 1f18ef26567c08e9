//! What tasks lend while they wait for runs: their slot, and what they have of their worker's resources.
//!
//! A slot is lent to anybody. Resources are lent to what the task waits for alone, and to what tasks of that wait for in turn: if
//! nobody but the waiting task has a GPU, a task that it waits for may need just that one; and whoever else came to it would
//! still be at it when the waiting task goes on. Of a run nobody says which of its assignments wait, but how many: so what they
//! lend is taken to be what so many of them have at the least; and where all of them wait, what they have is lent to all that
//! they wait for.

use crate::needs::Need;
use crate::placed::Handed;
use crate::planted::{self, Bug};
use crate::queue::Head;
use crate::requirement::{Requirement, Sums, change_sums};
use crate::run::Run;
use crate::run_queue::ClassTurn;
use crate::scheduler::Scheduler;
use crate::take::draft::Limits;
use crate::worker_state::WorkerState;
use crate::workers::Workers;
use crate::{RunId, WorkerId};
use raskt_graph::{Resources, TaskId};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// What is lent, by the run that the lending tasks are of.
type Lent = SmallVec<[(RunId, Sums); 2]>;

fn sum_lent(lent: &[(RunId, Sums)], name: &Arc<str>) -> u128 {
    lent.iter().filter_map(|(_, lent)| lent.get(name)).sum()
}

/// Runs above one another that are looked at to find what is lent to the deepest.
const RUNS_LOOKED_AT: usize = 256;

impl Scheduler {
    /// Tasks of `worker` wait for `id`, unless that has ended. Nobody else is given their slots before it. How many they are it is
    /// believed, as it is how many slots it has: what goes on there for nobody lends slots as well, and isn't all known of here.
    pub(crate) fn lend(&mut self, worker: WorkerId, id: RunId, slots: u32) {
        let Some(run) = self.runs.get_mut(&id).filter(|run| !run.is_finished) else { return };
        if slots > 0 && self.workers.contains(worker) {
            run.lend(worker, slots.into());
            let has_something = run.parent_requires;
            self.workers.know(worker, id, true);
            self.workers.lend(worker, slots.into(), true);
            self.workers.wait_for(worker, id, has_something);
            let has_slot = |workers: &Workers| workers.get(worker).is_some_and(WorkerState::has_slot);
            (0..slots).take_while(|_| has_slot(&self.workers) && self.assign_lent(worker, id, false)).for_each(drop);
            // One more task waits: that may tell what others have lent.
            self.look_at_borrowers(worker);
        }
    }

    /// So many slots of a worker are those of tasks that wait for what isn't known here.
    pub(crate) fn lend_to_anybody(&mut self, worker: WorkerId, slots: u32) {
        self.workers.lend_to_anybody(worker, slots);
        self.look_at_borrowers(worker);
    }

    pub(crate) fn resize(&mut self, worker: WorkerId, slots: u32, memory: u64) {
        self.workers.resize(worker, slots, memory);
        if slots == 0 {
            self.ask_all_back(worker);
        }
        self.look_at_borrowers(worker);
    }

    pub(crate) fn take_back_lent(&mut self, worker: WorkerId, id: RunId, slots: u32) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let Some((slots, is_over)) = run.take_back_lent(worker, slots.into()) else { return };
        if is_over {
            self.workers.know(worker, id, run.is_known_to(worker));
        }
        self.workers.lend(worker, slots, false);
        if is_over {
            self.workers.wait_for(worker, id, false);
        }
    }

    /// All that `run` has to make is there: who waits for it does so no longer.
    pub(crate) fn end_lending(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let mut lenders = run.end_lending();
        lenders.retain(|_, _| !planted::has(Bug::LentSlotIsKept));
        for (worker, slots) in lenders {
            self.workers.lend(worker, slots, false);
            self.workers.wait_for(worker, id, false);
            self.workers.know(worker, id, run.is_known_to(worker));
        }
    }

    /// Hands out something of `id` to `worker`, whose task waits for it: where it is, and however much else it has. Says whether
    /// there was something. It may be asked for what has to borrow, and nothing else: what hasn't stands in line with others.
    pub(crate) fn assign_lent(&mut self, worker: WorkerId, id: RunId, has_to_borrow: bool) -> bool {
        let found = self.find_lent(worker, id, has_to_borrow);
        let Some(((class, head), run)) = found.zip(self.runs.get(&id)) else {
            self.publish(id);
            return false;
        };
        let (requirement, first) = (run.classes[class].clone(), TaskId::new(head.layer, head.start));
        let gives_back = self.workers.has_memory_limit() && run.effect(self.runs.others(), first).gives_back();
        let limits = Limits { room: u64::MAX, net: 0, ..self.limits(id, worker) };
        let batch = self.runs.split(&id).map(|(run, others)| run.take(others, class, head, worker, limits));
        if let Some(batch) = batch {
            self.waits.end(id, class as u32, head.layer);
            self.hand_over(id, worker, batch, requirement, Handed { gives_back, is_lent: true, stays: false });
        }
        self.publish(id);
        true
    }

    /// Of what `id` has to start and `worker` can take, what goes first.
    fn find_lent(&mut self, worker: WorkerId, id: RunId, has_to_borrow: bool) -> Option<(usize, Head)> {
        let mut first: Option<(ClassTurn, Head)> = None;
        for turn in self.may_start_at(worker, id) {
            // Heads that start in vain are passed: a class may have less to start than it stands in line for, and never more.
            if first.is_some_and(|(first, _)| first <= turn) {
                break;
            }
            self.steps += 1;
            let (_, class) = turn;
            let requirement = self.runs.get(&id)?.classes[class as usize].as_deref();
            let is_taken = match self.workers.is_able(worker, requirement) {
                true => !has_to_borrow,
                false => requirement.is_some_and(|requirement| self.can_borrow(worker, id, requirement)),
            };
            let head = if is_taken { self.runs.get_mut(&id)?.find_startable(class as usize) } else { None };
            let found = head.map(|head| ((head.turn(), class), head));
            first = first.into_iter().chain(found).min_by_key(|(turn, _)| *turn);
        }
        first.map(|((_, class), head)| (class as usize, head))
    }

    /// Classes of `id` that have something to start, by their turns. Left out are those that require what `worker` can't have, if it
    /// meets less than they require.
    fn may_start_at(&self, worker: WorkerId, id: RunId) -> SmallVec<[ClassTurn; 2]> {
        let requiring = self.runs.get(&id).map_or(0, |run| run.requiring() as usize);
        let met = if requiring > 0 { self.may_be_met(worker, id, requiring + 1) } else { SmallVec::new() };
        let mut turns: SmallVec<[ClassTurn; 2]> = if met.len() > requiring {
            self.queue.standing_of(id).map(|(class, turn)| (turn, class)).collect()
        } else {
            let with = |need| self.requiring.range((need, id, 0)..=(need, id, u32::MAX)).map(|&(.., class)| class);
            let classes = std::iter::once(0).chain(met.into_iter().flat_map(with));
            classes.filter_map(|class| Some((self.queue.turn(id, class)?, class))).collect()
        };
        turns.sort_unstable();
        turns
    }

    /// What `worker` meets, or may if tasks of `id` borrow what is lent to them: so much of it at most.
    fn may_be_met(&self, worker: WorkerId, id: RunId, most: usize) -> SmallVec<[Need; 4]> {
        let Some(state) = self.workers.get(worker) else { return SmallVec::new() };
        let lent = self.lent_to(state, worker, id);
        let lent = |name: &Arc<str>| u64::try_from(sum_lent(&lent, name)).unwrap_or(u64::MAX);
        let has = |name: &Arc<str>| state.free(name).saturating_add(lent(name));
        self.workers.needs.met_within(worker, has).take(most).collect()
    }

    /// Hands out what runs have to start that can borrow what it requires. Looked at are runs to which something has happened, and
    /// those for which tasks of a worker wait to which something has.
    pub(crate) fn assign_borrowers(&mut self) {
        for id in mem::take(&mut self.borrowers) {
            for worker in self.lenders_to(id) {
                self.steps += 1;
                while self.workers.get(worker).is_some_and(WorkerState::has_lent_slot)
                    && self.assign_lent(worker, id, true)
                {}
            }
        }
        self.borrowers.clear();
    }

    /// Something has happened to `worker`: what its tasks wait for may borrow what it couldn't before.
    pub(crate) fn look_at_borrowers(&mut self, worker: WorkerId) {
        let Some(state) = self.workers.get(worker).filter(|state| state.has_lent_slot()) else { return };
        for &waited_for in state.waits_for() {
            let needy = self.needy.range((waited_for, RunId(0))..=(waited_for, RunId(u64::MAX)));
            self.borrowers.extend(needy.map(|&(_, run)| run));
        }
    }

    /// `id`, which a task has submitted, has come to require something, or does so no longer.
    pub(crate) fn note_needy(&mut self, id: RunId, is_needy: bool) {
        for above in self.chain(id).map(|(above, _)| above).collect::<SmallVec<[_; 4]>>() {
            _ = if is_needy { self.needy.insert((above, id)) } else { self.needy.remove(&(above, id)) };
        }
    }

    /// `id`, whose task `parent` has submitted, is forgotten: what is below it finds those above no longer.
    pub(crate) fn forget_needy(&mut self, id: RunId, parent: Option<RunId>) {
        let below = self.needy.range((id, RunId(0))..=(id, RunId(u64::MAX)));
        let below: SmallVec<[RunId; 4]> = below.map(|&(_, run)| run).collect();
        if below.is_empty() {
            return;
        }
        let above = parent.into_iter().flat_map(|parent| self.chain(parent)).map(|(above, _)| above);
        for above in above.chain([id]).collect::<SmallVec<[_; 4]>>() {
            below.iter().for_each(|&run| _ = self.needy.remove(&(above, run)));
        }
    }

    /// Workers whose tasks wait for `id`, or for a run whose tasks do, and may have something that it requires.
    fn lenders_to(&self, id: RunId) -> SmallVec<[WorkerId; 4]> {
        let having = self.chain(id).map(|(_, run)| run).filter(|run| run.parent_requires);
        let mut lenders: SmallVec<[WorkerId; 4]> =
            having.flat_map(|run| run.lenders().map(|(worker, _)| worker)).collect();
        lenders.sort_unstable();
        lenders.dedup();
        lenders
    }

    /// A run, the one whose task submitted it, and so on.
    pub(crate) fn chain(&self, id: RunId) -> impl Iterator<Item = (RunId, &Run)> {
        let found = |id: RunId| Some((id, self.runs.get(&id)?));
        std::iter::successors(found(id), move |(_, run)| found(run.parent?)).take(RUNS_LOOKED_AT)
    }

    /// Whether tasks of `id` find at `worker` what they require if they borrow what is lent to them.
    pub(crate) fn can_borrow(&self, worker: WorkerId, id: RunId, requirement: &Requirement) -> bool {
        let Some(state) = self.workers.get(worker).filter(|state| !state.is_kept()) else { return false };
        let lent = self.lent_to(state, worker, id);
        self.workers.could_take(worker, Some(requirement))
            && state.can_borrow(requirement, |name| sum_lent(&lent, name))
    }

    /// A worker with nothing to do but to wait for `id`, which can have what this requires if it borrows it.
    pub(crate) fn lender_at_rest(&self, id: RunId, requirement: Option<&Requirement>) -> Option<WorkerId> {
        let requirement = requirement?;
        let at_rest = |worker: &WorkerId| {
            let state = self.workers.get(*worker);
            state.is_some_and(|state| state.is_at_rest() && state.may_be_kept() && !state.begins_nothing())
        };
        let mut lenders = self.lenders_to(id).into_iter().filter(at_rest);
        lenders.find(|&worker| self.can_borrow(worker, id, requirement) && !self.has_suspect_of(worker, id))
    }

    /// What those tasks have of the resources of `worker` that wait for `id`, or for a run whose tasks do, and nobody has borrowed
    /// yet: by the runs that the tasks are of, the deepest first. What one run has borrowed is no less for those that wait
    /// elsewhere, below other tasks: they may wait for each other's end else.
    fn lent_to(&self, state: &WorkerState, worker: WorkerId, id: RunId) -> Lent {
        let left = |(_, run): (RunId, &Run)| {
            let (parent, slots) = run.parent.zip(run.lent_by(worker))?;
            // Which of them wait for this run nobody says. If all that there are wait, it doesn't matter: what any of them has is
            // idle. Else as little is lent as those have that have least, so that nothing is used twice.
            let waiting = self.waiting_of(state, worker, parent);
            let all_wait = waiting >= state.placed_of(parent).count() as u64;
            let mut lent = state.least_of(parent, if all_wait { waiting } else { slots });
            change_sums(&mut lent, state.borrowed_from(parent), false);
            Some((parent, lent))
        };
        self.chain(id).filter_map(left).collect()
    }

    /// What an assignment of `id` at `worker` borrows, and from tasks of which run: what it requires beyond what is free. The
    /// deepest lend first, since fewest others may borrow from them.
    pub(crate) fn borrow(
        &self,
        worker: WorkerId,
        id: RunId,
        requirement: Option<&Requirement>,
    ) -> Vec<(RunId, Resources)> {
        let found = requirement.and_then(|requirement| Some((requirement, self.workers.get(worker)?)));
        let Some((requirement, state)) = found.filter(|(requirement, state)| !state.has_free(requirement)) else {
            return Vec::new();
        };
        let mut borrowed: BTreeMap<RunId, Resources> = BTreeMap::new();
        let lent = self.lent_to(state, worker, id);
        for (name, &amount) in &requirement.resources {
            let mut lacking = amount.saturating_sub(state.free(name));
            // What nobody lends is borrowed all the same: less is free than was when it was looked for.
            for (lender, lent) in
                lent.iter().map(|(lender, lent)| (*lender, lent.get(name).copied())).chain([(id, None)])
            {
                let is_last = lender == id;
                let part = if is_last { lacking } else { u128::from(lacking).min(lent.unwrap_or(0)) as u64 };
                if part > 0 {
                    borrowed.entry(lender).or_default().insert(name.clone(), part);
                    lacking -= part;
                }
            }
        }
        borrowed.into_iter().collect()
    }

    /// How many tasks of `id` wait at `worker`, for whatever runs.
    fn waiting_of(&self, state: &WorkerState, worker: WorkerId, id: RunId) -> u64 {
        let waited_for = state.waits_for().filter_map(|run| self.runs.get(run)).filter(|run| run.parent == Some(id));
        waited_for.filter_map(|run| run.lent_by(worker)).sum()
    }

    /// Slots that `worker` lends for tasks that certainly aren't of `id`.
    pub(crate) fn lent_by_others(&self, worker: WorkerId, id: RunId, state: &WorkerState) -> u64 {
        let may_be_own = |run: &&Run| run.parent.is_none_or(|parent| parent == id);
        let waited_for = state.known().filter_map(|run| self.runs.get(run)).filter(may_be_own);
        let own: u64 = waited_for.filter_map(|run| run.lent_by(worker)).sum();
        state.lent().saturating_sub(own)
    }
}
