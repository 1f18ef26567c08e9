//! Data of which workers may have died is fetched with care: little at a time, by workers that have nothing else to fetch, and only once
//! these have answered. So it is known of what they die, and who was dead before is no proof of anything.

use super::asked::Asked;
use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// So many are fetched at a time of those that were to be fetched when one worker died, two, and more.
const AT_A_TIME: [u64; 3] = [256, 16, 1];

/// For so long is it waited for a worker that has nothing else to fetch.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is fetched so.
#[derive(Default)]
pub(super) struct Careful {
    /// Runs of which some waits for a worker.
    waiting: BTreeSet<RunId>,
    /// Since when nobody is free for it.
    since: Option<Instant>,
    /// Workers that were called and haven't answered, by the number of the call, and what they are to fetch.
    called: BTreeMap<u64, Call>,
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
        self.waiting.insert(run);
        self.asked.one_comes();
    }

    /// A worker is gone.
    pub fn left(&mut self, worker: WorkerId) {
        self.called.retain(|_, call| call.worker != worker);
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

    fn is_overdue(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() > PATIENCE)
    }

    /// Whether more of it may be fetched than when this was last asked.
    pub fn may_go_on(&mut self) -> bool {
        !self.waiting.is_empty() && (self.asked.is_one_free() || self.is_overdue())
    }

    /// Those of `workers` that may be called: who has nothing else to fetch; in the end anybody, though who dies then is less of a proof.
    pub fn calls(&self, workers: &[WorkerId]) -> Calls {
        let free: Vec<_> = workers.iter().copied().filter(|&worker| self.asked.is_free(worker)).collect();
        let free = if free.is_empty() && self.is_overdue() { self.not_called(workers) } else { free };
        Calls { free, open: Default::default(), full: vec![] }
    }

    /// Runs of which some waits for a worker.
    pub fn waiting(&self) -> Vec<RunId> {
        self.waiting.iter().copied().collect()
    }

    /// Nothing of a run waits any more.
    pub fn wait_no_more(&mut self, run: RunId) {
        self.waiting.remove(&run);
    }

    /// These are called: gives the number of each.
    pub fn call(&mut self, calls: Vec<Call>) -> Vec<(u64, Call)> {
        let is_none_called = calls.is_empty() && !self.waiting.is_empty();
        let since = self.since.filter(|_| !self.is_overdue()).unwrap_or_else(Instant::now);
        self.since = is_none_called.then_some(since);
        let numbered: Vec<_> = (self.next..).zip(calls).collect();
        self.next += numbered.len() as u64;
        self.called.extend(numbered.clone());
        numbered
    }

    /// A worker has answered; gives what it was called for.
    pub fn answered(&mut self, worker: WorkerId, number: u64) -> Vec<(RunId, TaskRange)> {
        match self.called.entry(number) {
            Entry::Occupied(call) if call.get().worker == worker => call.remove().parts,
            _ => vec![],
        }
    }

    #[cfg(test)]
    pub fn called(&self, worker: WorkerId) -> Vec<u64> {
        self.called.iter().filter(|(_, call)| call.worker == worker).map(|(number, _)| *number).collect()
    }

    /// When somebody is to look whether nobody has become free.
    pub fn wakes_at(&self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }
}

/// Workers that may be called, and what they are to fetch.
pub(super) struct Calls {
    free: Vec<WorkerId>,
    /// One for each number of deaths, which may have more.
    open: [Option<Call>; AT_A_TIME.len()],
    full: Vec<Call>,
}

impl Calls {
    /// Has one of these fetch a part of what so many have died of; gives what nobody is left for.
    pub fn add(&mut self, run: RunId, mut part: TaskRange, deaths: usize, able: &[WorkerId]) -> Option<TaskRange> {
        let level = deaths.min(AT_A_TIME.len() - 1);
        while !part.is_empty() {
            if self.open[level].as_ref().is_none_or(|call| call.room == 0 || !able.contains(&call.worker)) {
                let Some(at) = self.free.iter().position(|worker| able.contains(worker)) else { return Some(part) };
                let call = Call { worker: self.free.remove(at), parts: vec![], room: AT_A_TIME[level] };
                self.full.extend(self.open[level].replace(call));
            }
            let Some(call) = &mut self.open[level] else { return Some(part) };
            let end = part.start + part.len().min(call.room);
            let taken = TaskRange { end, ..part };
            call.parts.push((run, taken));
            (call.room, part.start) = (call.room - taken.len(), end);
        }
        None
    }

    /// Whether nobody may have more.
    pub fn is_over(&self) -> bool {
        self.free.is_empty() && self.open.iter().flatten().all(|call| call.room == 0)
    }
    /// All of them.
    pub fn all(self) -> Vec<Call> {
        self.full.into_iter().chain(self.open.into_iter().flatten()).collect()
    }
}
