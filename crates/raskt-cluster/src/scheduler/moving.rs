//! Results that are copied from worker to worker: of those that retire, and of those that more are to hold.
//!
//! The machine is told of copies as of any others that workers have fetched; it knows nothing of why they were made. So whatever goes
//! wrong, nothing is worse than it was: a result that nobody has copied is made again when its worker is gone.

use super::core::Core;
use super::entries::WorkerEntry;
use super::movements::{Copying, Gives, Kind, Moved, Movement, Planned};
use super::receivers::Receivers;
use crate::message::ToWorker;
use crate::question::{Answer, LOOKED_AT_MOST};
use raskt_schedule::{BEGINNING, Event, LossCause, Resident, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, VecDeque};

/// So many copies for one worker may fail before it goes on as it was.
const FAILURES_MOST: u32 = 16;

/// Ranges that one message names at most.
const RANGES_OF_A_COPY: usize = 1 << 10;

/// Copies that are under way at a time, for all orders together: each is a request to a worker, and these have bounds.
const COPIES_MOST: usize = 1 << 10;

/// What is copied: of which run, from whom, to whom.
pub(super) type Way = (RunId, WorkerId, WorkerId);

impl Core {
    /// The next step of those who retire: what they alone hold is copied, and what they come to hold as soon as they aren't at work any
    /// more; then they leave.
    pub fn retire(&mut self, id: u64) {
        let Some(movement) = self.movements.get(id) else { return };
        let Kind::Retire { leaves, gives } = movement.kind else { return };
        if self.recovery.is_some() {
            // Nobody knows yet what those have that are back.
            return;
        }
        let there: Vec<_> = movement.workers.iter().copied().filter(|it| self.workers.contains_key(it)).collect();
        if there.is_empty() {
            let workers = movement.workers.clone();
            return self.end_movement(id, Answer::Done(workers));
        }
        // The machine tells when it isn't so any more.
        if there.iter().any(|&worker| self.machine.await_rest(worker)) {
            return self.give_before(id, &there, gives);
        }
        if gives != Gives::Rest {
            self.come_to(id, Gives::Rest);
        }
        let Some(movement) = self.movements.get(id) else { return };
        if movement.failures > FAILURES_MOST {
            let reason = movement.reason.clone();
            return self.stay(id, &there, &format!("what it holds couldn't be copied: {reason}"));
        }
        let (heirs, _) = self.heirs(&there);
        let alone = self.without(&heirs, &there);
        if alone.is_empty() {
            return self.leave(id, there, leaves);
        }
        if heirs.are_none() && there.iter().all(|worker| self.comes_again(worker)) && self.is_one_expected(&there) {
            return self.movements.wait_for_others(id);
        }
        // Who leaves whatever becomes of it gives what can be given.
        let leave = there.iter().all(|worker| self.workers.get(worker).is_some_and(|entry| entry.leaves));
        if let Err(reason) = self.copy_to_those_with_room(id, heirs, alone, leave) {
            self.stay(id, &there, &reason);
        }
    }

    /// They are at work, maybe for longer than they have time. What they have goes to those who stay, once; as long as there are none, to
    /// those who leave later, for these to hand it on, and it is looked again whenever somebody comes.
    fn give_before(&mut self, id: u64, there: &[WorkerId], gives: Gives) {
        if gives == Gives::Before {
            return;
        }
        let (heirs, stay) = self.heirs(there);
        if !stay {
            self.movements.wait_for_others(id);
        }
        if heirs.are_none() || gives == Gives::ForNow && !stay {
            return;
        }
        self.come_to(id, if stay { Gives::Before } else { Gives::ForNow });
        let alone = self.without(&heirs, there);
        // Where that doesn't come about it is found when they have done their work.
        let _ = self.copy_to_those_with_room(id, heirs, alone, true);
    }

    /// What couldn't be copied before counts for nothing.
    fn come_to(&mut self, id: u64, now: Gives) {
        if let Some(movement) = self.movements.get_mut(id)
            && let Kind::Retire { gives, .. } = &mut movement.kind
        {
            (*gives, movement.failures) = (now, 0);
        }
    }

