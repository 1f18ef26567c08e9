//! Data that clients give: which worker is to fetch what of it, and that it is given anew when it is lost.
//!
//! The machine can't make such data, and has whatever reads it fail when it is gone. As long as its client is there nobody is told of
//! that: workers fetch it once more, and what failed is run again when all of it is there.

use super::core::Core;
use super::gifts::Place;
use crate::message::{ToClient, ToWorker};
use raskt_schedule::{Event, Failure, RunId, TaskRange, WorkerId};
use std::collections::BTreeSet;

impl Core {
    /// Has workers fetch what clients give and nobody was asked for, each a share; if there are none, later.
    pub fn spread_gifts(&mut self) {
        // Workers that come back may have them.
        if self.ungiven.is_empty() || self.recovery.is_some() {
            return;
        }
        let all = self.takers();
        if all.is_empty() {
            return;
        }
        for run in std::mem::take(&mut self.ungiven) {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            let untried = untried(&all, &record.gifts.in_vain);
            // Who couldn't have it may by now, if all of it is to be had once more.
            let workers = if untried.is_empty() { all.clone() } else { untried };
            let shares = shares(&record.gifts.all_at(Place::Nowhere), workers.len());
            let from = record.gifts.at.clone();
            let Some(identity) = self.clients.get(&record.client).map(|client| client.identity) else { continue };
            for (&worker, tasks) in workers.iter().zip(shares).filter(|(_, tasks)| !tasks.is_empty()) {
                let Some(record) = self.runs.get_mut(&run) else { continue };
                tasks.iter().for_each(|&range| record.gifts.places.set(range, Place::Asked(worker)));
                self.show_graph(worker, run);
                if let Some(entry) = self.workers.get(&worker) {
                    entry.send(&ToWorker::Fetch { run, tasks, from: from.clone(), identity }, vec![]);
                }
            }
        }
    }

    /// Workers that data may be put on.
    fn takers(&self) -> Vec<WorkerId> {
        self.workers.iter().filter(|(_, worker)| worker.takes_data()).map(|(&it, _)| it).collect()
    }

    /// A worker couldn't have what it was to fetch: others may.
    pub fn not_given(&mut self, worker: WorkerId, run: RunId, reason: &str) {
        let takers = self.takers();
        let Some(record) = self.runs.get_mut(&run) else { return };
        record.gifts.in_vain.insert(worker);
        if untried(&takers, &record.gifts.in_vain).is_empty() {
            return self.data_failed(run, reason);
        }
        if record.gifts.move_all(Place::Asked(worker), Place::Nowhere) {
            self.ungiven.insert(run);
        }
    }

    /// Data of a run has come to be with a worker: when all has, what is wanted is, and what had failed for want of it is run again.
    pub fn data_came(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(record) = self.runs.get_mut(&run).filter(|record| !record.gifts.are_none()) else { return };
        for &range in tasks {
            let known = record.gifts.places.within(range);
            known.into_iter().for_each(|(part, _)| record.gifts.places.set(part, Place::There));
        }
        if record.gifts.places.all().any(|(_, place)| *place != Place::There) {
            return;
        }
        self.let_on(run);
        let Some(record) = self.runs.get_mut(&run) else { return };
        for (run, tasks, _) in std::mem::take(&mut record.gifts.stopped) {
            if self.machine.progress(run).is_some() {
                self.handle(Event::Retried { run, tasks });
            }
        }
    }

    /// Tasks have failed since data is gone: whether its client gives it once more. Then nobody needs to know.
    pub fn gives_again(&mut self, run: RunId, tasks: &[TaskRange], failure: &Failure) -> bool {
        if failure.worker.is_some() || self.cancelled.contains(&(failure.run, failure.task)) {
            return false;
        }
        let is_expected = self.runs.get(&failure.run).is_some_and(|record| self.is_expected(record.client));
        let Some(record) = self.runs.get_mut(&failure.run) else { return false };
        let is_given = record.gifts.places.get(failure.task).is_some();
        if !is_given || record.is_released || !is_expected {
            return false;
        }
        record.gifts.places.set(TaskRange::one(failure.task), Place::Nowhere);
        record.gifts.stopped.push((run, tasks.to_vec(), failure.clone()));
        self.ungiven.insert(failure.run);
        true
    }

    /// A worker is gone: others fetch what it was to.
    pub fn ask_others_for_gifts(&mut self, worker: WorkerId) {
        for &run in &self.given {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            if record.gifts.move_all(Place::Asked(worker), Place::Nowhere) {
                self.ungiven.insert(run);
            }
        }
    }

    /// Data of a run can't be had, nor what waits for it.
    pub fn data_failed(&mut self, run: RunId, reason: &str) {
        let mut failed = vec![run];
        let mut at = 0;
        while let Some(&run) = failed.get(at) {
            failed.extend(self.no_longer_awaited(run));
            at += 1;
        }
        for &run in &failed {
            // What would have been run again won't be.
            let stopped = self.runs.get_mut(&run).map(|record| std::mem::take(&mut record.gifts.stopped));
            for (run, tasks, failure) in stopped.unwrap_or_default() {
                let told = self.tasks_failed(run, &tasks, failure);
                self.tell_of(told);
            }
        }
        for run in failed {
            if let Some(client) = self.runs.get(&run).and_then(|record| self.clients.get(&record.client)) {
                client.send(&ToClient::Refused { run, reason: format!("its data couldn't be fetched: {reason}") });
            }
            self.release(run);
        }
    }
}

/// Those that haven't tried in vain.
fn untried(workers: &[WorkerId], in_vain: &BTreeSet<WorkerId>) -> Vec<WorkerId> {
    workers.iter().filter(|worker| !in_vain.contains(worker)).copied().collect()
}

/// Neighbours to the same, and about as many to each.
fn shares(ranges: &[TaskRange], workers: usize) -> Vec<Vec<TaskRange>> {
    let mut shares = vec![vec![]; workers];
    let share = TaskRange::count(ranges).div_ceil(workers as u64).max(1);
    let mut given = 0;
    for range in ranges {
        let mut start = range.start;
        while start < range.end {
            let (at, left) = ((given / share) as usize, share - given % share);
            let end = range.end.min(start + left);
            shares[at.min(workers - 1)].push(TaskRange { start, end, ..*range });
            given += end - start;
            start = end;
        }
    }
    shares
}
