//! The machine of a scheduler, and who speaks to it.

use super::entries::{ClientEntry, WorkerEntry};
use super::graphs::RunRecord;
use crate::message::{ErrorForm, FailureForm, ToClient};
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{Action, Event, Failure, RunId, Scheduler, Time, WorkerId, WorkerOrder};
use std::collections::BTreeMap;
use std::time::Instant;

/// The machine, and who speaks to it.
pub(super) struct Core {
    pub machine: Scheduler,
    pub started: Instant,
    pub workers: BTreeMap<WorkerId, WorkerEntry>,
    pub clients: BTreeMap<u32, ClientEntry>,
    pub runs: BTreeMap<RunId, RunRecord>,
    /// Why tasks failed, of runs that are known.
    pub errors: BTreeMap<(RunId, TaskId), ErrorForm>,
    pub next_worker: u32,
    pub next_client: u32,
    pub is_closed: bool,
}

impl Core {
    pub fn new(machine: Scheduler) -> Self {
        let (workers, clients, runs, errors) = Default::default();
        let started = Instant::now();
        Self { machine, started, workers, clients, runs, errors, next_worker: 0, next_client: 0, is_closed: false }
    }

    pub fn now(&self) -> Time {
        Time(self.started.elapsed().as_nanos() as u64)
    }

    /// Takes in what happened, if it can be, and does what the machine wants.
    pub fn try_event(&mut self, event: Event) -> Result<(), String> {
        let result = self.machine.try_event(self.now(), event).map_err(|error| error.to_string());
        self.act();
        result
    }

    /// Takes in what happened of itself.
    pub fn handle(&mut self, event: Event) {
        if let Err(error) = self.try_event(event) {
            tracing::warn!("an event isn't taken in: {error}");
        }
    }

    fn act(&mut self) {
        while let Some(action) = self.machine.poll_action() {
            match WorkerOrder::of(action) {
                Ok((worker, order)) => self.order(worker, order),
                Err(action) => self.tell_client(action),
            }
        }
        for run in self.machine.take_let_go() {
            self.forget(run);
        }
    }

    /// What clients are told of a failure.
    fn failure_form(&self, failure: Failure) -> FailureForm {
        let Failure { run, task, story, worker } = failure;
        FailureForm { run, task, error: self.errors.get(&(run, task)).cloned(), story, is_lost: worker.is_none() }
    }

    fn tell_client(&mut self, action: Action) {
        let told = match action {
            // It was told of each of its results.
            Action::Finished { run } if self.runs.get(&run).is_some_and(|run| run.stands_alone) => None,
            // Nothing was wanted yet.
            Action::Finished { run } if self.runs.get(&run).is_some_and(|run| run.awaited > 0) => None,
            Action::Finished { run } => Some((run, ToClient::Finished { run, held: self.held(run) })),
            Action::Failed { run, task, worker, root, story } => {
                let failure = Failure { run: root, task, worker: Some(worker), story };
                Some((run, ToClient::Failed { run, failure: self.failure_form(failure) }))
            }
            Action::Available { run, results } => Some((run, ToClient::Available { run, results })),
            Action::Unavailable { run, tasks } => Some((run, ToClient::Unavailable { run, tasks })),
            Action::TasksFailed { run, tasks, failure } => {
                Some((run, ToClient::TasksFailed { run, tasks, failure: self.failure_form(failure) }))
            }
            Action::Lost { run, .. } => Some((run, ToClient::Lost { run })),
            Action::Stalled { run, cause } => Some((run, ToClient::Stalled { run, cause: cause.to_string() })),
            Action::Resumed { run } => Some((run, ToClient::Resumed { run })),
            Action::Assign { .. } | Action::Recall { .. } | Action::Discard { .. } | Action::Forget { .. } => None,
        };
        if let Some((run, message)) = told
            && let Some(record) = self.runs.get(&run).filter(|record| !record.is_released)
            && let Some(client) = self.clients.get(&record.client)
        {
            client.send(&message);
        }
    }

    pub fn bulk_of(&self, run: RunId) -> Option<Bytes> {
        self.runs.get(&run).map(|run| run.bytes.clone())
    }
}
