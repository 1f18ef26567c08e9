//! A run whose tasks stand alone, from its submission until nobody has a handle of it any more.

use super::errands::TOLD_AT_A_TIME;
use super::failed::ClusterError;
use super::shared::Shared;
use super::table::{Place, TaskState, TaskTable};
use crate::message::{FromClient, RUNS_OF_A_CLIENT};
use crate::standing::meeting;
use raskt_graph::TaskId;
use raskt_schedule::{Import, RunId, TaskRange};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

/// A run on a cluster each of whose tasks is something by itself, as those of futures are. Clones are handles of the same run; when
/// the last one goes, nothing of it is wanted any more. What other runs import of it stays as long as these need it.
#[derive(Clone)]
pub struct TaskRun(Arc<Inner>);

struct Inner {
    id: RunId,
    /// What of it stands for tasks of other runs.
    imports: Arc<[Import]>,
    /// What tells those from others of their numbers, as far as it is known.
    named: Vec<(RunId, u64)>,
    shared: Arc<Shared>,
}

impl TaskRun {
    pub(super) fn new(id: RunId, (imports, named): (Arc<[Import]>, Vec<(RunId, u64)>), shared: Arc<Shared>) -> Self {
        Self(Arc::new(Inner { id, imports, named, shared }))
    }

    /// A handle that keeps nothing of it wanted.
    pub(super) fn downgrade(&self) -> Weak<dyn Any + Send + Sync> {
        let weak: Weak<Inner> = Arc::downgrade(&self.0);
        weak
    }

    /// The run of such a handle, as long as somebody wants it.
    pub(super) fn again(handle: &Weak<dyn Any + Send + Sync>) -> Option<Self> {
        handle.upgrade()?.downcast().ok().map(Self)
    }

    /// Its number.
    pub fn id(&self) -> RunId {
        self.0.id
    }

    /// Under which name others know the result of a task: that of the run whose task it is.
    pub fn source_of(&self, task: TaskId) -> (RunId, TaskId) {
        let import = meeting(&self.0.imports, TaskRange::one(task)).next();
        import.map_or((self.0.id, task), |import| (import.run, import.source_of(task)))
    }

    /// What tells the run under whose name others know the result of a task from any other of its number; nothing if it isn't known here.
    pub fn mark_of(&self, task: TaskId) -> Option<u64> {
        let Inner { id, named, shared, .. } = &*self.0;
        let (run, _) = self.source_of(task);
        let is_own = run.0 / RUNS_OF_A_CLIENT == id.0 / RUNS_OF_A_CLIENT;
        let named = named.iter().find(|(of, _)| *of == run).map(|(_, mark)| *mark);
        if is_own { Some(shared.mark) } else { named }
    }

    /// Where a task stands.
    pub fn state(&self, task: TaskId) -> TaskState {
        let state = self.0.shared.state.lock();
        match state.tables.get(&self.0.id).map_or(Place::Released, |table| table.place(task)) {
            Place::Pending => TaskState::Pending,
            Place::Available { .. } => TaskState::Available,
            Place::Failed(failed) => TaskState::Failed(failed),
            Place::Released => TaskState::Released,
        }
    }

    /// What it waits for, if it can't go on as things are.
    pub fn stalled(&self) -> Option<String> {
        self.0.shared.state.lock().tables.get(&self.0.id)?.stalled.clone()
    }

    /// Tasks aren't wanted any more. What hasn't run and nobody else needs won't. Never waits.
    pub fn release(&self, tasks: &[TaskRange]) {
        let Inner { id, shared, .. } = &*self.0;
        let released = |table: &mut TaskTable, range: &TaskRange| table.set(*range, &Place::Released);
        let was_sent = shared.change(|state| {
            state.change_tasks(*id, |table| tasks.iter().flat_map(|range| released(table, range)).collect());
            state.gathering != Some(*id)
        });
        if was_sent {
            shared.errands.let_go_of(*id, tasks);
        }
    }

    /// The same, and what has still to be computed from them won't be: it fails, and counts as cancelled. Where others want one of them, or
    /// something that would fail with it, that one goes on unless this is done `by_force`: then they hear that it is cancelled. It waits
    /// for nothing but room to send what depends on them.
    pub fn cancel(&self, tasks: &[TaskRange], by_force: bool) {
        self.0.shared.send_calls();
        self.0.shared.errands.cancel(self.0.id, tasks, by_force);
        self.release(tasks);
    }

    /// Tasks that have failed are to be run again: with what failed first, and all of this run that failed with it.
    pub fn retry(&self, tasks: &[TaskRange]) -> Result<(), ClusterError> {
        let Inner { id, shared, .. } = &*self.0;
        let parts = tasks.chunks(TOLD_AT_A_TIME);
        let numbers: Vec<_> = shared.change(|state| {
            let roots = state.tables.get(id).map(|table| table.roots(tasks)).unwrap_or_default();
            for run in roots.iter().map(|(run, _)| *run).chain([*id]).collect::<std::collections::BTreeSet<_>>() {
                state.change_tasks(run, |table| table.take_up(&roots));
            }
            parts.clone().map(|part| state.note_retry(*id, part)).collect()
        });
        for (part, number) in parts.zip(numbers) {
            shared.send(&FromClient::Retry { run: *id, tasks: part.to_vec() }, vec![])?;
            // Until it is answered it is said again to a scheduler that begins anew.
            shared.send(&FromClient::Barrier { number }, vec![])?;
        }
        Ok(())
    }
}

impl fmt::Debug for TaskRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskRun({})", self.0.id.0)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.forget(self.id);
    }
}
