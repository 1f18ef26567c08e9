//! What observers are told of the tasks of one batch.

use crate::made::Made;
use crate::observer::{ResultId, Telling};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{RunId, TaskRange};
use raskt_value::{TaskError, Value};
use std::cell::RefCell;
use std::time::Instant;

/// Tells observers of tasks as they run. There is one only while somebody looks on.
pub(crate) struct Watch<'a> {
    telling: RefCell<Telling>,
    graph: &'a Graph,
    /// The run, and the number of its engine.
    run: (RunId, u32),
    /// What people call a task.
    key: &'a dyn Fn(TaskId) -> String,
    start: Instant,
}

impl<'a> Watch<'a> {
    /// For tasks of `graph`, unless nobody looks on.
    pub fn begin(graph: &'a Graph, run: (RunId, u32), key: &'a dyn Fn(TaskId) -> String) -> Option<Self> {
        let telling = RefCell::new(Telling::begin()?);
        Some(Self { telling, graph, run, key, start: Instant::now() })
    }

    pub fn run(&self, task: TaskId, run: impl FnOnce() -> Result<Value, TaskError>) -> Result<Value, TaskError> {
        self.telling.borrow_mut().started(self.key(task));
        let result = run();
        self.ended(task, result.as_ref().ok());
        result
    }

    /// Tells of tasks that ran elsewhere, together: each is said to have taken an equal share of the time.
    pub fn tell_of_others(&self, tasks: &[TaskRange], results: &[Made]) {
        let told = self.telling.borrow().told();
        let others = tasks.iter().flat_map(|range| range.tasks()).zip(results).skip(told);
        let share = self.start.elapsed() / (results.len() - told.min(results.len())).max(1) as u32;
        for (at, (task, result)) in others.enumerate() {
            let start = self.start + share * at as u32;
            self.telling.borrow_mut().started_at(self.key(task), start);
            self.telling.borrow_mut().ended_at(self.id(task), self.op(task), Some(result.bytes()), start + share);
        }
    }

    fn ended(&self, task: TaskId, result: Option<&Value>) {
        let bytes = result.map(|value| value.bytes() as u64);
        self.telling.borrow_mut().ended_at(self.id(task), self.op(task), bytes, Instant::now());
    }

    fn key(&self, task: TaskId) -> String {
        (self.key)(task)
    }

    fn id(&self, task: TaskId) -> ResultId {
        ResultId { run: Some(self.run.0), task, engine: self.run.1 }
    }

    fn op(&self, task: TaskId) -> &std::sync::Arc<str> {
        &self.graph.op_of(task.layer).name
    }
}
