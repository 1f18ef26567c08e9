//! This process as a worker.

use super::native::{face, network, usual_security};
use super::{Address, ConnectError, EngineOptions, Functions, Security};
use raskt_cluster::hello::Role;
use raskt_cluster::usual::listening_beside;
use raskt_cluster::{WorkerOptions, WorkerServer};
use raskt_execute::{Limits, Runners, Store};
use std::time::Duration;

/// A worker of a cluster, in this process. A program that is one knows functions that `raskt worker` doesn't.
///
/// ```no_run
/// use raskt::cluster::{EngineOptions, Functions, Worker};
///
/// let worker = Worker::join("tcp://127.0.0.1:8786", "one", &Functions::new(), None, EngineOptions::default())?;
/// eprintln!("it is over: {}", worker.wait());
/// # Ok::<(), raskt::cluster::ConnectError>(())
/// ```
pub struct Worker(WorkerServer);

/// How often it is looked whether it is over.
const GLANCE: Duration = Duration::from_secs(3600);

impl Worker {
    /// Joins the cluster whose scheduler is at that address. Peers are known by the token of this user where `security` says nothing.
    pub fn join(
        address: &str,
        name: &str,
        functions: &Functions,
        security: Option<Security>,
        engine: EngineOptions,
    ) -> Result<Self, ConnectError> {
        let address: Address = address.parse()?;
        let security = security.map_or_else(|| usual_security(&address), Ok)?;
        let network = network(Role::Worker, name, &security, &address)?;
        let store = Store::new(Limits::of_memory(engine.memory_limit));
        let listen = listening_beside(&address);
        let options = WorkerOptions::of(address, listen, name, engine);
        Ok(Self(WorkerServer::start(network, options, Runners::default(), store, face(functions))?))
    }

    /// Waits until it is over, and gives why it is: a sentence.
    pub fn wait(&self) -> String {
        loop {
            if let Some(why) = self.0.wait(GLANCE) {
                return why;
            }
        }
    }

    /// Lets what runs end for up to `grace`, and leaves.
    pub fn leave(&self, grace: Duration) {
        self.0.shut_down(grace);
    }
}
