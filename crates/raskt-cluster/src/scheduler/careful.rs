//! Data of which workers may have died is fetched with care: little at a time, by workers that have nothing else to fetch, and only once
//! these have answered. So it is known of what they die, and who was dead before is no proof of anything.

use super::asked::Asked;
use crate::message::RUNS_OF_A_CLIENT;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// So many are fetched at a time of those that were to be fetched when a worker died, when another one died that had more than a few of
/// them, and when it had a few.
const AT_A_TIME: [u64; 3] = [256, 16, 1];

/// How often it is looked whether a worker has nothing to do.
const GLANCE: Duration = Duration::from_millis(50);

/// Nobody has become free for so long: one worker that isn't is called, and one more after as long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Into how many parts, of those of [`AT_A_TIME`], data goes that was fetched in one of so many, and in which a worker has died.
pub(super) fn next_part(count: u64) -> usize {
    if count > AT_A_TIME[1] { 1 } else { 2 }
}

/// What is fetched so.
#[derive(Default)]
pub(super) struct Careful {
    /// Runs of which some waits for a worker, and since when nobody was called for them.
    waiting: BTreeMap<RunId, Instant>,
    /// The client whose data was fetched last: others come first.
    last: u64,
    /// When somebody was called last who isn't free.
    busy_at: Option<Instant>,
    /// When it was looked last whether somebody could be.
    looked: Option<Instant>,
    /// Workers that were called and haven't answered, by the number of the call, and what they are to fetch.
    called: BTreeMap<u64, Call>,
    /// How many calls each has answered that had nothing to fetch before the first of them.
    answered: BTreeMap<WorkerId, u64>,
    next: u64,
    /// How much anybody is to fetch.
    pub asked: Asked,
}

/// A worker that is to say whether it is there, and what it is to fetch then.
#[derive(Clone)]
pub(super) struct Call {
    pub worker: WorkerId,
    pub parts: Vec<(RunId, TaskRange)>,
    /// How many more it may have.
    room: u64,
}

impl Careful {
    /// Some data of a run waits for a worker.
    pub fn wait(&mut self, run: RunId) {
        self.waiting.entry(run).or_insert_with(Instant::now);
        self.asked.one_comes();
    }

    /// A worker is gone. Whether it had no more to fetch with care than what it had answered to at last.
    pub fn left(&mut self, worker: WorkerId) -> bool {
        self.called.retain(|_, call| call.worker != worker);
        self.answered.remove(&worker) == Some(1)
    }

    /// Those of `workers` that weren't called.
    fn not_called(&self, workers: &[WorkerId]) -> Vec<WorkerId> {
        let called: BTreeSet<_> = self.called.values().map(|call| call.worker).collect();
        workers.iter().copied().filter(|worker| !called.contains(worker)).collect()
    }

    /// Those of `workers` that data comes to of which nobody is afraid: others than those that were called, if there are any.
    pub fn others_than_called(&self, workers: Vec<WorkerId>) -> Vec<WorkerId> {
        let others = self.not_called(&workers);
        if others.is_empty() { workers } else { others }
    }

    /// Those for which one may be called who isn't free.
    fn overdue(&self) -> BTreeSet<RunId> {
        if self.busy_at.is_some_and(|at| at.elapsed() <= PATIENCE) {
            return BTreeSet::new();
        }
        self.waiting.iter().filter(|(_, since)| since.elapsed() > PATIENCE).map(|(&run, _)| run).collect()
    }

    /// Whether more of it may be fetched than when this was last asked.
    pub fn may_go_on(&mut self) -> bool {
        let is_time = || self.looked.is_none_or(|looked| looked.elapsed() >= GLANCE);
        !self.waiting.is_empty() && (self.asked.is_one_free() || is_time())
    }

    /// Those of `workers` that may be called: who has nothing else to fetch, and is at no task. Where that doesn't come about one of the others
    /// may be, though who dies then is less of a proof.
    pub fn calls(&self, workers: &[WorkerId], is_idle: impl Fn(WorkerId) -> bool) -> Calls {
        let (free, busy): (Vec<_>, Vec<_>) = workers.iter().copied().partition(|&worker| self.asked.is_free(worker));
        let (free, at_work): (Vec<_>, Vec<_>) = free.into_iter().partition(|&worker| is_idle(worker));
        let overdue = self.overdue();
        let busy = if overdue.is_empty() { vec![] } else { self.not_called(&[&at_work[..], &busy].concat()) };
        Calls { free, at_work, busy, overdue, has_busy: false, open: Default::default(), full: vec![] }
    }

