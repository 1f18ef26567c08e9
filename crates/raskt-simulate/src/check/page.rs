//! What the books say of one run.

use super::rules::{Facts, Seen, allows};
use super::{Violation, holder_of};
use crate::job::Job;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Attempt, RunId, Scheduler, TaskRange, WorkerId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the ledger knows of a run.
#[derive(Debug)]
pub(super) struct Page {
    pub run: RunId,
    pub job: Rc<Job>,
    pub wanted: BTreeSet<TaskId>,
    /// Where each layer begins in `entries`.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// The number of the last hand-out.
    pub last_attempt: Option<Attempt>,
    /// The client was told, and nothing was wanted or lost since.
    pub is_finished: bool,
    pub was_finished: bool,
    /// Its client has released it, and others import from it.
    pub is_released: bool,
    /// Its tasks stand alone, it imports something, or others import from it.
    pub is_linked: bool,
    /// Runs of whose tasks some of its tasks stand.
    pub owners: BTreeSet<RunId>,
    /// Of the wanted tasks, those that the client was told to be there, and to have failed.
    pub available: BTreeSet<TaskId>,
    pub failed: BTreeSet<TaskId>,
}

/// What it knows of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Who has it, and on which attempt.
    pub given: Option<(WorkerId, Attempt)>,
    /// Who had it when nobody needed it any more.
    pub abandoned: Option<(WorkerId, Attempt)>,
    pub failures: u32,
    pub seen: Seen,
    pub facts: Facts,
}

/// Up to so many tasks every one is looked at after every event.
const TASKS_READ_EACH_TIME: usize = 192;

impl Page {
    pub fn new(run: RunId, job: Rc<Job>) -> Self {
        let mut starts = vec![];
        let mut count = 0;
        for (_, layer) in job.graph.layers() {
            starts.push(count);
            count += layer.len() as usize;
        }
        let fresh = Entry { given: None, abandoned: None, failures: 0, seen: Seen::Unneeded, facts: Facts::default() };
        Self {
            run,
            wanted: job.wanted_at_first().iter().copied().collect(),
            is_released: false,
            is_linked: job.plan.alone.is_some(),
            owners: BTreeSet::new(),
            available: BTreeSet::new(),
            failed: BTreeSet::new(),
            job,
            starts,
            entries: vec![fresh; count],
            last_attempt: None,
            is_finished: false,
            was_finished: false,
        }
    }

    pub fn tasks(&self) -> usize {
        self.entries.len()
    }

    pub fn is_small(&self) -> bool {
        self.entries.len() <= TASKS_READ_EACH_TIME
    }

    pub fn want(&mut self, tasks: &[TaskRange]) {
        self.wanted.extend(tasks.iter().flat_map(|range| range.tasks()));
        self.is_finished = false;
    }

