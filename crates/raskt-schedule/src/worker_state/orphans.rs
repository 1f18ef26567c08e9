//! Assignments of runs that are forgotten, which a worker has begun and which nobody can stop.

use crate::{Attempt, RunId};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Orphans {
    all: BTreeMap<(RunId, Attempt), Orphan>,
    memory: u128,
}

#[derive(Debug, Default)]
struct Orphan {
    /// The memory that it was promised, as far as it is known.
    memory: u64,
    /// The runs above its own, the next first, as far as they are known.
    above: Box<[RunId]>,
}

impl Orphans {
    pub fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// The memory that they were promised.
    pub fn memory(&self) -> u128 {
        self.memory
    }

    /// One of which nothing is known has begun. It may say so twice, and what is known of it stays.
    pub fn begin(&mut self, of: (RunId, Attempt)) {
        self.all.entry(of).or_default();
    }

    /// The run of one that has begun is forgotten.
    pub fn add(&mut self, of: (RunId, Attempt), memory: u64, above: &[RunId]) {
        self.end(of);
        self.memory += u128::from(memory);
        self.all.insert(of, Orphan { memory, above: above.into() });
    }

    pub fn end(&mut self, of: (RunId, Attempt)) {
        self.memory -= self.all.remove(&of).map_or(0, |orphan| orphan.memory.into());
    }

    /// The runs above each of them.
    pub fn above(&self) -> impl Iterator<Item = BTreeSet<RunId>> {
        self.all.values().map(|orphan| orphan.above.iter().copied().collect())
    }

    /// Asserts that what is derived is what counting again gives.
    pub fn validate(&self) {
        let memory: u128 = self.all.values().map(|orphan| u128::from(orphan.memory)).sum();
        assert_eq!(memory, self.memory, "memory of what goes on for nobody");
    }
}
