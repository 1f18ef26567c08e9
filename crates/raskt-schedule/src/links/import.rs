//! Tasks that stand for tasks of other runs.

use crate::{RunId, TaskRange};
use raskt_graph::TaskId;
use serde::{Deserialize, Serialize};

/// Neighbours in a graph that stand for neighbours in the graph of another run of the same scheduler: one by one, in order.
///
/// Their layer reads nothing, and all of it is imported, by one import or several. The tasks themselves are never run. As long as
/// something that reads them is to run, the results that they stand for are kept, or made again by their own run; they are held
/// and fetched under the names that they have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The tasks that stand for others.
    pub tasks: TaskRange,
    /// The run of those others.
    pub run: RunId,
    /// The first of them.
    pub from: TaskId,
}

impl Import {
    /// The tasks that they stand for. No layer has as many tasks as numbers go.
    pub fn source(&self) -> TaskRange {
        let TaskId { layer, index } = self.from;
        TaskRange { layer, start: index, end: index.saturating_add(self.tasks.len()) }
    }

    /// The part of it that is in `tasks`, of the same layer.
    pub(crate) fn within(&self, tasks: TaskRange) -> Option<Self> {
        let (start, end) = (self.tasks.start.max(tasks.start), self.tasks.end.min(tasks.end));
        let from = TaskId::new(self.from.layer, self.from.index + start.saturating_sub(self.tasks.start));
        (start < end).then_some(Self { tasks: TaskRange { start, end, ..self.tasks }, run: self.run, from })
    }

    /// The task that `task`, which is one of its tasks, stands for.
    pub fn source_of(&self, task: TaskId) -> TaskId {
        TaskId::new(self.from.layer, self.from.index + (task.index - self.tasks.start))
    }
}
