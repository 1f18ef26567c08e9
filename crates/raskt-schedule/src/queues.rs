//! The queues of a run, one for each class of requirements, and which of them have changed.

use crate::queue::Queue;
use std::ops::{Index, IndexMut};

/// Whoever takes a queue to change it leaves a note, so that nobody has to look at all of them.
#[derive(Debug)]
pub(crate) struct Queues {
    queues: Vec<Queue>,
    /// Those that may have changed since they were last asked for.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
    /// Tasks behind cursors that are ready, at most, as they were when each was last asked for; and their sum.
    untouched: Vec<u64>,
    sum: u64,
}

impl Queues {
    pub fn new(count: usize) -> Self {
        Self {
            queues: (0..count).map(|_| Queue::default()).collect(),
            changed: vec![],
            is_changed: vec![false; count],
            untouched: vec![0; count],
            sum: 0,
        }
    }

    /// One that may have changed since it was last asked for here.
    pub fn next_changed(&mut self) -> Option<usize> {
        let class = self.changed.pop()?;
        self.is_changed[class] = false;
        let untouched = self.queues[class].untouched();
        self.sum = self.sum.saturating_sub(self.untouched[class]).saturating_add(untouched);
        self.untouched[class] = untouched;
        Some(class)
    }

    /// Tasks behind the cursors of all that are ready, at most.
    pub fn untouched(&self) -> u64 {
        let recent = self.changed.iter().fold(self.sum, |sum, &class| {
            sum.saturating_sub(self.untouched[class]).saturating_add(self.queues[class].untouched())
        });
        debug_assert_eq!(recent, self.queues.iter().map(Queue::untouched).fold(0, u64::saturating_add));
        recent
    }
}

impl Index<usize> for Queues {
    type Output = Queue;

    fn index(&self, class: usize) -> &Queue {
        &self.queues[class]
    }
}

impl IndexMut<usize> for Queues {
    fn index_mut(&mut self, class: usize) -> &mut Queue {
        if !std::mem::replace(&mut self.is_changed[class], true) {
            self.changed.push(class);
        }
        &mut self.queues[class]
    }
}
