//! What the records of a journal come to.

use super::record::{Ended, Record};
use crate::hello::Identity;
use crate::message::{FailureForm, Submission};
use crate::ranges::RangeMap;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known of clients, runs and workers: the same for the same records. [`Self::records`] are some that come to it, without
/// what is of no account any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    clients: BTreeMap<u32, ClientLine>,
    runs: BTreeMap<RunId, RunLine>,
    /// In the order in which they were submitted: a run comes after those that it reads.
    order: BTreeMap<u64, RunId>,
    next_order: u64,
    next_client: u32,
    next_worker: u32,
    workers: BTreeMap<u32, Identity>,
    others: BTreeMap<(u16, Vec<u8>), Vec<u8>>,
}

/// A client that has submitted something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClientLine {
    pub identity: Identity,
    pub secret: [u8; 16],
}

/// A run of which somebody needs something.
#[derive(Clone, Debug)]
pub(crate) struct RunLine {
    order: u64,
    pub client: u32,
    pub submission: Submission,
    pub graph: Bytes,
    released: RangeMap<()>,
    failed: RangeMap<Arc<FailureForm>>,
    /// Its client wants nothing of it any more.
    pub is_released: bool,
    pub ended: Option<Ended>,
}

impl RunLine {
    /// What is wanted of it and hasn't failed.
    pub fn still_wanted(&self) -> Vec<TaskRange> {
        self.less(|line, range| {
            let released = line.released.within(range).into_iter().map(|(part, ())| part);
            released.chain(line.failed.within(range).into_iter().map(|(part, _)| part)).collect()
        })
    }

    /// What of it has failed and is wanted all the same.
    pub fn failures(&self) -> Vec<(TaskRange, FailureForm)> {
        let failed = self.failed.all().flat_map(|(range, failure)| {
            let mut left = RangeMap::default();
            left.set(range, ());
            self.released.within(range).into_iter().for_each(|(part, ())| drop(left.cut(part)));
            left.all().map(|(part, ())| (part, FailureForm::clone(failure))).collect::<Vec<_>>()
        });
        failed.collect()
    }

    fn less(&self, less: impl Fn(&Self, TaskRange) -> Vec<TaskRange>) -> Vec<TaskRange> {
        let parts = self.submission.wanted.iter().flat_map(|&range| {
            let mut left = RangeMap::default();
            left.set(range, ());
            less(self, range).into_iter().for_each(|part| drop(left.cut(part)));
            left.all().map(|(part, ())| part).collect::<Vec<_>>()
        });
        parts.collect()
    }
}

impl Ledger {
    pub fn client(&self, client: u32) -> Option<&ClientLine> {
        self.clients.get(&client)
    }

    pub fn clients(&self) -> impl Iterator<Item = u32> {
        self.clients.keys().copied()
    }

    pub fn run(&self, run: RunId) -> Option<&RunLine> {
        self.runs.get(&run)
    }

    /// All of them, those that are read before those that read them.
    pub fn runs(&self) -> impl Iterator<Item = (RunId, &RunLine)> {
        self.order.values().filter_map(|run| Some((*run, self.runs.get(run)?)))
    }

    /// Workers that were there in the end.
    pub fn workers(&self) -> impl Iterator<Item = Identity> {
        self.workers.values().copied()
    }

    /// Their numbers.
    pub fn old_workers(&self) -> impl Iterator<Item = u32> {
        self.workers.keys().copied()
    }

    pub fn next_client(&self) -> u32 {
        self.next_client
    }

    pub fn next_worker(&self) -> u32 {
        self.next_worker
    }

    /// What others have written under this kind.
    pub fn others(&self, kind: u16) -> impl Iterator<Item = (&[u8], &[u8])> {
        let all = self.others.range((kind, vec![])..).take_while(move |((of, _), _)| *of == kind);
        all.map(|((_, name), value)| (&name[..], &value[..]))
    }

    /// Takes in a record, and what comes with it. What is about nothing that is known changes nothing.
    pub fn apply(&mut self, record: Record, bulk: Bytes) {
        match record {
            Record::Numbers { next_client, next_worker } => {
                self.next_client = self.next_client.max(next_client);
                self.next_worker = self.next_worker.max(next_worker);
            }
            Record::Client { client, identity, secret } => {
                self.next_client = self.next_client.max(client.saturating_add(1));
                self.clients.insert(client, ClientLine { identity, secret });
            }
            Record::ClientGone { client } => {
                self.clients.remove(&client);
                self.runs.values_mut().filter(|run| run.client == client).for_each(|run| run.is_released = true);
            }
            Record::Submitted { client, submission } => self.submit(client, submission, bulk),
            Record::Released { run, tasks } => self.change(run, |line| {
                tasks.iter().for_each(|&range| line.released.set(range, ()));
            }),
            Record::RunsReleased { runs } => {
                runs.into_iter().for_each(|run| self.change(run, |line| line.is_released = true));
            }
            Record::Forgotten { runs } => runs.into_iter().for_each(|run| self.forget(run)),
            Record::Failed { run, tasks, failure } => {
                let failure = Arc::new(failure);
                self.change(run, |line| tasks.iter().for_each(|&range| line.failed.set(range, failure.clone())));
            }
            Record::Retried { run, tasks } => self.retry(run, &tasks),
            Record::Ended { run, ended } => self.change(run, |line| line.ended = Some(ended)),
            Record::WorkerIn { worker, identity } => {
                self.next_worker = self.next_worker.max(worker.saturating_add(1));
                self.workers.insert(worker, identity);
            }
            Record::WorkerOut { worker } => _ = self.workers.remove(&worker),
            Record::Other { kind, name, value } => match value {
                Some(value) => _ = self.others.insert((kind, name), value),
                None => _ = self.others.remove(&(kind, name)),
            },
        }
    }

