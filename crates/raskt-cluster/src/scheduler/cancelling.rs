//! Calls that clients cancel, and with them whatever has still to be computed from them.

use super::absent::{Cancel, CancelledBefore};
use super::core::Core;
use crate::journal::{Record, RunLine};
use crate::message::{ErrorForm, FailureForm};
use crate::standing::meeting;
use raskt_graph::TaskId;
use raskt_schedule::{Claim, Event, Failure, Outcome, Report, RunId, TaskRange};
use raskt_value::ErrorKind;
use std::collections::BTreeMap;

impl Core {
    /// A client cancels tasks, and lets go of them. Without force that takes nothing from anybody else; by force whoever wants them, or
    /// what would be computed from them, hears that they are cancelled.
    pub fn cancel(&mut self, client: u32, tasks: &[(RunId, TaskRange)], by_force: bool) -> Result<(), String> {
        let mut sources: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        for &(run, range) in tasks {
            self.check_own(client, run)?;
            // A run that ended otherwise meanwhile has nothing to cancel.
            let Some(graph) = self.machine.graph(run) else { continue };
            TaskRange::check_all(&[range], graph).map_err(|error| error.to_string())?;
            for (run, source) in self.sources_of(run, range) {
                sources.entry(run).or_default().push(source);
            }
        }
        self.release_tasks(client, tasks.to_vec())?;
        for (run, tasks) in sources {
            let cancel = Cancel { client, run, tasks, by_force };
            // What workers have kept isn't known yet: what was computed from it before would be taken for what is still to be.
            match self.recovery.is_some() {
                true => self.cancels_later.push(cancel),
                false => self.cancel_sources(cancel)?,
            }
        }
        Ok(())
    }

    fn cancel_sources(&mut self, Cancel { client, run, tasks, by_force }: Cancel) -> Result<(), String> {
        if self.machine.graph(run).is_none() {
            return Ok(());
        }
        let claim = |run| self.claim(client, run);
        let tasks = if by_force { tasks } else { self.machine.unclaimed(run, &tasks, &claim) };
        self.cancel_in(run, tasks)
    }

    /// Workers are back: what was cancelled meanwhile is.
    pub fn cancel_meanwhile(&mut self) {
        for cancel in std::mem::take(&mut self.cancels_later) {
            if let Err(reason) = self.cancel_sources(cancel) {
                tracing::warn!("what was cancelled while workers were waited for can't be: {reason}");
            }
        }
    }

    /// The tasks themselves, or what they stand for.
    fn sources_of(&self, run: RunId, tasks: TaskRange) -> Vec<(RunId, TaskRange)> {
        let sources = meeting(self.machine.imports_of(run), tasks).map(|import| {
            let (start, end) = (import.tasks.start.max(tasks.start), import.tasks.end.min(tasks.end));
            let from = import.source_of(TaskId::new(tasks.layer, start));
            (import.run, TaskRange { layer: from.layer, start: from.index, end: from.index + (end - start) })
        });
        let sources: Vec<_> = sources.collect();
        // All of a layer stands for something, or nothing of it does.
        if sources.is_empty() { vec![(run, tasks)] } else { sources }
    }

    /// What of a run a client that cancels something has to spare.
    fn claim(&self, client: u32, run: RunId) -> Claim {
        match self.runs.get(&run).filter(|record| record.client != client && !record.is_released) {
            None => Claim::Nothing,
            Some(record) if record.wanted_later.is_some() => Claim::Everything,
            Some(_) => Claim::Wanted,
        }
    }

    fn cancel_in(&mut self, run: RunId, mut tasks: Vec<TaskRange>) -> Result<(), String> {
        tasks.retain(|range| !range.is_empty());
        let Some(first) = tasks.first() else { return Ok(()) };
        let root = (run, TaskId::new(first.layer, first.start));
        self.cancelled.insert(root);
        if self.runs.get(&run).is_some_and(|record| record.wanted_later.is_some()) {
            self.cancelled_later.entry(run).or_default().extend(&tasks);
        }
        self.try_event(Event::Cancelled { run, tasks: tasks.clone() })?;
        self.write_cancelled(root, &tasks);
        Ok(())
    }

