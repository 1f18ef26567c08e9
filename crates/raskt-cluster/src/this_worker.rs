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
    /// What it calls itself.
    pub(crate) own_name: String,
    /// Where its scheduler is.
    pub scheduler: Address,
    /// Where it gives results: the best first.
    pub addresses: Vec<String>,
    pub(crate) options: NetworkOptions,
    /// Which process its scheduler is, once that has answered.
    pub(crate) peer: Arc<dyn Fn() -> Option<Identity> + Send + Sync>,
    /// By which cluster and mark others know a run whose graph is here.
    pub(crate) name_of: Arc<NameOf>,
    pub(crate) known_as: KnownAs,
}

/// By what a scheduler knows a worker, once it has said so: a number, and a name if that isn't the worker's own.
pub(crate) type KnownAs = Arc<Mutex<(Option<WorkerId>, Option<String>)>>;

impl ThisWorker {
    /// What tells it from other workers of the process.
    pub fn number(&self) -> u64 {
        self.engine.number()
    }

    /// What it is called: not as it calls itself, if another worker of its cluster is called so.
    pub fn name(&self) -> String {
        self.known_as.lock().1.clone().unwrap_or_else(|| self.own_name.clone())
    }

    /// Its number, once its scheduler has answered: another one when that has begun anew.
    pub fn id(&self) -> Option<WorkerId> {
        self.known_as.lock().0
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
