//! Further copies of results, and those that can't be fetched.

mod unreached;

pub(crate) use unreached::{ClosedWays, Unreached};

use crate::WorkerId;
use smallvec::SmallVec;

/// Workers that hold a result beside the one in its record, in order; never empty where it is kept.
///
/// What all workers of a large cluster read each comes to hold: of many, each is a bit, so that to look one up is one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    few: SmallVec<[WorkerId; 2]>,
    /// Instead of them, a bit for each worker up to the last; and how many there are.
    many: Vec<u64>,
    count: usize,
}

/// Workers from which on they may become bits.
const MANY: usize = 64;

/// Words of bits that take as much as a list of so many workers: where numbers lie far apart, bits would take more. They
/// become a list again once they take twice as much, so that one worker more or less doesn't change them to and fro.
const fn words_of_list(workers: usize) -> usize {
    workers * size_of::<WorkerId>() / size_of::<u64>()
}

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
        self.list_if_sparse(word(worker) + 1, self.count + 1);
        if !self.many.is_empty() {
            return self.set(worker);
        }
        self.few.insert(self.few.partition_point(|&other| other < worker), worker);
        let last = self.few.last().map_or(0, |&last| word(last));
        if self.few.len() >= MANY && last < words_of_list(self.few.len()) {
            std::mem::take(&mut self.few).into_iter().for_each(|worker| self.set(worker));
        }
    }

    fn set(&mut self, worker: WorkerId) {
        if word(worker) >= self.many.len() {
            self.many.resize(word(worker) + 1, 0);
        }
        self.many[word(worker)] |= 1 << (worker.0 % 64);
        self.count += 1;
    }

    /// Takes a worker out; whether it was in it.
    pub fn remove(&mut self, worker: WorkerId) -> bool {
        let is_there = self.contains(worker);
        if self.many.is_empty() {
            self.few.retain(|other| *other != worker);
        } else if is_there {
            self.many[word(worker)] &= !(1 << (worker.0 % 64));
            self.count -= 1;
            self.list_if_sparse(0, self.count);
        }
        is_there
    }

    /// Makes a list of bits if there are only so many workers, and at least so many words.
    fn list_if_sparse(&mut self, words: usize, workers: usize) {
        if !self.many.is_empty() && words.max(self.many.len()) > 2 * words_of_list(workers) {
            let few = self.iter().collect();
            *self = Self { few, ..Self::default() };
        }
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
    fn what_many_workers_hold_takes_about_as_much_as_a_list_however_high_their_numbers() {
        let bytes = |copies: &Copies| size_of_val(&copies.many[..]) + size_of_val(&copies.few[..]);
        let mut copies = Copies::default();
        (0..64).for_each(|worker| copies.insert(WorkerId(worker)));
        copies.insert(WorkerId(50_000_000));
        assert!(bytes(&copies) <= 1000, "{} bytes for 65 workers", bytes(&copies));
        // Workers come and go, and each has a number of its own.
        let mut copies = Copies::default();
        (0..1000).for_each(|worker| copies.insert(WorkerId(worker)));
        for worker in 1000..100_000 {
            copies.insert(WorkerId(worker));
            assert!(copies.remove(WorkerId(worker - 1000)));
        }
        assert!(bytes(&copies) <= 8000 && copies.iter().eq((99_000..100_000).map(WorkerId)));
        (99_001..100_000).for_each(|worker| assert!(copies.remove(WorkerId(worker))));
        assert!(bytes(&copies) <= 4 && copies.iter().eq([WorkerId(99_000)]));
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
