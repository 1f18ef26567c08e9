//! Small graphs of native kernels, run at once by whoever asks: to hand a few tasks from machine to machine takes longer than
//! the tasks do.

use crate::call::TaskCall;
use crate::completion::RunResult;
use crate::observer::is_watched;
use crate::runner::{NativeRunner, Runner};
use crate::{RunError, panics};
use raskt_graph::{Graph, Layer, LayerId, OpKind, TaskId};
use raskt_store::StoredRef;
use raskt_value::{CancelToken, TaskError, Value};

/// The most tasks of a graph that is run so: each has a place, be it needed or not.
const TASKS: u64 = 4096;

/// Results of `wanted` tasks, computed by the calling thread one after the other; nothing if they have to be submitted to an
/// engine: there are ops that aren't native kernels of arrays, tasks read tasks of their own layer, what a store keeps isn't in
/// memory, or somebody looks on.
///
/// No memory is promised for it and no signal heard meanwhile: it is for work of which the caller knows that it is small.
pub fn run_in_place(graph: &Graph, wanted: &[TaskId]) -> Option<RunResult> {
    let is_simple = graph.layers().all(|(id, _)| {
        let op = graph.op_of(id);
        op.kind == OpKind::Array && !op.flags.uses_all_threads
    });
    let has =
        |task: &TaskId| (task.layer.0 as usize) < graph.layers().len() && task.index < graph.layer(task.layer).len();
    if graph.tasks() > TASKS || !is_simple || is_watched() || !wanted.iter().all(has) {
        return None;
    }
    evaluate(graph, wanted)
}

/// The same for a graph that is known to be fit for it; nothing if its tasks turn out not to be.
pub(crate) fn evaluate(graph: &Graph, wanted: &[TaskId]) -> Option<RunResult> {
    Results::count(graph, wanted)?.run(graph, wanted)
}

/// Tasks that are needed, and what those gave that have run.
struct Results {
    /// By layer and index, how often a result is still read, and what it is. An unread one is never run.
    layers: Vec<Vec<(u32, Option<Value>)>>,
}

impl Results {
    /// Counts the readers of each task, from the wanted ones back. Layers read those before them.
    fn count(graph: &Graph, wanted: &[TaskId]) -> Option<Self> {
        // Those come before all others, see `kept_first`; behind a gate they can't.
        let is_behind_others =
            |(id, layer): (_, &Layer)| graph.op_of(id).flags.gives_stored && !layer.shape.input_layers().is_empty();
        if graph.layers().any(is_behind_others) {
            return None;
        }
        let layers = graph.layers().map(|(_, layer)| vec![(0, None); layer.len() as usize]);
        let mut results = Self { layers: layers.collect() };
        wanted.iter().for_each(|task| results.at(*task).0 += 1);
        let mut is_ordered = true;
        for layer in (0..results.layers.len()).rev() {
            let needed: Vec<_> = results.needed(layer).collect();
            for task in needed {
                graph.for_each_input(task, |input| {
                    is_ordered &= input.layer < task.layer;
                    results.at(input).0 += 1;
                });
            }
        }
        is_ordered.then_some(results)
    }

    fn run(mut self, graph: &Graph, wanted: &[TaskId]) -> Option<RunResult> {
        let cancel = CancelToken::default();
        let mut inputs = vec![];
        for layer in self.kept_first(graph) {
            let needed: Vec<_> = self.needed(layer).collect();
            for task in needed {
                inputs.clear();
                graph.for_each_input(task, |input| inputs.push(self.read(input)));
                let call = TaskCall { graph, task, threads: 1, cancel: &cancel };
                let result = match panics::catch(|| NativeRunner.run(&call, &inputs)) {
                    Ok(value) => in_memory(value)?,
                    Err(error) => return Some(Err(failed(graph, task, error))),
                };
                self.at(task).1 = Some(result);
            }
        }
        Some(Ok(wanted.iter().map(|task| self.read(*task)).collect()))
    }

    /// The layers in order, those before all others that name what a store keeps: they read nothing, and where one finds a result
    /// gone from memory, nothing has been done yet that an engine would do again.
    fn kept_first(&self, graph: &Graph) -> Vec<usize> {
        let gives_stored = |layer: &usize| graph.op_of(LayerId(*layer as u32)).flags.gives_stored;
        let (mut first, others): (Vec<_>, Vec<_>) = (0..self.layers.len()).partition(gives_stored);
        first.extend(others);
        first
    }

    fn needed(&self, layer: usize) -> impl Iterator<Item = TaskId> {
        let tasks = (0..).zip(&self.layers[layer]).filter(|(_, (reads, _))| *reads > 0);
        tasks.map(move |(index, _)| TaskId::new(LayerId(layer as u32), index))
    }

    /// The result of a task that has run, which goes with its last reader: whoever has it alone may write in it.
    fn read(&mut self, task: TaskId) -> Value {
        let (reads, value) = self.at(task);
        *reads -= 1;
        let found = if *reads == 0 { value.take() } else { value.clone() };
        found.expect("layers run after those that they read, and a result stays for as many readers as were counted")
    }

    fn at(&mut self, task: TaskId) -> &mut (u32, Option<Value>) {
        &mut self.layers[task.layer.0 as usize][task.index as usize]
    }
}

/// What `value` stands for, if that is in memory.
fn in_memory(value: Value) -> Option<Value> {
    match StoredRef::of(&value) {
        Some(kept) => kept.in_memory(),
        None => Some(value),
    }
}

fn failed(graph: &Graph, task: TaskId, error: TaskError) -> RunError {
    RunError::Task { key: NativeRunner.key(graph, task), error }
}
