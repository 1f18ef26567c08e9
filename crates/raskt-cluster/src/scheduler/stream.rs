//! What workers have done lately: the last assignments that have ended.

use raskt_graph::Annotations;
use raskt_schedule::{RunId, Time, WorkerId};
use std::collections::VecDeque;
use std::sync::Arc;

/// Assignments that are remembered.
const KEPT: usize = 1 << 14;

/// The last assignments that have ended.
#[derive(Default)]
pub(super) struct Stream {
    /// The number of the first that is remembered.
    first: u64,
    ended: VecDeque<Ended>,
}

pub(super) struct Ended {
    pub worker: WorkerId,
    pub run: RunId,
    /// The layer of the first task, and that task.
    pub name: Arc<str>,
    pub index: u64,
    pub at: Time,
    pub nanoseconds: u64,
    pub done: u64,
    pub failed: u64,
    pub bytes: u64,
    /// What was said of the layer, if that has a span.
    pub said: Option<Arc<Annotations>>,
}

impl Stream {
    pub fn push(&mut self, ended: Ended) {
        if self.ended.len() >= KEPT {
            self.ended.pop_front();
            self.first += 1;
        }
        self.ended.push_back(ended);
    }

    /// Those from a number on that are remembered, and the number of the first of them.
    pub fn from(&self, from: u64) -> (u64, impl Iterator<Item = &Ended>) {
        let skipped = from.saturating_sub(self.first);
        (self.first + skipped, self.ended.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)))
    }

    /// The number of the next.
    pub fn next(&self) -> u64 {
        self.first + self.ended.len() as u64
    }
}
