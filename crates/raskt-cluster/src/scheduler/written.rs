//! What the scheduler writes into its journal, if it has one.

use super::core::Core;
use super::names::NAMES;
use crate::failure::Root;
use crate::hello::Identity;
use crate::journal::{EndedForm, JournalError, Record};
use crate::message::{Submission, ToClient};
use crate::random::random;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{Event, FailureScope, RunId, TaskRange};

/// Runs that are in the journal of which a client is told at once; of fewer when a while has passed.
const TAKEN_AT_A_TIME: usize = 256;

impl Core {
    /// Notes what may be lost with the process: whoever comes back says it again.
    pub fn note(&mut self, record: impl FnOnce() -> Record) {
        if let Some(journal) = &mut self.journal {
            complain(journal.later(record(), Bytes::new()));
        }
    }

    /// Writes down what somebody is about to hear.
    pub fn note_at_once(&mut self, record: Record) {
        if let Some(journal) = &mut self.journal {
            complain(journal.append(record, Bytes::new()));
        }
    }

    /// The same with what isn't so where it can't be written.
    pub fn write_at_once(&mut self, record: Record) -> Result<(), String> {
        let written = self.journal.as_mut().map_or(Ok(()), |journal| journal.append(record, Bytes::new()));
        written.map_err(|error| format!("it can't be written down: {error}"))
    }

    /// Writes down that a client is there; gives by what it is known when it comes back.
    pub fn note_client(&mut self, client: u32, identity: Identity) -> Option<[u8; 16]> {
        let journal = self.journal.as_mut()?;
        let secret = random().ok()?;
        journal.append(Record::Client { client, identity, secret }, Bytes::new()).ok()?;
        Some(secret)
    }

    /// Writes down that a graph is taken, before anybody hears of it; an error if that can't be done.
    pub fn note_submission(&mut self, client: u32, submission: Submission, graph: Bytes) -> Result<(), String> {
        let (Some(journal), Some(entry)) = (&mut self.journal, self.clients.get_mut(&client)) else { return Ok(()) };
        let refused = |error: JournalError| format!("it can't be written down: {error}");
        let run = submission.run;
        let record = Record::Submitted { client, submission };
        // Not even a machine that loses power gives the number of a client that has something to another.
        let written = match entry.is_durable {
            true => journal.append(record, graph),
            false => journal.append_for_good(record, graph),
        };
        written.map_err(refused)?;
        entry.is_durable = true;
        entry.taken.push(run);
        match entry.taken.len() >= TAKEN_AT_A_TIME {
            true => entry.tell_taken(),
            false => self.tell_later(),
        }
        Ok(())
    }

    /// Writes down what a client is about to be told, if it says that something won't come.
    pub fn note_told(&mut self, run: RunId, message: &ToClient) {
        // The runs that stand for what names keep alive are begun anew by each scheduler.
        if self.journal.is_none() || self.runs.get(&run).is_none_or(|record| record.client == NAMES) {
            return;
        }
        let (record, failure) = match message {
            // A scheduler that has begun anew makes it fail again, and knows it.
            ToClient::TasksFailed { tasks, failure, .. } if self.is_written(run, failure.root(), tasks) => return,
            ToClient::TasksFailed { tasks, failure, .. } => {
                (Record::Failed { run, tasks: tasks.clone(), root: failure.root() }, Some(failure))
            }
            ToClient::Failed { failure, .. } => {
                (Record::Ended { run, ended: EndedForm::Failed(failure.root()) }, Some(failure))
            }
            ToClient::Lost { .. } => (Record::Ended { run, ended: EndedForm::Lost }, None),
            _ => return,
        };
        let cause = self.journal.as_ref().and_then(|journal| journal.ledger().unwritten_cause(failure?));
        cause.into_iter().for_each(|failure| self.note(|| Record::Cause { failure }));
        self.note_at_once(record);
    }

