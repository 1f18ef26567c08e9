//! Which tasks the death of a worker may be due to.

use crate::planted::{self, Bug};
use crate::scheduler::Scheduler;
use crate::suspects::{Company, Death, Group};
use crate::worker_state::WorkerState;
use crate::{Attempt, LossCause, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use std::collections::{BTreeMap, BTreeSet};

impl Scheduler {
    /// Remembers what the loss of a worker, which is still there, may be due to, and gives the tasks that have killed too many.
    pub(crate) fn blame(&mut self, worker: WorkerId, cause: LossCause) -> Vec<(RunId, TaskId)> {
        let mut guilty = vec![];
        let Some(state) = self.workers.get(worker).filter(|_| cause != LossCause::Retired) else { return guilty };
        let alone = self.alone_on(worker, state).filter(|_| cause != LossCause::DiedFetching);
        let newest = self.workers.newest().unwrap_or(worker);
        let started = state.placed().filter(|(_, placed)| placed.is_started);
        let executing: u64 = started.map(|(_, placed)| TaskRange::count(&placed.tasks)).sum();
        let groups: BTreeMap<_, _> = state.suspects().collect();
        let company = Self::company_on(state, cause);
        let waiting = self.only_waiting(state);
        let mut last = None;
        // Of one group is all that it had of it, and all else that was alike: together they are tried again.
        let mut accused: BTreeMap<_, (Vec<TaskRange>, bool)> = BTreeMap::new();
        for (&(id, attempt), placed) in state.placed() {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            let all = placed.tasks.iter().flat_map(|range| range.tasks());
            let current = TaskRange::of(all.filter(|&task| run.tasks.is_current(task, attempt)));
            let Some(first) = current.first().map(|first| TaskId::new(first.layer, first.start)) else { continue };
            let class = run.tasks.layers[first.layer.0 as usize].class;
            let group = groups.get(&(id, attempt)).copied();
            let only_waits = waiting.contains(&(id, attempt));
            let begun = (group.is_none() && placed.is_started, group.is_some() && only_waits);
            let (tasks, started) = accused.entry((id, class, group, begun)).or_default();
            tasks.extend(current);
            *started |= placed.is_started;
            // What it has of a run stands together.
            let is_first = placed.is_started && last.replace(id) != Some(id);
            let works = |last| self.workers.any_until(last, |state| state.placed_of(id).next().is_some());
            if is_first && run.in_vain.died(worker, newest, run.tasks.counts.done, works) {
                // None of them is to blame more than others: this one had begun.
                guilty.push((id, first));
            }
        }
        let waits_in = accused.keys().filter(|(.., (_, only_waits))| *only_waits);
        let waits_in: BTreeSet<_> = waits_in.map(|&(id, _, group, _)| (id, group)).collect();
        for ((id, class, group, (_, only_waits)), (tasks, started)) in accused {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            // Some of a group may wait while others of it are at work: these have had company.
            let is_mixed = waits_in.contains(&(id, group));
            let alone = group.is_some() && !is_mixed && alone == group.map(|group| (id, group));
            let others =
                if alone { TaskRange::count(&tasks) - 1 } else { executing.saturating_sub(u64::from(started)) };
            let death = Death { worker, others, alone, started, in_part: false };
            let company = company.filter(|_| group.is_some());
            let counted = run.suspects.note(&tasks, class, death, company, only_waits);
            run.tasks.unready.get_or_insert_default();
            let counted = counted.filter(|(_, deaths)| *deaths >= self.settings.deaths).map(|(task, _)| (id, task));
            guilty.extend(counted.filter(|one| !guilty.contains(one)));
        }
        guilty
    }

    /// Those that wait while something else goes on at a worker, which is more likely the reason of a death. What they have submitted
    /// themselves is nothing else: they would have it made anew each time, and none of it would be known again.
    fn only_waiting(&self, state: &WorkerState) -> BTreeSet<(RunId, Attempt)> {
        let waiting = state.those_waiting();
        if waiting.is_empty() {
            return BTreeSet::new();
        }
        let at_work = state.placed().filter(|(of, placed)| placed.is_started && !waiting.contains(of));
        let at_work: BTreeSet<_> = at_work.map(|(&(run, _), _)| run).collect();
        let above = |run: RunId| self.chain(run).skip(1).map(|(above, _)| above).collect::<BTreeSet<_>>();
        let all = at_work.into_iter().map(above).chain(state.above_orphans()).reduce(|all, these| &all & &these);
        // Where nothing is at work, whoever waits may be to blame as well.
        let excused = all.map(|above| waiting.iter().filter(|(run, _)| !above.contains(run)).copied().collect());
        excused.unwrap_or_default()
    }

    /// The group for which `worker` was kept, if all else there only waited. A suspect that waits for tasks itself may have some of
    /// them beside it. Where that is so of two groups, it is of neither.
    fn alone_on(&self, worker: WorkerId, state: &WorkerState) -> Option<(RunId, Group)> {
        let orphans = if planted::has(Bug::OrphansAreInnocent) { 0 } else { state.orphans() };
        // A task that was cancelled and still runs may be to blame as well. A task that waits for others does nothing
        // meanwhile.
        let all = state.placed().count() as u64 + orphans;
        let mut groups: BTreeMap<_, u64> = BTreeMap::new();
        state.suspects().for_each(|((run, _), group)| *groups.entry((run, group)).or_default() += 1);
        let mut alone =
            groups.into_iter().filter(|&((run, _), own)| all - own <= self.lent_by_others(worker, run, state));
        let (only, _) = alone.next()?;
        alone.next().is_none().then_some(only)
    }
    /// The groups that a worker had, if it had several.
    fn company_on(state: &WorkerState, cause: LossCause) -> Option<Company> {
        let is_all = state.orphans() == 0 && state.suspects().count() == state.placed().count();
        let groups: BTreeSet<_> = state.suspects().map(|((run, _), group)| (run, group)).collect();
        let company = Company { groups: groups.len() as u64, is_all: is_all && cause == LossCause::Died };
        Some(company).filter(|company| company.groups > 1)
    }
}
