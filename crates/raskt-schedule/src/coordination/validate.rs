//! What is always true of a coordinator.

use super::bytes::Value;
use super::coordinator::Coordinator;
use super::given::Gift;
use super::waiting::Wish;
use crate::{RunId, TaskRange};

impl Coordinator {
    /// Counts everything again. Panics if something isn't as it has to be; for tests.
    ///
    /// - Nobody waits for what is there: a lock, a lease, an event, a value, items, room.
    /// - A lock has one holder, a semaphore no more leases than it has.
    /// - What is held are the results that values refer to, where they are, on their way, or waiting to be put.
    /// - Bytes are those of all that is kept.
    pub fn validate(&self) {
        self.desk.waiting.validate();
        self.locks.validate(&self.desk);
        self.semaphores.validate(&self.desk);
        self.events.validate(&self.desk);
        self.variables.validate(&self.desk);
        self.queues.validate(&self.desk);
        self.topics.validate(&self.desk);
        self.metadata.validate();
        self.validate_values();
    }

    fn validate_values(&self) {
        let waiting = self.desk.waiting.iter().filter_map(|(_, waiter)| match &waiter.wish {
            Wish::Put { value, .. } => Some(value),
            _ => None,
        });
        let on_their_way = self.given.gifts().flat_map(|gift| match gift {
            Gift::Items { items, .. } => items.iter().map(|(_, value)| value).collect(),
            Gift::Shown(_) => vec![],
        });
        let kept = self.variables.values().chain(self.queues.values()).chain(self.datasets.values());
        let kept: Vec<&Value> = kept.chain(waiting).chain(on_their_way).collect();
        let bytes: u64 = kept.iter().map(|value| value.cost_bytes()).sum();
        assert_eq!(self.desk.bytes, bytes + self.topics.bytes() + self.metadata.bytes());
        let shown = self.given.gifts().filter_map(|gift| match gift {
            Gift::Shown(value) => Some(value),
            Gift::Items { .. } => None,
        });
        let results: Vec<(RunId, TaskRange)> =
            kept.into_iter().chain(shown).flat_map(|value| value.results.iter().copied()).collect();
        assert_eq!(self.desk.holds.total(), results.iter().map(|(_, tasks)| u128::from(tasks.len())).sum());
        let held = self.desk.holds.held();
        let is_held = |(run, tasks): &(RunId, TaskRange)| {
            held.iter().any(|(of, range)| {
                of == run && range.layer == tasks.layer && range.start <= tasks.start && tasks.end <= range.end
            })
        };
        assert!(results.iter().filter(|(_, tasks)| !tasks.is_empty()).all(is_held), "a result isn't held");
    }
}
