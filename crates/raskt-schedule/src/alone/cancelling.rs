//! Tasks that a client has cancelled: what has still to be computed from them fails.

use crate::collections::worklist::Worklist;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::tasks::Tasks;
use crate::{Failure, RunId, TaskRange};
use raskt_graph::{Graph, TaskId};
use std::collections::BTreeMap;

impl Scheduler {
    /// `tasks` of a run aren't wanted any more, nor anything that has still to be computed from them, whoever wants that.
    pub(crate) fn cancel(&mut self, id: RunId, tasks: &[TaskRange]) {
        let Some(first) = tasks.iter().find(|range| !range.is_empty()) else { return };
        if !self.runs.get(&id).is_some_and(Run::goes_on) {
            return;
        }
        let task = TaskId::new(first.layer, first.start);
        let failure = Failure { run: id, task, worker: None, story: vec![] };
        // Those that read what isn't there in other runs hear of it as of any failure; of what is there nothing has failed.
        for (reader, there) in self.cancel_in(id, tasks, &failure) {
            self.cancel_readers(reader, &there, &failure);
        }
        self.change(id, |run| run.tasks.unwant(&run.graph, tasks));
    }

    /// The same of one run. Gives what stands in other runs for those of `tasks` that are in memory.
    fn cancel_in(&mut self, id: RunId, tasks: &[TaskRange], failure: &Failure) -> BTreeMap<RunId, Vec<TaskRange>> {
        let mut readers: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        let Some(run) = self.runs.get_mut(&id) else { return readers };
        let there = run.tasks.cancel(&run.graph, tasks, failure.clone());
        if let Some(exports) = &run.tasks.exports {
            for (reader, range) in there.into_iter().flat_map(|range| exports.within(range)) {
                readers.entry(reader).or_default().push(range);
            }
        }
        self.publish(id);
        readers
    }

    /// `there` are tasks of a run that stand for cancelled ones which are in memory.
    fn cancel_readers(&mut self, id: RunId, there: &[TaskRange], failure: &Failure) {
        match self.runs.get(&id) {
            Some(run) if run.goes_on() => _ = self.cancel_in(id, there, failure),
            // It is one whole.
            Some(run) if !run.is_finished => self.fail_imports(id, Vec::from([(failure.clone(), vec![])])),
            _ => {}
        }
    }
}

impl Scheduler {
    /// The runs that import `task` of `run`.
    pub fn importers(&self, run: RunId, task: TaskId) -> Vec<RunId> {
        let exports = self.runs.get(&run).and_then(|run| run.tasks.exports.as_ref());
        let importers = exports.into_iter().flat_map(|exports| exports.within(TaskRange::one(task)));
        importers.map(|(reader, _)| reader).collect()
    }

    /// Whether others import tasks of `run`.
    pub fn has_importers(&self, run: RunId) -> bool {
        self.runs.get(&run).is_some_and(Run::has_importers)
    }
}

impl Tasks {
    /// What has still to be done of `tasks`, and all that has still to be computed from them, fails. Gives those of `tasks` that are in
    /// memory.
    fn cancel(&mut self, graph: &Graph, tasks: &[TaskRange], failure: Failure) -> Vec<TaskRange> {
        let is_there = |task: &TaskId| self.is_needed(*task) && self.is_in_memory(*task);
        let there = TaskRange::of(tasks.iter().flat_map(|range| range.tasks()).filter(is_there));
        let mut pending = Worklist::default();
        tasks.iter().for_each(|&range| pending.insert(range));
        there.iter().for_each(|&range| self.add_readers(graph, range, &mut pending));
        self.fail_among(graph, pending, failure);
        there
    }
}