    fn submit(&mut self, client: u32, submission: Submission, graph: Bytes) {
        let (run, order) = (submission.run, self.next_order);
        self.next_order += 1;
        let (released, failed) = Default::default();
        let line = RunLine { order, client, submission, graph, released, failed, is_released: false, ended: None };
        if let Some(before) = self.runs.insert(run, line) {
            self.order.remove(&before.order);
        }
        self.order.insert(order, run);
    }

    fn forget(&mut self, run: RunId) {
        if let Some(line) = self.runs.remove(&run) {
            self.order.remove(&line.order);
        }
    }

    fn change(&mut self, run: RunId, change: impl FnOnce(&mut RunLine)) {
        if let Some(line) = self.runs.get_mut(&run) {
            change(line);
        }
    }

    /// What has failed because of the same as `tasks`, of whichever run: nobody takes it for failed any more.
    pub fn failed_with(&self, run: RunId, tasks: &[TaskRange]) -> Vec<(RunId, Vec<TaskRange>)> {
        let roots = self.roots(run, tasks);
        if roots.is_empty() {
            return vec![];
        }
        let of_run = |(run, line): (&RunId, &RunLine)| {
            let failed = line.failed.all().filter(|(_, failure)| roots.contains(&(failure.run, failure.task)));
            let failed: Vec<_> = failed.map(|(range, _)| range).collect();
            (!failed.is_empty()).then_some((*run, failed))
        };
        self.runs.iter().filter_map(of_run).collect()
    }

    fn roots(&self, run: RunId, tasks: &[TaskRange]) -> BTreeSet<(RunId, TaskId)> {
        let Some(line) = self.runs.get(&run) else { return BTreeSet::new() };
        let failed = tasks.iter().flat_map(|&range| line.failed.within(range));
        failed.map(|(_, failure)| (failure.run, failure.task)).collect()
    }

    fn retry(&mut self, run: RunId, tasks: &[TaskRange]) {
        for (run, failed) in self.failed_with(run, tasks) {
            self.change(run, |line| failed.into_iter().for_each(|range| drop(line.failed.cut(range))));
        }
    }

    /// Records that come to the same.
    pub fn records(&self) -> impl Iterator<Item = (Record, Bytes)> {
        let numbers = Record::Numbers { next_client: self.next_client, next_worker: self.next_worker };
        let client = |(&client, line): (&u32, &ClientLine)| {
            let ClientLine { identity, secret } = line.clone();
            Record::Client { client, identity, secret }
        };
        let worker = |(&worker, &identity): (&u32, &Identity)| Record::WorkerIn { worker, identity };
        let other = |((kind, name), value): (&(u16, Vec<u8>), &Vec<u8>)| Record::Other {
            kind: *kind,
            name: name.clone(),
            value: Some(value.clone()),
        };
        let small =
            std::iter::once(numbers).chain(self.clients.iter().map(client)).chain(self.workers.iter().map(worker));
        let small = small.chain(self.others.iter().map(other)).map(|record| (record, Bytes::new()));
        small.chain(self.runs().flat_map(|(run, line)| line.records(run)))
    }
}

impl RunLine {
    fn records(&self, run: RunId) -> Vec<(Record, Bytes)> {
        let submission = self.submission.clone();
        let mut records = vec![];
        let mut also = |record| records.push((record, Bytes::new()));
        let released: Vec<_> = self.released.all().map(|(range, ())| range).collect();
        if !released.is_empty() {
            also(Record::Released { run, tasks: released });
        }
        for (range, failure) in self.failed.all() {
            also(Record::Failed { run, tasks: vec![range], failure: FailureForm::clone(failure) });
        }
        if self.is_released {
            also(Record::RunsReleased { runs: vec![run] });
        }
        if let Some(ended) = self.ended.clone() {
            also(Record::Ended { run, ended });
        }
        let first = (Record::Submitted { client: self.client, submission }, self.graph.clone());
        std::iter::once(first).chain(records).collect()
    }
}

#[cfg(test)]
impl PartialEq for Ledger {
    /// Whether they come to the same: how the order of runs is counted doesn't matter.
    fn eq(&self, other: &Self) -> bool {
        let facts = |ledger: &Self| {
            let Self { clients, next_client, next_worker, workers, others, .. } = ledger.clone();
            (clients, next_client, next_worker, workers, others)
        };
        let runs = |ledger: &Self| ledger.runs().flat_map(|(run, line)| line.records(run)).collect::<Vec<_>>();
        facts(self) == facts(other) && runs(self) == runs(other)
    }
}
