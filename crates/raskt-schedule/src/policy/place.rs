//! Which worker gets a task.

use super::named::Policy;
use crate::WorkerId;
use std::fmt;
use std::sync::Arc;

/// Decides which worker gets a task, among those that could take it now.
///
/// The scheduler offers the least loaded worker and those that hold inputs of the task; all of them have room and what
/// the task requires.
pub trait Placement: fmt::Debug + Send + Sync {
    /// What the rule is called, in a word: a flight record tells it by this.
    fn name(&self) -> &str;

    /// All that the rule depends on beside the candidates.
    fn numbers(&self) -> Vec<u64>;

    /// The position of the best of `candidates`, of which there is at least one. The same ones give the same position,
    /// or a flight record can't be replayed.
    fn choose(&self, candidates: &[Candidate]) -> usize;
}

/// A worker that could take a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The worker.
    pub worker: WorkerId,
    /// Nanoseconds of work for each of its slots that were placed there already.
    pub nanoseconds_placed: u64,
    /// Bytes of the task's inputs that it would have to fetch.
    pub missing_bytes: u64,
}

/// Where the task can begin first: after the work that is placed there, and when its inputs have come.
#[derive(Clone, Copy, Debug)]
pub struct SoonestStart {
    /// How long a byte is on its way, in picoseconds.
    pub picoseconds_a_byte: u64,
}

impl Default for SoonestStart {
    /// A gigabyte a second, which is what workers of one data centre give each other.
    fn default() -> Self {
        Self { picoseconds_a_byte: 1000 }
    }
}

const NAME: &str = "soonest-start";

impl SoonestStart {
    pub(super) fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        let &[picoseconds_a_byte] = numbers else { return None };
        (name == NAME).then_some(Self { picoseconds_a_byte })
    }
}

impl Placement for SoonestStart {
    fn name(&self) -> &str {
        NAME
    }

    fn numbers(&self) -> Vec<u64> {
        vec![self.picoseconds_a_byte]
    }

    fn choose(&self, candidates: &[Candidate]) -> usize {
        let soonest = candidates.iter().enumerate().min_by_key(|(_, candidate)| {
            let fetch = u128::from(candidate.missing_bytes) * u128::from(self.picoseconds_a_byte) / 1000;
            (u128::from(candidate.nanoseconds_placed) + fetch, candidate.missing_bytes, candidate.worker)
        });
        soonest.map_or(0, |(at, _)| at)
    }
}

impl Policy for Arc<dyn Placement> {
    const KIND: &'static str = "placement";

    fn name(&self) -> &str {
        Placement::name(&**self)
    }

    fn numbers(&self) -> Vec<u64> {
        Placement::numbers(&**self)
    }

    fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        Some(Arc::new(SoonestStart::named(name, numbers)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_goes_where_it_can_begin_first() {
        let candidate = |worker, nanoseconds_placed, missing_bytes| Candidate {
            worker: WorkerId(worker),
            nanoseconds_placed,
            missing_bytes,
        };
        let choose = |candidates: &[Candidate]| SoonestStart::default().choose(candidates);
        assert_eq!(choose(&[candidate(0, 0, 1000), candidate(1, 500, 0)]), 1, "fetching takes longer than waiting");
        assert_eq!(choose(&[candidate(0, 0, 1000), candidate(1, 5000, 0)]), 0, "waiting takes longer than fetching");
        assert_eq!(choose(&[candidate(0, 0, 10), candidate(1, 10, 0)]), 1, "of two equal ones, the one with the bytes");
    }
}
