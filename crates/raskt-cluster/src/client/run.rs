//! A run of a client, from its submission to its results.

use super::failed::{ClusterError, TaskFailed};
use super::gathering::{Part, fetch};
use super::shared::Shared;
use super::state::RunState;
use raskt_graph::TaskId;
use raskt_schedule::{Held, RunId};
use raskt_value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After so long it is tried again to fetch what couldn't be had where it was said to be, unless something is told before.
const PAUSE: Duration = Duration::from_millis(100);

/// A run on a cluster. When this goes, nothing of it is wanted any more.
pub struct RemoteRun {
    id: RunId,
    state: Arc<RunState>,
    shared: Arc<Shared>,
}

impl RemoteRun {
    pub(super) fn new(id: RunId, state: Arc<RunState>, shared: Arc<Shared>) -> Self {
        Self { id, state, shared }
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
            let held = match self.await_held(deadline)? {
                Ok(held) => held,
                Err(failed) => return Some(Err(failed.error())),
            };
            match self.fetch(&held, deadline) {
                Ok(Some(values)) => return Some(Ok(values)),
                Ok(None) => {}
                Err(ClusterError::TimedOut) => return None,
                Err(error) => return Some(Err(error)),
            }
            // A worker is gone: what it held is made again, and then this is told anew, or somebody else holds it.
            self.shared.errands.look_for(self.id, self.state.wanted.iter().copied());
            self.await_change(deadline)?;
        }
    }

    fn await_held(&self, deadline: Instant) -> Option<Result<Vec<Held>, Arc<TaskFailed>>> {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(held) = self.state.held().transpose() {
                return Some(held);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.shared.changed.wait_for(state, left).0;
        }
    }

    fn await_change(&self, deadline: Instant) -> Option<()> {
        let left = deadline.saturating_duration_since(Instant::now()).min(PAUSE);
        drop(self.shared.changed.wait_for(self.shared.state.lock(), left));
        (deadline > Instant::now()).then_some(())
    }

    /// Its results, if all are where they are said to be.
    fn fetch(&self, held: &[Held], deadline: Instant) -> Result<Option<Vec<Value>>, ClusterError> {
        let mut total = 0;
        let part = |held: &Held| {
            let at = total;
            total += held.tasks.len() as usize;
            let each = held.bytes / held.tasks.len().max(1);
            Part { at, run: self.id, tasks: held.tasks, name: (self.id, held.tasks), worker: held.worker, each }
        };
        let parts: Vec<_> = held.iter().map(part).collect();
        let mut found = vec![None; total];
        if !fetch(&self.shared, parts, &mut found, Some(deadline))?.is_empty() {
            return Ok(None);
        }
        let of_tasks = held.iter().flat_map(|held| held.tasks.tasks());
        let found: BTreeMap<TaskId, Value> =
            of_tasks.zip(found).filter_map(|(task, value)| Some((task, value?))).collect();
        let all = self.state.wanted.iter().flat_map(|range| range.tasks());
        Ok(all.map(|task| found.get(&task).cloned()).collect())
    }
}

impl Drop for RemoteRun {
    fn drop(&mut self) {
        self.shared.forget(self.id);
    }
}
