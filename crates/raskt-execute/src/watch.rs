//! What observers are told of the tasks of one batch.

use crate::batch::Made;
use crate::execution::Execution;
use crate::observer::{ResultId, Telling};
use crate::runner::Runner;
use raskt_graph::TaskId;
use raskt_schedule::TaskRange;
use raskt_value::{TaskError, Value};
use std::cell::RefCell;
use std::time::Instant;

/// Tells observers of tasks as they run. There is one only while somebody looks on.
pub(crate) struct Watch<'a> {
    telling: RefCell<Telling>,
    execution: &'a Execution,
    runner: &'a dyn Runner,
    start: Instant,
}

impl<'a> Watch<'a> {
    /// For the tasks of `execution`, unless nobody looks on or they tell of themselves.
    pub fn begin(execution: &'a Execution, runner: &'a dyn Runner) -> Option<Self> {
        let telling = Telling::begin()?;
        if runner.tells_itself(&execution.graph, execution.tasks[0]) {
            return None;
        }
        Some(Self { telling: RefCell::new(telling), execution, runner, start: Instant::now() })
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
        self.runner.key(&self.execution.graph, task)
    }

    fn id(&self, task: TaskId) -> ResultId {
        ResultId { run: Some(self.execution.run), task, engine: self.execution.engine }
    }

    fn op(&self, task: TaskId) -> &std::sync::Arc<str> {
        &self.execution.graph.op_of(task.layer).name
    }
}