    pub fn unwant(&mut self, tasks: &[TaskRange]) {
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            self.wanted.remove(&task);
            self.available.remove(&task);
            self.failed.remove(&task);
        }
    }

    /// Something was lost: it may have been wanted.
    pub fn note_losses(&mut self, scheduler: &Scheduler) {
        let is_there = |&task: &TaskId| {
            holder_of(scheduler, self.run, task).is_some() || scheduler.failure(self.run, task).is_some()
        };
        self.is_finished = self.is_finished && self.wanted.iter().all(is_there);
    }

    /// All tasks of a hand-out come back; gives their positions.
    pub fn return_all(&mut self, scheduler: &Scheduler, by: (WorkerId, Attempt)) -> Vec<usize> {
        let mut returned = vec![];
        for at in 0..self.entries.len() {
            let task = self.task(at);
            let entry = &mut self.entries[at];
            entry.abandoned.take_if(|given| *given == by);
            if entry.given.take_if(|given| *given == by).is_some() {
                entry.facts.is_taken_back = true;
                entry.seen = scheduler.task_state(self.run, task).into();
                returned.push(at);
            }
        }
        returned
    }

    pub fn entry(&mut self, task: TaskId) -> &mut Entry {
        let at = self.at(task);
        &mut self.entries[at]
    }

    /// Who has `task`.
    pub fn given(&self, task: TaskId) -> Option<(WorkerId, Attempt)> {
        self.entries[self.at(task)].given
    }

    pub fn entries(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// Forgets what the event at hand said of a task.
    pub fn forget_facts(&mut self, at: usize) {
        self.entries[at].facts = Facts::default();
    }

    pub fn at(&self, task: TaskId) -> usize {
        self.starts[task.layer.0 as usize] + task.index as usize
    }

    fn task(&self, at: usize) -> TaskId {
        let layer = self.starts.partition_point(|&start| start <= at) - 1;
        TaskId::new(LayerId(layer as u32), (at - self.starts[layer]) as u64)
    }

    /// Holds the step of each task against the rules.
    pub fn check_all(&mut self, scheduler: &Scheduler, around: Facts) -> Result<(), Violation> {
        (0..self.entries.len()).try_for_each(|at| self.check_step(scheduler, at, around))
    }

    pub fn check_step(&mut self, scheduler: &Scheduler, at: usize, around: Facts) -> Result<(), Violation> {
        let task = self.task(at);
        if self.job.is_imported(task) {
            return self.check_imported(scheduler, at, task);
        }
        let entry = &mut self.entries[at];
        let (before, after) = (entry.seen, Seen::from(scheduler.task_state(self.run, task)));
        let Facts { reported, is_taken_back, is_given, is_kept, assigned, .. } = std::mem::take(&mut entry.facts);
        let facts = Facts { reported, is_taken_back, is_given, is_kept, assigned, ..around };
        if !allows(before, after, facts) {
            let text = format!("{before:?} became {after:?}, and what happened is {facts:?}");
            return Err(Violation::of(self.run, task, &text));
        }
        entry.seen = after;
        if after == Seen::Unneeded {
            entry.abandon();
        }
        Ok(())
    }

    /// What stands for another task is there when that is, and is never run.
    fn check_imported(&mut self, scheduler: &Scheduler, at: usize, task: TaskId) -> Result<(), Violation> {
        let after = Seen::from(scheduler.task_state(self.run, task));
        let is_right = match after {
            Seen::Ready | Seen::Running(_) => false,
            Seen::InMemory => !scheduler.holders(self.run, task).is_empty(),
            Seen::Unneeded | Seen::Waiting | Seen::Released => true,
        };
        self.entries[at].seen = after;
        match is_right {
            true => Ok(()),
            false => Err(Violation::of(self.run, task, &format!("it stands for another, and is {after:?}"))),
        }
    }

    /// What the client was told of each wanted task is so.
    pub fn check_told(&mut self, scheduler: &Scheduler, may_recover: bool) -> Result<(), Violation> {
        if self.job.plan.alone.is_none() || self.is_released {
            return Ok(());
        }
        for &task in &self.wanted {
            let is_there = holder_of(scheduler, self.run, task).is_some();
            let (has_failed, was_told) = (scheduler.failure(self.run, task).is_some(), self.failed.contains(&task));
            if is_there != self.available.contains(&task) {
                return Err(Violation::of(
                    self.run,
                    task,
                    &format!("it is there: {is_there}, and its client isn't told"),
                ));
            }
            if has_failed && !was_told {
                return Err(Violation::of(self.run, task, "it has failed, and its client isn't told"));
            }
            if was_told && !has_failed && !may_recover {
                return Err(Violation::of(self.run, task, "it has failed no longer, and nobody asked for that"));
            }
        }
        self.failed.retain(|&task| scheduler.failure(self.run, task).is_some());
        Ok(())
    }

    /// Forgets who has what nobody needs any more, without a look at where the tasks stood before.
    pub fn abandon_unneeded(&mut self, scheduler: &Scheduler) {
        for at in 0..self.entries.len() {
            if scheduler.task_state(self.run, self.task(at)).is_none() {
                self.entries[at].abandon();
            }
        }
    }
}

impl Entry {
    /// Nobody waits for who has it.
    pub fn abandon(&mut self) {
        self.abandoned = self.given.take().or(self.abandoned);
    }
}
