//! What is known to those who watch tasks: what of them has still to come, and what has come in which order.

use super::signal::Signal;
use super::table::{Change, Place};
use crate::ranges::RangeMap;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Somebody watches tasks.
pub(super) struct Watching {
    /// The tasks, each once.
    pub tasks: BTreeMap<RunId, RangeMap<()>>,
    pub total: u64,
    /// Tasks whose results are still to come.
    pub pending: u64,
    /// Tasks that have failed, or were released.
    pub failed: u64,
    /// Those that have settled and weren't taken yet, in the order in which they did, if somebody wants to know.
    pub settled: Option<VecDeque<(RunId, TaskRange)>>,
    /// Those that have never settled, of them.
    unseen: BTreeMap<RunId, RangeMap<()>>,
    /// Those who wait are to look at each that settles.
    pub looks_at_each: bool,
    pub changed: Arc<Signal>,
    /// Called once when nothing is pending.
    pub call: Option<Callback>,
}

pub(super) type Callback = Box<dyn FnOnce() + Send>;

impl Watching {
    pub fn new(tasks: BTreeMap<RunId, RangeMap<()>>, call: Option<Callback>) -> Self {
        let total = tasks.values().map(RangeMap::count).sum();
        Self {
            tasks,
            total,
            pending: total,
            failed: 0,
            settled: None,
            unseen: BTreeMap::new(),
            looks_at_each: false,
            changed: Arc::default(),
            call,
        }
    }

    /// Which settle when is noted from now on.
    pub fn keep_order(&mut self) {
        self.unseen = self.tasks.clone();
        self.settled = Some(VecDeque::new());
    }

    /// Tasks that it watches have changed. Gives whom to call.
    pub fn take(&mut self, run: RunId, change: &Change) -> Option<Callback> {
        let Change { tasks, before, now, .. } = change;
        self.count(tasks.len(), before, now);
        if now.is_settled() {
            self.note(run, *tasks);
        }
        if self.pending == 0 || self.looks_at_each || self.failed > 0 {
            self.changed.give();
        }
        if self.pending == 0 { self.call.take() } else { None }
    }

    fn count(&mut self, tasks: u64, before: &Place, now: &Place) {
        self.pending = self.pending + u64::from(!now.is_settled()) * tasks - u64::from(!before.is_settled()) * tasks;
        self.failed = self.failed + u64::from(now.is_failed()) * tasks - u64::from(before.is_failed()) * tasks;
    }

    /// Tasks stood like this when it began to watch.
    pub fn begin(&mut self, run: RunId, tasks: TaskRange, place: &Place) {
        self.count(tasks.len(), &Place::Pending, place);
        if place.is_settled() {
            self.note(run, tasks);
        }
    }

    /// Each is noted once, however often it settles.
    fn note(&mut self, run: RunId, tasks: TaskRange) {
        let Some((unseen, settled)) = self.unseen.get_mut(&run).zip(self.settled.as_mut()) else { return };
        for (part, ()) in unseen.cut(tasks) {
            match settled.back_mut() {
                Some((of, last)) if *of == run && last.layer == part.layer && last.end == part.start => {
                    last.end = part.end;
                }
                _ => settled.push_back((run, part)),
            }
        }
        if unseen.is_empty() {
            self.unseen.remove(&run);
        }
    }

    /// Whether there is nothing left to hand out.
    pub fn is_drained(&self) -> bool {
        self.unseen.is_empty() && self.settled.as_ref().is_none_or(VecDeque::is_empty)
    }
}
