//! What a scheduler elsewhere wants, and what its clients give.

use super::State;
use super::entry::RunEntry;
use super::head::{Elsewhere, Head, Outgoing, Then, Word};
use crate::uplink::{TaskFailure, Uplink};
use crate::worker_error::WorkerError;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Assignment, Outcome, Report, RunId, TaskRange, WorkerEvent, WorkerOrder, WorkerTold};
use raskt_store::StoredRef;
use raskt_value::Value;
use std::collections::btree_map::Entry;
use std::sync::Arc;

impl State {
    /// Begins nothing more, and gives back what hasn't begun, after the word that there are no slots for it here. All else goes on: others
    /// may still want of it what is here.
    pub fn close(&mut self) {
        self.leaves = true;
        self.worker.handle_event(WorkerEvent::Leaves);
        self.resize();
    }

    /// Does what the scheduler wants.
    pub fn obey(&mut self, order: WorkerOrder) -> Result<(), WorkerError> {
        if (self.leaves || self.is_shut_down)
            && let WorkerOrder::Assign(Assignment { run, attempt, tasks, .. }) = order
        {
            // It was on its way when the scheduler heard that there are no slots.
            self.head.tell(WorkerTold::Recalled { run, attempt, tasks });
            return Ok(());
        }
        self.check_open()?;
        match order {
            WorkerOrder::Assign(assignment) if self.is_unread(assignment.run) => self.fail_unread(&assignment),
            WorkerOrder::Assign(assignment) => {
                assignment.check(&*self.graph_of(assignment.run)?)?;
                let imports = self.runs.get(&assignment.run).map(|entry| &entry.imports);
                let others = assignment.fetches.iter().filter(|fetch| fetch.run != assignment.run);
                others.zip(imports.into_iter().cycle()).try_for_each(|(fetch, imports)| imports.check(fetch))?;
                if !self.is_answered(&assignment) {
                    self.worker.handle_event(WorkerEvent::Assigned(assignment));
                    self.heed_adrift();
                }
            }
            WorkerOrder::Recall { run, attempt, tasks } => {
                self.worker.handle_event(WorkerEvent::Recall { run, attempt, tasks });
            }
            WorkerOrder::Discard { run, tasks, inventory_version } => {
                let Some(elsewhere) = self.head.elsewhere_mut() else { return Ok(()) };
                let dropped = elsewhere.inventory.discard(run, &tasks, inventory_version);
                self.discard(run, &dropped);
            }
            WorkerOrder::Forget { run } => self.forget(run),
        }
        self.act();
        Ok(())
    }

    fn is_unread(&self, run: RunId) -> bool {
        self.runs.get(&run).is_some_and(|entry| entry.unread.is_some())
    }

    /// Tasks of a graph that can't be read here: the first of them fails.
    fn fail_unread(&mut self, assignment: &Assignment) {
        let &Assignment { run, attempt, ref tasks, .. } = assignment;
        let Some(error) = self.runs.get(&run).and_then(|entry| entry.unread.clone()) else { return };
        let mut outcomes = vec![];
        for (at, task) in tasks.iter().flat_map(|range| range.tasks()).enumerate() {
            if let (0, Some(elsewhere)) = (at, self.head.elsewhere_mut()) {
                let key = format!("task {} of layer {}", task.index, task.layer.0);
                elsewhere.put_out(Word::Failed(TaskFailure { run, task, key, error: error.clone() }));
            }
            Outcome::push(&mut outcomes, task, if at == 0 { Outcome::Failed } else { Outcome::NotRun });
        }
        self.head.tell(WorkerTold::Reported(Report { run, attempt, outcomes, nanoseconds: 0 }));
    }

    /// Takes in the graph of a run, of which there may be assignments from now on. To be told of it again changes nothing.
    pub fn add_graph(&mut self, run: RunId, entry: RunEntry) -> Result<(), WorkerError> {
        self.check_open()?;
        match self.runs.entry(run) {
            Entry::Vacant(vacant) => _ = vacant.insert(entry),
            Entry::Occupied(mut found) if found.get().is_guest => found.get_mut().welcome(entry),
            Entry::Occupied(_) => {}
        }
        self.heed_limit();
        self.act();
        Ok(())
    }

    /// Takes in data that a client gives, of which the large is in the store.
    pub fn put(&mut self, run: RunId, values: Vec<(TaskId, Value)>) -> Result<(), WorkerError> {
        self.check_open()?;
        let entry = self.runs.get_mut(&run).ok_or(WorkerError::UnknownRun(run))?;
        let tasks = TaskRange::of(values.iter().map(|(task, _)| *task));
        let bytes = values.iter().map(|(_, value)| value.bytes() as u64).sum();
        let small = |value: &Value| if StoredRef::of(value).is_none() { value.bytes() as u64 } else { 0 };
        let small: u64 = values.iter().map(|(_, value)| small(value)).sum();
        entry.small += small;
        self.store.hold_unasked(small);
        let before: Vec<Value> =
            values.into_iter().filter_map(|(task, value)| entry.results.put(task, value)).collect();
        self.let_go(run, before);
        self.tell_scheduler(WorkerTold::Scattered { run, tasks, bytes });
        Ok(())
    }

