//! A client of a cluster: submits graphs, gives data, and fetches results where they are.

mod gathering;
mod giving;
mod run;
mod shared;
mod state;

use crate::driver::{Listening, Network, Outbox, Peer, inbox};
use crate::face::Face;
use crate::hello::Role;
use crate::message::{FromClient, Submission, WorkerInfo};
use crate::session::SendError;
use crate::{Address, ListenError};
use bytes::Bytes;
use giving::Shelf;
use raskt_schedule::{FailureScope, RunId, TaskRange};
use raskt_value::Value;
use shared::Shared;
use state::RunState;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use run::RemoteRun;
pub use state::ClusterError;

/// A client of a cluster. It keeps what it wants there alive: when it goes, so do its runs.
pub struct Client {
    shared: Arc<Shared>,
    outbox: Outbox<FromClient>,
    network: Arc<Network>,
    listening: Listening,
}

/// A graph that is to be run.
pub struct Job {
    /// As it travels: what `postcard` writes of its form.
    pub graph: Bytes,
    /// What is wanted of it.
    pub wanted: Vec<TaskRange>,
    /// Data, and the tasks that stand for it.
    pub given: Vec<(TaskRange, Vec<Value>)>,
}

/// Why a client has no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// It can't listen for those who fetch its data.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A thread or a socket can't be had.
    #[error("the client can't start: {0}")]
    Io(#[from] io::Error),
    /// Nobody answers, or it isn't let in.
    #[error("no scheduler at `{address}`: {reason}")]
    Unreached {
        /// Where.
        address: String,
        /// Why.
        reason: String,
    },
}

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

impl Client {
    /// Connects with the scheduler at `scheduler`, and waits for it up to `patience`. Data that graphs are given is fetched from
    /// this process at `listen`.
    pub fn connect(
        network: Network,
        scheduler: &Address,
        listen: &Address,
        face: Arc<dyn Face>,
        patience: Duration,
    ) -> Result<Self, ConnectError> {
        let network = Arc::new(network);
        let shelf = Arc::new(Shelf::start()?);
        let listening = network.serve_results(listen, &[Role::Worker], shelf.clone())?;
        let shared = Arc::new(Shared::new(face, network.fetcher(), shelf));
        let hears = shared.clone();
        let outbox = network.connect(scheduler, Role::Scheduler, inbox(move |incoming| hears.hear(incoming)))?;
        let client = Self { shared, outbox, network, listening };
        client.await_welcome(scheduler, patience)?;
        Ok(client)
    }

    fn await_welcome(&self, scheduler: &Address, patience: Duration) -> Result<(), ConnectError> {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        while state.next_run.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            let reason = match &state.lost {
                Some(lost) => lost.clone(),
                None if left.is_zero() => format!("it didn't answer within {} s", patience.as_secs_f64()),
                None => {
                    state = self.shared.changed.wait_for(state, left).0;
                    continue;
                }
            };
            drop(state);
            self.outbox.close();
            return Err(ConnectError::Unreached { address: scheduler.to_string(), reason });
        }
        Ok(())
    }

    /// Has a graph run.
    pub fn submit(&self, job: Job) -> Result<RemoteRun, ClusterError> {
        let Job { graph, wanted, given } = job;
        let run = self.begin(wanted.clone())?;
        let given_at = vec![self.listening.address().to_string()];
        let ranges = given.iter().map(|(range, _)| *range).collect();
        self.shared.shelf.put(run.id(), given);
        let submission = Submission {
            run: run.id(),
            parent: None,
            wanted,
            failure: FailureScope::Run,
            imports: vec![],
            given: ranges,
            given_at,
        };
        self.send(&FromClient::Submit(submission), vec![graph])?;
        Ok(run)
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Option<Peer> {
        self.outbox.peer()
    }

    /// Workers that are there.
    pub fn workers(&self) -> Vec<WorkerInfo> {
        self.shared.state.lock().workers.values().map(|(worker, _)| worker.clone()).collect()
    }

    /// Waits until there are so many workers; says whether there are.
    pub fn wait_for_workers(&self, count: usize, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        while state.workers.len() < count && state.lost.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_for(state, left).0;
        }
        state.workers.len() >= count
    }

    /// Why the cluster is out of reach for good, if it is.
    pub fn lost(&self) -> Option<String> {
        self.shared.state.lock().lost.clone()
    }

    /// Leaves the cluster.
    pub fn close(&self, patience: Duration) {
        self.outbox.close();
        self.network.close(patience);
    }

    fn begin(&self, wanted: Vec<TaskRange>) -> Result<RemoteRun, ClusterError> {
        let mut state = self.shared.state.lock();
        if let Some(lost) = &state.lost {
            return Err(ClusterError::Disconnected(lost.clone()));
        }
        let next = state.next_run.as_mut().ok_or_else(|| ClusterError::Disconnected("it isn't there yet".into()))?;
        let id = RunId(*next);
        *next += 1;
        let run = Arc::new(RunState::new(wanted));
        state.runs.insert(id, run.clone());
        drop(state);
        Ok(RemoteRun::new(id, run, self.shared.clone(), self.outbox.clone()))
    }

    fn send(&self, message: &FromClient, bulk: Vec<Bytes>) -> Result<(), ClusterError> {
        loop {
            match self.outbox.send_waiting(message, bulk.clone(), PATIENCE) {
                Err(SendError::Full { .. }) => {}
                Ok(()) => return Ok(()),
                Err(error) => return Err(ClusterError::Disconnected(error.to_string())),
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.outbox.close();
    }
}
