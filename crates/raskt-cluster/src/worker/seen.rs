//! A worker, as its tasks see it.

use super::along::Along;
use super::link::Link;
use crate::Address;
use crate::driver::Network;
use crate::this_worker::{KnownAs, ThisWorker};
use raskt_execute::WorkerEngine;
use std::sync::Arc;

/// The worker as its tasks see it.
pub(super) fn this_worker(
    engine: &WorkerEngine,
    network: &Network,
    (name, scheduler): (&str, &Address),
    (link, along): (&Arc<Link>, &Arc<Along>),
    known_as: &KnownAs,
) -> ThisWorker {
    let introduced = network.introduced();
    let name = match introduced.name.is_empty() {
        true => name.to_owned(),
        false => introduced.name,
    };
    let (of_names, along) = (link.clone(), along.clone());
    let name_of = move |run| Some((of_names.lineage()?, along.mark(run)));
    let link = link.clone();
    let peer = move || Some(link.outbox()?.peer()?.identity);
    ThisWorker {
        engine: engine.clone(),
        own_name: name,
        scheduler: scheduler.clone(),
        addresses: introduced.addresses,
        options: network.options().clone(),
        peer: Arc::new(peer),
        name_of: Arc::new(name_of),
        known_as: known_as.clone(),
    }
}
