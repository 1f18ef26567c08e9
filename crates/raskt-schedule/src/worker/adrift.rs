//! What a worker still runs when it comes back to a scheduler that hasn't handed it out.
//!
//! The scheduler is told of it. Should it hand out what is run here anyway, it gets what comes of that, and nothing is begun twice.

use super::{Worker, WorkerAction};
use crate::{Assignment, Outcome, RunId, TaskRange, Ticket};

impl Worker {
    /// What the scheduler hasn't handed out and is run all the same, by run.
    pub fn adrift(&self) -> impl Iterator<Item = (RunId, &[TaskRange])> {
        let of = move |ticket: &Ticket| Some((self.running.get(ticket)?.0, self.tasks.get(ticket)?.as_slice()));
        self.adrift.iter().filter_map(of)
    }

    /// How many slots that takes up.
    pub fn slots_adrift(&self) -> u32 {
        self.adrift.iter().filter(|&ticket| self.running.contains_key(ticket)).count() as u32
    }

    pub(super) fn assigned(&mut self, assignment: Assignment) {
        match self.adrift_with(&assignment) {
            None => self.queue.push_back(assignment),
            // It is what runs here, or a part of it: it runs under this number from now on.
            Some((ticket, true)) => {
                let Assignment { run, attempt, tasks, .. } = assignment;
                self.adrift.remove(&ticket);
                self.running.insert(ticket, (run, attempt));
                self.tasks.insert(ticket, tasks);
                self.actions.push_back(WorkerAction::Started { run, attempt });
            }
            Some((_, false)) => self.crossed.push(assignment),
        }
    }

    /// What is adrift and has some of an assignment, and whether it has all of it.
    fn adrift_with(&self, assignment: &Assignment) -> Option<(Ticket, bool)> {
        let mut found = None;
        let is_of_run = |ticket: &&Ticket| self.running.get(*ticket).is_some_and(|of| of.0 == assignment.run);
        for &ticket in self.adrift.iter().filter(is_of_run) {
            let (asked, mut left) = (TaskRange::count(&assignment.tasks), assignment.tasks.clone());
            self.tasks.get(&ticket).into_iter().flatten().for_each(|range| range.cut_out_of(&mut left));
            match TaskRange::count(&left) {
                0 => return Some((ticket, true)),
                count if count < asked => found = Some((ticket, false)),
                _ => {}
            }
        }
        found
    }

    /// What waited for something that was adrift, and doesn't any more, is as if it had come now.
    pub(super) fn go_on_with_crossed(&mut self) {
        std::mem::take(&mut self.crossed).into_iter().for_each(|assignment| self.assigned(assignment));
    }

    /// The scheduler is told of results that it hasn't asked for.
    pub(super) fn tell_kept(&mut self, run: RunId, outcomes: &[(TaskRange, Outcome)]) {
        let kept = outcomes.iter().filter_map(|&(range, outcome)| match outcome {
            Outcome::Done { bytes } => Some((range, bytes)),
            _ => None,
        });
        let kept: Vec<_> = kept.collect();
        if !kept.is_empty() {
            self.actions.push_back(WorkerAction::Kept { run, tasks: kept });
        }
    }

    /// More may have run than was asked for in the end: of that the scheduler is told as of what is kept. Gives the rest.
    pub(super) fn tell_unasked(
        &mut self,
        run: RunId,
        asked: Option<&[TaskRange]>,
        outcomes: Vec<(TaskRange, Outcome)>,
    ) -> Vec<(TaskRange, Outcome)> {
        let Some(asked) = asked else { return outcomes };
        let mut unasked: Vec<_> = outcomes.iter().map(|(range, _)| *range).collect();
        asked.iter().for_each(|range| range.cut_out_of(&mut unasked));
        if unasked.is_empty() {
            return outcomes;
        }
        let (mut told, mut kept) = (vec![], vec![]);
        for (range, outcome) in outcomes {
            for task in range.tasks() {
                let is_unasked = unasked.iter().any(|range| range.contains(task));
                Outcome::push(if is_unasked { &mut kept } else { &mut told }, task, each(range, outcome));
            }
        }
        self.tell_kept(run, &kept);
        told
    }
}

/// How each of the tasks of a range ended.
fn each(range: TaskRange, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Done { bytes } => Outcome::Done { bytes: bytes / range.len().max(1) },
        Outcome::Consumed { bytes } => Outcome::Consumed { bytes: bytes / range.len().max(1) },
        other => other,
    }
}
