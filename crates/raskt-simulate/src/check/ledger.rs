use super::page::Page;
use super::rules::{Facts, Seen};
use super::{Sometimes, Tally, Violation};
use crate::job::Job;
use raskt_graph::TaskId;
use raskt_schedule::{
    Action, Assignment, Attempt, Event, Outcome, Report, RunId, Scheduler, TaskRange, TaskState, WorkerId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Books about the scheduler, kept from its events and actions alone.
///
/// Call [`Self::take_event`] before an event is handled, and [`Self::check`] with the actions that it brought.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pages: BTreeMap<RunId, Page>,
    /// Slots of each worker that is there.
    workers: BTreeMap<WorkerId, u32>,
    around: Around,
}

/// What the event at hand is, as far as all tasks are concerned.
#[derive(Debug, Default)]
struct Around {
    facts: Facts,
    /// The run that it is about, if it is about one.
    run: Option<RunId>,
    /// Tasks about which a worker told something, and those that were handed out.
    told: Vec<(RunId, usize)>,
    given: Vec<(RunId, usize)>,
}

impl Ledger {
    pub fn open(&mut self, run: RunId, job: Rc<Job>) {
        self.pages.insert(run, Page::new(run, job));
    }

    /// Tasks of all runs.
    pub fn tasks(&self) -> usize {
        self.pages.values().map(Page::tasks).sum()
    }

    pub fn runs(&self) -> impl Iterator<Item = (RunId, &Rc<Job>)> {
        self.pages.iter().map(|(&run, page)| (run, &page.job))
    }

    /// What the client of `run` wants of it.
    pub fn wanted(&self, run: RunId) -> Option<&BTreeSet<TaskId>> {
        self.pages.get(&run).map(|page| &page.wanted)
    }

    pub fn take_event(&mut self, scheduler: &Scheduler, event: &Event, tally: &mut Tally) {
        self.around = Around::default();
        let facts = &mut self.around.facts;
        match event {
            Event::GraphAdded { run, .. } => {
                facts.is_want = true;
                self.around.run = Some(*run);
            }
            Event::Wanted { run, tasks } => {
                facts.is_want = true;
                self.change(*run, |page| page.want(tasks));
            }
            Event::Released { run, tasks } => {
                facts.is_unwant = true;
                self.change(*run, |page| page.unwant(tasks));
            }
            Event::RunReleased { run } => _ = self.pages.remove(run),
            Event::WorkerJoined { worker, offer } => _ = self.workers.insert(*worker, offer.slots),
            Event::WorkerResized { worker, slots } => _ = self.workers.insert(*worker, *slots),
            Event::WorkerLost { worker, .. } => self.lose_worker(scheduler, *worker),
            Event::ResultsLost { run, tasks, .. } => {
                facts.is_loss = true;
                let lost: BTreeSet<_> = tasks.iter().flat_map(|range| range.tasks()).collect();
                self.change(*run, |page| page.lose(|task| lost.contains(&task)));
            }
            Event::TakenBack { worker, run, attempt, tasks } => {
                self.take_back(scheduler, *worker, *run, *attempt, tasks, tally);
            }
            Event::Reported { worker, report } => self.take_report(scheduler, *worker, report, tally),
        }
    }

    fn change(&mut self, run: RunId, change: impl FnOnce(&mut Page)) {
        self.around.run = Some(run);
        if let Some(page) = self.pages.get_mut(&run) {
            change(page);
        }
    }

    fn lose_worker(&mut self, scheduler: &Scheduler, worker: WorkerId) {
        self.workers.remove(&worker);
        (self.around.facts.lost, self.around.facts.is_loss) = (Some(worker), true);
        for (&run, page) in &mut self.pages {
            for entry in page.entries() {
                entry.given.take_if(|(holder, _)| *holder == worker);
                entry.abandoned.take_if(|(holder, _)| *holder == worker);
            }
            page.lose(|task| holder_of(scheduler, run, task) == Some(worker));
        }
    }

