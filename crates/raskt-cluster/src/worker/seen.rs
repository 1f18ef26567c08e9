//! A worker, as its tasks see it.

use super::WorkerOptions;
use super::link::Link;
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
    options: &WorkerOptions,
    (link, id): (Arc<Link>, Arc<Mutex<Option<WorkerId>>>),
) -> ThisWorker {
    let introduced = network.introduced();
    let name = match introduced.name.is_empty() {
        true => options.offer.name.to_string(),
        false => introduced.name,
    };
    let peer = move || Some(link.outbox()?.peer()?.identity);
    ThisWorker {
        engine: engine.clone(),
        name,
        scheduler: options.scheduler.clone(),
        addresses: introduced.addresses,
        options: network.options().clone(),
        peer: Arc::new(peer),
        id,
    }
}
