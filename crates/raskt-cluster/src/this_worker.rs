//! A worker of this process, as its own tasks see it.

use crate::driver::NetworkOptions;
use crate::hello::Identity;
use crate::{Address, Security};
use raskt_execute::WorkerEngine;
use raskt_schedule::{RunId, WorkerId};
use raskt_sync::Mutex;
use std::sync::Arc;

/// By which cluster and mark others know a run.
pub(crate) type NameOf = dyn Fn(RunId) -> Option<([u8; 16], u64)> + Send + Sync;

/// A worker of this process.
#[derive(Clone)]
pub struct ThisWorker {
    pub(crate) engine: WorkerEngine,
    /// What it is called.
    pub name: String,
    /// Where its scheduler is.
    pub scheduler: Address,
    /// Where it gives results: the best first.
    pub addresses: Vec<String>,
    pub(crate) options: NetworkOptions,
    /// Which process its scheduler is, once that has answered.
    pub(crate) peer: Arc<dyn Fn() -> Option<Identity> + Send + Sync>,
    /// By which cluster and mark others know a run whose graph is here.
    pub(crate) name_of: Arc<NameOf>,
    pub(crate) id: Arc<Mutex<Option<WorkerId>>>,
}

impl ThisWorker {
    /// What tells it from other workers of the process.
    pub fn number(&self) -> u64 {
        self.engine.number()
    }

    /// What its scheduler calls it, once that has answered: another number when that has begun anew.
    pub fn id(&self) -> Option<WorkerId> {
        *self.id.lock()
    }

    /// Which process it is: the same whatever its scheduler calls it.
    pub fn identity(&self) -> Identity {
        self.options.identity
    }

    /// The run of its task that the calling thread is in.
    pub fn run_here(&self) -> Option<RunId> {
        self.engine.run_here()
    }

    /// Which cluster it is of, and what tells a run that is here from any other of its number, as names of results say it ([`Client::named`]).
    ///
    /// [`Client::named`]: crate::Client::named
    pub fn named(&self, run: RunId) -> Option<([u8; 16], u64)> {
        (self.name_of)(run)
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
        (self.peer)()
    }
}
