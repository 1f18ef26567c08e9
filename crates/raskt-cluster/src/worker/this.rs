//! A worker of this process, as its own tasks see it.

use super::WorkerOptions;
use super::link::Link;
use crate::client::{Client, ConnectError};
use crate::driver::{Network, NetworkOptions};
use crate::face::Face;
use crate::hello::{Identity, Role};
use crate::{Address, Security};
use raskt_execute::WorkerEngine;
use raskt_schedule::{RunId, WorkerId};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A worker of this process.
#[derive(Clone)]
pub struct ThisWorker {
    engine: WorkerEngine,
    /// What it is called.
    pub name: String,
    /// Where its scheduler is.
    pub scheduler: Address,
    /// Where it gives results: the best first.
    pub addresses: Vec<String>,
    options: NetworkOptions,
    link: Arc<OnceLock<Link>>,
    id: Arc<OnceLock<WorkerId>>,
}

impl ThisWorker {
    pub(super) fn new(
        engine: &WorkerEngine,
        network: &Network,
        options: &WorkerOptions,
        (link, id): (Arc<OnceLock<Link>>, Arc<OnceLock<WorkerId>>),
    ) -> Self {
        let own = network.options();
        let introduced = network.introduced();
        let name = match introduced.name.is_empty() {
            true => options.offer.name.to_string(),
            false => introduced.name,
        };
        let (scheduler, addresses) = (options.scheduler.clone(), introduced.addresses);
        Self { engine: engine.clone(), name, scheduler, addresses, options: own.clone(), link, id }
    }

    /// What tells it from other workers of the process.
    pub fn number(&self) -> u64 {
        self.engine.number()
    }

    /// What its scheduler calls it, once that has answered.
    pub fn id(&self) -> Option<WorkerId> {
        self.id.get().copied()
    }

    /// The run of its task that the calling thread is in.
    pub fn run_here(&self) -> Option<RunId> {
        self.engine.run_here()
    }

    /// Threads, and bytes that it may hold.
    pub fn size(&self) -> (u32, u64) {
        let offer = self.engine.offer();
        (offer.slots, offer.memory)
    }

    /// By what it and its scheduler know each other.
    pub fn security(&self) -> &Security {
        &self.options.security
    }

    /// Which process its scheduler is, once that has answered.
    pub fn scheduler_identity(&self) -> Option<Identity> {
        self.link.get()?.outbox.peer().map(|peer| peer.identity)
    }

    /// A client of the same scheduler, known by what this worker is known by.
    pub fn connect(
        &self,
        name: &str,
        listen: &Address,
        face: Arc<dyn Face>,
        patience: Duration,
    ) -> Result<Client, ConnectError> {
        let mut options = NetworkOptions::new(Role::Client, self.options.security.clone())?;
        options.introduction = self.options.introduction.clone();
        name.clone_into(&mut options.introduction.name);
        options.introduction.addresses.clear();
        Client::connect(Network::start(options)?, &self.scheduler, listen, face, patience)
    }
}
