//! Data that clients give: which worker is to fetch what of it, and that it is given anew when it is lost.
//!
//! The machine can't make such data, and has whatever reads it fail when it is gone. As long as its client is there nobody is told of
//! that: workers fetch it once more, and what failed is run again when all of it is there. Data that nobody can have, or that workers die
//! of, has failed as a task would have: whatever reads it hears why, be it submitted before or later.

use super::core::Core;
use super::gifts::{ByTries, Place, WhyNot, able, untried};
use crate::message::{RANGES_OF_DATA, RUNS_OF_A_CLIENT, ToClient, ToWorker};
use crate::ranges::RangeMap;
use raskt_schedule::{Event, Failure, LossCause, RunId, TaskRange, WorkerId};
use std::collections::BTreeSet;

impl Core {
    /// Has workers fetch what clients give and nobody was asked for, each a share; if there are none, later.
    pub fn spread_gifts(&mut self) {
        // Workers that come back may have them.
        if self.recovery.is_some() {
            return;
        }
        self.spread_ungiven();
        self.spread_with_care();
    }

    fn spread_ungiven(&mut self) {
        if self.ungiven.is_empty() {
            return;
        }
        let (all, known) = (self.takers(), self.takers_in_time());
        if all.is_empty() {
            self.ungiven_for_now.append(&mut self.ungiven);
            return;
        }
        for run in std::mem::take(&mut self.ungiven) {
            let Some(record) = self.runs.get(&run) else { continue };
            let nowhere = record.gifts.nowhere();
            self.spread(run, nowhere, &all, &known);
        }
    }

    /// Has some of `all` fetch data of a run that is nowhere, each a share. What none of these can have waits for others, if some are `known`
    /// that haven't tried; and what workers may have died of waits for those who fetch it with care.
    fn spread(&mut self, run: RunId, nowhere: ByTries, all: &[WorkerId], known: &[WorkerId]) {
        if !self.runs.get(&run).is_some_and(|record| self.clients.contains_key(&record.client)) {
            return;
        }
        if all.is_empty() {
            self.ungiven_for_now.insert(run);
            return;
        }
        for (tried, ranges) in nowhere {
            let Some(record) = self.runs.get(&run) else { return };
            let (feared, ranges) = record.gifts.by_fear(&ranges);
            if !feared.is_empty() {
                self.careful.wait(run);
            }
            let Some(first) = ranges.first().map(|range| range.start as usize) else { continue };
            let Some(workers) = able(all, known, &tried) else {
                self.ungiven_for_now.insert(run);
                continue;
            };
            let mut workers = self.careful.others_than_called(workers);
            // Where little is spread at a time, not all of it comes to the first.
            let count = workers.len();
            workers.rotate_left((first + run.0 as usize) % count);
            for (worker, tasks) in workers.iter().zip(shares(&ranges, count)) {
                self.have_fetched(*worker, run, &tasks);
            }
        }
    }

    /// Has a worker fetch data of a run.
    fn have_fetched(&mut self, worker: WorkerId, run: RunId, tasks: &[TaskRange]) {
        let Some(record) = self.runs.get_mut(&run).filter(|_| !tasks.is_empty()) else { return };
        tasks.iter().for_each(|&range| record.gifts.put(range, Place::Asked(worker)));
        self.send_for(worker, run, tasks);
    }

    /// Tells a worker what of a run it is to fetch.
    pub fn send_for(&mut self, worker: WorkerId, run: RunId, tasks: &[TaskRange]) {
        let Some(record) = self.runs.get(&run).filter(|_| !tasks.is_empty()) else { return };
        let Some(identity) = self.clients.get(&record.client).map(|client| client.identity) else { return };
        let from = record.gifts.at.clone();
        self.show_graph(worker, run);
        let Some(entry) = self.workers.get(&worker) else { return };
        for tasks in tasks.chunks(RANGES_OF_DATA) {
            entry.send(&ToWorker::Fetch { run, tasks: tasks.to_vec(), from: from.clone(), identity }, vec![]);
        }
    }

    /// Others may have data than could before: what waits for that is looked at again.
    pub fn takers_change(&mut self) {
        self.ungiven.append(&mut self.ungiven_for_now);
        self.careful.asked.one_comes();
        // What waits for those who stay isn't looked at for those who leave.
        if self.workers.values().any(|entry| entry.is_in() && !entry.is_retiring) {
            self.movements.one_comes();
        }
    }

    /// Workers that data may be put on.
    pub fn takers(&self) -> Vec<WorkerId> {
        self.workers.iter().filter(|(_, worker)| worker.takes_data()).map(|(&it, _)| it).collect()
    }

    /// The same, and those that are out of reach for now: they are back in time, or lost.
    pub fn takers_in_time(&self) -> Vec<WorkerId> {
        self.workers.iter().filter(|(_, it)| it.is_in() && !it.is_retiring).map(|(&it, _)| it).collect()
    }

