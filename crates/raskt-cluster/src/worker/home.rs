//! Where a worker belongs, so that it can come back there.

use crate::coordination::{Coordination, Hearing};
use crate::driver::{Network, Outbox};
use crate::message::FromWorker;
use crate::{Address, Inbox};
use raskt_schedule::Offer;
use std::sync::{Arc, Weak};

/// Gives what takes in all that comes in a session, if anybody is there who sees to it.
pub(super) type Inboxes = Box<dyn Fn(Hearing) -> Option<Arc<dyn Inbox>> + Send>;

/// Where a worker belongs.
pub(super) struct Home {
    pub network: Weak<Network>,
    pub scheduler: Address,
    pub offer: Offer,
    pub inboxes: Inboxes,
    pub coordination: Coordination,
    /// What the scheduler's numbers belong to, once it has said so.
    pub lineage: Option<[u8; 16]>,
    /// It has called again, and hasn't been answered.
    pub calling: Option<(Outbox<FromWorker>, Hearing)>,
}

impl Home {
    pub fn new(
        network: &Arc<Network>,
        scheduler: Address,
        offer: Offer,
        coordination: Coordination,
        inboxes: Inboxes,
    ) -> Self {
        let network = Arc::downgrade(network);
        Self { network, scheduler, offer, inboxes, coordination, lineage: None, calling: None }
    }
}
