//! A machine panicked: nobody who waits for it may wait for ever, and what comes next mustn't meet what is left of it.

use super::State;
use super::head::Head;
use super::pool::Pool;
use crate::recover::Recovery;
use crate::{Breakdown, RunError};
use raskt_schedule::Ticket;
use raskt_sync::guard;
use std::mem;
use std::sync::Arc;

impl State {
    /// Ends every run with the error that comes back, and puts machines that have just begun in the place of these.
    pub fn break_down(&mut self, story: String) -> RunError {
        // Even if telling where the record is should fail, the runs end.
        let flight = guard(|| self.head.land()).ok().flatten();
        let head = self.head.elsewhere_mut().map(|elsewhere| Head::Elsewhere(Box::new(elsewhere.broken(&story))));
        let error = RunError::Broken(Arc::new(Breakdown { story, flight }));
        if let Some(ticket) = self.handed_out {
            self.picked.remove(&ticket);
        }
        for (run, entry) in &self.runs {
            if !entry.has_ended {
                entry.completion.complete(Err(error.clone()));
            }
            entry.cancel.cancel();
            let is_begun = || self.worker.running_of(*run).any(|ticket| self.picked.contains_key(&ticket));
            if let Some(owner) = entry.owner.clone().filter(|_| !entry.has_ended && !is_begun()) {
                self.afterwards.unbegun.push((owner, error.clone()));
            }
        }
        let _ = guard(|| self.let_go_of_all());
        let recovery = Recovery { runners: self.runners.clone(), store: self.store.clone() };
        let mut begun = Self::new(self.slots, &recovery, self.number);
        begun.worker = self.worker.begun_anew();
        begun.head = head.unwrap_or(begun.head);
        begun.next_run = self.next_run;
        // What was lent to runs came back with their end.
        (begun.lent_slots, begun.seceded) = (self.lent_slots, mem::take(&mut self.seceded));
        begun.broke_for = self.broke_for;
        begun.afterwards = mem::take(&mut self.afterwards);
        begun.pool = mem::replace(&mut self.pool, Pool::new(0));
        begun.stray_slots = self.stray_slots;
        begun.strays = mem::take(&mut self.strays);
        // What threads are at is at an end for everybody but them.
        let at_work = mem::take(&mut self.picked).into_iter();
        at_work.for_each(|(ticket, thread)| begun.lose_track(ticket, thread));
        (begun.leaves, begun.is_shut_down) = (self.leaves, self.is_shut_down);
        let broken = mem::replace(self, begun);
        self.afterwards.broken.push(Box::new(broken));
        self.resize();
        error
    }

    /// What the store promised is given back, but for what threads are still at, which gives it back when it ends; and small
    /// results are no longer counted there.
    fn let_go_of_all(&mut self) {
        let is_at_work =
            |ticket| self.picked.contains_key(&Ticket(ticket)) || self.strays.contains_key(&Ticket(ticket));
        self.store.give_back_all(self.number, is_at_work);
        let runs = mem::take(&mut self.runs);
        self.store.let_go_small(runs.values().map(|entry| entry.small).sum());
        self.afterwards.runs.extend(runs.into_values());
    }
}
