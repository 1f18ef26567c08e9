//! One task, as its runner sees it.

use raskt_graph::{Graph, Op, TaskId};
use raskt_value::CancelToken;

/// One task, as a runner sees it.
pub struct TaskCall<'a> {
    /// The graph that it is in.
    pub graph: &'a Graph,
    /// Which task it is.
    pub task: TaskId,
    /// Threads that it may use, its own included.
    pub threads: usize,
    /// Set when nobody wants the result any more.
    pub cancel: &'a CancelToken,
}

impl TaskCall<'_> {
    /// What the task is to do.
    pub fn op(&self) -> &Op {
        self.graph.op_of(self.task.layer)
    }
}