    /// Who takes over what `retiring` have: those who stay (which is told), and of these those who are in reach if some are. Where nobody
    /// does, it is those who give way to others that take their places: each hands on to those whose turn is later, and the last waits for
    /// the first that comes.
    fn heirs(&self, retiring: &[WorkerId]) -> (Receivers, bool) {
        let there = self.receivers(|_, entry| entry.takes_data());
        let staying = if there.are_none() { self.receivers(|_, entry| !entry.is_retiring) } else { there };
        // Who only retires stays if nobody else does.
        let leave = || retiring.iter().all(|worker| self.workers.get(worker).is_some_and(|entry| entry.leaves));
        if !staying.are_none() || !leave() {
            return (staying, true);
        }
        let last = retiring.iter().map(|worker| self.turn(worker)).max();
        let may = |worker: &WorkerId, entry: &WorkerEntry| {
            !entry.is_away && self.comes_again(worker) && Some(self.turn(worker)) > last
        };
        (self.receivers(may), false)
    }

    /// Of those who leave, who goes first: whoever nobody takes the place of, then whoever has nothing more to do.
    fn turn(&self, worker: &WorkerId) -> (bool, bool, WorkerId) {
        let works = self.machine.load_of(*worker).is_some_and(|load| load.assignments > 0);
        (self.comes_again(worker), works, *worker)
    }

    /// Whether it leaves and another one takes its place.
    fn comes_again(&self, worker: &WorkerId) -> bool {
        self.workers.get(worker).is_some_and(|entry| entry.leaves && entry.returns)
    }

    /// Whether another one than these is to come: who has left has given way to it, or is about to.
    fn is_one_expected(&mut self, retiring: &[WorkerId]) -> bool {
        let others = || self.workers.keys().filter(|worker| !retiring.contains(worker));
        others().any(|worker| self.comes_again(worker)) || self.movements.is_one_expected()
    }

