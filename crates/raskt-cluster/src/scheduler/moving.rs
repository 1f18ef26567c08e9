//! Results that are copied from worker to worker: of those that retire, and of those that more are to hold.
//!
//! The machine is told of copies as of any others that workers have fetched; it knows nothing of why they were made. So whatever goes
//! wrong, nothing is worse than it was: a result that nobody has copied is made again when its worker is gone.

use super::core::Core;
use super::movements::{Copying, Kind};
use crate::message::ToWorker;
use crate::question::{Answer, LOOKED_AT_MOST};
use raskt_schedule::{BEGINNING, LossCause, Resident, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

/// So many copies for one worker may fail before it goes on as it was.
const FAILURES_MOST: u32 = 16;

/// Ranges that one message names at most.
const RANGES_OF_A_COPY: usize = 1 << 10;

/// What is copied: of which run, from whom, to whom.
type Way = (RunId, WorkerId, WorkerId);

impl Core {
    /// The next step of those who retire: nothing as long as they are at work; then what they alone hold is copied; then they leave.
    pub fn retire(&mut self, id: u64) {
        let Some(movement) = self.movements.open.get(&id) else { return };
        let Kind::Retire { leaves } = movement.kind else { return };
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
        if self.copy_to_the_emptiest(id, alone) == 0 {
            self.stay(id, &there, "nobody else is there to hold its results");
        }
    }

    /// Results that nobody holds but `workers`, or others that retire.
    fn only_at_retiring(&self, workers: &[WorkerId]) -> Vec<Resident> {
        let retires = |worker: &WorkerId| self.workers.get(worker).is_none_or(|entry| entry.is_retiring);
        let is_alone = |resident: &Resident| {
            resident.workers.iter().any(|it| workers.contains(it)) && resident.workers.iter().all(retires)
        };
        let (mut alone, mut from) = (vec![], Some(BEGINNING));
        while let Some(at) = from {
            let (found, next) = self.machine.residents(at, LOOKED_AT_MOST);
            alone.extend(found.into_iter().filter(is_alone));
            from = next;
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
        let names: Vec<_> = workers.iter().filter_map(|it| self.workers.get(it)).map(|it| it.name.clone()).collect();
        self.end_movement(id, Answer::Refused(format!("worker `{}` can't retire: {reason}", names.join("`, `"))));
    }

    /// Workers that may come to hold more, and how much they hold.
    fn takers(&self, among: &[WorkerId]) -> BTreeSet<(u64, WorkerId)> {
        let may = |(worker, entry): &(&WorkerId, &super::entries::WorkerEntry)| {
            entry.is_in() && !entry.is_retiring && (among.is_empty() || among.contains(worker))
        };
        let load = |worker| self.machine.load_of(worker).map_or(0, |load| load.bytes);
        self.workers.iter().filter(may).map(|(&worker, _)| (load(worker), worker)).collect()
    }

    /// Has each result copied by whoever holds least; gives how many copies are under way.
    fn copy_to_the_emptiest(&mut self, id: u64, results: Vec<Resident>) -> usize {
        let mut takers = self.takers(&[]);
        let mut ways: BTreeMap<Way, Vec<TaskRange>> = BTreeMap::new();
        for Resident { run, task, bytes, workers } in results {
            let (Some(from), Some((held, to))) = (workers.first(), takers.pop_first()) else { break };
            TaskRange::push(ways.entry((run, *from, to)).or_default(), task);
            takers.insert((held.saturating_add(bytes.max(1)), to));
        }
        self.copy(id, ways)
    }

    /// Has as many workers hold each of these results.
    pub fn replicate(&mut self, id: u64, tasks: Vec<(RunId, TaskRange)>, copies: usize, among: &[WorkerId]) {
        let mut takers = self.takers(among);
        let mut ways: BTreeMap<Way, Vec<TaskRange>> = BTreeMap::new();
        for (run, task) in tasks.into_iter().flat_map(|(run, range)| range.tasks().map(move |task| (run, task))) {
            let Some((run, task)) = self.made_at(run, task) else { continue };
            let holders = self.machine.holders(run, task);
            let Some(&from) = holders.first() else { continue };
            let counts = |worker: &&WorkerId| among.is_empty() || among.contains(worker);
            let missing = copies.saturating_sub(holders.iter().filter(counts).count());
            let chosen: Vec<_> = takers.iter().filter(|(_, it)| !holders.contains(it)).take(missing).copied().collect();
            for (held, to) in chosen {
                TaskRange::push(ways.entry((run, from, to)).or_default(), task);
                takers.remove(&(held, to));
                takers.insert((held.saturating_add(1), to));
            }
        }
        self.copy(id, ways);
    }

    /// The task itself, or what it stands for; nothing if there is no such task.
    fn made_at(&self, run: RunId, task: raskt_graph::TaskId) -> Option<(RunId, raskt_graph::TaskId)> {
        TaskRange::check_all(&[TaskRange::one(task)], self.machine.graph(run)?).ok()?;
        let imports = self.machine.imports_of(run).iter();
        let mut stands_for = imports.filter(|import| import.tasks.contains(task));
        Some(stands_for.next().map_or((run, task), |import| {
            let source = import.source();
            (import.run, raskt_graph::TaskId::new(source.layer, source.start + (task.index - import.tasks.start)))
        }))
    }

    fn copy(&mut self, id: u64, ways: BTreeMap<Way, Vec<TaskRange>>) -> usize {
        let mut under_way = 0;
        for ((run, from, to), tasks) in ways {
            self.show_graph(to, run);
            for tasks in tasks.chunks(RANGES_OF_A_COPY) {
                let copy = self.movements.next_copy;
                self.movements.next_copy += 1;
                let Some(entry) = self.workers.get(&to) else { continue };
                self.movements.copies.insert(copy, Copying { movement: id, to });
                entry.send(&ToWorker::Copy { copy, run, tasks: tasks.to_vec(), from }, vec![]);
                under_way += 1;
            }
        }
        if let Some(movement) = self.movements.open.get_mut(&id) {
            movement.under_way += under_way;
        }
        under_way
    }

    /// A copy was made, or not.
    pub fn copied(&mut self, copy: u64, failure: Option<String>) {
        let Some(Copying { movement, .. }) = self.movements.copies.remove(&copy) else { return };
        if let Some(movement) = self.movements.open.get_mut(&movement) {
            movement.under_way -= 1;
            if let Some(reason) = failure {
                (movement.failures, movement.reason) = (movement.failures + 1, reason);
            }
        }
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
