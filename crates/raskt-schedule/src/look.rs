//! What audits ask a scheduler.

use crate::worker_state::WorkerState;
use crate::{Attempt, HeldBack, RunId, Scheduler, WorkerId};
use raskt_graph::TaskId;

impl Scheduler {
    /// Runs of which tasks that could start wait for others to free memory, and for whom.
    pub fn all_held_back(&self) -> impl Iterator<Item = (RunId, HeldBack)> {
        self.waits.iter().map(|(run, _, held)| (run, held))
    }

    /// Whether `run` stands in line, since something of it may be ready.
    pub fn is_in_line(&self, run: RunId) -> bool {
        !self.queue.has_none_of(run)
    }

    /// Whether `task` may have killed workers, so that it has to run alone.
    pub fn is_suspect(&self, run: RunId, task: TaskId) -> bool {
        self.runs.get(&run).is_some_and(|run| run.suspects.contains(task))
    }

    /// Who holds the result of `task` of `run`.
    pub fn holders(&self, run: RunId, task: TaskId) -> Vec<WorkerId> {
        let run = self.runs.get(&run).filter(|run| run.tasks.is_needed(task) && run.tasks.is_in_memory(task));
        let located = run.map(|run| run.locate(self.runs.others(), task));
        located.map(|located| located.tasks.holders(located.task).collect()).unwrap_or_default()
    }

    /// How many slots `worker` is counted to have, those included that its tasks have lent.
    pub fn slots_of(&self, worker: WorkerId) -> Option<u64> {
        self.workers.get(worker).map(WorkerState::slots)
    }

    /// Whether something goes on at `worker` that was begun for a run that is forgotten, as far as is known.
    pub fn has_orphans(&self, worker: WorkerId) -> bool {
        self.workers.get(worker).is_some_and(WorkerState::has_orphans)
    }

    /// Whether an assignment of `worker` has what it requires, or a part of it, from tasks that wait for its run.
    pub fn has_borrowed(&self, worker: WorkerId, run: RunId, attempt: Attempt) -> bool {
        let placed = self.workers.get(worker).and_then(|state| state.find(run, attempt));
        placed.is_some_and(|placed| !placed.borrowed.is_empty())
    }

    /// When there is no run: what is left of those that there were, in words.
    pub fn leftovers(&self) -> Option<String> {
        if !self.waits.is_empty() {
            return Some(format!("{:?} is still held back", self.waits));
        }
        if !self.with_suspects.is_empty() || !self.doubtful.is_empty() || !self.unfinished.is_empty() {
            return Some("runs are still looked at".into());
        }
        if !self.wakeable.is_empty() || !self.hopeless.is_empty() {
            return Some("something is still required".into());
        }
        if !self.queue.is_empty() || !self.requiring.is_empty() || !self.needy.is_empty() {
            return Some("something still stands in line".into());
        }
        if !self.reserves.is_empty() {
            return Some("workers are still kept for those who ask for much".into());
        }
        let workers = self.workers.ids().filter_map(|worker| Some((worker, self.workers.get(worker)?)));
        let left = |state: &WorkerState| match state {
            _ if !state.is_idle() => Some("an assignment"),
            _ if state.holdings().iter().next().is_some() => Some("results"),
            _ if state.slots() != u64::from(state.offer().slots) => Some("slots that were lent"),
            _ if state.quarantine().is_some() => Some("a suspect"),
            _ => None,
        };
        let mut left = workers.filter_map(|(worker, state)| Some((worker, left(state)?)));
        left.next().map(|(worker, what)| format!("{worker:?} is still said to have {what}"))
    }
}
