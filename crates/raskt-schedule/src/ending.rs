//! How runs end: with a failed task, by their client, or with the last that imports from them.

use crate::planted::{self, Bug};
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::suspects::InVain;
use crate::{Action, Death, Event, EventError, Failure, Progress, RunId, TaskRange, Time, WorkerId};
use raskt_graph::{LayerId, TaskId};
use std::collections::{BTreeMap, BTreeSet};

impl Scheduler {
    /// `task` of a run has failed for good.
    pub(crate) fn fail(&mut self, id: RunId, task: TaskId, worker: WorkerId, story: Vec<Death>) {
        let failure = Failure { run: id, task, worker: Some(worker), story };
        let Some(run) = self.runs.get_mut(&id) else { return };
        if run.goes_on() {
            return self.change(id, |run| run.fail(task, failure));
        }
        if run.has_importers() {
            run.fail(task, failure.clone());
        }
        self.actions.push_back(Action::Failed { run: id, root: id, task, worker, story: failure.story });
        self.end(id);
    }

    /// Tasks of a run whose tasks stand alone had failed for good before this scheduler began. It concerns those that are needed, and what
    /// can't be computed without them.
    pub fn fail_before(
        &mut self,
        now: Time,
        id: RunId,
        tasks: &[TaskRange],
        failure: Failure,
    ) -> Result<(), EventError> {
        self.check(&Event::Retried { run: id, tasks: tasks.to_vec() })?;
        // Only to have said what time it is, and what is to be done next.
        self.handle_event(now, Event::TimePassed);
        if self.runs.get(&id).is_some_and(Run::goes_on) {
            self.change(id, |run| run.tasks.fail(&run.graph, tasks, failure));
            self.handle_event(now, Event::TimePassed);
        }
        Ok(())
    }

    /// A task has failed so often before this scheduler began, and was to be tried again.
    pub fn tried_before(&mut self, id: RunId, task: TaskId, times: u32) {
        let is_of_run = self.check(&Event::Retried { run: id, tasks: Vec::from([TaskRange::one(task)]) }).is_ok();
        let run = self.runs.get_mut(&id).filter(|run| is_of_run && run.is_unfinished(task));
        if let Some(run) = run {
            (0..times.min(u32::from(u16::MAX) - 1)).for_each(|_| _ = run.tasks.count_failure(task));
        }
    }

