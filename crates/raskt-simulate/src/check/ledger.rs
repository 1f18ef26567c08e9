use super::rules::{Facts, Seen, allows};
use super::{Sometimes, Tally, Violation};
use crate::job::Job;
use raskt_graph::TaskId;
use raskt_schedule::{Action, Assignment, Attempt, Event, Outcome, Report, RunId, Scheduler, WorkerId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Books about the scheduler, kept from its events and actions alone.
///
/// Call [`Self::take_event`] before an event is handled, and [`Self::check`] with the actions that it brought.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pages: BTreeMap<RunId, Page>,
    /// Slots of each worker that is there.
    workers: BTreeMap<WorkerId, u32>,
    facts: EventFacts,
}

/// What is known of a run.
#[derive(Debug)]
struct Page {
    job: Rc<Job>,
    /// Where each layer begins in `entries`.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// The client was told, and nothing wanted was lost since.
    is_finished: bool,
    was_finished: bool,
}

/// What is known of a task.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Who has it, and on which attempt.
    given: Option<(WorkerId, Attempt)>,
    /// An attempt that ended badly: the next must have a higher number.
    spent: Option<Attempt>,
    failures: u32,
    seen: Seen,
    facts: Facts,
}

/// What the event at hand is, as far as all tasks are concerned.
#[derive(Debug, Default)]
struct EventFacts {
    lost: Option<WorkerId>,
    repeats: Option<RunId>,
    reported: u64,
    /// Tasks about which something was reported.
    told: Vec<(RunId, usize)>,
    /// Tasks that were handed out.
    given: Vec<(RunId, usize)>,
}

/// Up to so many tasks every one is looked at after every event.
const PAGE_READ_WHOLE: usize = 192;

impl Ledger {
    pub fn open(&mut self, run: RunId, job: Rc<Job>) {
        let mut starts = vec![];
        let mut count = 0;
        for (_, layer) in job.graph.layers() {
            starts.push(count);
            count += layer.len() as usize;
        }
        let fresh = Entry { given: None, spent: None, failures: 0, seen: Seen::Waiting, facts: Facts::default() };
        let (is_finished, was_finished) = (false, false);
        self.pages.insert(run, Page { job, starts, entries: vec![fresh; count], is_finished, was_finished });
    }

    /// Tasks of all runs.
    pub fn tasks(&self) -> usize {
        self.pages.values().map(|page| page.entries.len()).sum()
    }

    pub fn runs(&self) -> impl Iterator<Item = (RunId, &Rc<Job>)> {
        self.pages.iter().map(|(&run, page)| (run, &page.job))
    }

    pub fn take_event(&mut self, scheduler: &Scheduler, event: &Event, tally: &mut Tally) {
        self.facts = EventFacts::default();
        match event {
            Event::GraphAdded { .. } => {}
            Event::RunReleased { run } => {
                self.pages.remove(run);
            }
            Event::WorkerJoined { worker, slots } | Event::WorkerResized { worker, slots } => {
                self.workers.insert(*worker, *slots);
            }
            Event::WorkerLost { worker } => self.lose(scheduler, *worker),
            Event::Reported { worker, report } => self.take_report(scheduler, *worker, report, tally),
        }
    }

    fn lose(&mut self, scheduler: &Scheduler, worker: WorkerId) {
        self.workers.remove(&worker);
        self.facts.lost = Some(worker);
        for (&run, page) in &mut self.pages {
            for entry in &mut page.entries {
                if let Some((holder, attempt)) = entry.given
                    && holder == worker
                {
                    entry.given = None;
                    entry.spent = Some(attempt);
                }
            }
            let is_held = |&task: &TaskId| holder_of(scheduler, run, task) == Some(worker);
            page.is_finished &= !page.job.wanted.iter().any(is_held);
        }
    }

