//! Further copies of results, and those that can't be fetched.

use crate::{TaskRange, Time, WorkerId};
use raskt_graph::TaskId;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Workers that hold a result beside the one in its record, in order; never empty where it is kept.
///
/// What all workers of a large cluster read each comes to hold: of many, each is a bit, so that to look one up is one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    few: SmallVec<[WorkerId; 2]>,
    /// Instead of them, a bit for each worker up to the last.
    many: Vec<u64>,
}

/// Workers from which on they may become bits; and the bits that a worker in the list takes.
const MANY: usize = 64;
const BITS_EACH: usize = 8 * size_of::<WorkerId>();

impl Copies {
    pub fn contains(&self, worker: WorkerId) -> bool {
        match self.many.is_empty() {
            true => self.few.binary_search(&worker).is_ok(),
            false => self.many.get(word(worker)).is_some_and(|bits| bits >> (worker.0 % 64) & 1 == 1),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    pub fn first(&self) -> Option<WorkerId> {
        self.iter().next()
    }

    pub fn iter(&self) -> impl Iterator<Item = WorkerId> {
        let words = self.many.iter().zip((0..).step_by(64));
        let of_words = words.flat_map(|(&bits, start)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| WorkerId(start + bit))
        });
        self.few.iter().copied().chain(of_words)
    }

    /// Adds a worker that isn't in it.
    pub fn insert(&mut self, worker: WorkerId) {
        if self.many.is_empty() {
            self.few.insert(self.few.partition_point(|&other| other < worker), worker);
            // Where numbers lie far apart, bits would take more.
            let last = self.few.last().map_or(0, |last| last.0 as usize);
            if self.few.len() >= MANY && last <= self.few.len() * BITS_EACH {
                std::mem::take(&mut self.few).into_iter().for_each(|worker| self.set(worker));
            }
        } else {
            self.set(worker);
        }
    }

    fn set(&mut self, worker: WorkerId) {
        if word(worker) >= self.many.len() {
            self.many.resize(word(worker) + 1, 0);
        }
        self.many[word(worker)] |= 1 << (worker.0 % 64);
    }

    /// Takes a worker out; whether it was in it.
    pub fn remove(&mut self, worker: WorkerId) -> bool {
        let is_there = self.contains(worker);
        if self.many.is_empty() {
            self.few.retain(|other| *other != worker);
        } else if is_there {
            self.many[word(worker)] &= !(1 << (worker.0 % 64));
            if self.many.iter().all(|&bits| bits == 0) {
                self.many = vec![];
            }
        }
        is_there
    }
}

/// How often a copy that is in memory couldn't be fetched since its holder wasn't reached, and nobody has kept it since.
#[derive(Debug, Default)]
pub(crate) struct Unreached(BTreeMap<(TaskId, WorkerId), Failures>);

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    /// When the last of them was counted.
    at: Time,
}

/// Failures that are nearer to one another have one cause: many may fail to reach a worker at the same moment.
const BLIP_NANOSECONDS: u64 = 1_000_000_000;

/// Failures that are further from one another have nothing in common: in between others may have fetched the copy, which nobody
/// tells.
const APART_NANOSECONDS: u64 = 600_000_000_000;

impl Unreached {
    /// Counts that the result of `task` couldn't be fetched from `holder` once more, and says how often that is.
    pub fn count(&mut self, task: TaskId, holder: WorkerId, now: Time) -> u32 {
        let failures = self.0.entry((task, holder)).or_insert(Failures { count: 1, at: now });
        let since = now.0.saturating_sub(failures.at.0);
        if since >= APART_NANOSECONDS {
            *failures = Failures { count: 1, at: now };
        } else if since >= BLIP_NANOSECONDS {
            *failures = Failures { count: failures.count + 1, at: now };
        }
        failures.count
    }

    /// The copy of `holder` is gone.
    pub fn forget_copy(&mut self, task: TaskId, holder: WorkerId) {
        self.0.remove(&(task, holder));
    }

    /// The results are gone, or somebody has fetched them.
    pub fn forget(&mut self, tasks: TaskRange) {
        let (first, end) = (TaskId::new(tasks.layer, tasks.start), TaskId::new(tasks.layer, tasks.end));
        while let Some((&copy, _)) = self.0.range((first, WorkerId(0))..(end, WorkerId(0))).next() {
            self.0.remove(&copy);
        }
    }

    /// The copies.
    pub fn iter(&self) -> impl Iterator<Item = (TaskId, WorkerId)> {
        self.0.keys().copied()
    }
}

fn word(worker: WorkerId) -> usize {
    worker.0 as usize / 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn failures_count_that_are_neither_one_nor_unrelated() {
        let (task, holder) = (TaskId::new(raskt_graph::LayerId(0), 0), WorkerId(0));
        let counts = |apart: u64| {
            let mut unreached = Unreached::default();
            (1..=4).map(|at| unreached.count(task, holder, Time(at * apart))).collect::<Vec<_>>()
        };
        assert_eq!(counts(1_000_000), [1, 1, 1, 1], "one moment at which nobody reaches it");
        assert_eq!(counts(60_000_000_000), [1, 2, 3, 4]);
        assert_eq!(counts(3_600_000_000_000), [1, 1, 1, 1], "once in an hour");
    }

    proptest! {
        #[test]
        fn copies_are_a_set(steps in prop::collection::vec((any::<bool>(), 0..300_u32), 0..600), spread in 1..100_u32) {
            let (mut copies, mut reference) = (Copies::default(), BTreeSet::new());
            for (adds, worker) in steps {
                let worker = WorkerId(worker * spread);
                prop_assert_eq!(copies.contains(worker), reference.contains(&worker));
                match adds {
                    true if reference.insert(worker) => copies.insert(worker),
                    true => {}
                    false => prop_assert_eq!(copies.remove(worker), reference.remove(&worker)),
                }
                prop_assert_eq!(copies.first(), reference.first().copied());
                prop_assert_eq!(copies.is_empty(), reference.is_empty());
            }
            prop_assert!(copies.iter().eq(reference));
        }
    }
}
