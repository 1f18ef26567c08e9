//! Suspects run alone: a worker is kept free of everything else for them.

mod blame;

use crate::needs::Need;
use crate::placed::{Handed, Placed};
use crate::requirement::Requirement;
use crate::scheduler::Scheduler;
use crate::suspects::{Group, Quarantine};
use crate::worker_state::WorkerState;
use crate::{RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use smallvec::SmallVec;
use std::ops::Bound;

/// Workers with other things to do whose suspects are moved to idle ones after one event, if they can be; after the next, those
/// that come after them.
const MOVED: usize = 8;

/// Groups of other runs that are looked at for one worker.
const OTHERS_LOOKED_AT: usize = 1 << 10;

impl Scheduler {
    /// Goes on with workers that are kept for suspects and to which something has happened, and keeps more of them if there are
    /// suspects that look for one.
    pub(crate) fn assign_suspects(&mut self) {
        while let Some(worker) = self.workers.next_changed() {
            self.steps += 1;
            self.go_on_with(worker);
        }
        self.move_to_idle();
        self.find_quarantines(false);
    }

    /// Finds workers for suspects that were passed in line. What is left for workers with nothing to do: suspects, beyond the part
    /// of the workers that is kept for them at most while others have work.
    pub(crate) fn assign_passed_suspects(&mut self) {
        self.find_quarantines(false);
        self.find_quarantines(true);
    }

    fn find_quarantines(&mut self, is_idle: bool) {
        self.find_open(is_idle);
        self.find_lenders(is_idle);
    }

    /// Keeps workers that have what is required, and room. Looked at is only what there are such workers for.
    fn find_open(&mut self, is_idle: bool) {
        let mut after = Bound::Unbounded;
        while self.workers.may_quarantine(is_idle)
            && let Some((need, id, class)) = self.next_with_room(after)
        {
            self.steps += 1;
            // Each turn takes one from the accused, or goes on to the next run or requirement: one that stayed would be
            // found for ever.
            let Some(run) = self.runs.get(&id) else { return };
            let Some((_, group)) = run.suspects.first_ready(class) else { return };
            let requirement = run.requirement_of(class);
            let requirement = requirement.as_deref();
            let find = |of| if is_idle { self.idle_for(of, requirement) } else { self.next_to_keep(of, requirement) };
            match find(Some(id)) {
                Some(worker) => self.keep_for(worker, id, group, false),
                // What is of another run may have better luck, or else what requires something else.
                None if find(None).is_some() => after = Bound::Excluded((need, id, u32::MAX)),
                None => after = Bound::Excluded((need, RunId(u64::MAX), u32::MAX)),
            }
        }
    }

    /// The next class with suspects that requires what some worker has room for.
    fn next_with_room(&self, after: Bound<(Need, RunId, u32)>) -> Option<(Need, RunId, u32)> {
        let &next = self.with_suspects.range((after, Bound::Unbounded)).next()?;
        let need = self.workers.needs.next_sought(next.0)?;
        self.with_suspects.range(next.max((need, RunId(0), 0))..).next().copied()
    }

    /// Keeps workers whose tasks wait for runs with suspects, and lend what these require.
    fn find_lenders(&mut self, is_idle: bool) {
        let mut after = Bound::Unbounded;
        while self.workers.may_quarantine(is_idle)
            && let Some(&(need, id, class)) = self.borrowing_suspects.range((after, Bound::Unbounded)).next()
        {
            self.steps += 1;
            let Some(run) = self.runs.get(&id) else { return };
            let Some((_, group)) = run.suspects.first_ready(class) else { return };
            match self.lender_at_rest(id, run.requirement_of(class).as_deref()) {
                Some(worker) => self.keep_for(worker, id, group, false),
                None => after = Bound::Excluded((need, id, class)),
            }
        }
    }

    /// The least loaded worker that has room and what is required, to be kept for suspects of a run, or of any.
    fn next_to_keep(&self, of: Option<RunId>, requirement: Option<&Requirement>) -> Option<WorkerId> {
        self.workers.next_to_keep(requirement, |worker| !of.is_some_and(|id| self.has_suspect_of(worker, id)))
    }

    /// Whether `worker` has a suspect of `id`. While that waits for a run, another one of `id` isn't put beside it: since nobody
    /// says which tasks of a run wait, neither would have been alone when the worker dies, and so it would go on for ever.
    /// That keeps nobody from his end: whoever waits for one of them waits for their run, and so for the other as well.
    pub(crate) fn has_suspect_of(&self, worker: WorkerId, id: RunId) -> bool {
        let Some((run, state)) = self.runs.get(&id).zip(self.workers.get(worker)) else { return false };
        let first = |placed: &Placed| placed.tasks.first().map(|range| TaskId::new(range.layer, range.start));
        !run.suspects.is_empty() && state.placed_of(id).filter_map(first).any(|task| run.suspects.contains(task))
    }

    pub(crate) fn keep_for(&mut self, worker: WorkerId, run: RunId, group: Group, stays: bool) {
        if let Some(found) = self.runs.get_mut(&run) {
            found.suspects.found_worker(group, worker);
        }
        self.workers.quarantine(worker, Some(Quarantine { run, group, attempt: None, stays }));
        self.go_on_with(worker);
        self.note_suspects(run);
    }

    /// Notes what suspects of a run require that look for a worker.
    pub(crate) fn note_suspects(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if !run.suspects.has_ready() && run.sought.is_empty() {
            return;
        }
        let classes =
            std::iter::successors(run.suspects.first_ready(0), |(class, _)| run.suspects.first_ready(class + 1));
        let sought: SmallVec<[(Need, u32); 2]> = classes.map(|(class, _)| (run.needs[class as usize], class)).collect();
        if run.sought == sought {
            return;
        }
        let before = std::mem::replace(&mut run.sought, sought.clone());
        let begun = sought.iter().filter(|one| !before.contains(one));
        begun.for_each(|&(need, class)| self.seek((need, id, class), true));
        let ended = before.iter().filter(|one| !sought.contains(one));
        ended.for_each(|&(need, class)| self.seek((need, id, class), false));
        self.doubtful.insert(id);
    }

    /// A class of a run has come to have suspects that look for a worker, or has none any more.
    pub(crate) fn seek(&mut self, seeker: (Need, RunId, u32), begins: bool) {
        let (need, id, _) = seeker;
        let may_borrow = self.runs.get(&id).is_some_and(|run| run.may_borrow);
        for (list, is_of_it) in [(&mut self.with_suspects, true), (&mut self.borrowing_suspects, may_borrow)] {
            _ = if begins && is_of_it { list.insert(seeker) } else { list.remove(&seeker) };
        }
        self.workers.ask(need, begins);
        self.workers.needs.seek(need, begins);
    }

    /// A worker that has what is required and does nothing, not even for runs that are forgotten; its tasks may wait.
    fn idle_for(&self, of: Option<RunId>, requirement: Option<&Requirement>) -> Option<WorkerId> {
        let is_idle = |worker: &WorkerId| self.workers.get(*worker).is_some_and(|state| state.load() == 0);
        self.next_to_keep(of, requirement).filter(is_idle)
    }

    /// Whether `worker` does nothing but wait, and has what suspects of `id` require, be it borrowed.
    fn is_free_for(&self, worker: WorkerId, id: RunId, class: u32) -> bool {
        let requirement = self.runs.get(&id).and_then(|run| run.requirement_of(class));
        // Whatever its resources are kept for can't come before the suspects either: of two that wait for each other none would.
        let has = |state: &WorkerState, required: &Requirement| {
            state.has_free(required) || self.can_borrow(worker, id, required)
        };
        let state = self.workers.get(worker).filter(|state| state.is_at_rest() && !state.begins_nothing());
        state.is_some_and(|state| requirement.is_none_or(|required| has(state, &required)))
    }

    /// Hands suspects that a worker hasn't been given yet over if it is free of everything else, and frees it if they are gone.
    fn go_on_with(&mut self, worker: WorkerId) {
        let Some(state) = self.workers.get(worker) else { return };
        let Some(Quarantine { run: id, group, attempt: None, stays }) = state.quarantine() else { return };
        let run = self.runs.get(&id).filter(|run| run.suspects.worker_of(group) == Some(worker));
        let class = run.and_then(|run| run.suspects.class_of(group));
        let Some(class) = class else { return self.workers.quarantine(worker, None) };
        if !self.is_free_for(worker, id, class) {
            return;
        }
        let most = self.runs.get(&id).map_or(1, |run| run.suspects.together_of(group));
        match self.hand_group(worker, id, class, Quarantine { run: id, group, attempt: None, stays }) {
            0 => self.workers.quarantine(worker, None),
            _ if stays => {}
            _ => self.add_others(worker, most),
        }
    }

    /// Hands other groups that look for a worker to one that has just been given the first, which may have so many with it, as long as it
    /// has threads: calls that were submitted one by one are runs of their own, and look alike when their worker dies.
    fn add_others(&mut self, worker: WorkerId, mut most: u64) {
        let (mut count, mut after) = (1, Bound::Unbounded);
        for _ in 0..OTHERS_LOOKED_AT {
            let Some(&(need, id, class)) = self.with_suspects.range((after, Bound::Unbounded)).next() else { return };
            let Some(state) = self.workers.get(worker).filter(|state| count < most && state.has_slot()) else { return };
            self.steps += 1;
            after = Bound::Excluded((need, id, class));
            let Some(run) = self.runs.get(&id) else { continue };
            let Some((_, group)) = run.suspects.first_ready(class).filter(|(found, _)| *found == class) else {
                continue;
            };
            let together = run.suspects.together_of(group);
            let requirement = run.requirement_of(class);
            let may_be_here = self.workers.could_take(worker, requirement.as_deref());
            let has_all = may_be_here && requirement.is_none_or(|required| state.has_free(&required));
            if together <= count || !has_all || self.has_suspect_of(worker, id) {
                continue;
            }
            if let Some(run) = self.runs.get_mut(&id) {
                run.suspects.found_worker(group, worker);
            }
            if self.hand_group(worker, id, class, Quarantine { run: id, group, attempt: None, stays: false }) > 0 {
                (count, most) = (count + 1, most.min(together));
            }
            self.note_suspects(id);
        }
    }

    /// Hands those of a group that are ready to the worker that is kept for them: as many assignments as it has threads, each as long as
    /// those of others, so that they take no longer than they would if nobody had died. The rest looks for another worker, or for this
    /// one later. Gives how many assignments that are.
    fn hand_group(&mut self, worker: WorkerId, id: RunId, class: u32, kept: Quarantine) -> usize {
        let limits = self.limits(id, worker);
        let Some((run, others)) = self.runs.split(&id) else { return 0 };
        let tasks = run.suspects.leave_to_worker(kept.group);
        let ready = run.ready_of(&tasks);
        let Some(first) = ready.first().map(|range| TaskId::new(range.layer, range.start)) else { return 0 };
        let requirement = run.requirement_of(class);
        let room = limits.room.checked_div(run.effect(others, first).net()).unwrap_or(u64::MAX);
        let times = self.workers.get(worker).map_or(1, |state| state.times(requirement.as_deref())).min(room).max(1);
        let each = run.tasks_a_batch(first, limits);
        // Who can be nowhere else comes at once.
        let most = if kept.stays { u64::MAX } else { times.saturating_mul(each) };
        let parts = TaskRange::parts(&ready, most);
        let now = parts.first().map(Vec::as_slice).unwrap_or_default();
        let mut handed = 0;
        for tasks in TaskRange::parts(now, TaskRange::count(now).div_ceil(times)) {
            let taken = self.runs.split(&id);
            let taken = taken.and_then(|(run, others)| run.take_these(others, &tasks, worker, limits, false));
            let Some(batch) = taken else { continue };
            self.workers.quarantine(worker, Some(Quarantine { attempt: Some(batch.attempt), ..kept }));
            let gives_back = self.gives_back(id, &batch.tasks);
            let how = Handed { gives_back, is_lent: false, stays: kept.stays };
            self.hand_over(id, worker, batch, requirement.clone(), how);
            handed += 1;
        }
        if parts.len() > 1
            && let Some(run) = self.runs.get_mut(&id)
        {
            run.suspects.offer(kept.group, false);
            self.note_suspects(id);
        }
        handed
    }

    /// Suspects wait for workers to end what they have: if others have nothing to do by now, those take them.
    fn move_to_idle(&mut self) {
        if !self.workers.may_quarantine(true) {
            return;
        }
        for worker in self.workers.next_draining(MOVED) {
            self.steps += 1;
            let kept = self.workers.get(worker).and_then(WorkerState::quarantine).filter(|kept| !kept.stays);
            let Some(kept) = kept else { continue };
            let class = self.runs.get(&kept.run).and_then(|run| run.suspects.class_of(kept.group));
            let requirement = class.and_then(|class| self.runs[&kept.run].requirement_of(class));
            if let Some(class) = class {
                self.workers.watch(self.runs[&kept.run].needs[class as usize]);
            }
            if let Some(idle) = self.idle_for(Some(kept.run), requirement.as_deref()) {
                self.workers.quarantine(worker, None);
                self.keep_for(idle, kept.run, kept.group, false);
            }
        }
    }

    /// Workers that were kept for suspects of `run` which need them no longer take anything again.
    pub(crate) fn end_quarantines(&mut self, run: RunId, freed: Vec<(Group, WorkerId)>) {
        for (group, worker) in freed {
            let kept = self.workers.get(worker).and_then(WorkerState::quarantine);
            if kept.is_some_and(|kept| kept.awaits(run, group)) {
                self.workers.quarantine(worker, None);
            }
        }
    }

    /// A worker is lost that was kept for suspects which it hadn't been given yet: they look for another one.
    pub(crate) fn seek_again(&mut self, quarantine: Option<Quarantine>) {
        if let Some(Quarantine { run, group, attempt: None, .. }) = quarantine
            && let Some(found) = self.runs.get_mut(&run)
        {
            found.suspects.offer(group, true);
            self.note_suspects(run);
        }
    }
}
