//! What workers get in advance, and what is stolen from them.

use super::named::Policy;

/// How much workers get in advance, and how work moves from those that have too much to those that have none (work
/// stealing, by the scheduler).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebalance {
    /// Nanoseconds of work for each slot that a worker is given in advance: about two ways there and back. None for
    /// workers that ask and get at once.
    pub prefill_nanoseconds: u64,
    /// Assignments that a worker gets in advance for each slot, however short they are.
    pub ahead_per_slot: u64,
    /// Workers without work for whom work is asked back after one event. With none, what is handed out stays where it
    /// is.
    pub asking_workers: u64,
    /// Workers with work in advance that are looked at for them, those with the most first.
    pub asked_workers: u64,
    /// Assignments of each of these that are looked at, the last first.
    pub asked_assignments: u64,
}

impl Default for Rebalance {
    fn default() -> Self {
        Self { prefill_nanoseconds: 0, ahead_per_slot: 16, asking_workers: 16, asked_workers: 8, asked_assignments: 64 }
    }
}

impl Rebalance {
    /// Whether a worker gets another assignment that has so many for its slots, of so many nanoseconds in all: a slot
    /// is free, or time and memory credit allow one in advance.
    pub(crate) fn has_room(&self, taken: u64, slots: u64, nanoseconds: u128, has_memory: bool) -> bool {
        let has_credit = nanoseconds < u128::from(slots) * u128::from(self.prefill_nanoseconds) && has_memory;
        taken < slots || (has_credit && taken < slots.saturating_mul(self.ahead_per_slot.saturating_add(1)))
    }

    /// What is looked at to be asked back for workers that have nothing to do, of what others have, the last first.
    pub(crate) fn looked_at<T, P: Iterator<Item = T>>(
        &self,
        others: impl Iterator<Item = P>,
    ) -> impl Iterator<Item = T> {
        let most = self.asked_assignments as usize;
        others.take(self.asked_workers as usize).flat_map(move |placed| placed.take(most))
    }
}

const NAME: &str = "prefill-and-ask-back";

impl Policy for Rebalance {
    const KIND: &'static str = "rebalance";

    fn name(&self) -> &str {
        NAME
    }

    fn numbers(&self) -> Vec<u64> {
        let Self { prefill_nanoseconds, ahead_per_slot, asking_workers, asked_workers, asked_assignments } = *self;
        vec![prefill_nanoseconds, ahead_per_slot, asking_workers, asked_workers, asked_assignments]
    }

    fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        let &[prefill_nanoseconds, ahead_per_slot, asking_workers, asked_workers, asked_assignments] = numbers else {
            return None;
        };
        let found = Self { prefill_nanoseconds, ahead_per_slot, asking_workers, asked_workers, asked_assignments };
        (name == NAME).then_some(found)
    }
}
