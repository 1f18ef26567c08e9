//! What the records of a journal come to.

use super::causes::Causes;
use super::line::{RunLine, Written, cause};
use super::record::{Ended, EndedForm, Record};
use crate::failure::Root;
use crate::hello::Identity;
use crate::message::{FailureForm, Submission};
use bytes::Bytes;
use raskt_schedule::{RunId, TaskRange};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known of clients, runs and workers: the same for the same records. [`Self::records`] are some that come to it, without
/// what is of no account any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    clients: BTreeMap<u32, ClientLine>,
    runs: BTreeMap<RunId, RunLine>,
    /// The runs of each client.
    of_client: BTreeMap<u32, BTreeSet<RunId>>,
    causes: Causes,
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

    /// Nobody and nothing is left of the cluster: whoever comes begins another one.
    pub fn is_over(&self) -> bool {
        self.clients.is_empty() && self.runs.is_empty() && self.workers.is_empty() && self.others.is_empty()
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
                let runs: Vec<_> = self.of_client.get(&client).into_iter().flatten().copied().collect();
                runs.into_iter().for_each(|run| self.change(run, |line| line.is_released = true));
            }
            Record::Submitted { client, submission } => self.submit(client, submission, bulk),
            Record::Released { run, tasks } => self.change(run, |line| {
                tasks.iter().for_each(|&range| line.released.set(range, ()));
            }),
            Record::RunsReleased { runs } => {
                runs.into_iter().for_each(|run| self.change(run, |line| line.is_released = true));
            }
            Record::Forgotten { runs } => runs.into_iter().for_each(|run| self.forget(run)),
            Record::Cause { failure } => self.causes.set(failure),
            Record::Failed { run, tasks, root } => self.fail(run, &tasks, root),
            Record::Tried { run, task, times } => self.change(run, |line| _ = line.tried.insert(task, times)),
            Record::Retried { run, tasks } => self.retry(run, &tasks),
            Record::Ended { run, ended } => self.end(run, ended),
            Record::WorkerIn { worker, identity } => {
                self.next_worker = self.next_worker.max(worker.saturating_add(1));
                self.workers.insert(worker, identity);
            }
            Record::WorkerOut { worker } => _ = self.workers.remove(&worker),
            Record::Other { kind, name, value } => self.set_other((kind, name), value),
            Record::Others { kind, entries } => {
                entries.into_iter().for_each(|(name, value)| self.set_other((kind, name), value));
            }
        }
    }

    fn set_other(&mut self, key: (u16, Vec<u8>), value: Option<Vec<u8>>) {
        match value {
            Some(value) => _ = self.others.insert(key, value),
            None => _ = self.others.remove(&key),
        }
    }

    /// What takes back a record that begins something, to be asked before it is applied: without it that isn't begun.
    pub fn undoing(&self, record: &Record) -> Option<Record> {
        match record {
            Record::Submitted { submission, .. } => Some(Record::Forgotten { runs: vec![submission.run] }),
            Record::Client { client, .. } => Some(Record::ClientGone { client: *client }),
            Record::Other { kind, name, .. } => {
                let value = self.others.get(&(*kind, name.clone())).cloned();
                Some(Record::Other { kind: *kind, name: name.clone(), value })
            }
            Record::Others { kind, entries } => {
                let before = |name: &Vec<u8>| (name.clone(), self.others.get(&(*kind, name.clone())).cloned());
                let entries = entries.iter().map(|(name, _)| before(name)).collect();
                Some(Record::Others { kind: *kind, entries })
            }
            _ => None,
        }
    }

    fn submit(&mut self, client: u32, submission: Submission, graph: Bytes) {
        let (run, order) = (submission.run, self.next_order);
        self.next_order += 1;
        let (released, failed, tried) = Default::default();
        let (is_released, ended) = (false, None);
        let line = RunLine { order, client, submission, graph, released, failed, tried, is_released, ended };
        self.forget(run);
        self.runs.insert(run, line);
        self.of_client.entry(client).or_default().insert(run);
        self.order.insert(order, run);
    }

    fn forget(&mut self, run: RunId) {
        let Some(line) = self.runs.remove(&run) else { return };
        self.order.remove(&line.order);
        if let Some(runs) = self.of_client.get_mut(&line.client) {
            runs.remove(&run);
            if runs.is_empty() {
                self.of_client.remove(&line.client);
            }
        }
        line.roots().into_iter().for_each(|root| self.causes.let_run_go(root, run));
    }

    fn fail(&mut self, run: RunId, tasks: &[TaskRange], root: Root) {
        let Some(line) = self.runs.get_mut(&run) else { return self.causes.forget_unused(root) };
        let Some(why) = self.causes.fail(root, run, tasks) else { return };
        let before = tasks.iter().flat_map(|&range| line.fail(range, &why));
        for (range, before) in before.filter(|(_, before)| before.root() != root) {
            self.causes.let_tasks_go(before.root(), run, range);
        }
        self.causes.forget_unused(root);
    }

    fn end(&mut self, run: RunId, ended: EndedForm) {
        let Some(line) = self.runs.get_mut(&run) else { return };
        let ended = match ended {
            EndedForm::Failed(root) => self.causes.end(root, run).map(Ended::Failed),
            EndedForm::Lost => Some(Ended::Lost),
            EndedForm::Refused(why) => Some(Ended::Refused(why)),
        };
        let Some(ended) = ended else { return };
        if let Some(Ended::Failed(before)) = line.ended.replace(ended)
            && !line.has_ended_of(before.root())
        {
            self.causes.let_end_go(before.root(), run);
        }
    }

    /// What is to be written of a failure before it is referred to, if that isn't known.
    pub fn unwritten_cause(&self, failure: &FailureForm) -> Option<FailureForm> {
        self.causes.unwritten(failure)
    }

    fn change(&mut self, run: RunId, change: impl FnOnce(&mut RunLine)) {
        if let Some(line) = self.runs.get_mut(&run) {
            change(line);
        }
    }

    /// What has failed because of the same as `tasks`, of whichever run: nobody takes it for failed any more.
    pub fn failed_with(&self, run: RunId, tasks: &[TaskRange]) -> Vec<(RunId, Vec<TaskRange>)> {
        let of_root = |root: Root| self.causes.failed_of(root).map(move |(run, ranges)| (root, run, ranges));
        let of_run = |(root, run, ranges): (Root, RunId, Vec<TaskRange>)| {
            let failed = self.runs.get(&run)?.failed_of(root, &ranges);
            (!failed.is_empty()).then_some((run, failed))
        };
        self.roots(run, tasks).into_iter().flat_map(of_root).filter_map(of_run).collect()
    }

    fn roots(&self, run: RunId, tasks: &[TaskRange]) -> BTreeSet<Root> {
        let Some(line) = self.runs.get(&run) else { return BTreeSet::new() };
        let failed = tasks.iter().flat_map(|&range| line.failed.within(range));
        failed.map(|(_, failure)| failure.root()).collect()
    }

    fn retry(&mut self, run: RunId, tasks: &[TaskRange]) {
        let roots = self.roots(run, tasks);
        for (run, failed) in self.failed_with(run, tasks) {
            self.change(run, |line| failed.into_iter().for_each(|range| drop(line.failed.cut(range))));
        }
        roots.into_iter().for_each(|root| self.causes.forgive(root));
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
        let written = Rc::new(RefCell::new(Written::new()));
        let as_before = written.clone();
        let of_runs = self.runs().flat_map(move |(run, line)| line.records(run, &mut as_before.borrow_mut()));
        // What is referred to from now on is what counts now.
        let causes = self.causes.all().filter_map(move |failure| cause(failure, &mut written.borrow_mut()));
        small.chain(of_runs).chain(causes)
    }
}