    /// Results of `workers` that none of `heirs` holds.
    fn without(&self, heirs: &Receivers, workers: &[WorkerId]) -> Vec<Resident> {
        let mut alone = vec![];
        for &worker in workers {
            // What several of them hold is that of the first.
            let is_first = |it: &Resident| it.workers.iter().find(|it| workers.contains(it)) == Some(&worker);
            let is_alone = |it: &Resident| is_first(it) && !it.workers.iter().any(|holder| heirs.contains(*holder));
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
        let Some(movement) = self.movements.end(id) else { return };
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
        // Who leaves whatever becomes of it waits for nothing, unless it has an order of its own, where that may go better.
        let is_own = |it: &&WorkerId| self.movements.retires_beside(**it, id);
        let leaving = workers.iter().filter(|it| !is_own(it)).filter_map(|it| self.workers.get(it));
        leaving.filter(|entry| entry.leaves).for_each(|entry| entry.send(&ToWorker::Leave, vec![]));
        let names: Vec<_> = workers.iter().filter_map(|it| self.workers.get(it)).map(|it| it.name.clone()).collect();
        self.end_movement(id, Answer::Refused(format!("worker `{}` can't retire: {reason}", names.join("`, `"))));
    }

    /// Those of the workers that may come to hold more, and the memory that they have left.
    fn receivers(&self, may: impl Fn(&WorkerId, &WorkerEntry) -> bool) -> Receivers {
        let held = |worker| self.machine.load_of(worker).map_or(0, |load| load.bytes);
        let receivers = self.workers.iter().filter(|(worker, entry)| may(worker, entry));
        let memory = |entry: &WorkerEntry| entry.info.as_ref().map(|info| info.memory);
        Receivers::new(receivers.filter_map(|(&worker, entry)| Some((worker, memory(entry)?, held(worker)))))
    }

    /// Has each result copied by those of `heirs` that have most memory left; an error if there is one that nobody could take, or, where
    /// `some` are enough, if there are only such.
    fn copy_to_those_with_room(
        &mut self,
        id: u64,
        mut heirs: Receivers,
        results: Vec<Resident>,
        some: bool,
    ) -> Result<(), String> {
        if heirs.are_none() {
            return Err("nobody else is there to hold its results".into());
        }
        let (mut ways, mut refused): (BTreeMap<Way, Vec<TaskRange>>, _) = (BTreeMap::new(), None);
        for Resident { run, task, bytes, workers } in results {
            let Some(from) = workers.first() else { continue };
            let advice = "start a larger worker first";
            let Some(to) = heirs.next_to(run, bytes) else {
                let why = format!("a result of it has {bytes} bytes, and nobody else has as much memory: {advice}");
                refused.get_or_insert(why);
                continue;
            };
            TaskRange::push(ways.entry((run, *from, to)).or_default(), task);
        }
        match refused.filter(|_| !some || ways.is_empty()) {
            Some(why) => Err(why),
            None => {
                self.copy(id, ways);
                Ok(())
            }
        }
    }

    /// Has as many workers hold each of these results.
    pub fn replicate(&mut self, id: u64, tasks: Vec<(RunId, TaskRange)>, copies: usize, among: &[WorkerId]) {
        let is_meant = |worker: &WorkerId| among.is_empty() || among.contains(worker);
        let mut receivers = self.receivers(|worker, entry| !entry.is_retiring && is_meant(worker));
        let mut ways: BTreeMap<Way, Vec<TaskRange>> = BTreeMap::new();
        for (run, task) in tasks.into_iter().flat_map(|(run, range)| range.tasks().map(move |task| (run, task))) {
            let Some((run, task)) = self.machine.made_at(run, task) else { continue };
            let holders = self.machine.holders(run, task);
            let Some(&from) = holders.first() else { continue };
            let missing = copies.saturating_sub(holders.iter().filter(|holder| is_meant(holder)).count());
            let bytes = self.machine.who_has(run, TaskRange::one(task), 1).first().map_or(0, |held| held.bytes);
            for to in receivers.take(missing, bytes, &holders) {
                TaskRange::push(ways.entry((run, from, to)).or_default(), task);
            }
        }
        self.copy(id, ways);
    }

    pub(super) fn copy(&mut self, movement: u64, ways: BTreeMap<Way, Vec<TaskRange>>) {
        if self.movements.get(movement).is_none() {
            return;
        }
        let mut count = 0;
        for ((run, from, to), tasks) in ways {
            for tasks in tasks.chunks(RANGES_OF_A_COPY) {
                self.movements.waiting.push_back(Planned { movement, run, from, to, tasks: tasks.to_vec() });
                count += 1;
            }
        }
        self.movements.more_copies(movement, count);
        self.begin_copies();
    }

    /// Tells workers of the copies that they are to make, as many as may be under way.
    fn begin_copies(&mut self) {
        while self.movements.copies.len() < COPIES_MOST
            && let Some(Planned { movement, run, from, to, tasks }) = self.movements.waiting.pop_front()
        {
            if self.movements.get(movement).is_none() {
                continue;
            }
            self.show_graph(to, run);
            let Some(open) = self.movements.get(movement) else { continue };
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
            self.movements.gives_to(movement, to);
        }
    }

    /// Whoever was to make a copy has left: those who retire look for another, as often as that happens.
    fn copy_lost(&mut self, movement: u64) {
        let retires = self.movements.get(movement).is_some_and(Movement::retires);
        self.movements.one_copy_less(movement, (!retires).then(|| "its worker has left".into()));
        self.movements.gives_anew(movement);
    }

    /// One has come: nobody waits for those out of reach to take over what others have.
    pub fn take_over_from_those_away(&mut self) {
        let away: Vec<_> = self.workers.iter().filter(|(_, entry)| entry.is_away).map(|(&worker, _)| worker).collect();
        away.into_iter().for_each(|worker| self.copies_put_off(worker));
    }

    /// A worker is out of reach: others take over what it was to take over of those who retire.
    pub fn copies_put_off(&mut self, worker: WorkerId) {
        let retires = |movement: u64| self.movements.get(movement).is_some_and(Movement::retires);
        let put_off = |copying: &Copying| copying.to == worker && retires(copying.movement);
        let put_off: Vec<_> =
            self.movements.copies.iter().filter(|(_, it)| put_off(it)).map(|(&copy, it)| (copy, it.movement)).collect();
        for (copy, movement) in put_off {
            self.movements.copies.remove(&copy);
            self.copy_lost(movement);
        }
        let (put_off, others): (VecDeque<_>, _) = std::mem::take(&mut self.movements.waiting)
            .into_iter()
            .partition(|it| it.to == worker && self.movements.get(it.movement).is_some_and(Movement::retires));
        self.movements.waiting = others;
        put_off.into_iter().for_each(|it| self.copy_lost(it.movement));
        self.begin_copies();
        self.look_after_movements();
    }

    /// A worker is gone, and with it the copies that it was to make.
    pub fn copies_lost(&mut self, worker: WorkerId) {
        let lost = self.movements.copies.extract_if(.., |_, copying| copying.to == worker);
        let lost: Vec<_> = lost.map(|(_, copying)| copying.movement).collect();
        lost.into_iter().for_each(|movement| self.copy_lost(movement));
        self.begin_copies();
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
        self.movements.one_copy_less(movement, failure);
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
