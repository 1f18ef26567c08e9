//! Clients that come back to a scheduler which has begun anew.

use super::core::{Core, TOLD_MOST};
use super::entries::ClientEntry;
use super::gifts::Place;
use crate::journal::{Ended, Record};
use crate::message::{FailureForm, ToClient};
use crate::ranges::RangeMap;
use raskt_schedule::{FailureScope, Held, RunId, TaskRange};
use std::sync::Arc;

/// Runs that one message names at most.
const RUNS_AT_A_TIME: usize = 1 << 14;

impl ClientEntry {
    /// Tells of runs that the client needn't keep any more.
    pub fn tell_taken(&mut self) {
        if !self.taken.is_empty() {
            let runs = std::mem::take(&mut self.taken);
            self.send(&ToClient::Taken { runs });
        }
    }
}

impl Core {
    /// Somebody who was let in as `client` says that it was `before` under a scheduler before this one; whether it was.
    pub fn client_back(&mut self, client: u32, before: u32, secret: [u8; 16]) -> bool {
        let line = self.journal.as_ref().and_then(|journal| journal.ledger().client(before));
        let is_known = self.absent.clients.contains(&before) && line.is_some_and(|line| line.secret == secret);
        let Some(mut entry) = self.clients.remove(&client) else { return false };
        entry.send(&ToClient::Back { is_known });
        if !is_known {
            self.clients.insert(client, entry);
            return false;
        }
        entry.is_durable = true;
        self.note(|| Record::ClientGone { client });
        self.absent.clients.remove(&before);
        // Also those that it has let go of: it may not have heard that they are written down.
        let mut runs: Vec<_> = self.runs_from(before).map(|(&run, _)| run).collect();
        let last = runs.split_off(runs.len() - runs.len() % RUNS_AT_A_TIME);
        runs.chunks(RUNS_AT_A_TIME)
            .for_each(|runs| entry.send(&ToClient::Knows { runs: runs.to_vec(), is_last: false }));
        entry.send(&ToClient::Knows { runs: last, is_last: true });
        self.clients.insert(before, entry);
        true
    }

    fn runs_of(&self, client: u32) -> Vec<RunId> {
        let own = self.runs_from(client).filter(|(_, record)| !record.is_released);
        own.map(|(&run, _)| run).collect()
    }

    /// A client that is back says what it still wants. When it has said all it is told how that stands.
    pub fn client_has(&mut self, client: u32, runs: Vec<(RunId, Option<Vec<TaskRange>>)>, is_last: bool) {
        let Some(entry) = self.clients.get_mut(&client) else { return };
        entry.has.extend(runs);
        if !is_last {
            return;
        }
        let has = std::mem::take(&mut entry.has);
        for run in self.runs_of(client) {
            match has.get(&run) {
                None => self.release(run),
                Some(None) => {}
                Some(Some(tasks)) => self.release_others(client, run, tasks),
            }
            self.tell_again(run);
        }
        // Of what it has let go of as well: others may read it, and while it wasn't there it could give nothing.
        let all = self.runs_from(client).filter(|(_, record)| !record.gifts.all_at(Place::Nowhere).is_empty());
        let ungiven: Vec<_> = all.map(|(&run, _)| run).collect();
        self.ungiven.extend(ungiven);
        self.spread_gifts();
    }

    /// Of a run nothing but `tasks` is wanted.
    fn release_others(&mut self, client: u32, run: RunId, tasks: &[TaskRange]) {
        let Some(record) = self.runs.get(&run) else { return };
        let mut others = RangeMap::default();
        record.wanted.iter().for_each(|&range| others.set(range, ()));
        tasks.iter().for_each(|&range| drop(others.cut(range)));
        let others: Vec<_> = others.all().map(|(range, ())| (run, range)).collect();
        if !others.is_empty()
            && let Err(reason) = self.release_tasks(client, others)
        {
            tracing::warn!("a client that is back says what can't be: {reason}");
        }
    }

    /// Tells a client how one of its runs stands; what comes after that it hears as it comes.
    fn tell_again(&mut self, run: RunId) {
        let Some(record) = self.runs.get(&run) else { return };
        let Some(client) = self.clients.get(&record.client) else { return };
        let failures = self.journal.as_ref().and_then(|journal| journal.line(run)).map(|line| line.failures());
        let failures = failures.unwrap_or_default();
        let ended = match &record.ended {
            Some(Ended::Failed(failure)) => Some(failure.run),
            _ => None,
        };
        let roots = failures.iter().map(|(_, failure)| failure.run).chain(ended);
        for root in roots.filter(|root| self.runs.contains_key(root)) {
            self.roots.entry(root).or_default().insert(record.client);
        }
        match &record.ended {
            Some(Ended::Failed(failure)) => {
                client.send(&ToClient::Failed { run, failure: FailureForm::clone(failure) })
            }
            Some(Ended::Lost) => client.send(&ToClient::Lost { run }),
            Some(Ended::Refused(reason)) => client.send(&ToClient::Refused { run, reason: reason.clone() }),
            None if record.failure == FailureScope::Task => self.tell_tasks_again(run, client, failures),
            None if self.machine.wanted_at(run).is_some() => {
                self.finished(run).iter().for_each(|(_, message)| client.send(message));
            }
            None => {}
        }
    }

    fn tell_tasks_again(&self, run: RunId, client: &ClientEntry, failures: Vec<(TaskRange, Arc<FailureForm>)>) {
        let held = self.held(run);
        let available = |results: &[Held]| ToClient::Available { run, results: results.to_vec(), small: vec![] };
        held.chunks(TOLD_MOST).for_each(|results| client.send(&available(results)));
        for (range, failure) in failures {
            client.send(&ToClient::TasksFailed { run, tasks: vec![range], failure: FailureForm::clone(&failure) });
        }
    }
}
