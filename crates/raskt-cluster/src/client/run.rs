//! A run of a client, from its submission to its results.

use super::failed::{ClusterError, TaskFailed};
use super::gathering::{Gathering, Part};
use super::shared::Shared;
use super::state::RunState;
use super::unreached::Unreached;
use crate::pool::waits_here;
use raskt_graph::TaskId;
use raskt_schedule::{Held, RunId, TaskRange};
use raskt_sync::Mutex;
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
    /// What is on its way while nobody waits for it.
    fetching: Mutex<Option<Fetching>>,
    /// What has come, where others are looked for again.
    came: Mutex<BTreeMap<TaskId, Value>>,
    unreached: Unreached,
}

/// Results on their way, and who holds them.
type Fetching = (Vec<Held>, Gathering);

impl RemoteRun {
    pub(super) fn new(id: RunId, state: Arc<RunState>, shared: Arc<Shared>) -> Self {
        let (fetching, came, unreached) = Default::default();
        Self { id, state, shared, fetching, came, unreached }
    }

    /// Its number.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What it waits for, if it can't go on as things are.
    pub fn stalled(&self) -> Option<String> {
        self.state.cause().or_else(|| self.unreached.story())
    }

    /// Its results, in the order of what was wanted, if they are there within `patience`. What has come by then stays: whoever waits
    /// again has the rest fetched.
    pub fn wait_timeout(&self, patience: Duration) -> Option<Result<Vec<Value>, ClusterError>> {
        let (deadline, _waits) = (Instant::now() + patience, waits_here());
        loop {
            let fetching = self.fetching.lock().take();
            let (held, mut gathering) = match fetching {
                Some(fetching) => fetching,
                None => match self.await_held(deadline)? {
                    Ok(held) => self.begin(held),
                    Err(failed) => return Some(Err(failed.error())),
                },
            };
            match gathering.wait(Some(deadline), true) {
                Ok(()) => {}
                Err(ClusterError::TimedOut) => {
                    *self.fetching.lock() = Some((held, gathering));
                    return None;
                }
                Err(error) => return Some(Err(error)),
            }
            if let Some(values) = self.values(&held, gathering) {
                return Some(values);
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

    /// Has its results fetched, but for those that have come.
    fn begin(&self, held: Vec<Held>) -> Fetching {
        let held = self.still_to_come(held);
        let mut total = 0;
        let part = |held: &Held| {
            let at = total;
            total += held.tasks.len() as usize;
            let each = held.bytes / held.tasks.len().max(1);
            Part { at, run: self.id, tasks: held.tasks, name: (self.id, held.tasks), worker: held.worker, each }
        };
        let parts: Vec<_> = held.iter().map(part).collect();
        let gathering = Gathering::begin(&self.shared, parts, vec![None; total]);
        (held, gathering)
    }

    fn still_to_come(&self, held: Vec<Held>) -> Vec<Held> {
        let came = self.came.lock();
        if came.is_empty() {
            return held;
        }
        let rest = |part: Held| {
            let each = part.bytes / part.tasks.len().max(1);
            let tasks = TaskRange::of(part.tasks.tasks().filter(|task| !came.contains_key(task)));
            tasks.into_iter().map(move |tasks| Held { tasks, bytes: each.saturating_mul(tasks.len()), ..part })
        };
        held.into_iter().flat_map(rest).collect()
    }

    /// Its results, if all were where they were said to be; an error if one of them can't be had here.
    fn values(&self, held: &[Held], gathering: Gathering) -> Option<Result<Vec<Value>, ClusterError>> {
        let (found, missed, mut unread) = gathering.end(&self.unreached);
        let (mut of_tasks, all) = (held.iter().flat_map(|held| held.tasks.tasks()), || {
            self.state.wanted.iter().flat_map(|range| range.tasks())
        });
        if let Some((at, error)) = unread.pop_first() {
            let at = of_tasks.nth(at).and_then(|task| all().position(|wanted| wanted == task)).unwrap_or_default();
            return Some(Err(ClusterError::Unread { at, error }));
        }
        let mut came = self.came.lock();
        came.extend(of_tasks.zip(found).filter_map(|(task, value)| Some((task, value?))));
        if !missed.is_empty() {
            return None;
        }
        let found = std::mem::take(&mut *came);
        all().map(|task| found.get(&task).cloned().map(Ok)).collect()
    }
}

impl Drop for RemoteRun {
    fn drop(&mut self) {
        self.shared.forget(self.id);
    }
}
