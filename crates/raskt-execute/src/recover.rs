//! Results that aren't in memory, and whose files were dropped or bad: the thread that needs one computes it again.
//!
//! It does so alone, task after task: to lend its slot and wait for others would let each loss start one more task, which
//! may meet a loss itself.

use crate::batch::Made;
use crate::engine::Shared;
use crate::execution::Execution;
use crate::runner::TaskCall;
use crate::{RunError, panics};
use raskt_graph::{Graph, TaskId};
use raskt_store::{Holder, Kept};
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Puts in all inputs that aren't there; the tasks fail if one can't be had.
pub(crate) fn inputs(shared: &Arc<Shared>, execution: &mut Execution) {
    if execution.is_whole {
        return;
    }
    execution.is_whole = true;
    let holder = Holder { asker: shared.number, ticket: execution.ticket.0 };
    for value in &mut execution.reads.outside {
        let Some(kept) = Kept::of(value) else { continue };
        match found(shared, &kept, Some(holder), &execution.cancel) {
            Ok(found) => *value = found,
            Err(error) => {
                execution.failure = Some(TaskError::new(error.kind(), error.to_string()));
                return;
            }
        }
    }
}

/// Results that another store keeps become values of their own, which this engine's store may keep. On a failure those
/// before it are left.
pub(crate) fn adopt(shared: &Arc<Shared>, made: &mut Vec<Made>, cancel: &CancelToken) -> Result<(), TaskError> {
    for at in 0..made.len() {
        let Made::Here(value) = &made[at] else { continue };
        let Some(kept) = Kept::of(value).filter(|kept| !shared.store.keeps(kept)) else { continue };
        match found(shared, &kept, None, cancel) {
            Ok(value) => made[at] = Made::Here(value),
            Err(error) => {
                made.truncate(at);
                return Err(TaskError::new(error.kind(), error.to_string()));
            }
        }
    }
    Ok(())
}

/// The value itself, if `value` stands for one that a store keeps.
pub(crate) fn value(shared: &Arc<Shared>, value: Value) -> Result<Value, RunError> {
    match Kept::of(&value) {
        Some(kept) => found(shared, &kept, None, &CancelToken::default()),
        None => Ok(value),
    }
}

fn found(
    shared: &Arc<Shared>,
    kept: &Arc<Kept>,
    holder: Option<Holder>,
    cancel: &CancelToken,
) -> Result<Value, RunError> {
    if let Some(value) = kept.fetch() {
        return Ok(value);
    }
    let (graph, task) = kept.lineage().get().ok_or_else(|| lost("a result".into()))?;
    let value = Again { shared, graph: &graph, cancel }.compute(task)?;
    kept.restore(value.clone(), holder);
    Ok(value)
}

/// Computes tasks of a graph again.
struct Again<'a> {
    shared: &'a Arc<Shared>,
    graph: &'a Arc<Graph>,
    cancel: &'a CancelToken,
}

impl Again<'_> {
    /// The result of `wanted`, from the tasks that read nothing on. A result goes when its last reader has run.
    fn compute(&self, wanted: TaskId) -> Result<Value, RunError> {
        let mut unread = self.count_reads(wanted);
        let mut results: BTreeMap<TaskId, Value> = BTreeMap::new();
        let mut stack = vec![wanted];
        while let Some(&task) = stack.last() {
            let before = stack.len();
            self.graph.for_each_input(task, |input| {
                if !results.contains_key(&input) {
                    stack.push(input);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if results.contains_key(&task) {
                continue;
            }
            let mut inputs = vec![];
            self.graph.for_each_input(task, |input| {
                inputs.push(results[&input].clone());
                if let Some(left) = unread.get_mut(&input) {
                    *left -= 1;
                    if *left == 0 {
                        results.remove(&input);
                    }
                }
            });
            results.insert(task, self.run(task, &inputs)?);
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
        let Self { shared, graph, cancel } = self;
        let call = TaskCall { graph, task, threads: 1, cancel };
        let runner = shared.runners.of(call.op().kind);
        let ran = runner.and_then(|runner| match cancel.is_cancelled() {
            true => Err(TaskError::cancelled()),
            false => panics::catch(|| runner.run(&call, inputs)),
        });
        match ran.map(|value| Kept::of(&value).ok_or(value)) {
            Ok(Err(value)) => Ok(value),
            // A task that gives what a store keeps has nothing else to compute it from than its own lineage.
            Ok(Ok(kept)) => found(shared, &kept, None, cancel),
            Err(error) => Err(RunError::Task { key: graph.key(task), error }),
        }
    }
}

fn lost(key: String) -> RunError {
    let message = "it was spilled, its file is gone or damaged, and what it was computed from is not there any more";
    RunError::Task { key, error: TaskError::new(ErrorKind::Lost, message) }
}
