//! What must be true of what is known of a worker.

use super::WorkerState;
use super::borrowed::Borrowed;
use crate::requirement::{Sums, change_sums};
use crate::{Attempt, RunId};
use std::sync::Arc;

impl WorkerState {
    /// Asserts that the sums are what adding again gives.
    pub fn validate(&self) {
        let (mut used, mut borrowed) = (Sums::new(), Borrowed::default());
        for placed in self.placed.values() {
            change_sums(&mut used, &placed.own_resources(), true);
            borrowed.change(placed, true);
        }
        assert_eq!((&self.used, &self.borrowed), (&used, &borrowed), "resources in use");
        let offered = |name: &Arc<str>| self.offer.resources.get(name).copied().unwrap_or(0);
        assert!(used.iter().all(|(name, &sum)| sum <= u128::from(offered(name))), "more is used than there is");
        let nanoseconds: u128 = self.placed.values().map(|placed| u128::from(placed.nanoseconds)).sum();
        assert_eq!(self.nanoseconds, nanoseconds, "nanoseconds placed");
        let memory: u128 = self.placed.values().map(|placed| u128::from(placed.memory)).sum();
        assert_eq!(self.memory, memory, "memory placed");
        let started = self.placed.values().filter(|placed| placed.is_started).count() as u64;
        assert_eq!(self.started, started, "assignments that it has begun");
        self.orphans.validate();
        let is_there = |key: (RunId, Attempt)| self.placed.contains_key(&key);
        assert!(self.suspects().all(|(key, _)| is_there(key)), "what it is kept for");
        let waiting = self.quarantines.iter().filter(|kept| kept.attempt.is_none()).count();
        assert!(waiting <= usize::from(!self.may_be_kept()), "it is kept for some that it hasn't been given");
        assert!(self.relief_changed.is_empty(), "assignments that give memory back");
    }
}
