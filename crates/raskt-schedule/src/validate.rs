//! What must be true of the scheduler after every event, checked by counting everything again.

use crate::run::Run;
use crate::{Scheduler, TaskState};
use raskt_graph::{Shape, TaskId};

impl Scheduler {
    /// Asserts the invariants. Linear in the size of all graphs: for tests.
    ///
    /// # Panics
    /// If one doesn't hold, with the task and what was found.
    pub fn validate(&self) {
        for run in self.runs.values() {
            self.validate_run(run);
        }
    }

    fn validate_run(&self, run: &Run) {
        let (mut done, mut unfinished_wanted) = (0, 0);
        for (layer, found) in run.graph.layers() {
            for index in 0..found.len() {
                let task = TaskId::new(layer, index);
                if !run.needed.contains(task) {
                    assert!(run.records[layer.0 as usize].get(index).is_none(), "{task} has a record, and no need");
                    continue;
                }
                self.validate_task(run, task);
                let state = run.record(task).state;
                let in_memory = matches!(state, TaskState::InMemory { .. });
                done += u64::from(in_memory || state == TaskState::Released);
                unfinished_wanted += u64::from(run.wanted.contains(task) && !in_memory);
            }
        }
        assert_eq!((run.done, run.unfinished_wanted), (done, unfinished_wanted), "counted tasks");
    }

    fn validate_task(&self, run: &Run, task: TaskId) {
        let is_exchange = matches!(run.graph.layer(task.layer).shape, Shape::Exchange { .. });
        match run.record(task).state {
            TaskState::Waiting { unfinished } if !is_exchange => {
                let mut missing = 0;
                run.graph.for_each_input(task, |input| {
                    missing += u32::from(!matches!(run.record(input).state, TaskState::InMemory { .. }));
                });
                assert_eq!(unfinished, missing, "unfinished inputs of {task}");
            }
            TaskState::Ready => run.graph.for_each_input(task, |input| {
                let state = run.record(input).state;
                assert!(matches!(state, TaskState::InMemory { .. }), "{task} is ready, and its input is {state:?}");
            }),
            TaskState::Running { worker } => {
                assert!(self.workers.contains_key(&worker), "{task} runs on {worker:?}, which is not there");
            }
            TaskState::InMemory { worker, unread } => {
                assert!(self.workers.contains_key(&worker), "{task} is held by {worker:?}, which is not there");
                assert!(unread > 0 || run.wanted.contains(task), "{task} is held for nobody");
                assert_eq!(unread, run.count_unread(task), "reads of {task} to come");
            }
            _ => {}
        }
    }
}
