//! A whole cluster in this process: a scheduler and workers, each with threads of its own, that speak over sockets of this host.

use crate::driver::{Network, NetworkOptions};
use crate::face::Face;
use crate::hello::{Role, this_host};
use crate::{Address, Client, ConnectError, SchedulerServer, Security, StartError, Token, WorkerOptions, WorkerServer};
use raskt_execute::{EngineOptions, Limits, Runners, Store, usual_memory_limit};
use raskt_schedule::Offer;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How a cluster of this process is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalOptions {
    /// How many workers there are.
    pub workers: usize,
    /// Threads of each.
    pub threads: usize,
    /// Bytes of each.
    pub memory_limit: u64,
}

impl LocalOptions {
    /// So many workers, which share the cores and the memory of the machine.
    pub fn of_workers(workers: usize) -> Self {
        let cores = EngineOptions::default().threads;
        let memory_limit = usual_memory_limit() / workers.max(1) as u64;
        Self { workers, threads: (cores / workers.max(1)).max(1), memory_limit }
    }
}

impl Default for LocalOptions {
    /// Two workers.
    fn default() -> Self {
        Self::of_workers(2)
    }
}

/// A cluster in this process. It listens within this host, with a token that is in no file.
pub struct LocalCluster {
    // They go before their scheduler.
    workers: Vec<WorkerServer>,
    scheduler: SchedulerServer,
    security: Security,
    face: Arc<dyn Face>,
}

/// Within this host, at a port that is free.
const HERE: &str = "tcp://127.0.0.1:0";

/// How long tasks of a cluster that ends may go on.
const GRACE: Duration = Duration::from_millis(200);

impl LocalCluster {
    /// Starts the scheduler and the workers. What ops and values are is the face's to know.
    pub fn start(options: &LocalOptions, face: Arc<dyn Face>) -> Result<Self, StartError> {
        let security = Security { token: Some(Token::random()?), tls: None };
        let network = network(Role::Scheduler, "scheduler", &security)?;
        let scheduler = SchedulerServer::start(network, &here())?;
        let mut cluster = Self { workers: vec![], scheduler, security, face };
        (0..options.workers).try_for_each(|_| cluster.add_worker(options.threads, options.memory_limit))?;
        Ok(cluster)
    }

    /// Starts one more worker.
    pub fn add_worker(&mut self, threads: usize, memory_limit: u64) -> Result<(), StartError> {
        let name = format!("worker-{}", self.workers.len());
        let engine = EngineOptions { threads: threads.max(1), memory_limit };
        let options = WorkerOptions::of(self.address().clone(), here(), &name, engine);
        let (network, store) =
            (network(Role::Worker, &name, &self.security)?, Store::new(Limits::of_memory(memory_limit)));
        self.workers.push(WorkerServer::start(network, options, Runners::default(), store, self.face.clone())?);
        Ok(())
    }

    /// Ends the worker that came last, with all that it holds; says whether there was one.
    pub fn stop_worker(&mut self) -> bool {
        let worker = self.workers.pop();
        worker.inspect(|worker| worker.shut_down(Duration::ZERO)).is_some()
    }

    /// Where the scheduler listens.
    pub fn address(&self) -> &Address {
        self.scheduler.address()
    }

    /// What its processes know each other by; others may be given it.
    pub fn security(&self) -> &Security {
        &self.security
    }

    /// A client, once all workers are there.
    pub fn client(&self, name: &str, patience: Duration) -> Result<Client, ConnectError> {
        let network = network(Role::Client, name, &self.security)?;
        let client = Client::connect(network, self.address(), &here(), self.face.clone(), patience)?;
        if !client.wait_for_workers(self.workers.len(), patience) {
            let (address, seconds) = (self.address().to_string(), patience.as_secs_f64());
            let reason = format!("its {} workers weren't there within {seconds} s", self.workers.len());
            return Err(ConnectError::Unreached { address, reason });
        }
        Ok(client)
    }
}

impl Drop for LocalCluster {
    fn drop(&mut self) {
        // First who tells all of them to leave: nobody takes over what others have.
        self.scheduler.shut_down(GRACE);
        self.workers.iter().for_each(|worker| worker.shut_down(GRACE));
    }
}

impl WorkerOptions {
    /// One of this name that brings nothing but threads and memory.
    pub fn of(scheduler: Address, listen: Address, name: &str, engine: EngineOptions) -> Self {
        Self { scheduler, listen, offer: Offer { name: name.into(), ..Offer::slots(1) }, engine }
    }
}

fn here() -> Address {
    HERE.parse().expect("it is an address")
}

fn network(role: Role, name: &str, security: &Security) -> io::Result<Network> {
    let mut options = NetworkOptions::new(role, security.clone())?;
    name.clone_into(&mut options.introduction.name);
    options.introduction.host = this_host();
    Network::start(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_shared_by_the_workers() {
        let (one, many) = (LocalOptions::of_workers(1), LocalOptions::of_workers(1000));
        assert_eq!((one.workers, one.threads), (1, EngineOptions::default().threads));
        assert_eq!((many.workers, many.threads), (1000, 1));
        assert!(many.memory_limit <= one.memory_limit / 1000);
    }
}
