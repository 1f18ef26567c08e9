//! Where a worker belongs, so that it can come back there.

use super::inbound::Inbound;
use crate::Address;
use crate::driver::{Network, Outbox};
use crate::message::FromWorker;
use raskt_schedule::Offer;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};

/// Where a worker belongs.
pub(super) struct Home {
    pub network: Weak<Network>,
    pub scheduler: Address,
    pub offer: Offer,
    pub sender: Sender<Inbound>,
    /// What the scheduler's numbers belong to, once it has said so.
    pub lineage: Option<[u8; 16]>,
    /// It has called again, and hasn't been answered.
    pub calling: Option<Outbox<FromWorker>>,
}

impl Home {
    pub fn new(network: &Arc<Network>, scheduler: Address, offer: Offer, sender: Sender<Inbound>) -> Self {
        Self { network: Arc::downgrade(network), scheduler, offer, sender, lineage: None, calling: None }
    }
}
