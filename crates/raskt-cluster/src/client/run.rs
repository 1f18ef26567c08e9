//! A run of a client, from its submission to its results.

use super::gathering::gather;
use super::shared::Shared;
use super::state::{ClusterError, RunState};
use crate::driver::Outbox;
use crate::message::FromClient;
use raskt_schedule::RunId;
use raskt_value::{TaskError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        self.state.cause()
    }

    /// Its results, in the order of what was wanted, if they are there within `patience`.
    pub fn wait_timeout(&self, patience: Duration) -> Option<Result<Vec<Value>, ClusterError>> {
        let deadline = Instant::now() + patience;
        loop {
            let mut state = self.shared.state.lock();
            let held = loop {
                match self.state.take_held() {
                    Err(error) => return Some(Err(error)),
                    Ok(Some(held)) => break held,
                    Ok(None) => {}
                }
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