    /// A worker couldn't have some of what it was to fetch: others may, be it later.
    pub fn not_given(&mut self, worker: WorkerId, run: RunId, tasks: &[TaskRange], reason: &str) {
        let (all, known) = (self.takers(), self.takers_in_time());
        let Some(record) = self.runs.get_mut(&run) else { return };
        if self.workers.get(&worker).is_some_and(|entry| entry.is_retiring) {
            // That may be why: others haven't tried.
            for range in record.gifts.asked_of(worker, tasks) {
                record.gifts.put(range, Place::Nowhere);
            }
            self.ungiven.insert(run);
            return;
        }
        let (failed, rest) = record.gifts.missed(worker, tasks, |tried| untried(&known, tried).is_empty());
        self.data_failed(run, &failed, WhyNot::Told(reason.into()));
        if self.recovery.is_some() {
            self.ungiven.insert(run);
        } else {
            // Nothing else may happen that would have it looked at; and all the rest of the run has nothing to do with it.
            self.spread(run, rest, &all, &known);
            self.spread_with_care();
        }
    }

    /// Data of a run has come to be with a worker: when all has, what is wanted is, and what had failed for want of it is run again.
    pub fn data_came(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(record) = self.runs.get_mut(&run).filter(|record| !record.gifts.are_none()) else { return };
        record.gifts.come(tasks);
        let let_go = if record.is_released { tasks.to_vec() } else { record.gifts.let_go_of(tasks) };
        if !let_go.is_empty() {
            let anew = self.given_anew.entry(run).or_default();
            let_go.into_iter().for_each(|range| anew.set(range, ()));
        }
        let are_awaited = record.gifts.are_awaited();
        // Who has fetched all that it was to may have more of what is fetched with care.
        self.spread_with_care();
        if are_awaited {
            return;
        }
        self.let_on(run);
        let Some(record) = self.runs.get_mut(&run) else { return };
        let mut stopped = BTreeSet::new();
        let given = run;
        for (run, tasks, _) in std::mem::take(&mut record.gifts.stopped) {
            if self.machine.progress(run).is_some() {
                self.handle(Event::Retried { run, tasks });
            }
            stopped.insert(run);
        }
        // As long as one of them is to be run again, what they read stays.
        if self.runs.get(&given).is_none_or(|record| record.gifts.stopped.is_empty()) {
            self.stopping.end(given);
        }
        // Where the data itself is wanted, the machine has said that all is there when it wasn't known here yet.
        stopped.into_iter().for_each(|run| self.tell_whole(run));
    }

    /// Data that was given anew, and that nobody wants, goes once nothing of its client is stopped for want of data: what reads it may read
    /// other data that is still to come, and would have to have this one given once more by then, and that one by the time that this one
    /// is there. Whether there was some.
    pub fn let_go_of_given_anew(&mut self) -> bool {
        if self.given_anew.is_empty() {
            return false;
        }
        let (mut over, mut next) = (vec![], self.given_anew.keys().next().copied());
        while let Some(run) = next {
            let client = run.0 / RUNS_OF_A_CLIENT;
            let end = RunId((client + 1).saturating_mul(RUNS_OF_A_CLIENT));
            if !self.stopping.concern(client) {
                over.extend(self.given_anew.range(run..end).map(|(&run, _)| run));
            }
            next = self.given_anew.range(end..).next().map(|(&run, _)| run);
        }
        let over: Vec<_> = over.into_iter().filter_map(|run| Some((run, self.given_anew.remove(&run)?))).collect();
        let is_some = !over.is_empty();
        for (run, tasks) in over {
            let tasks = tasks.all().map(|(range, ())| range).collect();
            if let Err(reason) = self.tasks_released(run, tasks) {
                tracing::warn!("data that was given anew can't be let go: {reason}");
            }
        }
        is_some
    }

    /// Tasks have failed since data is gone: whether its client gives it once more. Then nobody needs to know.
    pub fn gives_again(&mut self, run: RunId, tasks: &[TaskRange], failure: &Failure) -> bool {
        if failure.worker.is_some() || self.cancelled.contains(&(failure.run, failure.task)) {
            return false;
        }
        let is_expected = self.runs.get(&failure.run).is_some_and(|record| self.is_expected(record.client));
        let Some(record) = self.runs.get_mut(&failure.run) else { return false };
        let is_lost = record.gifts.place(failure.task).is_some_and(|place| place != Place::Failed);
        if !is_lost || !is_expected {
            return false;
        }
        record.gifts.put(TaskRange::one(failure.task), Place::Nowhere);
        record.gifts.stopped.push((run, tasks.to_vec(), failure.clone()));
        let read = self.machine.imports_of(run).iter().map(|import| import.run);
        self.stopping.stop(failure.run, read.chain([run]));
        self.ungiven.insert(failure.run);
        true
    }

    /// Nobody needs the data that a run was given, or it was given none: who gives it needn't keep it.
    pub fn data_needed_no_more(&self, run: RunId) {
        if let Some(client) = self.clients.get(&((run.0 / RUNS_OF_A_CLIENT) as u32)) {
            client.send(&ToClient::DataNotNeeded { run });
        }
    }

