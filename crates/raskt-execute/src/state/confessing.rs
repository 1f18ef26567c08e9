//! Results that can't be read any more: of a worker the scheduler is told, which has them made again where that is best.

use super::State;
use crate::worker_error::is_lost;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange, WorkerTold};
use raskt_value::Value;
use std::collections::{BTreeMap, BTreeSet};

impl State {
    /// Tells of those that `tasks` read and that are lost.
    pub(super) fn confess_inputs(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(entry) = self.runs.get(&run) else { return };
        let mut inputs: BTreeMap<RunId, BTreeSet<TaskId>> = BTreeMap::new();
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            entry.graph.for_each_input(task, |input| {
                let (owner, source) = entry.imports.source_of(run, input);
                inputs.entry(owner).or_default().insert(source);
            });
        }
        inputs.into_iter().for_each(|(owner, tasks)| self.confess(owner, tasks));
    }

    /// Tells of those of `tasks` that are lost. Somebody may have told of them before, or they may have come anew.
    pub fn confess(&mut self, run: RunId, tasks: impl IntoIterator<Item = TaskId>) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let lost: BTreeSet<_> =
            tasks.into_iter().filter(|&task| entry.results.get(task).is_some_and(is_lost)).collect();
        if lost.is_empty() {
            return;
        }
        let values: Vec<Value> = lost.iter().filter_map(|&task| entry.results.take(task)).collect();
        self.let_go(run, values);
        self.tell_scheduler(WorkerTold::ResultsLost { run, tasks: TaskRange::of(lost) });
    }
}