    /// Takes in copies of results, of which the large are in the store; what is here already stays as it is.
    pub fn put_copies(&mut self, run: RunId, values: Vec<(TaskId, Value)>) -> Result<(), WorkerError> {
        self.check_open()?;
        let entry = self.runs.get_mut(&run).ok_or(WorkerError::UnknownRun(run))?;
        let tasks = TaskRange::of(values.iter().map(|(task, _)| *task));
        let (here, new): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|(task, _)| entry.results.get(*task).is_some());
        let small = |value: &Value| if StoredRef::of(value).is_none() { value.bytes() as u64 } else { 0 };
        let small: u64 = new.iter().map(|(_, value)| small(value)).sum();
        entry.small += small;
        self.store.hold_unasked(small);
        new.into_iter().for_each(|(task, value)| _ = entry.results.put(task, value));
        self.afterwards.values.extend(here.into_iter().map(|(_, value)| value));
        self.tell_scheduler(WorkerTold::Fetched { run, tasks });
        Ok(())
    }

    /// Something is to be done when all has been told that is to be told by now.
    pub fn once_told(&mut self, then: Then) {
        if let Some(elsewhere) = self.head.elsewhere_mut() {
            elsewhere.put_out(Word::Then(then));
        }
    }

    pub fn graph_of(&self, run: RunId) -> Result<Arc<Graph>, WorkerError> {
        let known = self.runs.get(&run).filter(|entry| !entry.is_guest);
        known.map(|entry| entry.graph.clone()).ok_or(WorkerError::UnknownRun(run))
    }

    /// What of these tasks is here, without what it may stand for.
    pub fn results_of(&self, wanted: &[(RunId, TaskRange)]) -> Vec<(RunId, TaskId, Option<Value>)> {
        let mut found = vec![];
        for &(run, tasks) in wanted {
            let entry = self.runs.get(&run);
            let here = |task| (run, task, entry.and_then(|entry| entry.results.get(task).cloned()));
            found.extend(tasks.tasks().map(here));
        }
        found
    }

    /// Why a task of `run` failed, until the run is forgotten.
    pub fn error_of(&self, run: RunId, task: TaskId) -> Option<(String, raskt_value::TaskError)> {
        self.runs.get(&run)?.errors.get(&task).cloned()
    }

    /// What is here and the scheduler knows of, with its bytes.
    pub fn held(&self) -> Vec<(RunId, Vec<(TaskRange, u64)>)> {
        let Some(elsewhere) = self.head.elsewhere() else { return vec![] };
        let bytes = |run: RunId, range: TaskRange| -> u64 {
            let entry = self.runs.get(&run);
            let values = range.tasks().filter_map(|task| entry?.results.get(task));
            values.map(|value| value.bytes() as u64).sum()
        };
        let of_run = |run| elsewhere.inventory.of(run).into_iter().map(|range| (range, bytes(run, range))).collect();
        elsewhere.inventory.runs().map(|run| (run, of_run(run))).collect()
    }

    /// Whether nothing runs that somebody waits for, and all of it has been told.
    pub fn is_at_rest(&self) -> bool {
        let is_done = self.picked.is_empty() && self.executions.is_empty() && self.loading.is_empty();
        is_done && self.head.elsewhere().is_none_or(Elsewhere::is_silent)
    }

    /// Lets go of everything, and of the uplink, which is to be dropped without the lock.
    pub fn leave(&mut self) -> Option<Arc<dyn Uplink>> {
        self.is_shut_down = true;
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.forget(run);
        }
        self.act();
        self.head.elsewhere_mut()?.hang_up()
    }

    /// Whether there is something to tell, and no thread at it.
    pub fn has_to_tell(&self) -> bool {
        self.head.elsewhere().is_some_and(Elsewhere::has_to_tell)
    }

    /// What is to be told once the lock is gone, by the thread that has it.
    pub fn begin_telling(&mut self) -> Option<Outgoing> {
        self.head.elsewhere_mut()?.begin_telling()
    }

    /// What has come meanwhile; without anything, the thread that told is done with it.
    pub fn go_on_telling(&mut self) -> Option<Outgoing> {
        self.head.elsewhere_mut()?.go_on_telling()
    }

    #[cfg(test)]
    pub fn describe(&self) -> String {
        let ready: Vec<_> = self.executions.iter().map(|execution| execution.ticket).collect();
        let asking: Vec<_> = self.asking.iter().map(|(ticket, (_, loads))| (ticket, loads)).collect();
        let elsewhere = self.head.elsewhere().unwrap();
        format!(
            "{:?}; picked {:?}, strays {:?}, asking {asking:?}, loading {:?}, ready {ready:?}, {:?}, {:?}, silent {}, inv {:?}",
            self.worker,
            self.picked,
            self.strays,
            self.loading.keys(),
            self.pool,
            elsewhere.fetches,
            elsewhere.is_silent(),
            elsewhere.inventory
        )
    }

    #[cfg(test)]
    pub fn known_runs(&self) -> usize {
        self.runs.len()
    }

    /// Whether orders are taken.
    pub(super) fn check_open(&self) -> Result<(), WorkerError> {
        match &self.head {
            _ if self.is_shut_down => Err(WorkerError::ShutDown),
            Head::Elsewhere(elsewhere) if elsewhere.is_broken() => Err(WorkerError::Broken),
            _ => Ok(()),
        }
    }
}