#[cfg(test)]
impl Ledger {
    /// What of the runs refers to which cause, as the causes say and as the runs do: the same.
    pub(super) fn referred(&self) -> [BTreeSet<super::causes::Referred>; 2] {
        let of_run = |(&run, line): (&RunId, &RunLine)| {
            let failed =
                line.failed.all().flat_map(|(range, failure)| range.tasks().map(|task| (failure.root(), Some(task))));
            let ended = line.roots().into_iter().filter(|&root| line.has_ended_of(root)).map(|root| (root, None));
            failed.chain(ended).map(|(root, task)| (root, run, task)).collect::<Vec<_>>()
        };
        [self.causes.referred(), self.runs.iter().flat_map(of_run).collect()]
    }
}

#[cfg(test)]
impl PartialEq for Ledger {
    /// Whether they come to the same: how the order of runs is counted doesn't matter.
    fn eq(&self, other: &Self) -> bool {
        let facts = |ledger: &Self| {
            let Self { clients, next_client, next_worker, workers, others, .. } = ledger.clone();
            let causes = ledger.causes.all().cloned().collect::<Vec<_>>();
            (clients, next_client, next_worker, workers, others, causes)
        };
        let of_run = |(run, line): (RunId, &RunLine)| line.records(run, &mut Written::new());
        let runs = |ledger: &Self| ledger.runs().flat_map(of_run).collect::<Vec<_>>();
        facts(self) == facts(other) && runs(self) == runs(other)
    }
}
