//! What a client knows of its runs and of the cluster.

use super::causes::Causes;
use super::failed::{ClusterError, TaskFailed};
use super::home::{Away, KnownAs, Unwritten};
use super::state::RunState;
use super::table::{Change, Place, TaskTable, WatchId};
use super::watching::{Callback, Watching};
use crate::driver::Outbox;
use crate::message::{FromClient, Submission, WorkerInfo};
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{Import, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// Runs of data for which a run is known to wait, at most.
const AWAITED_MOST: usize = 8;

/// What comes of something that was said.
#[derive(Clone)]
pub(super) enum Heard {
    Done,
    Refused(String),
    /// The scheduler has begun anew, and nobody knows whether it was heard before.
    Unknown,
}

#[derive(Default)]
pub(super) struct State {
    pub next_run: Option<u64>,
    /// The scheduler has said which workers there are.
    pub knows_workers: bool,
    pub workers: BTreeMap<WorkerId, WorkerInfo>,
    pub runs: BTreeMap<RunId, Arc<RunState>>,
    pub tables: BTreeMap<RunId, TaskTable>,
    pub watches: BTreeMap<WatchId, Watching>,
    pub next_watch: u64,
    /// What was said under numbers of which an answer is wanted; with the answer, once it is there.
    pub asked: BTreeMap<u64, Option<Heard>>,
    pub next_number: u64,
    /// What failed first.
    pub(super) causes: Causes,
    /// Bytes of small results that are kept.
    pub(super) kept_bytes: Arc<AtomicUsize>,
    /// The way to the scheduler.
    pub outbox: Option<Outbox<FromClient>>,
    /// By what the scheduler knows this client when it comes back.
    pub known_as: Option<KnownAs>,
    /// What was submitted, and may not outlive the scheduler.
    pub unwritten: BTreeMap<RunId, Unwritten>,
    /// How many were kept so far.
    next_unwritten: u64,
    /// The run of calls of which the scheduler hasn't heard yet.
    pub gathering: Option<RunId>,
    /// What is to be run again, by the number under which the scheduler says that it has heard so.
    pub retries: BTreeMap<u64, (RunId, Vec<TaskRange>)>,
    /// What is cancelled, and whether by force, by the same.
    pub cancels: BTreeMap<u64, (Vec<(RunId, TaskRange)>, bool)>,
    /// The scheduler has begun anew, and isn't back to where it was.
    pub away: Option<Away>,
    /// Why the session is over, if it is.
    pub lost: Option<String>,
    /// Those who are to be called once the lock is gone.
    pub(super) calls: Vec<Callback>,
}

/// Why nothing can be said.
pub(super) fn not_there_yet() -> ClusterError {
    ClusterError::Disconnected("it isn't there yet".into())
}

impl State {
    /// A number for a run that is to begin.
    pub fn take_number(&mut self) -> Result<RunId, ClusterError> {
        if let Some(lost) = &self.lost {
            return Err(ClusterError::Disconnected(lost.clone()));
        }
        let next = self.next_run.as_mut().ok_or_else(not_there_yet)?;
        *next += 1;
        Ok(RunId(*next - 1))
    }

    /// A task of a run that gathers is wanted; of what is lost by now nobody would hear.
    pub fn want(&mut self, run: RunId, task: TaskId) -> Result<(), ClusterError> {
        if let Some(lost) = &self.lost {
            return Err(ClusterError::Disconnected(lost.clone()));
        }
        if let Some(table) = self.tables.get_mut(&run) {
            table.want(TaskRange::one(task));
        }
        Ok(())
    }

    /// Something is submitted: it is kept as long as it may be lost with the scheduler.
    pub fn keep_unwritten(&mut self, submission: &Submission, graph: &Bytes) {
        if self.is_written_down() {
            let order = self.next_unwritten;
            self.next_unwritten += 1;
            let kept = Unwritten { order, submission: submission.clone(), graph: graph.clone() };
            self.unwritten.insert(submission.run, kept);
        }
    }

    /// The runs of data that have to come before anything of a run is made, which is `own` if it is given some, and reads these; nothing
    /// if they are too many to tell.
    pub fn awaited_by(&self, imports: &[Import], own: Option<RunId>) -> Option<Arc<[RunId]>> {
        let mut awaited: BTreeSet<RunId> = own.into_iter().collect();
        for import in imports {
            let Some(table) = self.tables.get(&import.run).filter(|table| table.is_to_come(import.source())) else {
                continue;
            };
            awaited.extend(table.awaits.as_ref()?.iter());
            if awaited.len() > AWAITED_MOST {
                return None;
            }
        }
        Some(awaited.into_iter().collect())
    }

    /// Somebody is to be called once the lock is gone. It concerns nobody else.
    pub(super) fn call(&mut self, call: Vec<Callback>) -> bool {
        self.calls.extend(call);
        false
    }

    /// Changes where tasks of a run stand, and tells those who watch them.
    pub fn change_tasks(&mut self, run: RunId, change: impl FnOnce(&mut TaskTable) -> Vec<Change>) {
        let Some(table) = self.tables.get_mut(&run) else { return };
        for change in change(table) {
            let called = self.watches.get_mut(&change.watch).and_then(|watching| watching.take(run, &change));
            if let Some(call) = called {
                self.calls.push(call);
                self.end_watch(change.watch);
            }
        }
    }

    /// Tasks of a run won't come.
    pub(super) fn fail(&mut self, run: RunId, tasks: &[TaskRange], failed: Arc<TaskFailed>) {
        let failed = Place::Failed(failed);
        self.change_tasks(run, |table| tasks.iter().flat_map(|&range| table.set(range, &failed)).collect());
    }

    /// A run won't go on.
    pub(super) fn end(&mut self, run: RunId, failed: &Arc<TaskFailed>) {
        if let Some(run) = self.runs.get(&run) {
            run.end(failed.clone());
        }
        self.change_tasks(run, |table| table.fail_all(failed.clone()));
        // Nobody is to submit it again.
        self.unwritten.remove(&run);
    }

    pub(super) fn stall(&mut self, run: RunId, cause: Option<String>) {
        if let Some(run) = self.runs.get(&run) {
            run.stalled(cause);
        } else if let Some(table) = self.tables.get_mut(&run) {
            table.stalled = cause;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::tests::Wordy;
    use crate::standing::Standing;

    #[test]
    fn what_has_ended_is_submitted_by_nobody_again() {
        let mut state = State::default();
        let (run, other) = (RunId(1), RunId(2));
        let standing = Standing::of(&[]).unwrap();
        for run in [run, other] {
            let (submission, graph) = (standing.submission(run, 1), Bytes::from_static(b"graph"));
            state.unwritten.insert(run, Unwritten { order: run.0, submission, graph });
        }
        let why = ClusterError::Refused("no room".into());
        state.end(run, &TaskFailed::of_run(why, Arc::new(Wordy(0))));
        assert_eq!(state.unwritten.keys().copied().collect::<Vec<_>>(), [other]);
    }
}
