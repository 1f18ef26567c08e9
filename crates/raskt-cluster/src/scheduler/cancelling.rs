//! Calls that clients cancel, and with them whatever has still to be computed from them.

use super::core::Core;
use crate::message::ErrorForm;
use crate::standing::meeting;
use raskt_graph::TaskId;
use raskt_schedule::{Event, RunId, TaskRange};
use raskt_value::ErrorKind;
use std::collections::BTreeMap;

impl Core {
    /// A client cancels tasks. Those that others want too, or that a name refers to, are cancelled only `by_force`; their client lets go
    /// of them in any case.
    pub fn cancel(&mut self, client: u32, tasks: &[(RunId, TaskRange)], by_force: bool) -> Result<(), String> {
        let mut sources: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        for &(run, range) in tasks {
            self.check_own(client, run)?;
            // A run that ended otherwise meanwhile has nothing to cancel.
            let Some(graph) = self.machine.graph(run) else { continue };
            TaskRange::check_all(&[range], graph).map_err(|error| error.to_string())?;
            for (run, source) in self.sources_of(run, range) {
                sources.entry(run).or_default().push(source);
            }
        }
        for (run, tasks) in sources {
            let tasks = if by_force { tasks } else { self.wanted_by_nobody_else(client, run, tasks) };
            let Some(first) = tasks.iter().find(|range| !range.is_empty()) else { continue };
            self.cancelled.insert((run, TaskId::new(first.layer, first.start)));
            self.try_event(Event::Cancelled { run, tasks })?;
        }
        Ok(())
    }

    /// The tasks themselves, or what they stand for.
    fn sources_of(&self, run: RunId, tasks: TaskRange) -> Vec<(RunId, TaskRange)> {
        let sources = meeting(self.machine.imports_of(run), tasks).map(|import| {
            let (start, end) = (import.tasks.start.max(tasks.start), import.tasks.end.min(tasks.end));
            let from = import.source_of(TaskId::new(tasks.layer, start));
            (import.run, TaskRange { layer: from.layer, start: from.index, end: from.index + (end - start) })
        });
        let sources: Vec<_> = sources.collect();
        // All of a layer stands for something, or nothing of it does.
        if sources.is_empty() { vec![(run, tasks)] } else { sources }
    }

    fn wanted_by_nobody_else(&self, client: u32, run: RunId, tasks: Vec<TaskRange>) -> Vec<TaskRange> {
        let is_own = |run: &RunId| self.runs.get(run).is_none_or(|record| record.client == client);
        if !is_own(&run) && self.runs.get(&run).is_some_and(|record| !record.is_released) {
            return vec![];
        }
        if !self.machine.has_importers(run) {
            return tasks;
        }
        let is_alone = |task: &TaskId| self.machine.importers(run, *task).iter().all(is_own);
        TaskRange::of(tasks.iter().flat_map(|range| range.tasks()).filter(is_alone))
    }

    /// What is said of what has failed because this task was cancelled; nothing if it wasn't.
    pub fn cancellation(&self, run: RunId, task: TaskId) -> Option<ErrorForm> {
        self.cancelled.contains(&(run, task)).then(|| ErrorForm {
            key: self.key(run, task),
            kind: ErrorKind::Cancelled,
            message: "it was cancelled, or what it depends on was".into(),
            cause: None,
        })
    }
}