    /// Notes that a task has failed which is tried again: not more often for that the scheduler begins anew.
    pub fn note_tried(&mut self, run: RunId, task: TaskId) {
        let Some(line) = self.journal.as_ref().and_then(|journal| journal.line(run)) else { return };
        let times = line.times_tried(task).saturating_add(1);
        let graph = self.machine.graph(run).filter(|graph| {
            let alone = TaskRange { layer: task.layer, start: task.index, end: task.index.saturating_add(1) };
            TaskRange::check_all(&[alone], graph).is_ok() && graph.layer(task.layer).annotations.retries >= times
        });
        if graph.is_some() {
            self.note(|| Record::Tried { run, task, times });
        }
    }

    fn is_written(&self, run: RunId, root: Root, tasks: &[TaskRange]) -> bool {
        let line = self.journal.as_ref().and_then(|journal| journal.line(run));
        line.is_some_and(|line| line.has_failed(root, tasks))
    }

    /// Tasks that have failed are to be run again, be it that the machine knows of their failure or that it was before its time.
    pub fn retry(&mut self, run: RunId, tasks: Vec<TaskRange>) -> Result<(), String> {
        let failed = self.journal.as_ref().map(|journal| journal.ledger().failed_with(run, &tasks)).unwrap_or_default();
        // Its client is told that it was heard, and says it no more.
        self.note_at_once(Record::Retried { run, tasks: tasks.clone() });
        let tasks = self.retry_data(run, tasks);
        self.try_event(Event::Retried { run, tasks })?;
        for (run, tasks) in failed {
            // What was cancelled its client has let go of.
            let line = self.journal.as_ref().and_then(|journal| journal.line(run));
            let tasks = line.map_or(tasks.clone(), |line| line.unreleased(&tasks));
            self.want_again(run, tasks);
        }
        Ok(())
    }

    /// Wants tasks that had failed before this scheduler began.
    fn want_again(&mut self, run: RunId, tasks: Vec<TaskRange>) {
        let Some(record) = self.runs.get_mut(&run).filter(|record| !record.is_released && record.ended.is_none())
        else {
            return;
        };
        if record.failure != FailureScope::Task {
            return;
        }
        let new: Vec<_> = tasks.into_iter().filter(|range| !record.wanted.contains(range)).collect();
        record.wanted.extend(&new);
        match &mut record.wanted_later {
            Some(later) => later.extend(new),
            None if new.is_empty() => {}
            None => self.handle(Event::Wanted { run, tasks: new }),
        }
    }

    /// Writes what was noted, and tells clients what they needn't keep.
    pub fn write_down(&mut self) {
        let forgotten = std::mem::take(&mut self.forgotten);
        if !forgotten.is_empty() {
            self.note(|| Record::Forgotten { runs: forgotten });
        }
        if let Some(journal) = &mut self.journal {
            complain(journal.flush());
        }
    }

    /// A client ends the cluster: what anybody wanted of it isn't to be had from the next either.
    pub fn note_end(&mut self) {
        let known = self.journal.as_ref().map(|journal| journal.ledger().clients().collect::<Vec<_>>());
        known.into_iter().flatten().for_each(|client| self.note(|| Record::ClientGone { client }));
        let runs: Vec<_> =
            self.journal.iter().flat_map(|journal| journal.ledger().runs()).map(|(run, _)| run).collect();
        self.forgotten.extend(runs);
        self.note_no_entries();
        self.note_leaving();
    }

    /// It ends in order, and nobody is waited for by the next.
    pub fn note_leaving(&mut self) {
        let workers: Vec<_> = self.workers.keys().map(|worker| worker.0).collect();
        workers.into_iter().for_each(|worker| self.note(|| Record::WorkerOut { worker }));
    }
}

/// The work goes on without the journal; what is submitted is refused from then on.
pub(super) fn complain(written: Result<(), JournalError>) {
    if let Err(error) = written {
        tracing::warn!("{error}");
    }
}
