//! What workers may have died of is spread among those that have nothing else to fetch.

use super::careful::Calls;
use super::core::Core;
use super::gifts::{Place, able};
use crate::message::ToWorker;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::BTreeMap;

impl Core {
    /// Has free workers fetch of what waits for them.
    pub fn spread_with_care(&mut self) {
        if !self.careful.may_go_on() {
            return;
        }
        let (all, known) = (self.takers(), self.takers_in_time());
        // What it was handed out it may begin at any moment.
        let is_idle =
            |worker| !self.machine.has_begun_something(worker) && self.machine.processing(worker, None, 1).is_empty();
        let mut calls = self.careful.calls(&all, is_idle);
        for run in self.careful.waiting() {
            if calls.is_over() {
                break;
            }
            if !self.call_for(run, &mut calls, &all, &known) {
                self.careful.wait_no_more(run);
            }
        }
        for (number, call) in self.careful.call(calls) {
            for &(run, part) in &call.parts {
                if let Some(record) = self.runs.get_mut(&run) {
                    record.gifts.put(part, Place::Asked(call.worker));
                }
            }
            if let Some(entry) = self.workers.get(&call.worker) {
                entry.send(&ToWorker::Ping { number }, vec![]);
            }
        }
    }

    /// Puts what waits of a run into calls; whether some of it still waits for somebody to be free.
    fn call_for(&mut self, run: RunId, calls: &mut Calls, all: &[WorkerId], known: &[WorkerId]) -> bool {
        let Some(record) = self.runs.get(&run).filter(|record| self.clients.contains_key(&record.client)) else {
            return false;
        };
        let mut waits = false;
        for (tried, ranges) in record.gifts.nowhere() {
            let Some(able) = able(all, known, &tried) else {
                self.ungiven_for_now.insert(run);
                continue;
            };
            for (part, size) in record.gifts.by_fear(&ranges).0 {
                waits |= calls.add(run, part, size, &able).is_some();
            }
        }
        waits
    }

    /// A worker has answered a call: it fetches what it was called for, and if it dies now that may be why.
    pub fn answers(&mut self, worker: WorkerId, number: u64) {
        let mut by_run: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        let parts = self.careful.answered(worker, number);
        parts.into_iter().for_each(|(run, part)| by_run.entry(run).or_default().push(part));
        for (run, parts) in by_run {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            let parts = record.gifts.begin(worker, &parts);
            self.send_for(worker, run, &parts);
        }
    }
}