    fn take_back(
        &mut self,
        scheduler: &Scheduler,
        worker: WorkerId,
        run: RunId,
        attempt: Attempt,
        tasks: &[TaskRange],
        tally: &mut Tally,
    ) {
        let Some(page) = self.pages.get_mut(&run) else { return };
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let at = page.at(task);
            let entry = page.entry(task);
            entry.seen = scheduler.task_state(run, task).into();
            entry.facts.is_taken_back = entry.given.take_if(|given| *given == (worker, attempt)).is_some();
            entry.abandoned.take_if(|given| *given == (worker, attempt));
            self.around.told.push((run, at));
            tally.saw(Sometimes::TakenBack);
        }
    }

    fn take_report(&mut self, scheduler: &Scheduler, worker: WorkerId, report: &Report, tally: &mut Tally) {
        let Some(page) = self.pages.get_mut(&report.run) else { return };
        for &(range, outcome) in &report.outcomes {
            for task in range.tasks() {
                let at = page.at(task);
                let entry = page.entry(task);
                entry.seen = scheduler.task_state(report.run, task).into();
                self.around.told.push((report.run, at));
                let by = (worker, report.attempt);
                entry.abandoned.take_if(|given| *given == by);
                if entry.given.take_if(|given| *given == by).is_none() {
                    tally.saw(Sometimes::OldReport);
                    continue;
                }
                entry.facts.reported = Some(outcome);
                match outcome {
                    Outcome::Done { .. } => {}
                    Outcome::Failed => {
                        entry.failures += 1;
                        tally.saw(Sometimes::Retried);
                    }
                    Outcome::NotRun => tally.saw(Sometimes::NotRun),
                }
            }
        }
    }

    /// Holds what the scheduler did about the event against the books.
    pub fn check(&mut self, scheduler: &Scheduler, actions: &[Action], tally: &mut Tally) -> Result<(), Violation> {
        self.check_count(actions)?;
        for action in actions {
            match action {
                Action::Assign { worker, assignment } => {
                    self.check_assignment(scheduler, *worker, assignment, tally)?
                }
                Action::Discard { worker, run, tasks } => self.check_discard(scheduler, *worker, *run, tasks)?,
                Action::TakeBack { worker, .. } | Action::Forget { worker, .. } => {
                    self.check_worker(*worker, action)?
                }
                Action::Finished { run } => self.check_finish(scheduler, *run, tally)?,
                Action::Failed { run, task, .. } => self.check_failure(*run, *task, tally)?,
            }
        }
        self.check_steps(scheduler)
    }

    /// One event brings bounded work: what it tells about, hand-outs for each slot, and a word to each worker for each run.
    fn check_count(&self, actions: &[Action]) -> Result<(), Violation> {
        let slots = self.workers.values().map(|&slots| slots as usize).sum::<usize>();
        let words = self.workers.len() * (self.pages.len() + 2);
        let bound = 4 * slots + words + self.around.told.len() + self.pages.len() + 2;
        if actions.len() <= bound {
            return Ok(());
        }
        Err(Violation::new(format!("one event brought {} actions, and at most {bound} can be right", actions.len())))
    }

    fn check_assignment(
        &mut self,
        scheduler: &Scheduler,
        worker: WorkerId,
        assignment: &Assignment,
        tally: &mut Tally,
    ) -> Result<(), Violation> {
        let run = assignment.run;
        self.check_worker(worker, assignment)?;
        let Some(page) = self.pages.get_mut(&run) else {
            return Err(Violation::new(format!("run {} was given up, and {assignment:?} was handed out", run.0)));
        };
        if page.last_attempt.is_some_and(|last| assignment.attempt <= last) {
            return Err(Violation::new(format!("{assignment:?} doesn't have a number of its own")));
        }
        page.last_attempt = Some(assignment.attempt);
        let job = page.job.clone();
        for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
            let wrong = |text: &str| Err(Violation::of(run, task, text));
            let mut missing = None;
            job.graph.for_each_input(task, |input| {
                missing = missing.or(holder_of(scheduler, run, input).is_none().then_some(input));
            });
            if let Some(input) = missing {
                return wrong(&format!("it was handed out, and its input {input} is in no memory"));
            }
            let at = page.at(task);
            let entry = page.entry(task);
            if let Some((other, _)) = entry.given {
                return wrong(&format!("it was handed out to {worker:?}, and {other:?} has it"));
            }
            tally.add(Sometimes::Recomputed, u64::from(matches!(entry.seen, Seen::InMemory | Seen::Released)));
            tally.add(Sometimes::WantedAnewWhileRunning, u64::from(entry.abandoned.is_some()));
            entry.given = Some((worker, assignment.attempt));
            entry.facts.assigned = Some(worker);
            self.around.given.push((run, at));
        }
        Ok(())
    }

    fn check_discard(
        &self,
        scheduler: &Scheduler,
        worker: WorkerId,
        run: RunId,
        tasks: &[TaskRange],
    ) -> Result<(), Violation> {
        self.check_worker(worker, &tasks)?;
        let mut tasks = tasks.iter().flat_map(|range| range.tasks());
        match tasks.find(|&task| holder_of(scheduler, run, task) == Some(worker)) {
            Some(task) => Err(Violation::of(run, task, &format!("{worker:?} is to drop it, and is said to hold it"))),
            None => Ok(()),
        }
    }

    fn check_worker(&self, worker: WorkerId, what: &impl std::fmt::Debug) -> Result<(), Violation> {
        if self.workers.contains_key(&worker) {
            return Ok(());
        }
        Err(Violation::new(format!("{worker:?} is not there, and is told {what:?}")))
    }

    fn check_finish(&mut self, scheduler: &Scheduler, run: RunId, tally: &mut Tally) -> Result<(), Violation> {
        let Some(page) = self.pages.get_mut(&run) else {
            return Err(Violation::new(format!("run {} was given up, and has finished", run.0)));
        };
        if page.is_finished {
            return Err(Violation::new(format!("run {} finished again, and nothing was lost or wanted since", run.0)));
        }
        if let Some(&task) = page.wanted.iter().find(|&&task| holder_of(scheduler, run, task).is_none()) {
            return Err(Violation::of(run, task, "its run has finished, it is wanted and in no memory"));
        }
        tally.add(Sometimes::FinishedAgain, u64::from(page.was_finished));
        (page.is_finished, page.was_finished) = (true, true);
        Ok(())
    }

    fn check_failure(&mut self, run: RunId, task: TaskId, tally: &mut Tally) -> Result<(), Violation> {
        let Some(mut page) = self.pages.remove(&run) else {
            return Err(Violation::new(format!("run {} was given up, and has failed", run.0)));
        };
        tally.saw(Sometimes::RunFailed);
        let (failures, retries) = (page.entry(task).failures, page.job.plan.retries);
        if failures <= retries {
            let text = format!("it failed for good after {failures} failures, and has {retries} retries");
            return Err(Violation::of(run, task, &text));
        }
        Ok(())
    }

    fn check_steps(&mut self, scheduler: &Scheduler) -> Result<(), Violation> {
        let Around { facts, run: about, told, given } = std::mem::take(&mut self.around);
        for (&run, page) in &mut self.pages {
            let is_about = about.is_none_or(|about| about == run);
            let facts = if is_about { facts } else { Facts::default() };
            if page.is_small() {
                page.check_all(scheduler, facts)?;
            } else if is_about && facts.is_unwant {
                page.abandon_unneeded(scheduler);
            }
        }
        for (run, at) in told {
            if let Some(page) = self.pages.get_mut(&run).filter(|page| !page.is_small()) {
                page.check_step(scheduler, at, facts)?;
            }
        }
        // Where a task of a large run stood before it was handed out wasn't looked up.
        for (run, at) in given {
            if let Some(page) = self.pages.get_mut(&run) {
                page.forget_facts(at);
            }
        }
        Ok(())
    }
}

/// Who holds the result of `task`, as far as the scheduler knows.
pub(crate) fn holder_of(scheduler: &Scheduler, run: RunId, task: TaskId) -> Option<WorkerId> {
    match scheduler.task_state(run, task)? {
        TaskState::InMemory { worker, .. } => Some(worker),
        _ => None,
    }
}
