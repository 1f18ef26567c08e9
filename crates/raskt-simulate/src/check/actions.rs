//! What the scheduler does about an event, against the books.

use super::ledger::{Around, Ledger, holder_of};
use super::rules::{Facts, Seen};
use super::{Sometimes, Tally, Violation};
use raskt_graph::{Annotations, TaskId};
use raskt_schedule::{
    Action, Assignment, Death, Failure, LossCause, Offer, RunId, Scheduler, Settings, StallCause, TaskRange, WorkerId,
};
use std::collections::BTreeSet;

/// Every so many events all runs are looked at, and else the one that an event is about.
const EVENTS_PER_LOOK: u64 = 64;

/// What a worker may get in advance for each slot, and as much to be asked back.
const HAND_OUTS_PER_SLOT: usize = 36;

/// Deaths of workers that had something beside a suspect, of which so many count against it as one.
const BESIDE_DEATHS: usize = 3;

impl Ledger {
    /// Holds what the scheduler did about the event against the books.
    pub fn check(&mut self, scheduler: &Scheduler, actions: &[Action], tally: &mut Tally) -> Result<(), Violation> {
        self.check_count(actions)?;
        if self.around.facts.is_loss {
            self.pages.values_mut().for_each(|page| page.note_losses(scheduler));
        }
        for action in actions {
            match action {
                Action::Assign { worker, assignment } => {
                    self.check_assignment(scheduler, *worker, assignment, tally)?
                }
                Action::Discard { worker, run, tasks, .. } => self.check_discard(scheduler, *worker, *run, tasks)?,
                Action::Recall { worker, .. } | Action::Forget { worker, .. } => self.check_worker(*worker, action)?,
                Action::Finished { run } => self.check_finish(scheduler, *run, tally)?,
                Action::Failed { run, root, task, story, .. } => {
                    self.check_failure(*run, (*root, *task), story, tally)?
                }
                Action::Lost { run, root, tasks } => self.check_lost(*run, *root, tasks, tally)?,
                Action::Available { run, results } => self.check_available(scheduler, *run, results)?,
                Action::Unavailable { run, tasks } => self.check_unavailable(*run, tasks, tally)?,
                Action::TasksFailed { run, tasks, failure } => {
                    self.check_tasks_failed(scheduler, *run, tasks, failure, tally)?;
                }
                Action::Stalled { run, cause } => self.check_stall(*run, cause, tally)?,
                Action::Resumed { .. } => tally.saw(Sometimes::Resumed),
            }
        }
        let held_back = scheduler.all_held_back().count();
        tally.add(Sometimes::HeldBack, held_back as u64);
        self.check_steps(scheduler)
    }

