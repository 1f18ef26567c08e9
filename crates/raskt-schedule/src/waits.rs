//! How long producers wait for memory, and for whom.
//!
//! To wait is worth it only where it helps soon. A producer waits for tasks of its own family of runs (see
//! [`crate::run_queue`]) which give back more than they make, of the memory of a worker that could take it, and whose end is
//! near, as far as their time is known. If there is no such task, or the patience is over, it goes ahead, and the worker makes room by
//! spilling.
//!
//! Who waits stands aside, and isn't looked at again before something has changed: tasks of its own run, the memory of some
//! worker (then a few are looked at, those first that weren't for longest), or the time at which it goes ahead. So an event costs no
//! more for all those that wait. What is known of a wait lasts until the task is handed out, whoever else is served meanwhile.

mod waiting;

use crate::policy::Admission;
use crate::{RunId, Time, WorkerId};
use raskt_graph::LayerId;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// A run some of whose tasks could start, and wait for others to free memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBack {
    /// Since when some of it has waited without a break.
    pub since: Time,
    /// When it goes ahead at the latest.
    pub until: Time,
    /// The worker whose memory it waits for.
    pub worker: WorkerId,
    /// The run whose tasks are expected to free it: itself, or one of its family.
    pub waits_for: RunId,
}

/// Heads of one queue that are looked at behind those that wait for memory.
pub(crate) const HEADS_LOOKED_AT: usize = 16;

/// Classes that wait for memory and are looked at after one event, since some has come free.
pub(crate) const WAITING_LOOKED_AT: u64 = 4;

/// Tasks of a layer are alike.
pub(crate) type Key = (RunId, u32, LayerId);

/// What waits for memory: by run, class and layer.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    held: BTreeMap<Key, HeldBack>,
    ends: BTreeSet<(Time, Key)>,
    /// Those that don't wait though they lack memory, and haven't been handed out.
    goes_ahead: BTreeMap<Key, Reason>,
}

/// Why tasks that lack memory don't wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// They have waited for long enough.
    PatienceIsOver,
    /// When they had their turn there was nobody to wait for; since when they waited until then.
    Nobody { since: Time },
}

/// What tasks do that lack memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// They wait for somebody.
    Waits,
    /// There is nobody to wait for, but others may have their turn first, of whom one could.
    Passes,
    GoesAhead,
}

/// Heads of a queue that lack memory.
pub(crate) type Passed = SmallVec<[LayerId; 4]>;

impl Waits {
    /// Somebody who has waited for as long as it was worth it, if there is one.
    pub fn next_ended(&mut self, now: Time, admission: &Admission) -> Option<(RunId, u32)> {
        let &(_, key) = self.ends.first().filter(|(until, _)| *until <= now)?;
        let since = self.held.get(&key).map_or(now, |held| held.since);
        self.remove(key);
        let is_over = admission.patience_ends(since) <= now;
        self.goes_ahead.insert(key, if is_over { Reason::PatienceIsOver } else { Reason::Nobody { since } });
        Some((key.0, key.1))
    }

    /// A task of a layer is handed out: the next one waits anew. Says whether it had waited.
    pub fn end(&mut self, run: RunId, class: u32, layer: LayerId) -> bool {
        let key = (run, class, layer);
        if self.is_empty() {
            return false;
        }
        self.goes_ahead.remove(&key).is_some() | self.remove(key)
    }

    /// A class of a run has nothing to start.
    pub fn forget_class(&mut self, run: RunId, class: u32) {
        self.forget((run, class, LayerId(0)), (run, class, LayerId(u32::MAX)));
    }

    /// A run goes.
    pub fn forget_run(&mut self, run: RunId) {
        self.forget((run, 0, LayerId(0)), (run, u32::MAX, LayerId(u32::MAX)));
    }

    fn forget(&mut self, from: Key, to: Key) {
        if self.is_empty() {
            return;
        }
        let held = self.held.range(from..=to).map(|(&key, _)| key).collect::<Vec<_>>();
        held.into_iter().for_each(|key| _ = self.remove(key));
        let ahead = self.goes_ahead.range(from..=to).map(|(&key, _)| key).collect::<Vec<_>>();
        ahead.iter().for_each(|key| _ = self.goes_ahead.remove(key));
    }

    /// They wait no longer; whether they did.
    pub fn remove(&mut self, key: Key) -> bool {
        let found = self.held.remove(&key);
        found.is_some_and(|held| self.ends.remove(&(held.until, key)))
    }

    /// They wait, for whom and until when `held` says.
    pub fn hold(&mut self, key: Key, held: HeldBack) {
        self.remove(key);
        self.goes_ahead.remove(&key);
        self.ends.insert((held.until, key));
        self.held.insert(key, held);
    }

    /// There is nobody to wait for, after they waited since then; whether it was so before.
    pub fn find_nobody(&mut self, key: Key, since: Time) -> bool {
        self.goes_ahead.insert(key, Reason::Nobody { since }).is_some()
    }

    /// Since when tasks have waited; nothing if they needn't wait any more.
    pub fn since(&self, key: Key, now: Time) -> Option<Time> {
        match self.goes_ahead.get(&key) {
            Some(Reason::PatienceIsOver) => None,
            Some(Reason::Nobody { since }) => Some(*since),
            None => Some(self.held.get(&key).map_or(now, |held| held.since)),
        }
    }

    /// Those of a run that have waited for longest.
    pub fn of_run(&self, run: RunId) -> Option<HeldBack> {
        let of_run = (run, 0, LayerId(0))..=(run, u32::MAX, LayerId(u32::MAX));
        self.held.range(of_run).map(|(_, &held)| held).min_by_key(|held| held.since)
    }

    /// When the first of them goes ahead.
    pub fn first_end(&self) -> Option<Time> {
        self.ends.first().map(|&(until, _)| until)
    }

    /// Those that wait, with run and class.
    pub fn iter(&self) -> impl Iterator<Item = (RunId, u32, HeldBack)> {
        self.held.iter().map(|(&(run, class, _), &held)| (run, class, held))
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.goes_ahead.is_empty()
    }

    /// Asserts that each is told once.
    pub fn validate(&self) {
        let ends = self.held.iter().map(|(&key, held)| (held.until, key));
        assert_eq!(self.ends, ends.collect(), "when those who wait go ahead");
        assert!(!self.goes_ahead.keys().any(|key| self.held.contains_key(key)), "who waits doesn't go ahead");
    }
}
