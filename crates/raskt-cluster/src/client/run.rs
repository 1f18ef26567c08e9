//! A run of a client, from its submission to its results.

use super::Shared;
use super::gathering::gather;
use crate::driver::Outbox;
use crate::message::FromClient;
use raskt_graph::TaskId;
use raskt_schedule::{Held, RunId, TaskRange};
use raskt_sync::Mutex;
use raskt_value::{TaskError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a run has no results.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClusterError {
    /// A task failed.
    #[error("task `{key}` failed: {error}")]
    Task {
        /// Its key.
        key: String,
        /// Why.
        error: TaskError,
    },
    /// A task killed its workers.
    #[error("{deaths} workers died while they ran task {} of layer {}, and nothing else that could be the reason", .task.index, .task.layer.0)]
    Killed {
        /// How many.
        deaths: usize,
        /// The task.
        task: TaskId,
    },
    /// Something that nobody can make again is gone.
    #[error("{0}")]
    Lost(String),
    /// The cluster doesn't take it.
    #[error("{0}")]
    Refused(String),
    /// The cluster is out of reach.
    #[error("{0}")]
    Disconnected(String),
}

/// What is known of a run.
pub(super) struct RunState {
    pub wanted: Vec<TaskRange>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Who holds what is wanted, once all of it is there.
    held: Option<Vec<Held>>,
    error: Option<ClusterError>,
    stalled: Option<String>,
}

impl RunState {
    pub fn new(wanted: Vec<TaskRange>) -> Self {
        Self { wanted, known: Mutex::default() }
    }

    pub fn finished(&self, held: Vec<Held>) {
        self.known.lock().held = Some(held);
    }

    pub fn end(&self, error: ClusterError) {
        self.known.lock().error.get_or_insert(error);
    }

    pub fn stalled(&self, cause: Option<String>) {
        self.known.lock().stalled = cause;
    }
}

/// A run on a cluster. When this goes, nothing of it is wanted any more.
pub struct RemoteRun {
    id: RunId,
    state: Arc<RunState>,
    shared: Arc<Shared>,
    outbox: Outbox<FromClient>,
}

impl RemoteRun {
    pub(super) fn new(id: RunId, state: Arc<RunState>, shared: Arc<Shared>, outbox: Outbox<FromClient>) -> Self {
        Self { id, state, shared, outbox }
    }

    /// Its number.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What it waits for, if it can't go on as things are.
    pub fn stalled(&self) -> Option<String> {
        self.state.known.lock().stalled.clone()
    }

    /// Its results, in the order of what was wanted, if they are there within `patience`.
    pub fn wait_timeout(&self, patience: Duration) -> Option<Result<Vec<Value>, ClusterError>> {
        let deadline = Instant::now() + patience;
        loop {
            let mut state = self.shared.state.lock();
            let held = loop {
                let mut known = self.state.known.lock();
                if let Some(error) = &known.error {
                    return Some(Err(error.clone()));
                }
                if let Some(held) = known.held.take() {
                    break held;
                }
                drop(known);
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return None;
                }
                state = self.shared.changed.wait_for(state, left).0;
            };
            let addresses = |worker| state.workers.get(&worker).map(|(_, addresses)| addresses.clone());
            let holders = held.iter().map(|held| (held.tasks, addresses(held.worker).unwrap_or_default())).collect();
            drop(state);
            match gather(&self.shared, self.id, &self.state.wanted, holders) {
                Ok(values) => return Some(values.map_err(|error| self.unread(error))),
                // A worker is gone: what it held is made again, and then this is told anew.
                Err(error) => tracing::debug!("results couldn't be fetched, and are waited for again: {error}"),
            }
        }
    }

    fn unread(&self, error: TaskError) -> ClusterError {
        ClusterError::Task { key: format!("results of run {}", self.id.0), error }
    }
}

impl Drop for RemoteRun {
    fn drop(&mut self) {
        self.shared.forget(self.id);
        let _ = self.outbox.send(&FromClient::ReleaseRun { run: self.id }, vec![]);
    }
}
