//! What a run imports: the one place where it is told what a task of it stands for.

use crate::within::are_of;
use crate::{EventError, Import, RunId, TaskRange};
use raskt_graph::{Graph, LayerId, TaskId};
use smallvec::SmallVec;

/// All imports of a run, and what has come of them since its owners were last told.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// In order of their tasks; they cover their layers. None is of a task that stands for another one itself.
    parts: Vec<Import>,
    /// Tasks that have come to be needed, and those that aren't any more, or have gone with their readers.
    pub asked: Vec<TaskRange>,
    pub left: Vec<TaskRange>,
    /// Needed tasks whose result isn't there.
    pub awaited: u64,
}

impl Imports {
    /// Those of `graph`, if they can be.
    pub fn new(graph: &Graph, imports: &[Import]) -> Result<Option<Box<Self>>, EventError> {
        let mut parts: Vec<Import> = imports.iter().copied().filter(|import| !import.tasks.is_empty()).collect();
        imports.iter().try_for_each(|import| are_of(graph, &[import.tasks]))?;
        parts.sort_unstable_by_key(|import| import.tasks);
        let mut next: Option<TaskRange> = None;
        for Import { tasks, .. } in &parts {
            let layer = graph.layer(tasks.layer);
            let left = next.take().unwrap_or(TaskRange { layer: tasks.layer, start: 0, end: layer.len() });
            if left.layer != tasks.layer || left.start != tasks.start || layer.shape.sources() < layer.len() {
                return Err(EventError::NotImported { name: graph.layer(left.layer).name.clone() });
            }
            next = Some(TaskRange { start: tasks.end, ..left }).filter(|left| !left.is_empty());
        }
        match next {
            Some(left) => Err(EventError::NotImported { name: graph.layer(left.layer).name.clone() }),
            None if parts.is_empty() => Ok(None),
            None => Ok(Some(Box::new(Self { parts, ..Self::default() }))),
        }
    }

    pub fn parts(&self) -> &[Import] {
        &self.parts
    }

    /// The same, where what stands for others was followed to what these are.
    pub fn set_parts(&mut self, parts: Vec<Import>) {
        self.parts = parts;
    }

    /// Whether the tasks of `layer` stand for others.
    pub fn has_layer(&self, layer: LayerId) -> bool {
        self.find(TaskId::new(layer, 0)).is_some()
    }

    fn find(&self, task: TaskId) -> Option<&Import> {
        let at =
            self.parts.partition_point(|import| (import.tasks.layer, import.tasks.end) <= (task.layer, task.index));
        self.parts.get(at).filter(|import| import.tasks.contains(task))
    }

    /// What `task` stands for.
    pub fn source_of(&self, task: TaskId) -> Option<(RunId, TaskId)> {
        self.find(task).map(|import| (import.run, import.source_of(task)))
    }

    /// What `tasks` stand for, part by part.
    pub fn within(&self, tasks: TaskRange) -> SmallVec<[Import; 2]> {
        let first = (tasks.layer, tasks.start);
        let from = self.parts.partition_point(|import| (import.tasks.layer, import.tasks.end) <= first);
        let parts = self.parts[from..].iter();
        let parts = parts.take_while(|import| import.tasks.layer == tasks.layer && import.tasks.start < tasks.end);
        parts.filter_map(|import| import.within(tasks)).collect()
    }

    /// Whether its owners have to be told something.
    pub fn have_changed(&self) -> bool {
        !self.asked.is_empty() || !self.left.is_empty()
    }
}
