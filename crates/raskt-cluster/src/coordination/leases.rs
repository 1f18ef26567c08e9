//! Leases that are refreshed as long as they are held.

use raskt_schedule::coordination::Name;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Leases that are held, and when each is to be refreshed.
#[derive(Debug, Default)]
pub(super) struct Leases {
    leases: BTreeMap<(Name, u64), Held>,
}

#[derive(Debug)]
struct Held {
    every: Duration,
    due: Instant,
}

/// How often a lease is refreshed in the time that it lasts: several may be late.
const REFRESHES_PER_LEASE: u32 = 5;

/// A lease isn't refreshed more often than this, however short it is.
const REFRESH_LEAST: Duration = Duration::from_millis(1);

/// Leases that are refreshed with one message; no more than a scheduler takes at once.
pub(super) const LEASES_AT_ONCE: usize = 1 << 10;

impl Leases {
    pub fn add(&mut self, name: Name, lease: u64, lasts: Duration, now: Instant) {
        let every = (lasts / REFRESHES_PER_LEASE).max(REFRESH_LEAST);
        // What is due after all time is never due.
        if let Some(due) = now.checked_add(every) {
            self.leases.insert((name, lease), Held { every, due });
        }
    }

    pub fn remove(&mut self, name: &Name, lease: u64) {
        self.leases.remove(&(name.clone(), lease));
    }

    pub fn contains(&self, name: &Name, lease: u64) -> bool {
        self.leases.contains_key(&(name.clone(), lease))
    }

    /// Those that are due; they are due again later.
    pub fn take_due(&mut self, now: Instant) -> Vec<(Name, u64)> {
        let due = self.leases.iter_mut().filter(|(_, held)| held.due <= now);
        let taken = due.map(|(key, held)| {
            held.due = now + held.every;
            key.clone()
        });
        taken.collect()
    }

    /// When the next is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.leases.values().map(|held| held.due).min()
    }
}