    /// A worker is gone: others fetch what it was to, unless that is what workers die of.
    pub fn ask_others_for_gifts(&mut self, worker: WorkerId, cause: LossCause) {
        let had_one_call = self.careful.left(worker);
        if self.careful.asked.is_free(worker) {
            return;
        }
        let mut deadly = vec![];
        let runs = self.careful.asked.runs(worker);
        let given = || runs.iter().filter_map(|run| self.runs.get(run)).map(|record| &record.gifts);
        let begun = given().map(|gifts| gifts.begun_by(worker)).sum();
        // Whoever ran something, or fetched other data, may have died of that.
        let ran_something = self.machine.has_begun_something(worker);
        let alone = had_one_call && !ran_something && !given().any(|gifts| gifts.has_without_fear(worker));
        for &run in &runs {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            if cause == LossCause::Died {
                let died = record.gifts.died(worker, begun, alone);
                deadly.extend(died.into_iter().map(|(tasks, deaths)| (run, tasks, deaths)));
            }
            if record.gifts.move_all(Place::Asked(worker), Place::Nowhere) {
                self.ungiven.insert(run);
            }
        }
        for (run, tasks, deaths) in deadly {
            self.data_failed(run, &[tasks], WhyNot::Deaths(deaths));
        }
    }

    /// Data of a run can't be had: it has failed, and with it whatever reads it.
    pub fn data_failed(&mut self, run: RunId, tasks: &[TaskRange], why: WhyNot) {
        let Some(record) = self.runs.get_mut(&run).filter(|_| !tasks.is_empty()) else { return };
        record.gifts.fail(tasks, why);
        let is_failed = |failure: &Failure| tasks.iter().any(|range| range.contains(failure.task));
        // What would have been run again won't be.
        let stopped: Vec<_> = record.gifts.stopped.extract_if(.., |(_, _, failure)| is_failed(failure)).collect();
        // Each by itself: one may be had later, and another not.
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            if let Err(reason) = self.try_event(Event::Cancelled { run, tasks: vec![TaskRange::one(task)] }) {
                tracing::warn!("data that can't be had can't fail: {reason}");
            }
        }
        for (run, tasks, failure) in stopped {
            let told = self.tasks_failed(run, &tasks, failure);
            self.tell_of(told);
        }
        self.data_came(run, &[]);
    }

    /// What of `tasks` of a run has failed for data that couldn't be had is run again when that can be, with all of the run that failed for
    /// the same: its client waits for that, too. Gives the others.
    pub fn retry_data(&mut self, run: RunId, tasks: Vec<TaskRange>) -> Vec<TaskRange> {
        let roots: BTreeSet<_> = self.failed_for_data(run, &tasks).map(|(_, why)| (why.run, why.task)).collect();
        if roots.is_empty() {
            return tasks;
        }
        let all = self.all_of(run);
        let of_data: Vec<_> = self.failed_for_data(run, &all).map(|(range, why)| (range, why.clone())).collect();
        let mut others = RangeMap::default();
        tasks.iter().for_each(|&range| others.set(range, ()));
        for (range, failure) in of_data.into_iter().filter(|(_, why)| roots.contains(&(why.run, why.task))) {
            others.cut(range);
            let is_expected = self.runs.get(&failure.run).is_some_and(|record| self.is_expected(record.client));
            if !is_expected {
                // Whoever gave it is gone: it stays as it is, and whoever has asked hears so again.
                let told = self.tasks_failed(run, &[range], failure);
                self.tell_of(told);
                continue;
            }
            self.fetch_again(failure.run);
            let Some(record) = self.runs.get_mut(&failure.run) else { continue };
            record.gifts.stopped.push((run, vec![range], failure));
        }
        others.all().map(|(range, ())| range).collect()
    }

    /// What of `tasks` of a run has failed for data that hasn't come, and for what of that.
    fn failed_for_data(&self, run: RunId, tasks: &[TaskRange]) -> impl Iterator<Item = (TaskRange, &Failure)> {
        let failed = tasks.iter().flat_map(move |&range| self.machine.failures_within(run, range));
        failed.filter(|(_, failure)| {
            let record = self.runs.get(&failure.run).filter(|_| failure.worker.is_none());
            // Whoever has asked before may have had it fetched again by now.
            record.is_some_and(|record| record.gifts.place(failure.task).is_some_and(|it| it != Place::There))
        })
    }

    /// All tasks of a run.
    fn all_of(&self, run: RunId) -> Vec<TaskRange> {
        let layers = self.machine.graph(run).into_iter().flat_map(|graph| graph.layers());
        layers.map(|(layer, about)| TaskRange { layer, start: 0, end: about.len() }).collect()
    }

    /// All that couldn't be had of the data of a run is fetched once more; whoever waits for it hears how that ends.
    fn fetch_again(&mut self, run: RunId) {
        let Some(record) = self.runs.get_mut(&run) else { return };
        if !record.gifts.try_again() {
            return;
        }
        let all = self.all_of(run);
        let own = self.failed_for_data(run, &all).filter(|(_, failure)| failure.run == run);
        let own: Vec<_> = own.map(|(range, failure)| (run, vec![range], failure.clone())).collect();
        if let Some(record) = self.runs.get_mut(&run) {
            record.gifts.stopped.extend(own);
        }
        self.ungiven.insert(run);
    }
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
