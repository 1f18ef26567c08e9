//! Errands that aren't over.

use raskt_schedule::WorkerId;
use std::collections::BTreeMap;

/// Errands that aren't over.
#[derive(Default)]
pub(super) struct Errands {
    next: u64,
    open: BTreeMap<u64, Open>,
    /// How many each client has.
    by_client: BTreeMap<u32, usize>,
}

/// A worker's part of an errand.
pub(super) struct Open {
    pub client: u32,
    /// As its client calls it.
    pub number: u64,
    pub worker: WorkerId,
}

impl Errands {
    pub fn begin(&mut self, client: u32, number: u64, worker: WorkerId) -> u64 {
        let errand = self.next;
        self.next += 1;
        self.open.insert(errand, Open { client, number, worker });
        *self.by_client.entry(client).or_default() += 1;
        errand
    }

    pub fn end(&mut self, errand: u64) -> Option<Open> {
        let open = self.open.remove(&errand)?;
        if let Some(count) = self.by_client.get_mut(&open.client) {
            *count -= 1;
        }
        Some(open)
    }

    /// Nobody wants to hear any more what comes of its errands.
    pub fn forget_client(&mut self, client: u32) {
        self.by_client.remove(&client);
        self.open.retain(|_, open| open.client != client);
    }

    /// How many a client has.
    pub fn of_client(&self, client: u32) -> usize {
        self.by_client.get(&client).copied().unwrap_or(0)
    }

    /// Whether it is one that this worker has.
    pub fn is_of(&self, errand: u64, worker: WorkerId) -> bool {
        self.open.get(&errand).is_some_and(|open| open.worker == worker)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn of_worker(&self, worker: WorkerId) -> Vec<u64> {
        self.open.iter().filter(|(_, open)| open.worker == worker).map(|(&errand, _)| errand).collect()
    }
}
