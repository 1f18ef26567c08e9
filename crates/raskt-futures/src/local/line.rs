//! The line of calls that wait for their turn.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};

/// A call that may stand in a line.
pub trait InLine {
    /// Higher ones come first.
    fn priority(&self) -> i64;

    /// Of equal priority, lower ones come first: calls are numbered in the order in which they are submitted.
    fn number(&self) -> u64;
}

/// The calls of a pool whose inputs are there, and the threads that take them.
pub struct Line<T> {
    waiting: BinaryHeap<Entry<T>>,
    /// Threads that take calls or were asked for, less those that wait for futures themselves. Other threads of the
    /// engine that wait for futures of this pool count too, so that it may be negative.
    pub threads: isize,
    /// No call starts any more.
    pub is_closed: bool,
}

/// Higher priority first, then in the order of submission.
struct Entry<T> {
    rank: (i64, Reverse<u64>),
    /// Nobody may want the call any more when its turn comes.
    call: Weak<T>,
}

impl<T: InLine> Line<T> {
    /// Adds a call.
    pub fn push(&mut self, call: &Arc<T>) {
        let rank = (call.priority(), Reverse(call.number()));
        self.waiting.push(Entry { rank, call: Arc::downgrade(call) });
    }

    /// The first call in line that somebody still wants.
    pub fn pop(&mut self) -> Option<Arc<T>> {
        while let Some(entry) = self.waiting.pop() {
            if let Some(call) = entry.call.upgrade() {
                return Some(call);
            }
        }
        None
    }

    /// Whether one more thread is to be asked for, where `width` may be at work; it is counted if so.
    pub fn wants_thread(&mut self, width: usize) -> bool {
        let wants = !self.is_closed && !self.waiting.is_empty() && self.threads < width as isize;
        self.threads += isize::from(wants);
        wants
    }
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { waiting: BinaryHeap::new(), threads: 0, is_closed: false }
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq)]
    struct Call(i64, u64);

    impl InLine for Call {
        fn priority(&self) -> i64 {
            self.0
        }

        fn number(&self) -> u64 {
            self.1
        }
    }

    proptest! {
        #[test]
        fn calls_come_by_priority_then_by_number_without_those_that_nobody_wants(
            calls in prop::collection::vec((-3..3_i64, any::<bool>()), 0..40)
        ) {
            let mut line = Line::default();
            let mut kept = vec![];
            for (number, (priority, is_wanted)) in (0..).zip(calls) {
                let call = Arc::new(Call(priority, number));
                line.push(&call);
                kept.extend(is_wanted.then_some(call));
            }
            kept.sort_by_key(|call| (Reverse(call.0), call.1));
            let came: Vec<_> = std::iter::from_fn(|| line.pop()).collect();
            prop_assert_eq!(came, kept);
        }
    }

    #[test]
    fn no_more_threads_are_asked_for_than_the_line_is_wide_and_none_when_it_is_empty_or_closed() {
        let call = Arc::new(Call(0, 1));
        let mut line = Line::default();
        assert!(!line.wants_thread(2), "nothing waits");
        line.push(&call);
        assert_eq!([line.wants_thread(2), line.wants_thread(2), line.wants_thread(2)], [true, true, false]);
        line.threads -= 2;
        line.is_closed = true;
        assert!(!line.wants_thread(2));
        assert_eq!(line.threads, 0);
    }
}
