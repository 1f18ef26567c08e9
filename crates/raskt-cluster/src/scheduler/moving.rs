//! Results that are copied from worker to worker: of those that retire, and of those that more are to hold.
//!
//! The machine is told of copies as of any others that workers have fetched; it knows nothing of why they were made. So whatever goes
//! wrong, nothing is worse than it was: a result that nobody has copied is made again when its worker is gone.

use super::core::Core;
use super::movements::{Copying, Kind, Moved, Movement, Planned};
use super::receivers::Receivers;
use crate::message::ToWorker;
use crate::question::{Answer, LOOKED_AT_MOST};
use raskt_schedule::{BEGINNING, Event, LossCause, Resident, RunId, TaskRange, WorkerId};
use std::collections::BTreeMap;

/// So many copies for one worker may fail before it goes on as it was.
const FAILURES_MOST: u32 = 16;

/// Ranges that one message names at most.
const RANGES_OF_A_COPY: usize = 1 << 10;

/// Copies that are under way at a time, for all orders together: each is a request to a worker, and these have bounds.
const COPIES_MOST: usize = 1 << 10;

/// What is copied: of which run, from whom, to whom.
pub(super) type Way = (RunId, WorkerId, WorkerId);

impl Core {
    /// The next step of those who retire: nothing as long as they are at work; then what they alone hold is copied; then they leave.
    pub fn retire(&mut self, id: u64) {
        let Some(movement) = self.movements.open.get(&id) else { return };
        let Kind::Retire { leaves } = movement.kind else { return };
        if self.recovery.is_some() {
            // Nobody knows yet what those have that are back.
            return;
        }
        let there: Vec<_> = movement.workers.iter().copied().filter(|it| self.workers.contains_key(it)).collect();
        if there.is_empty() {
            let workers = movement.workers.clone();
            return self.end_movement(id, Answer::Done(workers));
        }
        let works = |worker: &WorkerId| !self.machine.processing(*worker, None, 1).is_empty();
        if there.iter().any(works) {
            return;
        }
        if movement.failures > FAILURES_MOST {
            let reason = movement.reason.clone();
            return self.stay(id, &there, &format!("what it holds couldn't be copied: {reason}"));
        }
        let alone = self.only_at_retiring(&there);
        if alone.is_empty() {
            return self.leave(id, there, leaves);
        }
        if let Err(reason) = self.copy_to_those_with_room(id, alone) {
            self.stay(id, &there, &reason);
        }
    }

    /// Results that nobody holds but `workers`, or others that retire.
    fn only_at_retiring(&self, workers: &[WorkerId]) -> Vec<Resident> {
        let retires = |worker: &WorkerId| self.workers.get(worker).is_none_or(|entry| entry.is_retiring);
        let mut alone = vec![];
        for &worker in workers {
            // What several of them hold is that of the first.
            let is_first = |it: &Resident| it.workers.iter().find(|it| workers.contains(it)) == Some(&worker);
            let is_alone = |it: &Resident| is_first(it) && it.workers.iter().all(retires);
            let mut from = Some(BEGINNING);
            while let Some(at) = from {
                let (found, next) = self.machine.residents_at(worker, at, LOOKED_AT_MOST);
                alone.extend(found.into_iter().filter(is_alone));
                from = next;
            }
        }
        alone
    }

    /// Those who retire go; or stay, with nothing to do.
    fn leave(&mut self, id: u64, workers: Vec<WorkerId>, leaves: bool) {
        // Whoever is lost is looked after as others are: this order is over by then. Who asked hears of it first.
        let Some(movement) = self.movements.open.remove(&id) else { return };
        for &worker in workers.iter().filter(|_| leaves) {
            if let Some(entry) = self.workers.get(&worker) {
                entry.send(&ToWorker::Leave, vec![]);
            }
            self.worker_lost(worker, LossCause::Retired);
        }
        self.tell_answer(movement.client, movement.number, Answer::Done(movement.workers));
    }

    fn stay(&mut self, id: u64, workers: &[WorkerId], reason: &str) {
        workers.iter().for_each(|&worker| self.set_retiring(worker, false));
        // Who leaves whatever becomes of it waits for nothing.
        let leaving = workers.iter().filter_map(|it| self.workers.get(it)).filter(|entry| entry.leaves);
        leaving.for_each(|entry| entry.send(&ToWorker::Leave, vec![]));
        let names: Vec<_> = workers.iter().filter_map(|it| self.workers.get(it)).map(|it| it.name.clone()).collect();
        self.end_movement(id, Answer::Refused(format!("worker `{}` can't retire: {reason}", names.join("`, `"))));
    }

    /// Workers that may come to hold more, and the memory that they have left.
    fn receivers(&self, among: &[WorkerId]) -> Receivers {
        let may = |(worker, entry): &(&WorkerId, &super::entries::WorkerEntry)| {
            !entry.is_retiring && (among.is_empty() || among.contains(worker))
        };
        let held = |worker| self.machine.load_of(worker).map_or(0, |load| load.bytes);
        let receivers = self.workers.iter().filter(may);
        let memory = |entry: &super::entries::WorkerEntry| entry.info.as_ref().map(|info| info.memory);
        Receivers::new(receivers.filter_map(|(&worker, entry)| Some((worker, memory(entry)?, held(worker)))))
    }