    /// Tasks of a run stand for tasks of others that have failed.
    pub(crate) fn fail_imports(&mut self, id: RunId, failed: Vec<(Failure, Vec<TaskRange>)>) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let ends = !run.goes_on();
        if !ends || run.has_importers() {
            for (failure, tasks) in &failed {
                run.tasks.fail(&run.graph, tasks, failure.clone());
            }
        }
        if !ends {
            return self.publish(id);
        }
        let Some((Failure { run: root, task, worker, story }, _)) = failed.into_iter().next() else { return };
        self.actions.push_back(match worker {
            Some(worker) => Action::Failed { run: id, root, task, worker, story },
            None => Action::Lost { run: id, root, tasks: Vec::from([TaskRange::one(task)]) },
        });
        self.end(id);
    }

    /// What has failed with `tasks` of a run is to be run again; if it failed because of another run, what failed first there too.
    pub(crate) fn retry(&mut self, id: RunId, tasks: &[TaskRange]) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        let (causes, again) = run.tasks.retry(&run.graph, tasks);
        run.is_finished &= causes.is_empty();
        let failed: BTreeSet<_> = causes.iter().map(|cause| (cause.run, cause.task)).collect();
        let mut elsewhere: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        for Failure { run: root, task, .. } in causes.into_iter().filter(|cause| cause.run != id) {
            elsewhere.entry(root).or_default().push(TaskRange::one(task));
        }
        for (root, tasks) in elsewhere {
            self.change(root, |owner| {
                let (causes, _) = owner.tasks.retry(&owner.graph, &tasks);
                owner.is_finished &= causes.is_empty();
            });
        }
        self.retry_between(id, again, &failed);
        self.publish(id);
    }

    /// What runs between had failed for the same, that this one reads and whoever reads that, is to be run again as well: their clients
    /// may have let go of them. They are found by what of the reader is run `again`, which reads theirs.
    fn retry_between(&mut self, id: RunId, again: Vec<TaskRange>, causes: &BTreeSet<(RunId, TaskId)>) {
        let (mut seen, mut next) = (BTreeSet::from([id]), vec![(id, again)]);
        while let Some((reader, again)) = next.pop() {
            let Some(imports) = self.runs.get(&reader).and_then(|run| run.tasks.imports.as_ref()) else { continue };
            let sources: Vec<_> = again.iter().flat_map(|&range| imports.within(range)).map(|part| part.run).collect();
            self.steps += (again.len() + sources.len()) as u64;
            for source in sources {
                let Some(run) = self.runs.get_mut(&source).filter(|_| seen.insert(source)) else { continue };
                let again = run.tasks.retry_causes(&run.graph, causes);
                if again.is_empty() {
                    self.steps += std::mem::take(&mut run.tasks.steps);
                } else {
                    self.publish(source);
                    next.push((source, again));
                }
            }
        }
    }

    /// Tells the client of `id` that all it wants is there, or has failed, if that holds still.
    pub(crate) fn finish(&mut self, id: RunId) {
        let is_told = !self.finishing.remove(&id);
        let Some(run) = self.runs.get_mut(&id).filter(|run| !is_told && !run.is_released) else { return };
        run.is_finished = run.tasks.counts.unfinished_wanted == 0;
        if run.is_finished {
            // What it loses from now on is another matter than what it couldn't get together.
            run.in_vain = InVain::default();
            self.actions.push_back(Action::Finished { run: id });
            self.end_lending(id);
        }
    }

    /// Whether `worker` was handed out something that it hasn't ended; if so, [`Self::take_rested`] tells when there is nothing left.
    pub fn await_rest(&mut self, worker: WorkerId) -> bool {
        self.workers.await_rest(worker)
    }

    /// Those that were awaited and have ended all that they had, or have left.
    pub fn take_rested(&mut self) -> Vec<WorkerId> {
        self.workers.take_rested()
    }

    /// Runs that were kept for those that import from them after their clients had let go of them, and that are forgotten since this
    /// was called last. Others are forgotten when they are released, if they are known by then.
    pub fn take_let_go(&mut self) -> Vec<RunId> {
        std::mem::take(&mut self.let_go)
    }

    /// A run is over for its client: it is forgotten, or kept as long as others import from it, with nothing but what these need.
    pub(crate) fn end(&mut self, id: RunId) -> Option<Run> {
        let run = self.runs.get_mut(&id)?;
        if !run.has_importers() {
            return self.forget(id);
        }
        if std::mem::replace(&mut run.is_released, true) {
            return None;
        }
        (run.tasks.told, run.stalled) = (None, None);
        run.fail_lost();
        let all = |(layer, state): (u32, u64)| TaskRange { layer: LayerId(layer), start: 0, end: state };
        let lens = (0..).zip(run.tasks.layers.iter().map(|layer| layer.len));
        let tasks: Vec<_> = lens.map(all).collect();
        run.tasks.unwant(&run.graph, &tasks);
        self.end_lending(id);
        self.publish(id);
        None
    }

    pub(crate) fn forget(&mut self, run: RunId) -> Option<Run> {
        self.unlink(run);
        let mut found = self.runs.remove(&run)?;
        self.totals.exchange(found.counted, Progress::default());
        for (worker, slots) in found.lenders() {
            self.workers.lend(worker, slots, false);
            self.workers.wait_for(worker, run, false);
            self.workers.know(worker, run, false);
        }
        let known_to: Vec<_> = found.known_to().filter(|worker| self.workers.contains(*worker)).collect();
        let above: Vec<_> = found.parent.into_iter().flat_map(|parent| self.chain(parent)).map(|(it, _)| it).collect();
        known_to.iter().for_each(|worker| self.end_all(*worker, run, &above));
        self.forget_needy(run, found.parent);
        self.queue.remove(run);
        self.waits.forget_run(run);
        for (class, &need) in (0..).zip(&found.needs) {
            if self.requiring.contains(&(need, run, class)) {
                self.demand((need, run, class), false);
            }
        }
        self.unfinished.remove(&run);
        self.finishing.remove(&run);
        self.doubtful.remove(&run);
        self.borrowers.remove(&run);
        for &(need, class) in &found.sought {
            self.seek((need, run, class), false);
        }
        for &need in &found.needs {
            if self.workers.needs.remove(need) {
                self.wakeable.remove(&need);
            }
        }
        if found.is_released {
            self.let_go.push(run);
        }
        found.suspects.withdraw_all();
        self.end_quarantines(run, found.suspects.take_freed());
        let told = known_to.into_iter().skip(usize::from(planted::has(Bug::ForgetIsLost)));
        self.actions.extend(told.map(|worker| Action::Forget { worker, run }));
        Some(found)
    }
}