    /// Runs of which some waits for a worker; those of the client whose turn it is come first.
    pub fn waiting(&self) -> Vec<RunId> {
        let next = RunId((self.last + 1).saturating_mul(RUNS_OF_A_CLIENT));
        self.waiting.range(next..).chain(self.waiting.range(..next)).map(|(&run, _)| run).collect()
    }

    /// Nothing of a run waits any more.
    pub fn wait_no_more(&mut self, run: RunId) {
        self.waiting.remove(&run);
    }

    /// These are called: gives the number of each.
    pub fn call(&mut self, calls: Calls) -> Vec<(u64, Call)> {
        let now = Instant::now();
        self.busy_at = if calls.has_busy { Some(now) } else { self.busy_at };
        self.looked = Some(now);
        let calls = calls.all();
        for (run, _) in calls.iter().flat_map(|call| &call.parts) {
            self.waiting.entry(*run).and_modify(|since| *since = now);
        }
        for call in &calls {
            if self.asked.is_free(call.worker) {
                self.answered.remove(&call.worker);
            }
        }
        if let Some((run, _)) = calls.iter().flat_map(|call| &call.parts).next_back() {
            self.last = run.0 / RUNS_OF_A_CLIENT;
        }
        let numbered: Vec<_> = (self.next..).zip(calls).collect();
        self.next += numbered.len() as u64;
        self.called.extend(numbered.clone());
        numbered
    }

    /// Whether a worker has answered a call, and may have died of what it was called for.
    pub fn is_at(&self, worker: WorkerId) -> bool {
        self.answered.contains_key(&worker) && !self.asked.is_free(worker)
    }

    /// A worker has answered; gives what it was called for.
    pub fn answered(&mut self, worker: WorkerId, number: u64) -> Vec<(RunId, TaskRange)> {
        match self.called.entry(number) {
            Entry::Occupied(call) if call.get().worker == worker => {
                *self.answered.entry(worker).or_default() += 1;
                call.remove().parts
            }
            _ => vec![],
        }
    }

    #[cfg(test)]
    pub fn called(&self, worker: WorkerId) -> Vec<u64> {
        self.called.iter().filter(|(_, call)| call.worker == worker).map(|(number, _)| *number).collect()
    }

    /// When it is to be looked again whether somebody can be called.
    pub fn wakes_at(&self) -> Option<Instant> {
        let looked = self.looked.filter(|_| !self.waiting.is_empty())?;
        Some(looked + GLANCE)
    }
}

/// Workers that may be called, and what they are to fetch.
pub(super) struct Calls {
    free: Vec<WorkerId>,
    /// Those that run tasks beside: for what no death counts against yet, or where nobody else becomes free.
    at_work: Vec<WorkerId>,
    /// Others, of which one may be called for one of these.
    busy: Vec<WorkerId>,
    overdue: BTreeSet<RunId>,
    /// One of them is.
    has_busy: bool,
    /// One for each size of parts, which may have more.
    open: [Option<Call>; AT_A_TIME.len()],
    full: Vec<Call>,
}

impl Calls {
    /// Has one of these fetch data in parts of this size; gives what nobody is left for.
    pub fn add(&mut self, run: RunId, mut part: TaskRange, size: usize, able: &[WorkerId]) -> Option<TaskRange> {
        while !part.is_empty() {
            if self.open[size].as_ref().is_none_or(|call| call.room == 0 || !able.contains(&call.worker)) {
                let Some(worker) = self.take(run, size, able) else { return Some(part) };
                let call = Call { worker, parts: vec![], room: AT_A_TIME[size] };
                self.full.extend(self.open[size].replace(call));
            }
            let Some(call) = &mut self.open[size] else { return Some(part) };
            let end = part.start + part.len().min(call.room);
            let taken = TaskRange { end, ..part };
            call.parts.push((run, taken));
            (call.room, part.start) = (call.room - taken.len(), end);
        }
        None
    }

    /// The next of these for parts of this size.
    fn take(&mut self, run: RunId, size: usize, able: &[WorkerId]) -> Option<WorkerId> {
        if let Some(at) = self.free.iter().position(|worker| able.contains(worker)) {
            return Some(self.free.remove(at));
        }
        if let Some(at) = self.at_work.iter().position(|worker| able.contains(worker)).filter(|_| size == 0) {
            return Some(self.at_work.remove(at));
        }
        if !self.overdue.contains(&run) {
            return None;
        }
        let busy = self.busy.iter().copied().find(|worker| able.contains(worker))?;
        self.busy.clear();
        self.has_busy = true;
        self.at_work.retain(|worker| *worker != busy);
        Some(busy)
    }

