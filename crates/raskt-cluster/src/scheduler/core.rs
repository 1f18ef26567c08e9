//! The machine of a scheduler, and who speaks to it.

use super::absent::{Absent, Cancel, CancelledBefore, Recovery};
use super::backups::Backups;
use super::careful::Careful;
use super::causes::Causes;
use super::entries::{ClientEntry, WorkerEntry};
use super::errands::Errands;
use super::failures::Errors;
use super::graphs::RunRecord;
use super::movements::Movements;
use super::names::Sharing;
use super::notes::Notes;
use super::plugins::Plugins;
use super::stopping::Stopping;
use super::stream::Stream;
use crate::journal::Journal;
use crate::message::{ToClient, ToWorker};
use crate::ranges::RangeMap;
use crate::small::Small;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{
    Action, Event, Failure, FailureScope, Held, RunId, Scheduler, TaskRange, Time, WorkerId, WorkerOrder,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Ranges of tasks that one message to a client has at most.
pub(super) const TOLD_MOST: usize = 1 << 15;

/// The machine, and who speaks to it.
pub(super) struct Core {
    pub machine: Scheduler,
    pub started: Instant,
    pub workers: BTreeMap<WorkerId, WorkerEntry>,
    pub clients: BTreeMap<u32, ClientEntry>,
    pub runs: BTreeMap<RunId, RunRecord>,
    /// Why tasks failed, of runs that are known.
    pub errors: Errors,
    /// Tasks of runs that are known that clients have cancelled: what depends on them has failed because of that.
    pub cancelled: BTreeSet<(RunId, TaskId)>,
    /// The same of runs that are held back, until they are let on.
    pub cancelled_later: BTreeMap<RunId, Vec<TaskRange>>,
    /// What was cancelled before this scheduler began, until workers of before are back.
    pub cancelled_before: Vec<CancelledBefore>,
    /// What is cancelled when workers of before are back.
    pub cancels_later: Vec<Cancel>,
    /// Runs that were given data.
    pub given: BTreeSet<RunId>,
    /// Runs of which data is to be fetched that nobody was asked for.
    pub ungiven: BTreeSet<RunId>,
    /// The same of runs that wait for a worker: nobody who could have it is there, until one comes, goes or is back.
    pub ungiven_for_now: BTreeSet<RunId>,
    /// What of it is fetched with care.
    pub careful: Careful,
    /// Runs with data for want of which something has failed that is to be run again.
    pub stopping: Stopping,
    /// Data that was given anew and that its client has let go of: it stays until nothing of this client is stopped any more.
    pub given_anew: BTreeMap<RunId, RangeMap<()>>,
    /// How often clients have asked where results are.
    pub asked_where: u64,
    /// Runs that are held back, by the run of which nothing is wanted yet either.
    pub awaited_by: BTreeMap<RunId, BTreeSet<RunId>>,
    /// Runs that fewer of those read than before, while somebody is at it to let go what of them isn't wanted.
    pub unpinning: Option<Vec<RunId>>,
    /// What is shared by name.
    pub sharing: Sharing,
    /// Small results that came with what is being taken in, and their run.
    pub along: Option<(RunId, Vec<Small>)>,
    /// What workers are to have, those that come later too.
    pub plugins: Plugins,
    /// Runs that have ended for their clients, and not for the machine.
    ended: Vec<RunId>,
    pub errands: Errands,
    pub movements: Movements,
    /// Results that are to outlive their workers.
    pub backups: Backups,
    /// The steps of orders lead to others, which aren't looked for again within them.
    pub looks_after_movements: bool,
    pub notes: Notes,
    pub causes: Causes,
    pub stream: Stream,
    pub next_worker: u32,
    pub next_client: u32,
    pub is_closed: bool,
    /// What outlives this scheduler, if anything does.
    pub journal: Option<Journal>,
    /// What tells what it has handed out from what any other has.
    pub lineage: [u8; 16],
    /// Runs of which nobody needs anything, and the journal doesn't know.
    pub forgotten: Vec<RunId>,
    /// Runs that are known, of whose failures clients were told: they hear when these are gone.
    pub roots: BTreeMap<RunId, BTreeSet<u32>>,
    /// Workers of before are waited for.
    pub recovery: Option<Recovery>,
    /// Clients of before that aren't back, and until when they are waited for.
    pub absent: Absent,
    /// A client has ended the cluster.
    pub is_told_to_end: bool,
    /// What went wrong, if something did that can't be mended.
    pub broken: Option<String>,
}

impl Core {
    pub fn new(machine: Scheduler) -> Self {
        let (workers, clients, runs, errors) = Default::default();
        let started = Instant::now();
        let (cancelled_later, cancelled_before) = Default::default();
        let (cancelled, given, ungiven, ungiven_for_now, awaited_by, ended, plugins) = Default::default();
        let (stopping, given_anew) = Default::default();
        Self {
            machine,
            started,
            workers,
            clients,
            runs,
            errors,
            cancelled,
            cancelled_later,
            cancelled_before,
            cancels_later: vec![],
            given,
            ungiven,
            ungiven_for_now,
            careful: Careful::default(),
            stopping,
            given_anew,
            asked_where: 0,
            awaited_by,
            unpinning: None,
            sharing: Sharing::new(),
            along: None,
            plugins,
            ended,
            errands: Errands::default(),
            movements: Movements::default(),
            backups: Backups::default(),
            looks_after_movements: false,
            notes: Notes::default(),
            causes: Causes::default(),
            stream: Stream::default(),
            is_told_to_end: false,
            next_worker: 0,
            next_client: 0,
            journal: None,
            lineage: [0; 16],
            forgotten: vec![],
            roots: BTreeMap::new(),
            recovery: None,
            absent: Absent::default(),
            is_closed: false,
            broken: None,
        }
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

    pub fn act(&mut self) {
        self.take_actions();
        if self.let_go_of_given_anew() {
            self.take_actions();
        }
        for run in self.machine.take_let_go() {
            self.forget(run);
        }
        for run in std::mem::take(&mut self.ended) {
            self.handle(Event::RunReleased { run });
        }
        self.spread_gifts();
        self.look_after_movements();
    }

    fn take_actions(&mut self) {
        while let Some(action) = self.machine.poll_action() {
            match WorkerOrder::of(action) {
                Ok((worker, order)) => self.order(worker, order),
                Err(action) => self.tell_client(action),
            }
        }
    }

    /// The machine can't go on: all are told why, and their sessions end.
    pub fn break_down(&mut self, story: &str) {
        tracing::error!("the scheduler broke down, which is a bug in raskt: {story}");
        (self.is_closed, self.broken) = (true, Some(story.to_owned()));
        for client in self.clients.values() {
            client.send(&ToClient::Broken(story.to_owned()));
            client.outbox.close();
        }
        for worker in self.workers.values() {
            worker.send(&ToWorker::Broken(story.to_owned()), vec![]);
            worker.outbox.close();
        }
    }

    fn tell_client(&mut self, action: Action) {
        let told = self.told(action);
        self.tell_of(told);
    }

    /// Tells clients something of their runs.
    pub fn tell_of(&mut self, told: Vec<(RunId, ToClient)>) {
        for (run, message) in told {
            self.note_told(run, &message);
            let Some(record) = self.runs.get(&run).filter(|record| !record.is_released) else { continue };
            let Some(client) = self.clients.get(&record.client) else { continue };
            client.send(&message);
            if let ToClient::TasksFailed { failure, .. } | ToClient::Failed { failure, .. } = &message
                && self.runs.contains_key(&failure.run)
            {
                self.roots.entry(failure.run).or_default().insert(record.client);
            }
        }
    }

    /// What clients are told of what the machine says: no more at a time than fits into a message.
    fn told(&mut self, action: Action) -> Vec<(RunId, ToClient)> {
        match action {
            Action::Finished { run } => self.finished(run),
            Action::Failed { run, task, worker, root, story } => {
                let failure = Failure { run: root, task, worker: Some(worker), story };
                vec![(run, ToClient::Failed { run, failure: self.failure_form(failure) })]
            }
            Action::Available { run, results } if self.is_alone(run) => {
                let parts = results.chunks(TOLD_MOST);
                let told = |results: &[Held]| {
                    let small = self.small(run, results);
                    (run, ToClient::Available { run, results: results.to_vec(), small })
                };
                parts.map(told).collect()
            }
            Action::Unavailable { run, tasks } if self.is_alone(run) => {
                let told = |tasks: &[TaskRange]| (run, ToClient::Unavailable { run, tasks: tasks.to_vec() });
                tasks.chunks(TOLD_MOST).map(told).collect()
            }
            Action::TasksFailed { run, tasks, failure } if self.gives_again(run, &tasks, &failure) => vec![],
            Action::TasksFailed { run, tasks, failure } => self.tasks_failed(run, &tasks, failure),
            Action::Lost { run, .. } => vec![(run, ToClient::Lost { run })],
            Action::Stalled { run, cause } => vec![(run, ToClient::Stalled { run, cause: cause.to_string() })],
            Action::Resumed { run } => vec![(run, ToClient::Resumed { run })],
            Action::Available { .. } | Action::Unavailable { .. } => vec![],
            Action::Assign { .. } | Action::Recall { .. } | Action::Discard { .. } | Action::Forget { .. } => vec![],
        }
    }

    /// Clients of runs whose tasks stand alone are told of each result, and others of all of them: when something was wanted, and
    /// nothing has to be made again.
    pub fn finished(&self, run: RunId) -> Vec<(RunId, ToClient)> {
        let record = self.runs.get(&run).filter(|record| record.failure == FailureScope::Run);
        let is_whole =
            |record: &&RunRecord| record.wanted_later.is_none() && record.gifts.are_there() && !record.has_failed;
        if record.filter(is_whole).is_none() {
            return vec![];
        }
        let held = self.held(run);
        let mut parts: Vec<_> = held.chunks(TOLD_MOST).map(<[Held]>::to_vec).collect();
        let last = parts.pop().unwrap_or_default();
        let parts = parts.into_iter().map(|held| ToClient::Finished { run, held, is_last: false });
        parts.chain([ToClient::Finished { run, held: last, is_last: true }]).map(|message| (run, message)).collect()
    }

    fn is_alone(&self, run: RunId) -> bool {
        self.runs.get(&run).is_some_and(|record| record.failure == FailureScope::Task)
    }

    pub fn tasks_failed(&mut self, run: RunId, tasks: &[TaskRange], failure: Failure) -> Vec<(RunId, ToClient)> {
        let failure = self.failure_form(failure);
        let Some(record) = self.runs.get_mut(&run) else { return vec![] };
        if record.failure == FailureScope::Task {
            let told = |tasks: &[TaskRange]| {
                let (tasks, failure) = (tasks.to_vec(), failure.clone());
                (run, ToClient::TasksFailed { run, tasks, failure })
            };
            return tasks.chunks(TOLD_MOST).map(told).collect();
        }
        if std::mem::replace(&mut record.has_failed, true) {
            return vec![];
        }
        self.ended.push(run);
        vec![(run, ToClient::Failed { run, failure })]
    }

    /// Small results of those that are there, if they came along.
    fn small(&self, run: RunId, results: &[Held]) -> Vec<Small> {
        let told = |small: &Small| results.iter().any(|held| held.tasks.meets(small.tasks()));
        match &self.along {
            Some((of, small)) if *of == run => small.iter().filter(|small| told(small)).cloned().collect(),
            _ => vec![],
        }
    }

    pub fn bulk_of(&self, run: RunId) -> Option<Bytes> {
        self.runs.get(&run).map(|run| run.bytes.clone())
    }
}
