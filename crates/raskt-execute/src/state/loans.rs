//! Slots that tasks lend while they wait, and threads that are out of reach.

use super::seceded::Place;
use super::{State, ThreadNumber};
use crate::RunError;
use crate::execution::Execution;
use crate::owner::OwnsRuns;
use raskt_schedule::{RunId, Ticket, WorkerEvent, WorkerTold};
use std::sync::Weak;
use std::time::Instant;

impl State {
    /// When it is to be told that time has passed, if nothing happens before.
    pub fn wakes_at(&self) -> Option<Instant> {
        match self.head.elsewhere() {
            Some(_) => self.seceded.wakes_at(),
            None => self.head.wakes_at(),
        }
    }

    /// Others may come to tasks that have seceded long ago.
    pub(super) fn look_at_seceded(&mut self) {
        if self.seceded.time_passed(Instant::now()) {
            self.resize();
        }
    }

    /// How many slots are lent.
    #[cfg(test)]
    pub fn lent(&self) -> u32 {
        self.lent_slots + self.lent_to_runs
    }

    /// The slot of a task is others', unless it was before; maybe the task at a place goes on.
    pub fn lend(&mut self, is_new: bool, secedes: Option<Place>) {
        self.lent_slots += u32::from(is_new);
        if let Some(place) = secedes {
            self.seceded.begin(place, Instant::now());
        }
        if is_new || secedes.is_some() {
            self.resize();
        }
    }

    /// It has its slot again: also one that has ended meanwhile, or still says that it waits.
    pub fn take_back_lent(&mut self) {
        self.lent_slots -= 1;
        self.resize();
    }

    /// It has its slot again, or waits for something if others still have it.
    pub fn rejoins(&mut self, place: Place) {
        self.seceded.end(place);
        self.resize();
    }

    /// What a thread has picked waits for something that other tasks bring about, or not any more. It may have seceded before.
    pub fn waits(&mut self, place: Place, ticket: Ticket, does: bool) {
        if self.seceded.waits(place, does, Instant::now()) {
            self.resize();
        }
        // Where there is no process that could die nobody is to blame.
        if let (Some(_), Some((run, attempt))) = (self.head.elsewhere(), self.worker.running_at(ticket)) {
            self.head.tell(WorkerTold::Waits { run, attempt, does });
        }
    }

    /// So many tasks wait for `run`, unless it has ended.
    pub fn lend_to(&mut self, run: RunId, slots: u32) {
        let entry = self.runs.get_mut(&run).filter(|entry| !entry.has_ended);
        if let Some(entry) = entry.filter(|_| slots > 0) {
            entry.lent_slots += slots;
            self.lent_to_runs += slots;
            self.resize_worker();
            self.tell_scheduler(WorkerTold::SlotsLent { run, slots });
        }
    }

    /// They wait no longer. If the run has ended they got their slots back then.
    pub fn take_back_from(&mut self, run: RunId, slots: u32) {
        if let Some(entry) = self.runs.get_mut(&run).filter(|entry| !entry.has_ended) {
            entry.lent_slots -= slots;
            self.lent_to_runs -= slots;
            self.resize_worker();
            self.tell_scheduler(WorkerTold::SlotsReturned { run, slots });
        }
    }

    /// `run` has ended: those who wait for it go on in their slots, before anybody else is given them.
    pub(super) fn take_back_loans(&mut self, run: RunId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        entry.has_ended = true;
        // The scheduler has taken them back already.
        self.lent_to_runs -= std::mem::take(&mut entry.lent_slots);
        self.resize_worker();
    }

    /// Nobody waits any more for what a thread has picked. It keeps the memory that it was promised until the thread is back.
    pub(super) fn lose_track(&mut self, ticket: Ticket, thread: Option<ThreadNumber>) {
        self.strays.insert(ticket, thread);
        if let Some(thread) = thread {
            self.pool.set_astray(thread, true);
        }
    }