    /// Whether nobody may have more.
    pub fn is_over(&self) -> bool {
        let are_none = self.free.is_empty() && self.at_work.is_empty() && self.busy.is_empty();
        are_none && self.open.iter().flatten().all(|call| call.room == 0)
    }
    /// All of them.
    fn all(self) -> Vec<Call> {
        self.full.into_iter().chain(self.open.into_iter().flatten()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::{LayerId, TaskId};

    const WORKER: WorkerId = WorkerId(1);

    fn one() -> TaskRange {
        TaskRange::one(TaskId::new(LayerId(0), 0))
    }

    /// Has the worker called for one datum of the first of these runs for which it may be; gives the others.
    fn called(careful: &mut Careful, runs: &[RunId], answers: bool) -> Vec<RunId> {
        let mut calls = careful.calls(&[WORKER], |_| true);
        let left = runs.iter().copied().filter(|&run| calls.add(run, one(), 2, &[WORKER]).is_some()).collect();
        for (number, call) in careful.call(calls) {
            careful.asked.add(WORKER, 1);
            if answers {
                assert_eq!(careful.answered(WorkerId(2), number), []);
                assert_eq!(careful.answered(WORKER, number), call.parts);
            }
        }
        left
    }

    #[test]
    fn one_that_stands_still_keeps_no_others_for_ever() {
        let mut careful = Careful::default();
        let runs = [1, 2, 3].map(RunId);
        runs.into_iter().for_each(|run| careful.wait(run));
        assert!(careful.may_go_on());
        assert_eq!(called(&mut careful, &runs, true), [RunId(2), RunId(3)]);
        careful.wait_no_more(RunId(1));
        assert!(careful.wakes_at().is_some());
        assert_eq!(called(&mut careful, &runs[1..], true), [RunId(2), RunId(3)], "it isn't time yet");
        let late = Instant::now().checked_sub(2 * PATIENCE).unwrap();
        careful.looked = None;
        careful.waiting.values_mut().for_each(|since| *since = late);
        assert!(careful.may_go_on());
        assert_eq!(called(&mut careful, &runs[1..], true), [RunId(3)], "one after the other");
        assert_eq!(called(&mut careful, &runs[2..], true), [RunId(3)], "and not at once");
        // Whatever else is called for meanwhile.
        careful.busy_at = Some(late);
        careful.wait(RunId(4));
        assert_eq!(called(&mut careful, &[RunId(4)], true), [RunId(4)], "it hasn't waited for long");
        assert_eq!(called(&mut careful, &[RunId(3)], true), [], "its turn has come");
        // Nobody knows which of the two it was.
        assert!(!careful.left(WORKER));
        careful.asked.take(WORKER, 3);
        assert_eq!(called(&mut careful, &[RunId(4)], true), []);
        assert!(careful.left(WORKER) && !careful.left(WORKER));
    }

    #[test]
    fn who_is_free_and_can_not_have_it_keeps_it_from_nobody() {
        let mut careful = Careful::default();
        careful.wait(RunId(1));
        careful.asked.add(WorkerId(2), 1);
        let able = [WorkerId(2)];
        let both = [WORKER, WorkerId(2)];
        assert!(careful.calls(&both, |_| true).add(RunId(1), one(), 0, &able).is_some());
        let late = Instant::now().checked_sub(2 * PATIENCE).unwrap();
        careful.waiting.insert(RunId(1), late);
        assert!(careful.calls(&both, |_| true).add(RunId(1), one(), 0, &able).is_none());
    }

    #[test]
    fn who_has_not_answered_has_nothing_to_do_with_it() {
        let mut careful = Careful::default();
        careful.wait(RunId(1));
        assert_eq!(called(&mut careful, &[RunId(1)], false), []);
        assert!(careful.others_than_called(vec![WORKER, WorkerId(2)]) == [WorkerId(2)]);
        assert!(!careful.left(WORKER) && careful.called(WORKER).is_empty());
    }

    #[test]
    fn clients_have_their_turns() {
        let mut careful = Careful::default();
        let of = |client: u64, number: u64| RunId(client * RUNS_OF_A_CLIENT + number);
        let all = [of(0, 0), of(0, 1), of(1, 0), of(1, 1), of(5, 0)];
        all.into_iter().for_each(|run| careful.wait(run));
        for first in [of(1, 0), of(5, 0), of(0, 0), of(1, 0)] {
            let waiting = careful.waiting();
            assert_eq!((waiting[0], waiting.len()), (first, all.len()));
            called(&mut careful, &waiting[..1], true);
            careful.asked.take(WORKER, 1);
        }
    }
}
