//! What is to go from workers that hold much to those that hold little.
//!
//! Each worker is to hold as large a part of its memory as all of them together do. From whoever holds more than that the largest results
//! go first, to whoever has most to come: while that brings the two closer together, as in any greedy partition.

use super::core::Core;
use super::moving::Way;
use crate::question::LOOKED_AT_MOST;
use raskt_graph::Graph;
use raskt_schedule::{BEGINNING, Resident, RunId, TaskRange, TaskState, WorkerId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Whoever holds no more than such a part beyond what it is to hold keeps all: moving costs more than that is worth.
const SLACK: u64 = 20;

/// Results of one worker that are looked at, however many workers there are.
const LOOKED_AT_LEAST: usize = 1 << 12;

/// What is said by this name of layers whose results have to stay where they were made.
const STAYS: &str = "actor";

/// What a worker may hold from which on there is no telling what part of it something is.
const BOUNDLESS: u64 = u64::MAX / 2;

impl Core {
    /// The ways on which results are to go, and from whom they do.
    pub(super) fn balance(
        &self,
        tasks: &[(RunId, TaskRange)],
        among: &[WorkerId],
    ) -> (BTreeMap<Way, Vec<TaskRange>>, Vec<WorkerId>) {
        let mut scale = Scale::new(self.weighed(among));
        let (mut ways, mut senders) = (BTreeMap::<Way, Vec<TaskRange>>::new(), vec![]);
        let mut named = (!tasks.is_empty()).then(|| self.named_by_holder(tasks));
        let givers = scale.senders();
        // None of them takes the others' part of the time.
        let most = (LOOKED_AT_MOST / givers.len().max(1)).max(LOOKED_AT_LEAST);
        for from in givers {
            let mut results = match &mut named {
                Some(named) => named.remove(&from).unwrap_or_default(),
                None => self.alone_at(from, most),
            };
            results.retain(|result| self.may_go(result));
            results.sort_by_key(|result| Reverse(result.bytes));
            for Resident { run, task, bytes, .. } in results {
                if let Some(to) = scale.move_one(from, bytes) {
                    TaskRange::push(ways.entry((run, from, to)).or_default(), task);
                    senders.push(from);
                }
            }
        }
        senders.dedup();
        (ways, senders)
    }

    /// Workers that may give and take, what each holds, and what it may hold.
    fn weighed(&self, among: &[WorkerId]) -> Vec<(WorkerId, u64, u64)> {
        let of_entry = |(&worker, entry): (&WorkerId, &super::entries::WorkerEntry)| {
            let may = entry.takes_data() && (among.is_empty() || among.contains(&worker));
            let memory = entry.info.as_ref().filter(|_| may)?.memory;
            Some((worker, self.machine.load_of(worker)?.bytes, memory))
        };
        self.workers.iter().filter_map(of_entry).collect()
    }

    /// Results that a worker holds and nobody else, of the first `most` that are looked at.
    fn alone_at(&self, worker: WorkerId, most: usize) -> Vec<Resident> {
        let (mut found, _) = self.machine.residents_at(worker, BEGINNING, most);
        found.retain(|result| result.workers.len() == 1);
        found
    }

    /// Of results that are named, those that one worker holds alone: by that.
    fn named_by_holder(&self, tasks: &[(RunId, TaskRange)]) -> BTreeMap<WorkerId, Vec<Resident>> {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let each = tasks.iter().flat_map(|(run, range)| range.tasks().map(move |task| (*run, task)));
        // Two names may stand for one result.
        let made: BTreeSet<_> = each.filter_map(|(run, task)| self.machine.made_at(run, task)).collect();
        for (run, task) in made {
            let workers = self.machine.holders(run, task);
            let held = self.machine.who_has(run, TaskRange::one(task), 1);
            if let (&[only], Some(held)) = (&*workers, held.first()) {
                found.entry(only).or_default().push(Resident { run, task, bytes: held.bytes, workers });
            }
        }
        found
    }

    /// Whether a result may go: no task is about to read it, and it isn't an object that is nothing elsewhere.
    fn may_go(&self, result: &Resident) -> bool {
        let is_unread =
            matches!(self.machine.task_state(result.run, result.task), Some(TaskState::InMemory { unread: 0, .. }));
        let stays = |graph: &Graph| graph.layer(result.task.layer).annotations.other.contains_key(STAYS);
        is_unread && !self.machine.graph(result.run).is_some_and(stays)
    }
}

/// Workers by what they hold beyond what they are to.
struct Scale {
    /// What each holds, is to hold, and may hold.
    workers: BTreeMap<WorkerId, Load>,
    /// Who holds less than it is to: first who lacks most.
    lacking: BTreeSet<(Reverse<u64>, WorkerId)>,
}

struct Load {
    bytes: u64,
    share: u64,
    memory: u64,
}

impl Scale {
    fn new(weighed: Vec<(WorkerId, u64, u64)>) -> Self {
        let are_bound = weighed.iter().all(|&(_, _, memory)| (1..BOUNDLESS).contains(&memory));
        let weighed: Vec<_> =
            weighed.into_iter().map(|(it, held, memory)| (it, held, if are_bound { memory } else { 1 })).collect();
        let held: u128 = weighed.iter().map(|&(_, bytes, _)| u128::from(bytes)).sum();
        let memory: u128 = weighed.iter().map(|&(_, _, memory)| u128::from(memory)).sum();
        let share = |part: u64| u64::try_from(held * u128::from(part) / memory.max(1)).unwrap_or(u64::MAX);
        let load = |(worker, bytes, memory)| (worker, Load { bytes, share: share(memory), memory });
        let workers: BTreeMap<_, _> = weighed.into_iter().map(load).collect();
        let lacking = workers.iter().filter(|(_, load)| load.lacks() > 0);
        let lacking = lacking.map(|(&worker, load)| (Reverse(load.lacks()), worker)).collect();
        Self { workers, lacking }
    }

    /// Who holds more than it is to: first who holds most beyond that.
    fn senders(&self) -> Vec<WorkerId> {
        let beyond = self.workers.iter().filter(|(_, load)| load.beyond() > load.share / SLACK);
        let mut senders: Vec<_> = beyond.map(|(&worker, load)| (Reverse(load.beyond()), worker)).collect();
        senders.sort_unstable();
        senders.into_iter().map(|(_, worker)| worker).collect()
    }

    /// Who is to have a result of `from`, if it is to go.
    fn move_one(&mut self, from: WorkerId, bytes: u64) -> Option<WorkerId> {
        let &(lacks, to) = self.lacking.first()?;
        let (giver, taker) = (self.workers.get(&from)?, self.workers.get(&to)?);
        let filled =
            |load: &Load, more: u64, of: &Load| (u128::from(load.bytes) + u128::from(more)) * u128::from(of.memory);
        let is_closer = filled(taker, bytes, giver) < filled(giver, 0, taker);
        if bytes == 0 || giver.beyond() == 0 || !is_closer {
            return None;
        }
        self.lacking.remove(&(lacks, to));
        self.workers.entry(from).and_modify(|load| load.bytes -= bytes.min(load.bytes));
        let taker = self.workers.get_mut(&to)?;
        taker.bytes = taker.bytes.saturating_add(bytes);
        if taker.lacks() > 0 {
            self.lacking.insert((Reverse(taker.lacks()), to));
        }
        Some(to)
    }
}

impl Load {
    fn beyond(&self) -> u64 {
        self.bytes.saturating_sub(self.share)
    }

    fn lacks(&self) -> u64 {
        self.share.saturating_sub(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spread(workers: &[(u64, u64)]) -> Scale {
        Scale::new((0..).map(WorkerId).zip(workers).map(|(worker, &(bytes, memory))| (worker, bytes, memory)).collect())
    }

    #[test]
    fn who_has_more_memory_is_to_hold_more() {
        let scale = spread(&[(300, 1000), (0, 2000), (0, 0)]);
        assert_eq!(scale.workers[&WorkerId(0)].share, 100, "where memory has no bound, all are alike");
        let scale = spread(&[(300, 1000), (0, 2000)]);
        assert_eq!((scale.workers[&WorkerId(0)].share, scale.workers[&WorkerId(1)].share), (100, 200));
        assert_eq!(scale.senders(), [WorkerId(0)]);
        assert_eq!(spread(&[(104, 1000), (100, 1000)]).senders(), []);
    }

    proptest! {
        #[test]
        fn the_fullest_gets_no_fuller_and_nothing_is_lost(
            results in prop::collection::vec(prop::collection::vec(0..1000_u64, 0..20), 1..6),
            memory in prop::collection::vec(1..5000_u64, 6),
        ) {
            let held: Vec<(u64, u64)> = results.iter().zip(&memory).map(|(held, &memory)| (held.iter().sum(), memory)).collect();
            let mut scale = spread(&held);
            let fullest = |scale: &Scale| {
                scale.workers.values().map(|load| load.bytes as f64 / load.memory as f64).fold(0.0, f64::max)
            };
            let before = fullest(&scale);
            for from in scale.senders() {
                for &bytes in &results[from.0 as usize] {
                    let to = scale.move_one(from, bytes);
                    prop_assert!(to != Some(from));
                    prop_assert!(fullest(&scale) <= before + 1e-9);
                }
            }
            let sum = |all: &[(u64, u64)]| all.iter().map(|(bytes, _)| bytes).sum::<u64>();
            prop_assert_eq!(scale.workers.values().map(|load| load.bytes).sum::<u64>(), sum(&held));
        }

        #[test]
        fn many_small_results_are_spread_evenly(count in 1..200_usize, workers in 2..6_usize) {
            let mut held = vec![(0, 1000); workers];
            held[0].0 = 10 * count as u64;
            let mut scale = spread(&held);
            for _ in 0..count {
                scale.move_one(WorkerId(0), 10);
            }
            let bytes = || scale.workers.values().map(|load| load.bytes);
            prop_assert!(bytes().max().unwrap() - bytes().min().unwrap() <= 20, "{:?}", bytes().collect::<Vec<_>>());
        }
    }
}
