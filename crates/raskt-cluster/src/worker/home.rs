//! Where a worker belongs, so that it can come back there.

use super::intake::Intake;
use crate::Address;
use crate::coordination::{Coordination, Hearing};
use crate::driver::{Network, Outbox};
use crate::message::FromWorker;
use raskt_schedule::Offer;
use std::sync::{Arc, Weak};

/// Where a worker belongs.
pub(super) struct Home {
    pub network: Weak<Network>,
    pub scheduler: Address,
    pub offer: Offer,
    /// Who sees to what comes: it has the worker, and this.
    pub intake: Weak<Intake>,
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
        (intake, coordination): (&Arc<Intake>, Coordination),
    ) -> Self {
        let (network, intake) = (Arc::downgrade(network), Arc::downgrade(intake));
        Self { network, scheduler, offer, intake, coordination, lineage: None, calling: None }
    }
}