    /// Has each result copied by those that have most memory left; an error if there is one that nobody could take.
    fn copy_to_those_with_room(&mut self, id: u64, results: Vec<Resident>) -> Result<(), String> {
        let mut receivers = self.receivers(&[]);
        if receivers.are_none() {
            return Err("nobody else is there to hold its results".into());
        }
        let mut ways: BTreeMap<Way, Vec<TaskRange>> = BTreeMap::new();
        for Resident { run, task, bytes, workers } in results {
            let Some(from) = workers.first() else { continue };
            let advice = "start a larger worker first";
            let refused = || format!("a result of it has {bytes} bytes, and nobody else has as much memory: {advice}");
            let to = receivers.next_to(run, bytes).ok_or_else(refused)?;
            TaskRange::push(ways.entry((run, *from, to)).or_default(), task);
        }
        self.copy(id, ways);
        Ok(())
    }

    /// Has as many workers hold each of these results.
    pub fn replicate(&mut self, id: u64, tasks: Vec<(RunId, TaskRange)>, copies: usize, among: &[WorkerId]) {
        let mut receivers = self.receivers(among);
        let mut ways: BTreeMap<Way, Vec<TaskRange>> = BTreeMap::new();
        for (run, task) in tasks.into_iter().flat_map(|(run, range)| range.tasks().map(move |task| (run, task))) {
            let Some((run, task)) = self.machine.made_at(run, task) else { continue };
            let holders = self.machine.holders(run, task);
            let Some(&from) = holders.first() else { continue };
            let counts = |worker: &&WorkerId| among.is_empty() || among.contains(worker);
            let missing = copies.saturating_sub(holders.iter().filter(counts).count());
            let bytes = self.machine.who_has(run, TaskRange::one(task), 1).first().map_or(0, |held| held.bytes);
            for to in receivers.take(missing, bytes, &holders) {
                TaskRange::push(ways.entry((run, from, to)).or_default(), task);
            }
        }
        self.copy(id, ways);
    }

    pub(super) fn copy(&mut self, movement: u64, ways: BTreeMap<Way, Vec<TaskRange>>) {
        let Some(open) = self.movements.open.get_mut(&movement) else { return };
        for ((run, from, to), tasks) in ways {
            for tasks in tasks.chunks(RANGES_OF_A_COPY) {
                self.movements.waiting.push_back(Planned { movement, run, from, to, tasks: tasks.to_vec() });
                open.under_way += 1;
            }
        }
        self.begin_copies();
    }

    /// Tells workers of the copies that they are to make, as many as may be under way.
    fn begin_copies(&mut self) {
        while self.movements.copies.len() < COPIES_MOST
            && let Some(Planned { movement, run, from, to, tasks }) = self.movements.waiting.pop_front()
        {
            if !self.movements.open.contains_key(&movement) {
                continue;
            }
            self.show_graph(to, run);
            let Some(open) = self.movements.open.get(&movement) else { continue };
            let Some(entry) = self.workers.get(&to) else {
                self.copy_lost(movement);
                continue;
            };
            let copy = self.movements.next_copy;
            let is_moved = matches!(open.kind, Kind::Rebalance);
            let moved = is_moved.then(|| Moved { run, from, tasks: tasks.clone() });
            entry.send(&ToWorker::Copy { copy, run, tasks, from }, vec![]);
            self.movements.next_copy += 1;
            self.movements.copies.insert(copy, Copying { movement, to, moved });
        }
    }

    /// Whoever was to make a copy has left: those who retire look for another, as often as that happens.
    fn copy_lost(&mut self, movement: u64) {
        let retires = |movement: &Movement| matches!(movement.kind, Kind::Retire { .. });
        let failure = (!self.movements.open.get(&movement).is_some_and(retires)).then(|| "its worker has left".into());
        self.end_copy(movement, failure);
    }

    /// A worker is gone, and with it the copies that it was to make.
    pub fn copies_lost(&mut self, worker: WorkerId) {
        let lost = self.movements.copies.extract_if(.., |_, copying| copying.to == worker);
        let lost: Vec<_> = lost.map(|(_, copying)| copying.movement).collect();
        lost.into_iter().for_each(|movement| self.copy_lost(movement));
        self.begin_copies();
    }

    fn end_copy(&mut self, movement: u64, failure: Option<String>) {
        let Some(movement) = self.movements.open.get_mut(&movement) else { return };
        movement.under_way -= 1;
        if let Some(reason) = failure {
            (movement.failures, movement.reason) = (movement.failures + 1, reason);
        }
    }

    /// A copy was made, or not.
    pub fn copied_by(&mut self, worker: WorkerId, copy: u64, failure: Option<String>) {
        if self.movements.copies.get(&copy).is_some_and(|copying| copying.to == worker) {
            self.copied(copy, failure);
        }
    }

    fn copied(&mut self, copy: u64, failure: Option<String>) {
        let Some(Copying { movement, moved, .. }) = self.movements.copies.remove(&copy) else { return };
        let mut failure = failure;
        if let Some(Moved { run, from, tasks }) = moved {
            // Where some of them couldn't be had, the others are there all the same: the machine looks at each.
            self.handle(Event::CopiesDropped { worker: from, run, tasks: tasks.clone() });
            // What was let go of meanwhile needn't be anywhere.
            let is_left = |task| self.machine.holders(run, task) == [from];
            failure = failure.filter(|_| tasks.iter().flat_map(|range| range.tasks()).any(is_left));
        }
        self.end_copy(movement, failure);
        self.begin_copies();
        self.look_after_movements();
    }

    pub fn note_info(&mut self, words: String) {
        let now = self.now();
        self.notes.info(now, words);
    }

    pub fn note_warning(&mut self, words: String) {
        let now = self.now();
        self.notes.warn(now, words);
    }
}
