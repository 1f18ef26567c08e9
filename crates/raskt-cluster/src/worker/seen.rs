//! A worker, as its tasks see it.

use super::link::Link;
use crate::Address;
use crate::driver::Network;
use crate::this_worker::ThisWorker;
use raskt_execute::WorkerEngine;
use raskt_schedule::WorkerId;
use raskt_sync::Mutex;
use std::sync::Arc;

/// The worker as its tasks see it.
pub(super) fn this_worker(
    engine: &WorkerEngine,
    network: &Network,
    (name, scheduler): (&str, &Address),
    (link, id): (&Arc<Link>, &Arc<Mutex<Option<WorkerId>>>),
) -> ThisWorker {
    let introduced = network.introduced();
    let name = match introduced.name.is_empty() {
        true => name.to_owned(),
        false => introduced.name,
    };
    let link = link.clone();
    let peer = move || Some(link.outbox()?.peer()?.identity);
    ThisWorker {
        engine: engine.clone(),
        name,
        scheduler: scheduler.clone(),
        addresses: introduced.addresses,
        options: network.options().clone(),
        peer: Arc::new(peer),
        id: id.clone(),
    }
}
