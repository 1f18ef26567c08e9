//! Results as they settle, in the order in which they do.

use crate::held::{HeldResult, Standing, ranges_of};
use raskt_sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// A line of results that have settled, by the numbers that whoever waits has given them.
#[derive(Clone, Default)]
pub struct Arrivals(Arc<Line>);

#[derive(Default)]
struct Line {
    came: Mutex<VecDeque<u64>>,
    changed: Condvar,
}

impl Arrivals {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `number` comes when the result has settled: now, if it has, so that whoever doesn't wait finds it.
    pub fn add(&self, number: u64, held: &HeldResult) {
        if !matches!(held.standing(), Standing::Pending) {
            return self.push(number);
        }
        let line = self.clone();
        held.client().on_settled(&ranges_of([held].into_iter()), Box::new(move || line.push(number)));
    }

    /// `number` comes now.
    pub fn push(&self, number: u64) {
        self.0.came.lock().push_back(number);
        self.0.changed.notify_all();
    }

    /// Those that have come since this was asked last, waiting for one until `deadline`.
    pub fn take(&self, deadline: Instant) -> VecDeque<u64> {
        let mut came = self.0.came.lock();
        while came.is_empty() && Instant::now() < deadline {
            came = self.0.changed.wait_until(came, deadline).0;
        }
        std::mem::take(&mut *came)
    }
}
