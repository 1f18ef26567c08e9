//! Books about the scheduler, kept beside it.

use super::links::asks;
use super::page::Page;
use super::rules::Facts;
use super::waits::{Look, Waits};
use super::{Sometimes, Tally, Violation};
use crate::job::Job;
use raskt_graph::TaskId;
use raskt_schedule::{
    Attempt, Event, LossCause, Offer, Outcome, Report, RunId, Scheduler, TaskRange, TaskState, WorkerId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Books about the scheduler, kept from its events and actions alone.
///
/// Call [`Self::take_event`] before an event is handled, and [`Self::check`] with the actions that it brought.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(super) pages: BTreeMap<RunId, Page>,
    pub(super) workers: BTreeMap<WorkerId, Offer>,
    /// Workers that are no longer there, and why.
    pub(super) lost: BTreeMap<WorkerId, LossCause>,
    /// Tasks that killed the workers that are lost.
    pub(super) killers: Killers,
    pub(super) around: Around,
    pub(super) events: u64,
    pub(super) waits: Waits,
    /// Runs that tasks wait for.
    pub(super) nested: BTreeSet<RunId>,
    /// All runs that there ever were.
    pub(super) jobs: BTreeMap<RunId, Rc<Job>>,
}

/// Workers that tasks have killed, and which task each.
pub(crate) type Killers = BTreeMap<WorkerId, (RunId, TaskId)>;

/// What the event at hand is, as far as all tasks are concerned.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) facts: Facts,
    /// The run that it is about, if it is about one.
    pub(super) run: Option<RunId>,
    /// Tasks about which a worker told something, and those that were handed out.
    pub(super) told: Vec<(RunId, usize)>,
    pub(super) given: Vec<(RunId, usize)>,
    /// The run that it is about, and all that read results of one another with it.
    pub(super) linked: BTreeSet<RunId>,
    /// Failed tasks are to be run again, or what was lost is given again.
    pub(super) may_recover: bool,
}

impl Ledger {
    /// A run of `job` is submitted, by a task of `parent` if by a task.
    pub fn open(&mut self, run: RunId, parent: Option<RunId>, job: Rc<Job>) {
        self.waits.open(run, parent);
        self.nested.extend(parent.map(|_| run));
        self.jobs.insert(run, job.clone());
        let mut page = Page::new(run, job);
        page.owners = self.owners_of(run, &page.job);
        page.is_linked |= !page.owners.is_empty();
        for owner in &page.owners {
            self.pages.entry(*owner).and_modify(|owner| owner.is_linked = true);
        }
        self.pages.insert(run, page);
    }

    /// The scheduler begins anew: gives the runs that there are, with what is wanted of them and whether they are kept for others alone.
    pub fn begin_anew(&mut self) -> Vec<(RunId, Rc<Job>, BTreeSet<TaskId>, bool)> {
        let Self { pages, jobs, .. } = std::mem::take(self);
        self.jobs = jobs;
        pages.into_iter().map(|(run, page)| (run, page.job, page.wanted, page.is_released)).collect()
    }

    /// All that is wanted of a run from its beginning on.
    pub fn set_wanted(&mut self, run: RunId, wanted: BTreeSet<TaskId>) {
        self.pages.entry(run).and_modify(|page| page.wanted = wanted);
    }

    /// Whoever has waited so far had reason to.
    pub fn forget_waits(&mut self) {
        self.waits.begin_anew();
    }

    /// What is wrong with how long runs wait, if anything.
    pub fn look_at_waits(&mut self, look: &mut Look, tally: &mut Tally) -> Result<(), Violation> {
        look.slots = self.workers.values().map(|offer| u64::from(offer.slots)).sum();
        look.resources = self.workers.values().map(|offer| offer.resources.clone()).collect();
        self.waits.look(look, tally, self.pages.iter().map(|(&run, page)| (run, &page.job)))
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
        self.pages.get(&run).filter(|page| !page.is_released).map(|page| &page.wanted)
    }

