//! Results that aren't in memory, and whose files were dropped or bad: the thread that needs one computes it again.
//!
//! It does so alone, task after task: to lend its slot and wait for others would let each loss start one more task, which
//! may meet a loss itself.

use crate::batch::Stored;
use crate::call::TaskCall;
use crate::made::Made;
use crate::runner::Runners;
use crate::{RunError, panics};
use raskt_graph::{Graph, TaskId};
use raskt_store::{Holder, Kept, Store};
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What it takes to compute a result again.
pub(crate) struct Recovery {
    pub runners: Runners,
    pub store: Store,
}

impl Recovery {
    /// Puts in all of `values` that aren't there, for `holder`, who was promised memory for them.
    pub fn inputs(&self, values: &mut [Value], holder: Holder, cancel: &CancelToken) -> Result<(), TaskError> {
        for value in values {
            if let Some(kept) = Kept::of(value) {
                *value = self.found(&kept, Some(holder), cancel).map_err(as_task_error)?;
            }
        }
        Ok(())
    }

    /// Results that another store keeps become values of their own, which this engine's store may keep. On a failure those
    /// before it are left.
    pub fn adopt(&self, made: &mut Vec<Made>, cancel: &CancelToken) -> Result<(), TaskError> {
        for at in 0..made.len() {
            let Made::Here(value) = &made[at] else { continue };
            let Some(kept) = Kept::of(value).filter(|kept| !self.store.keeps(kept)) else { continue };
            match self.found(&kept, None, cancel) {
                Ok(value) => made[at] = Made::Here(value),
                Err(error) => {
                    made.truncate(at);
                    return Err(as_task_error(error));
                }
            }
        }
        Ok(())
    }

    fn found(&self, kept: &Arc<Kept>, holder: Option<Holder>, cancel: &CancelToken) -> Result<Value, RunError> {
        if let Some(value) = kept.fetch() {
            return Ok(value);
        }
        let (graph, task) = kept.lineage().get().ok_or_else(|| lost("a result".into()))?;
        let value = Again { recovery: self, graph: &graph, cancel }.compute(task)?;
        kept.restore(value.clone(), holder);
        Ok(value)
    }
}

impl Stored for Recovery {
    fn value(&self, value: Value) -> Result<Value, RunError> {
        match Kept::of(&value) {
            Some(kept) => self.found(&kept, None, &CancelToken::default()),
            None => Ok(value),
        }
    }
}

fn as_task_error(error: RunError) -> TaskError {
    TaskError::new(error.kind(), error.to_string())
}

/// Computes tasks of a graph again.
struct Again<'a> {
    recovery: &'a Recovery,
    graph: &'a Arc<Graph>,
    cancel: &'a CancelToken,
}

impl Again<'_> {
    /// The result of `wanted`, from the tasks that read nothing on. A result goes when its last reader has run.
    fn compute(&self, wanted: TaskId) -> Result<Value, RunError> {
        let mut unread = self.count_reads(wanted);
        let mut results = Counted { store: &self.recovery.store, values: BTreeMap::new() };
        let mut stack = vec![wanted];
        while let Some(&task) = stack.last() {
            let before = stack.len();
            self.graph.for_each_input(task, |input| {
                if !results.values.contains_key(&input) {
                    stack.push(input);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if results.values.contains_key(&task) {
                continue;
            }
            let (mut inputs, mut spent) = (vec![], vec![]);
            self.graph.for_each_input(task, |input| {
                inputs.push(results.values[&input].clone());
                if let Some(left) = unread.get_mut(&input) {
                    *left -= 1;
                    spent.extend((*left == 0).then_some(input));
                }
            });
            let result = self.run(task, &inputs)?;
            drop(inputs);
            results.insert(task, result);
            spent.iter().for_each(|input| drop(results.remove(input)));
        }
        Ok(results.remove(&wanted).expect("the wanted task is the first on the stack and the last to leave it"))
    }

    /// How often each task that `wanted` needs is read.
    fn count_reads(&self, wanted: TaskId) -> BTreeMap<TaskId, u32> {
        let mut unread = BTreeMap::new();
        let mut stack = vec![wanted];
        while let Some(task) = stack.pop() {
            self.graph.for_each_input(task, |input| {
                let reads = unread.entry(input).or_insert(0);
                if *reads == 0 {
                    stack.push(input);
                }
                *reads += 1;
            });
        }
        unread
    }

    fn run(&self, task: TaskId, inputs: &[Value]) -> Result<Value, RunError> {
        let Self { recovery, graph, cancel } = self;
        let call = TaskCall { graph, task, threads: 1, cancel };
        let runner = recovery.runners.of(call.op().kind);
        let ran = runner.and_then(|runner| match cancel.is_cancelled() {
            true => Err(TaskError::cancelled()),
            false => panics::catch(|| runner.run(&call, inputs)),
        });
        match ran.map(|value| Kept::of(&value).ok_or(value)) {
            Ok(Err(value)) => Ok(value),
            // A task that gives what a store keeps has nothing else to compute it from than its own lineage.
            Ok(Ok(kept)) => recovery.found(&kept, None, cancel),
            Err(error) => Err(RunError::Task { key: graph.key(task), error }),
        }
    }
}

/// Results on the way to one that is computed again. Nobody was promised memory for them: the store counts them as they come, and
/// others leave for them, so that nobody else is promised what they take.
struct Counted<'a> {
    store: &'a Store,
    values: BTreeMap<TaskId, Value>,
}

impl Counted<'_> {
    fn insert(&mut self, task: TaskId, value: Value) {
        self.store.hold_unasked(value.bytes() as u64);
        self.values.insert(task, value);
    }

    fn remove(&mut self, task: &TaskId) -> Option<Value> {
        let value = self.values.remove(task)?;
        self.store.let_go_small(value.bytes() as u64);
        Some(value)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.values).into_values().map(|value| value.bytes() as u64).sum();
        self.store.let_go_small(bytes);
    }
}

fn lost(key: String) -> RunError {
    let message = "it was spilled, its file is gone or damaged, and what it was computed from is not there any more";
    RunError::Task { key, error: TaskError::new(ErrorKind::Lost, message) }
}