    fn take_report(&mut self, scheduler: &Scheduler, worker: WorkerId, report: &Report, tally: &mut Tally) {
        let Some(page) = self.pages.get_mut(&report.run) else { return };
        for &(range, outcome) in &report.outcomes {
            for task in range.tasks() {
                let at = page.at(task);
                let entry = &mut page.entries[at];
                if let Some(state) = scheduler.task_state(report.run, task) {
                    entry.seen = state.into();
                }
                self.facts.told.push((report.run, at));
                if entry.given != Some((worker, report.attempt)) {
                    continue;
                }
                entry.given = None;
                entry.facts.reported = Some(outcome);
                self.facts.reported += 1;
                match outcome {
                    Outcome::Done { .. } => {}
                    Outcome::Failed => {
                        entry.spent = Some(report.attempt);
                        entry.failures += 1;
                        self.facts.repeats = Some(report.run);
                        tally.saw(Sometimes::Retried);
                    }
                    Outcome::NotRun => {
                        self.facts.repeats = Some(report.run);
                        tally.saw(Sometimes::NotRun);
                    }
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
                Action::Discard { worker, .. } | Action::Forget { worker, .. } => self.check_worker(*worker, action)?,
                Action::Finished { run } => self.check_finish(scheduler, *run, tally)?,
                Action::Failed { run, task, .. } => self.check_failure(*run, *task, tally)?,
            }
        }
        self.check_steps(scheduler)
    }

    /// One event brings bounded work: no more hand-outs than there are slots, and a word to each worker for each run.
    fn check_count(&self, actions: &[Action]) -> Result<(), Violation> {
        let slots: u32 = self.workers.values().sum();
        let words = self.workers.len() * (self.pages.len() + 2);
        let bound = 2 * u64::from(slots) + words as u64 + self.facts.reported + self.pages.len() as u64 + 2;
        if actions.len() as u64 <= bound {
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
        let job = page.job.clone();
        for task in assignment.tasks.iter().copied().flat_map(|range| range.tasks()) {
            let wrong = |text: &str| Err(Violation::of(run, task, text));
            if !job.is_needed(task) {
                return wrong("it was handed out, and nobody needs it");
            }
            let mut missing = None;
            job.graph.for_each_input(task, |input| {
                missing = missing.or(holder_of(scheduler, run, input).is_none().then_some(input));
            });
            if let Some(input) = missing {
                return wrong(&format!("it was handed out, and its input {input} is in no memory"));
            }
            let at = page.at(task);
            let entry = &mut page.entries[at];
            if let Some((other, _)) = entry.given {
                return wrong(&format!("it was handed out to {worker:?}, and {other:?} has it"));
            }
            if let Some(spent) = entry.spent.filter(|spent| assignment.attempt <= *spent) {
                return wrong(&format!("{:?} was handed out after {spent:?} had ended badly", assignment.attempt));
            }
            tally.add(Sometimes::Recomputed, u64::from(matches!(entry.seen, Seen::InMemory | Seen::Released)));
            entry.given = Some((worker, assignment.attempt));
            entry.facts.assigned = Some(worker);
            self.facts.given.push((run, at));
        }
        Ok(())
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
            return Err(Violation::new(format!(
                "run {} has finished, and nothing was lost since it did before",
                run.0
            )));
        }
        for &task in &page.job.wanted {
            if holder_of(scheduler, run, task).is_none() {
                return Err(Violation::of(run, task, "its run has finished, it is wanted and in no memory"));
            }
        }
        tally.add(Sometimes::FinishedAgain, u64::from(page.was_finished));
        (page.is_finished, page.was_finished) = (true, true);
        Ok(())
    }

    fn check_failure(&mut self, run: RunId, task: TaskId, tally: &mut Tally) -> Result<(), Violation> {
        let Some(page) = self.pages.remove(&run) else {
            return Err(Violation::new(format!("run {} was given up, and has failed", run.0)));
        };
        tally.saw(Sometimes::RunFailed);
        let (failures, retries) = (page.entries[page.at(task)].failures, page.job.plan.retries);
        if failures <= retries {
            let text = format!("it failed for good after {failures} failures, and has {retries} retries");
            return Err(Violation::of(run, task, &text));
        }
        Ok(())
    }

    fn check_steps(&mut self, scheduler: &Scheduler) -> Result<(), Violation> {
        let (lost, repeats) = (self.facts.lost, self.facts.repeats);
        let (told, given) = (std::mem::take(&mut self.facts.told), std::mem::take(&mut self.facts.given));
        for (&run, page) in &mut self.pages {
            if page.entries.len() <= PAGE_READ_WHOLE {
                let all = 0..page.entries.len();
                page.check_steps(scheduler, run, lost, repeats, all)?;
            }
        }
        for (run, at) in told {
            if let Some(page) = self.pages.get_mut(&run) {
                page.check_steps(scheduler, run, lost, repeats, at..at + 1)?;
            }
        }
        // Where a task of a large run stood before it was handed out wasn't looked up.
        for (run, at) in given {
            if let Some(page) = self.pages.get_mut(&run) {
                page.entries[at].facts = Facts::default();
            }
        }
        Ok(())
    }
}

impl Page {
    fn at(&self, task: TaskId) -> usize {
        self.starts[task.layer.0 as usize] + task.index as usize
    }

    fn task(&self, at: usize) -> TaskId {
        let layer = self.starts.partition_point(|&start| start <= at) - 1;
        TaskId::new(raskt_graph::LayerId(layer as u32), (at - self.starts[layer]) as u64)
    }

    fn check_steps(
        &mut self,
        scheduler: &Scheduler,
        run: RunId,
        lost: Option<WorkerId>,
        repeats: Option<RunId>,
        entries: std::ops::Range<usize>,
    ) -> Result<(), Violation> {
        for at in entries {
            let task = self.task(at);
            let Some(state) = scheduler.task_state(run, task) else { continue };
            let (before, after) = (self.entries[at].seen, Seen::from(state));
            let facts = Facts { lost, is_repeated: repeats == Some(run), ..self.entries[at].facts };
            if !allows(before, after, facts) {
                return Err(Violation::of(
                    run,
                    task,
                    &format!("{before:?} became {after:?}, and what happened is {facts:?}"),
                ));
            }
            self.entries[at].seen = after;
            self.entries[at].facts.reported = None;
            self.entries[at].facts.assigned = None;
        }
        Ok(())
    }
}

/// Who holds the result of `task`, as far as the scheduler knows.
pub(crate) fn holder_of(scheduler: &Scheduler, run: RunId, task: TaskId) -> Option<WorkerId> {
    match scheduler.task_state(run, task)? {
        raskt_schedule::TaskState::InMemory { worker, .. } => Some(worker),
        _ => None,
    }
}