    pub fn take_event(&mut self, scheduler: &Scheduler, event: &Event, killers: &Killers, tally: &mut Tally) {
        self.around = Around { linked: self.linked_to(event), ..Around::default() };
        if asks(event).and_then(|run| self.pages.get(&run)).is_some_and(|page| page.is_released) {
            return;
        }
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
            Event::RunReleased { run } => self.end(*run, tally),
            Event::Retried { run, .. } => {
                facts.is_want = true;
                (self.around.run, self.around.may_recover) = (Some(*run), true);
                for linked in &self.around.linked {
                    self.pages.entry(*linked).and_modify(|page| page.is_finished = false);
                }
            }
            // No client of the simulated cluster does that.
            Event::Cancelled { .. } => {}
            Event::TimePassed => {}
            Event::WorkerJoined { worker, offer } => _ = self.workers.insert(*worker, offer.clone()),
            Event::WorkerResized { worker, slots, .. } => {
                self.workers.entry(*worker).and_modify(|offer| offer.slots = *slots);
            }
            // No worker of the simulated cluster does that.
            Event::WorkerLends { .. } | Event::Waits { .. } => {}
            Event::WorkerRenamed { worker, name } => {
                self.workers.entry(*worker).and_modify(|offer| offer.name = name.clone());
            }
            Event::WorkerLost { worker, cause } => {
                self.lost.insert(*worker, *cause);
                self.lose_worker(*worker, killers);
            }
            Event::ResultsLost { run, .. } => {
                facts.is_loss = true;
                self.around.run = Some(*run);
            }
            Event::Kept { run, tasks, .. } => self.take_kept(scheduler, *run, tasks, tally),
            Event::Scattered { run, tasks, .. } => self.take_scattered(scheduler, *run, tasks),
            Event::Started { run, .. }
            | Event::RunsOn { run, .. }
            | Event::GiftsKept { run, .. }
            | Event::Fetched { run, .. }
            | Event::CopiesDropped { run, .. }
            | Event::SlotsLent { run, .. }
            | Event::SlotsReturned { run, .. } => {
                self.around.run = Some(*run);
            }
            Event::FetchFailed { worker, run, attempt, .. } | Event::Unsendable { worker, run, attempt, .. } => {
                facts.is_loss = true;
                let by = (*worker, *attempt);
                let mut returned = vec![];
                self.change(*run, |page| returned = page.return_all(scheduler, by));
                self.around.told.extend(returned.into_iter().map(|at| (*run, at)));
            }
            Event::Recalled { worker, run, attempt, tasks } => {
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

    fn lose_worker(&mut self, worker: WorkerId, killers: &Killers) {
        self.killers.extend(killers.get(&worker).map(|&killer| (worker, killer)));
        self.workers.remove(&worker);
        (self.around.facts.lost, self.around.facts.is_loss) = (Some(worker), true);
        for page in self.pages.values_mut() {
            for entry in page.entries() {
                entry.given.take_if(|(holder, _)| *holder == worker);
                entry.abandoned.take_if(|(holder, _)| *holder == worker);
            }
        }
    }

    fn take_scattered(&mut self, scheduler: &Scheduler, run: RunId, tasks: &[TaskRange]) {
        (self.around.run, self.around.may_recover) = (Some(run), true);
        let Some(page) = self.pages.get_mut(&run) else { return };
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let at = page.at(task);
            if !page.is_released {
                page.wanted.insert(task);
            }
            let entry = page.entry(task);
            entry.seen = scheduler.task_state(run, task).into();
            entry.facts.is_given = true;
            self.around.told.push((run, at));
        }
    }

    /// Whatever of it was missing is there, and what only that would have read isn't needed.
    fn take_kept(&mut self, scheduler: &Scheduler, run: RunId, tasks: &[(TaskRange, u64)], tally: &mut Tally) {
        self.around.run = Some(run);
        self.around.facts.is_unwant = true;
        let Some(page) = self.pages.get_mut(&run) else { return };
        for task in tasks.iter().flat_map(|(range, _)| range.tasks()) {
            let at = page.at(task);
            let entry = page.entry(task);
            let state = scheduler.task_state(run, task);
            entry.seen = state.into();
            entry.facts.is_kept = true;
            match state {
                Some(TaskState::Running { .. }) => entry.abandon(),
                Some(TaskState::Waiting { .. } | TaskState::Ready) => {}
                _ => continue,
            }
            tally.saw(Sometimes::KeptWasMissing);
            self.around.told.push((run, at));
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
        self.around.run = Some(run);
        let Some(page) = self.pages.get_mut(&run) else { return };
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let at = page.at(task);
            let entry = page.entry(task);
            entry.seen = scheduler.task_state(run, task).into();
            entry.facts.is_taken_back = entry.given.take_if(|given| *given == (worker, attempt)).is_some();
            entry.abandoned.take_if(|given| *given == (worker, attempt));
            self.around.told.push((run, at));
            tally.saw(Sometimes::Recalled);
        }
    }

    fn take_report(&mut self, scheduler: &Scheduler, worker: WorkerId, report: &Report, tally: &mut Tally) {
        self.around.run = Some(report.run);
        let is_imported = self.is_imported(report.run);
        let Some(page) = self.pages.get_mut(&report.run) else { return };
        let by = (worker, report.attempt);
        for &(range, outcome) in &report.outcomes {
            for task in range.tasks() {
                let (at, is_wanted) = (page.at(task), page.wanted.contains(&task));
                let entry = page.entry(task);
                entry.seen = scheduler.task_state(report.run, task).into();
                self.around.told.push((report.run, at));
                entry.abandoned.take_if(|given| *given == by);
                if entry.given.take_if(|given| *given == by).is_none() {
                    tally.saw(Sometimes::OldReport);
                    continue;
                }
                entry.facts.reported = Some(outcome);
                match outcome {
                    Outcome::Done { .. } => {}
                    Outcome::Consumed { .. } => {
                        tally.saw(Sometimes::Consumed);
                        if is_wanted || is_imported || is_read_by_others(scheduler, page, by, report, task) {
                            tally.saw(Sometimes::ConsumedTooEarly);
                            self.around.facts.is_loss = true;
                        }
                    }
                    Outcome::Failed => {
                        entry.failures += 1;
                        tally.saw(Sometimes::Retried);
                    }
                    Outcome::NotRun => tally.saw(Sometimes::NotRun),
                }
            }
        }
    }
}

/// Whether a task reads `task` that has still to run when `report` has come. Readers come after it in the report.
fn is_read_by_others(
    scheduler: &Scheduler,
    page: &Page,
    by: (WorkerId, Attempt),
    report: &Report,
    task: TaskId,
) -> bool {
    let is_done = |reader| {
        let mut outcomes = report.outcomes.iter().filter(|(range, _)| range.contains(reader));
        let says_so = outcomes.any(|(_, outcome)| matches!(outcome, Outcome::Done { .. } | Outcome::Consumed { .. }));
        says_so && page.given(reader) == Some(by)
    };
    let mut is_read = false;
    page.job.graph.for_each_dependent(task, |reader| {
        let state = scheduler.task_state(report.run, reader);
        let is_left = state.is_some_and(|state| !matches!(state, TaskState::InMemory { .. } | TaskState::Released));
        is_read |= is_left && !is_done(reader);
    });
    is_read
}

/// Who holds the result of `task`, as far as the scheduler knows.
pub(crate) fn holder_of(scheduler: &Scheduler, run: RunId, task: TaskId) -> Option<WorkerId> {
    match scheduler.task_state(run, task)? {
        TaskState::InMemory { worker, .. } => Some(worker),
        _ => None,
    }
}
