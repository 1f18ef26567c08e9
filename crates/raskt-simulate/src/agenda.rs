//! What is still to happen, and when.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The virtual clock and everything that is still to happen, in order of time; of equal times, what was said first.
#[derive(Debug)]
pub(crate) struct Agenda<E> {
    now: u64,
    sequence: u64,
    heap: BinaryHeap<Entry<E>>,
}

#[derive(Debug)]
struct Entry<E> {
    at: u64,
    sequence: u64,
    event: E,
}

impl<E> Agenda<E> {
    pub fn new() -> Self {
        Self { now: 0, sequence: 0, heap: BinaryHeap::new() }
    }

    /// Nanoseconds since the world began.
    pub fn now(&self) -> u64 {
        self.now
    }

    pub fn after(&mut self, delay: u64, event: E) {
        self.at(self.now + delay, event);
    }

    /// Notes that `event` happens at `at`, or now if that has passed.
    pub fn at(&mut self, at: u64, event: E) {
        self.sequence += 1;
        self.heap.push(Entry { at: at.max(self.now), sequence: self.sequence, event });
    }

    /// What happens next; the clock moves on to it.
    pub fn next(&mut self) -> Option<E> {
        let Entry { at, event, .. } = self.heap.pop()?;
        self.now = at;
        Some(event)
    }
}

impl<E> Ord for Entry<E> {
    /// The heap gives the greatest first: the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_of_time_then_of_telling() {
        let mut agenda = Agenda::new();
        agenda.at(5, 'c');
        agenda.at(2, 'a');
        agenda.at(5, 'd');
        agenda.after(2, 'b');
        let mut order = String::new();
        while let Some(event) = agenda.next() {
            order.push(event);
        }
        assert_eq!((order.as_str(), agenda.now()), ("abcd", 5));
    }
}
