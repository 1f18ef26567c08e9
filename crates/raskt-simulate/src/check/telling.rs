//! What clients of runs whose tasks stand alone are told, against the books.

use super::ledger::Ledger;
use super::tally::Sometimes;
use super::{Tally, Violation};
use raskt_schedule::{Failure, Held, RunId, Scheduler, TaskRange};

impl Ledger {
    /// Results are there that weren't, as far as the client knew.
    pub(super) fn check_available(
        &mut self,
        scheduler: &Scheduler,
        run: RunId,
        results: &[Held],
    ) -> Result<(), Violation> {
        let Some(page) = self.pages.get_mut(&run).filter(|page| !page.is_released && page.job.plan.alone.is_some())
        else {
            return Err(Violation::new(format!("run {} was given up, or isn't told of results, and is told", run.0)));
        };
        for (held, task) in results.iter().flat_map(|held| held.tasks.tasks().map(move |task| (held, task))) {
            if !page.wanted.contains(&task) || !scheduler.holds(run, held.worker, task) {
                return Err(Violation::of(run, task, "its client is told that it is there"));
            }
            if !page.available.insert(task) {
                return Err(Violation::of(run, task, "its client is told a second time that it is there"));
            }
        }
        Ok(())
    }

    /// Results aren't there any more.
    pub(super) fn check_unavailable(
        &mut self,
        run: RunId,
        tasks: &[TaskRange],
        tally: &mut Tally,
    ) -> Result<(), Violation> {
        tally.saw(Sometimes::BecameUnavailable);
        let Some(page) = self.pages.get_mut(&run) else {
            return Err(Violation::new(format!("run {} was given up, and is told of results", run.0)));
        };
        let mut tasks = tasks.iter().flat_map(|range| range.tasks());
        match tasks.find(|task| !page.available.remove(task)) {
            Some(task) => {
                Err(Violation::of(run, task, "its client is told that it isn't there, and knew nothing else"))
            }
            None => Ok(()),
        }
    }

    /// Tasks have failed: they need what failed first, and that may fail.
    pub(super) fn check_tasks_failed(
        &mut self,
        scheduler: &Scheduler,
        run: RunId,
        tasks: &[TaskRange],
        failure: &Failure,
        tally: &mut Tally,
    ) -> Result<(), Violation> {
        tally.saw(Sometimes::TasksFailed);
        tally.add(Sometimes::ImportFailed, u64::from(failure.run != run));
        self.check_root(failure)?;
        let may_recover = self.around.may_recover;
        let root = self.jobs[&failure.run].plan.seed;
        let Some(page) = self.pages.get_mut(&run).filter(|page| !page.is_released && page.job.plan.alone.is_some())
        else {
            return Err(Violation::new(format!(
                "run {} was given up, or fails as a whole, and tasks of it fail",
                run.0
            )));
        };
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            if !page.job.needs(task, (root, failure.task)) {
                let (of, root) = (failure.run.0, failure.task);
                return Err(Violation::of(
                    run,
                    task,
                    &format!("it fails because of {root} of run {of}, and doesn't need it"),
                ));
            }
            if !page.wanted.contains(&task) || scheduler.failure(run, task) != Some(failure) {
                return Err(Violation::of(run, task, "its client is told that it has failed"));
            }
            if !page.failed.insert(task) && !may_recover {
                return Err(Violation::of(run, task, "its client is told a second time that it has failed"));
            }
        }
        Ok(())
    }

    /// What is said to have failed first may fail, in the way that is told.
    pub(super) fn check_root(&self, failure: &Failure) -> Result<(), Violation> {
        let Failure { run, task, worker, story } = failure;
        let wrong = |text: &str| Err(Violation::of(*run, *task, text));
        let Some(job) = self.jobs.get(run) else { return wrong("it is said to have failed, and its run never was") };
        match worker {
            None if !job.given.contains(task) => wrong("it is lost, and can be computed again"),
            Some(_) if !story.is_empty() => self.check_story(*run, *task, story),
            Some(_) if job.failures(*task) <= job.plan.retries => wrong("it is failed, and doesn't fail for good"),
            _ => Ok(()),
        }
    }
}
