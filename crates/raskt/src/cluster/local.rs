//! A cluster in this process.

use super::native::face;
use super::{Address, Client, ConnectError, Functions, LocalOptions, Security};
use std::time::Duration;

/// How long a client waits for the workers of its own process.
const PATIENCE: Duration = Duration::from_secs(60);

/// A scheduler and workers in this process, each with threads of its own. They speak over sockets of this host, with a token that is in
/// no file, as those of many machines would.
///
/// When it goes, so do its workers and what they hold.
pub struct LocalCluster(raskt_cluster::LocalCluster);

impl LocalCluster {
    /// Starts one whose workers know these functions.
    pub fn start(options: &LocalOptions, functions: &Functions) -> Result<Self, ConnectError> {
        Ok(Self(raskt_cluster::LocalCluster::start(options, face(functions))?))
    }

    /// Starts one of so many workers, which share cores and memory of the machine.
    pub fn of_workers(workers: usize, functions: &Functions) -> Result<Self, ConnectError> {
        Self::start(&LocalOptions::of_workers(workers), functions)
    }

    /// A client of it, once all its workers are there.
    pub fn client(&self) -> Result<Client, ConnectError> {
        Ok(Client::of(self.0.client("client", PATIENCE)?))
    }

    /// Starts one more worker.
    pub fn add_worker(&mut self, threads: usize, memory_limit: u64) -> Result<(), ConnectError> {
        Ok(self.0.add_worker(threads, memory_limit)?)
    }

    /// Ends the worker that came last, with all that it holds: others make that again. Says whether there was one.
    pub fn stop_worker(&mut self) -> bool {
        self.0.stop_worker()
    }

    /// Where its scheduler listens.
    pub fn address(&self) -> &Address {
        self.0.address()
    }

    /// What its processes know each other by; others may be given it.
    pub fn security(&self) -> &Security {
        self.0.security()
    }
}