    /// One event brings bounded work: what it tells about, hand-outs for each slot, and a word to each worker for each run.
    fn check_count(&self, actions: &[Action]) -> Result<(), Violation> {
        let slots = self.workers.values().map(|offer| offer.slots as usize).sum::<usize>();
        let words = self.workers.len() * (self.pages.len() + 2);
        let bound =
            HAND_OUTS_PER_SLOT * (slots + self.nested.len()) + words + self.around.told.len() + self.pages.len() + 2;
        let tells_of_tasks = |action: &&Action| {
            matches!(action, Action::Available { .. } | Action::Unavailable { .. } | Action::TasksFailed { .. })
        };
        let count = actions.iter().filter(|action| !tells_of_tasks(action)).count();
        if count <= bound {
            return Ok(());
        }
        Err(Violation::new(format!("one event brought {count} actions, and at most {bound} can be right")))
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
        self.waits.serve(run);
        let Some(page) = self.pages.get_mut(&run) else {
            return Err(Violation::new(format!("run {} was given up, and {assignment:?} was handed out", run.0)));
        };
        if page.last_attempt.is_some_and(|last| assignment.attempt <= last) {
            return Err(Violation::new(format!("{assignment:?} doesn't have a number of its own")));
        }
        page.last_attempt = Some(assignment.attempt);
        tally.add(Sometimes::MadeForOthers, u64::from(page.is_released));
        let job = page.job.clone();
        let layer = assignment.tasks.first().map(|range| job.graph.layer(range.layer));
        if layer.is_some_and(|layer| !may_run(&self.workers[&worker], &layer.annotations)) {
            return Err(Violation::new(format!("{worker:?} hasn't what {assignment:?} requires")));
        }
        tally.add(Sometimes::Borrowed, u64::from(scheduler.has_borrowed(worker, run, assignment.attempt)));
        let mut before = BTreeSet::new();
        for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
            let wrong = |text: &str| Err(Violation::of(run, task, text));
            let mut missing = None;
            job.graph.for_each_input(task, |input| {
                let place = job.place_of(run, input, |run| self.jobs.get(&run));
                let is_there = scheduler.holds(run, worker, input) || can_fetch(scheduler, assignment, place);
                // It may come from a task that stands before it.
                missing = missing.or((!is_there && !before.contains(&input)).then_some(input));
                tally.add(Sometimes::Followed, u64::from(!is_there));
            });
            before.insert(task);
            if let Some(input) = missing {
                return wrong(&format!("it was handed out, and its worker can't get at its input {input}"));
            }
            if job.is_imported(task) {
                return wrong("it stands for a task of another run, and was handed out to be run");
            }
            if job.given.contains(&task) {
                return wrong("it stands for data that was given, and was handed out to be run");
            }
            if page.wanted.contains(&task) && assignment.transient.iter().any(|range| range.contains(task)) {
                return wrong("it is wanted, and was said to go with its readers");
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
        match tasks.find(|&task| scheduler.holds(run, worker, task)) {
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

    fn check_stall(&self, run: RunId, cause: &StallCause, tally: &mut Tally) -> Result<(), Violation> {
        match cause {
            StallCause::NoWorkers if self.workers.is_empty() => tally.saw(Sometimes::StalledWithoutWorkers),
            StallCause::Unmet { .. } => tally.saw(Sometimes::StalledUnmet),
            _ => return Err(Violation::new(format!("run {} stalls, and {cause:?} is no cause", run.0))),
        }
        Ok(())
    }

    fn check_finish(&mut self, scheduler: &Scheduler, run: RunId, tally: &mut Tally) -> Result<(), Violation> {
        let Some(page) = self.pages.get_mut(&run) else {
            return Err(Violation::new(format!("run {} was given up, and has finished", run.0)));
        };
        if page.is_finished {
            return Err(Violation::new(format!("run {} finished again, and nothing was lost or wanted since", run.0)));
        }
        if let Some(&task) = page
            .wanted
            .iter()
            .find(|&&task| holder_of(scheduler, run, task).is_none() && scheduler.failure(run, task).is_none())
        {
            return Err(Violation::of(run, task, "its run has finished, it is wanted and in no memory"));
        }
        tally.add(Sometimes::FinishedAgain, u64::from(page.was_finished));
        (page.is_finished, page.was_finished) = (true, true);
        Ok(())
    }

    fn check_failure(
        &mut self,
        run: RunId,
        (root, task): (RunId, TaskId),
        story: &[Death],
        tally: &mut Tally,
    ) -> Result<(), Violation> {
        if self.pages.get(&run).is_none_or(|page| page.is_released || page.job.plan.alone.is_some()) {
            return Err(Violation::new(format!("run {} was given up, or goes on, and has failed", run.0)));
        }
        if root != run {
            tally.saw(Sometimes::ImportFailed);
            self.end(run, tally);
            return self.check_root(&Failure { run: root, task, worker: Some(WorkerId(0)), story: story.to_vec() });
        }
        let page = self.pages.get_mut(&run).map(|page| (page.entry(task).failures, page.job.plan.retries));
        self.end(run, tally);
        if !story.is_empty() {
            tally.saw(Sometimes::PoisonFailed);
            return self.check_story(run, task, story);
        }
        tally.saw(Sometimes::RunFailed);
        let (failures, retries) = page.unwrap_or_default();
        if failures <= retries {
            let text = format!("it failed for good after {failures} failures, and has {retries} retries");
            return Err(Violation::of(run, task, &text));
        }
        Ok(())
    }

    /// A task is failed for the deaths of workers that had nothing else, or had something else again and again. That another task
    /// killed one of the former can't be.
    pub(super) fn check_story(&self, run: RunId, task: TaskId, story: &[Death]) -> Result<(), Violation> {
        let wrong = |text: &str| Err(Violation::of(run, task, text));
        if let Some(death) = story.iter().find(|death| self.lost.get(&death.worker) != Some(&LossCause::Died)) {
            return wrong(&format!("it is blamed for the death of {:?}, which hasn't died", death.worker));
        }
        let alone: BTreeSet<_> = story.iter().filter(|death| death.alone).map(|death| death.worker).collect();
        let beside = story.iter().filter(|death| death.started && !death.alone).count();
        if ((alone.len() + beside / BESIDE_DEATHS) as u32) < Settings::default().deaths {
            return wrong(&format!("it is failed after {} deaths alone, and {beside} beside others", alone.len()));
        }
        let other = |worker: &&WorkerId| self.killers.get(worker).is_some_and(|&killer| killer != (run, task));
        match alone.iter().find(other) {
            Some(worker) => wrong(&format!("it is blamed for the death of {worker:?}, which another task killed")),
            None => Ok(()),
        }
    }

    /// Only data that was given can't be made again.
    fn check_lost(&mut self, run: RunId, root: RunId, tasks: &[TaskRange], tally: &mut Tally) -> Result<(), Violation> {
        tally.saw(Sometimes::ScatteredLost);
        if self.pages.get(&run).is_none_or(|page| page.is_released) {
            return Err(Violation::new(format!("run {} was given up, and has lost data", run.0)));
        }
        self.end(run, tally);
        let mut tasks = tasks.iter().flat_map(|range| range.tasks());
        let is_given = |task: TaskId| self.jobs.get(&root).is_some_and(|job| job.given.contains(&task));
        match tasks.find(|&task| !is_given(task)) {
            Some(task) => Err(Violation::of(run, task, "it is lost, and can be computed again")),
            None => Ok(()),
        }
    }

    fn check_steps(&mut self, scheduler: &Scheduler) -> Result<(), Violation> {
        let Around { facts, run: about, told, given, linked, may_recover } = std::mem::take(&mut self.around);
        self.events += 1;
        let around_loss = facts.is_loss;
        let looks_at_all = self.events.is_multiple_of(EVENTS_PER_LOOK);
        // An event about one run moves tasks of others only by handing them out; that nothing else moved is seen at the
        // next look at all of them.
        let due: BTreeSet<RunId> = match about {
            Some(about) if !looks_at_all => {
                given.iter().map(|&(run, _)| run).chain([about]).chain(linked.iter().copied()).collect()
            }
            _ => self.pages.keys().copied().collect(),
        };
        for run in due {
            let Some(page) = self.pages.get_mut(&run) else { continue };
            let is_about = about.is_none_or(|about| about == run);
            let mut facts = if is_about { facts } else { Facts::default() };
            if page.is_linked && (about.is_none() || linked.contains(&run)) {
                // Others may need more of it, or less, and what can't be computed isn't needed.
                (facts.is_want, facts.is_unwant, facts.is_loss, facts.may_fail) = (true, true, around_loss, true);
            }
            page.check_told(scheduler, may_recover)?;
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

/// Whether a worker of this offer may run what is annotated like this.
fn may_run(offer: &Offer, annotations: &Annotations) -> bool {
    let Annotations { resources, workers, allow_other_workers, .. } = annotations;
    let has_all = resources.iter().all(|(name, amount)| offer.resources.get(name).is_some_and(|has| has >= amount));
    let is_named = workers.is_empty() || workers.iter().any(|name| **name == *offer.name);
    has_all && (is_named || *allow_other_workers)
}

/// Whether an assignment says from whom `input` is to be fetched, and that worker has it.
fn can_fetch(scheduler: &Scheduler, assignment: &Assignment, (run, task): (RunId, TaskId)) -> bool {
    assignment
        .fetches
        .iter()
        .any(|fetch| (fetch.run, true) == (run, fetch.tasks.contains(task)) && scheduler.holds(run, fetch.from, task))
}
