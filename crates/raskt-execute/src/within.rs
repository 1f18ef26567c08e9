//! A computation of one call within a task, made by the task's own thread in its own slot.
//!
//! Two threads whose tasks hold the interpreter hand it to each other each time that one of them lets it go, and to submit a run
//! and wait for it lets it go more than once: that takes longer than most that such a call does. Nobody could make the call
//! sooner than the thread that waits for it, and nothing else could be done meanwhile: so it makes the call at once.

use crate::batch::{Batch, Stored};
use crate::completion::RunResult;
use crate::lending::InSlot;
use crate::made::Made;
use crate::reads::Reads;
use crate::recover::Unheld;
use crate::{Engine, RunError, panics};
use raskt_graph::{Annotations, Cost, Graph, OpFlags, OpKind, TaskId};
use raskt_schedule::TaskRange;
use raskt_value::{CancelToken, ErrorKind, TaskError};
use std::sync::Arc;

impl Engine {
    /// Results of `wanted`, made by the calling thread at once; nothing if it is to be submitted: the thread isn't in a task of
    /// this engine or has no room for another, the graph is more than one Python call, something is known or asked of that (its
    /// memory would have to be promised, it may be tried again, something is required for it), or each event is written down.
    ///
    /// What the call gives isn't kept in the store. A cancelled task has to be told by the caller.
    pub fn run_within(&self, graph: &Arc<Graph>, wanted: &[TaskId]) -> Option<RunResult> {
        let task = only_call(graph).filter(|task| wanted.iter().all(|wanted| wanted == task))?;
        let is_open = || {
            let state = self.0.lock();
            !state.is_shut_down && !state.head.is_recorded()
        };
        if self.is_left_behind() || !is_open() {
            return None;
        }
        let _in_slot = InSlot::begin(&self.0)?;
        let recovery = &self.0.recovery;
        let runner = recovery.runners.of(OpKind::Python).ok()?;
        let cancel = CancelToken::default();
        let stored = Unheld::new(recovery, &**runner, &cancel);
        let tasks = [TaskRange::one(task)];
        let reads = Reads::of(graph, &tasks, |_| None);
        let mut batch = Batch::new((&stored, 1), (graph, &cancel), &tasks, (vec![], &reads), None);
        let ran = panics::catch(|| runner.run_batch(&mut batch));
        let (mut made, _) = batch.finish(&tasks);
        let ran = recovery.adopt(&mut made, &**runner, &cancel).and(ran);
        Some(match (made.pop(), ran) {
            // It may be that of another computation, which a store keeps.
            (Some(Made::Here(value)), _) => stored.value(value).map(|(value, _)| vec![value; wanted.len()]),
            (_, ran) => {
                let missing = || TaskError::new(ErrorKind::Panic, "a call ended without a result");
                Err(RunError::Task { key: runner.key(graph, task), error: ran.err().unwrap_or_else(missing) })
            }
        })
    }
}

/// The only task of the graph, if it is a call in Python of which nothing is known and nothing asked.
fn only_call(graph: &Graph) -> Option<TaskId> {
    let (id, layer) = graph.layers().next().filter(|_| graph.tasks() == 1)?;
    let op = graph.op_of(id);
    let is_plain = op.kind == OpKind::Python
        && op.flags == OpFlags::default()
        && layer.cost == Cost::default()
        && *layer.annotations == Annotations::default();
    is_plain.then(|| TaskId::new(id, 0))
}
