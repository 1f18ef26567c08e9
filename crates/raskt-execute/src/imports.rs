//! What tasks of a run stand for that are of other runs, as a worker knows it.

use crate::worker_error::WorkerError;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Fetch, Import, RunId, TaskRange};

/// The imports of a run, found by the tasks that stand for others and by those that they stand for.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// In the order of the tasks that stand for others; no two have one in common.
    parts: Vec<Import>,
    /// Positions among them, in the order of what they stand for, each with the last of the ends up to there.
    by_source: Vec<(u32, u64)>,
}

impl Imports {
    /// Those of `graph`, if it has such tasks.
    pub fn new(graph: &Graph, imports: &[Import]) -> Result<Self, WorkerError> {
        let mut parts: Vec<_> = imports.iter().copied().filter(|import| !import.tasks.is_empty()).collect();
        TaskRange::check_all(&parts.iter().map(|import| import.tasks).collect::<Vec<_>>(), graph)?;
        parts.sort_unstable_by_key(|import| import.tasks);
        let mut by_source: Vec<_> = (0..parts.len() as u32).map(|at| (at, 0)).collect();
        by_source.sort_unstable_by_key(|&(at, _)| (parts[at as usize].run, parts[at as usize].source()));
        let mut last = None;
        for (at, reach) in &mut by_source {
            let part = &parts[*at as usize];
            let place = (part.run, part.from.layer);
            *reach = last.filter(|(of, _)| *of == place).map_or(0, |(_, reach)| reach).max(part.source().end);
            last = Some((place, *reach));
        }
        Ok(Self { parts, by_source })
    }

    /// The task whose result is what a task of `run` that reads `task` reads.
    pub fn source_of(&self, run: RunId, task: TaskId) -> (RunId, TaskId) {
        let at =
            self.parts.partition_point(|import| (import.tasks.layer, import.tasks.end) <= (task.layer, task.index));
        match self.parts.get(at) {
            Some(import) if import.tasks.contains(task) => (import.run, import.source_of(task)),
            _ => (run, task),
        }
    }

    /// A task that stands for `task` of another run, if there is one.
    pub fn stand_in(&self, run: RunId, task: TaskId) -> Option<TaskId> {
        let key = |at: u32| (self.parts[at as usize].run, self.parts[at as usize].from);
        let mut before = self.by_source.partition_point(|&(at, _)| key(at) <= (run, task));
        // Those that begin before it, as long as one of them may reach so far.
        while let Some(next) = before.checked_sub(1) {
            let (at, reach) = self.by_source[next];
            let part = &self.parts[at as usize];
            if (part.run, part.from.layer) != (run, task.layer) || reach <= task.index {
                return None;
            }
            if part.source().contains(task) {
                return Some(TaskId::new(part.tasks.layer, part.tasks.start + (task.index - part.from.index)));
            }
            before = next;
        }
        None
    }

    /// Whether what is to be fetched of another run is something that tasks stand for.
    pub fn check(&self, fetch: &Fetch) -> Result<(), WorkerError> {
        let TaskRange { layer, start, end } = fetch.tasks;
        let is_there = |index| self.stand_in(fetch.run, TaskId::new(layer, index)).is_some();
        // As many as could be: the ends are there, and no layer of an import is larger than all of them.
        let most: u64 = self.parts.iter().map(|part| part.tasks.len()).sum();
        let is_sound = start < end && end - start <= most && is_there(start) && is_there(end - 1);
        if is_sound { Ok(()) } else { Err(WorkerError::NotImported { run: fetch.run, tasks: fetch.tasks }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::{GraphBuilder, Layer, LayerId, Op, OpFlags, OpKind, Shape};
    use std::sync::Arc;

    fn graph(tasks: u32) -> Graph {
        let mut graph = GraphBuilder::new();
        let (flags, body) = (OpFlags::default(), Arc::new(()));
        let op = graph.op(Op { kind: OpKind::Array, name: "stand".into(), digest: 1, flags, body });
        graph.layer(Layer::new("stand", op, Shape::source(tasks))).unwrap();
        graph.finish()
    }

    proptest! {
        #[test]
        fn each_task_is_found_from_both_sides(
            parts in prop::collection::vec((0..3_u64, 0..2_u32, 0..30_u64, 1..9_u64), 1..12),
            (run, layer, index) in (0..3_u64, 0..2_u32, 0..40_u64),
        ) {
            let mut next = 0;
            let import = |(run, layer, from, len): (u64, u32, u64, u64)| {
                next += len;
                let tasks = TaskRange { layer: LayerId(0), start: next - len, end: next };
                Import { tasks, run: RunId(run), from: TaskId::new(LayerId(layer), from) }
            };
            let parts: Vec<Import> = parts.into_iter().map(import).collect();
            let imports = Imports::new(&graph(200), &parts).unwrap();
            for part in &parts {
                for task in part.tasks.tasks() {
                    prop_assert_eq!(imports.source_of(RunId(9), task), (part.run, part.source_of(task)));
                }
            }
            let beyond = TaskId::new(LayerId(0), next);
            prop_assert_eq!(imports.source_of(RunId(9), beyond), (RunId(9), beyond));
            let source = (RunId(run), TaskId::new(LayerId(layer), index));
            match imports.stand_in(source.0, source.1) {
                Some(found) => prop_assert_eq!(imports.source_of(RunId(9), found), source),
                None => prop_assert!(!parts.iter().any(|part| part.run == source.0 && part.source().contains(source.1))),
            }
        }
    }
}