    /// A thread is back from what nobody waits for any more, after so long.
    pub fn found_track(&mut self, ticket: Ticket, nanoseconds: u64) {
        let Some(thread) = self.strays.remove(&ticket) else { return };
        self.store.give_back(self.holder(ticket));
        if let Some(thread) = thread {
            self.pool.set_astray(thread, false);
        }
        self.worker.handle_event(match self.head.elsewhere() {
            // The machine of a worker knows of it, and tells the scheduler.
            Some(_) => WorkerEvent::Executed { ticket, outcomes: vec![], nanoseconds },
            None => WorkerEvent::MemoryFreed,
        });
        self.act();
    }

    /// Assignments that threads are at and that nobody waits for any more.
    pub fn strays(&self) -> usize {
        self.strays.len()
    }

    /// Threads that are at what nobody wants take up slots, beyond the first few.
    pub fn heed_strays(&mut self) {
        if self.head.elsewhere().is_some() {
            // The machine of a worker counts them itself, as its scheduler does.
            return;
        }
        let slots = self.pool.strays_in_places() as u32;
        if slots != self.stray_slots {
            self.stray_slots = slots;
            self.resize();
        }
    }

    /// Whether the system gave no thread when one was asked for last: those who wait for runs do the work.
    pub fn lacks_threads(&self) -> bool {
        self.pool.refused.is_some() && self.has_nobody_at_work()
    }

    /// The system gives no more threads. Those at work take up what there is once they are done; if all of them wait for
    /// results, those who wait for runs run what is at hand of them, and runs that nobody waits for end with an error.
    pub fn thread_refused(&mut self, cause: &str) {
        self.pool.refused = Some(cause.to_owned());
        if !self.has_nobody_at_work() {
            return;
        }
        // What ends leaves its slot to the next one.
        // A worker that can't work is of no use to its scheduler.
        assert!(self.head.elsewhere().is_none(), "no thread can be had to run tasks: {cause}");
        while let Some((run, owner)) = self.first_of_an_owner() {
            let error = RunError::Threads { threads: self.pool.live(), cause: cause.to_owned() };
            self.afterwards.unbegun.push((owner, error.clone()));
            self.end(run, error);
        }
        for execution in &self.executions {
            if let Some(entry) = self.runs.get(&execution.run) {
                entry.completion.nudge();
            }
        }
    }

    /// The thread that waits for `run` has too little stack to run what is at hand, and there is no other: the run ends.
    pub fn end_for_want_of_stack(&mut self, run: RunId, (left, least): (usize, usize), has_no_threads: bool) {
        // Without threads, others may have left work of theirs that this run waits for.
        let is_at_hand = |execution: &Execution| execution.run == run || has_no_threads;
        if self.has_ended(run) || !self.executions.iter().any(is_at_hand) {
            return;
        }
        let cause = self.pool.refused.as_deref().unwrap_or("this engine has none beside those who wait");
        let cause = format!(
            "{cause}; the one that waits for it is so deep in tasks that wait for tasks that it has {left} bytes of stack \
             left, and begins none with less than {least}"
        );
        self.end(run, RunError::Threads { threads: self.pool.live(), cause });
    }

    /// Whoever waits for a run looks whether there is something to do for him.
    pub fn nudge_all(&self) {
        self.runs.values().for_each(|entry| entry.completion.nudge());
    }

    /// Tells the scheduler that time has passed, if it wants to be told and no thread can be had that would.
    pub fn tell_time_if_due(&mut self) {
        if self.wakes_at().is_some_and(|at| at <= Instant::now()) {
            self.time_passed();
        }
    }

    fn has_nobody_at_work(&self) -> bool {
        self.pool.busy() == 0 && self.pool.available() == 0
    }

    /// The first run at hand that nobody waits for.
    fn first_of_an_owner(&self) -> Option<(RunId, Weak<dyn OwnsRuns>)> {
        let owner = |run: RunId| Some((run, self.runs.get(&run)?.owner.clone()?));
        self.executions.iter().find_map(|execution| owner(execution.run))
    }
}