    /// A run is let on: data that it was given, and that was cancelled before it came, is nobody's.
    pub fn cancel_now(&mut self, run: RunId) {
        let tasks = self.cancelled_later.remove(&run).unwrap_or_default();
        if let Err(reason) = self.cancel_in(run, tasks) {
            tracing::warn!("what was held back can't be cancelled: {reason}");
        }
    }

    /// Writes down what has failed of these tasks because they were cancelled: so they are for the next scheduler.
    fn write_cancelled(&mut self, root: (RunId, TaskId), tasks: &[TaskRange]) {
        let (run, task) = root;
        let Some(journal) = self.journal.as_ref().filter(|journal| journal.line(run).is_some()) else { return };
        let failed = tasks.iter().flat_map(|&range| self.machine.failures_within(run, range));
        let of_root = failed.filter(|(_, failure)| (failure.run, failure.task) == root && failure.worker.is_none());
        let tasks: Vec<_> = of_root.map(|(range, _)| range).collect();
        if tasks.is_empty() {
            return;
        }
        let failure = self.failure_form(Failure { run, task, worker: None, story: vec![] });
        let cause = journal.ledger().unwritten_cause(&failure);
        cause.into_iter().for_each(|failure| self.note(|| Record::Cause { failure }));
        self.note_at_once(Record::Failed { run, tasks, root });
    }

    /// What is said of what has failed because this task was cancelled; nothing if it wasn't.
    pub fn cancellation(&self, run: RunId, task: TaskId) -> Option<ErrorForm> {
        self.cancelled.contains(&(run, task)).then(|| ErrorForm {
            key: self.key(run, task),
            kind: ErrorKind::Cancelled,
            message: "it was cancelled, or what it depends on was".into(),
            cause: None,
        })
    }
}

impl Core {
    /// Notes what of a run was cancelled before this scheduler began. What workers have kept comes first: what was computed from it stays.
    pub fn note_cancelled_before(&mut self, run: RunId, line: &RunLine) {
        let of_cancelled = |(_, failure): &(_, &FailureForm)| failure.is_cancellation();
        let mut by_root: BTreeMap<_, Vec<TaskRange>> = BTreeMap::new();
        for (range, failure) in line.all_failed().filter(of_cancelled) {
            by_root.entry(failure.root()).or_default().push(range);
        }
        for (root, tasks) in by_root {
            self.cancelled.insert(root);
            let is_held_back = self.runs.get(&run).is_some_and(|record| record.wanted_later.is_some());
            if is_held_back && root.0 == run {
                self.cancelled_later.entry(run).or_default().extend(&tasks);
            }
            let wanted = line.unreleased(&tasks);
            let failure = Failure { run: root.0, task: root.1, worker: None, story: vec![] };
            self.cancelled_before.push(CancelledBefore { run, tasks, wanted, failure });
        }
        if self.recovery.is_none() {
            self.cancel_again();
        }
    }

    /// Workers that were there before are back, or aren't waited for any more.
    pub fn cancel_again(&mut self) {
        for CancelledBefore { run, tasks, wanted, failure } in std::mem::take(&mut self.cancelled_before) {
            if let Err(error) = self.machine.cancelled_before(self.now(), run, &tasks, &failure) {
                tracing::warn!("what was cancelled before can't be cancelled again: {error}");
            }
            self.act();
            let Some(record) = self.runs.get_mut(&run).filter(|record| record.wanted_later.is_none()) else { continue };
            record.wanted.extend(&wanted);
            if !wanted.is_empty() && !record.is_released {
                self.handle(Event::Wanted { run, tasks: wanted });
            }
        }
    }
}

impl Core {
    /// Tasks that are said to be done and of which there is an error of a try before.
    pub fn errors_of_done(&self, report: &Report) -> Vec<(RunId, TaskId)> {
        let is_done = |outcome: &Outcome| matches!(outcome, Outcome::Done { .. } | Outcome::Consumed { .. });
        let done = report.outcomes.iter().filter(|(_, outcome)| is_done(outcome));
        done.flat_map(|(range, _)| self.errors.within(report.run, *range)).map(|task| (report.run, task)).collect()
    }

    /// What went wrong before isn't said of those that haven't failed in the end.
    pub fn forget_errors(&mut self, done: Vec<(RunId, TaskId)>) {
        for (run, task) in done {
            if self.machine.failure(run, task).is_none() {
                self.errors.remove((run, task));
            }
        }
    }
}
