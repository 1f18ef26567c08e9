//! Graphs as jobs of a cluster: what they are, the data that goes with them, and what they read of other runs.

use super::HeldResult;
use super::adopted::as_own;
use super::here::parent_on;
use crate::travel::{Travelling, loaded};
use hashbrown::HashMap;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_cluster::{Client, Job};
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_schedule::{Import, TaskRange};
use raskt_value::Value;
use raskt_value::wire::BodyForm;
use std::sync::Arc;

/// A graph as it is sent.
pub(super) struct Prepared {
    /// With its data beside it. Of what is wanted, what the cluster holds already isn't asked for.
    pub job: Job,
    /// The tasks that stand for results that the cluster holds already, where they stay.
    pub held: HashMap<TaskId, Arc<HeldResult>>,
    /// What the tasks that are wanted are called in it.
    pub wanted: Vec<TaskId>,
}

/// The graph as it is sent.
pub(super) fn prepare(py: Python<'_>, client: &Arc<Client>, graph: &Graph, wanted: &[TaskId]) -> PyResult<Prepared> {
    let travelling = Travelling::of(py, graph)?;
    let wanted: Vec<_> = wanted.iter().map(|task| travelling.task(*task)).collect();
    let Travelling { form, given, .. } = &travelling;
    let bytes = postcard::to_stdvec(form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let job = Job { graph: bytes.into(), parent: parent_on(client), ..Job::default() };
    let mut prepared = Prepared { job, held: HashMap::new(), wanted: vec![] };
    for (layer, op) in form.layers() {
        if let BodyForm::Given(at) = form.ops()[op.0 as usize].body {
            give(py, client, layer, &given[at as usize], &mut prepared)?;
        }
    }
    let mut each: Vec<_> = wanted.iter().copied().filter(|task| !prepared.held.contains_key(task)).collect();
    each.sort_unstable();
    each.dedup();
    prepared.job.wanted = TaskRange::of(each);
    prepared.wanted = wanted;
    Ok(prepared)
}

/// Adds what the tasks of a layer stand for.
fn give(
    py: Python<'_>,
    client: &Arc<Client>,
    layer: LayerId,
    values: &[Value],
    Prepared { job, held, .. }: &mut Prepared,
) -> PyResult<()> {
    let mut data: Vec<(TaskRange, Vec<Value>)> = vec![];
    for (at, value) in values.iter().enumerate() {
        let task = TaskId::new(layer, at as u64);
        let result = HeldResult::of(value);
        match result.map(|result| as_own(py, client, &result)).transpose()?.flatten() {
            Some(result) => {
                import(&mut job.imports, task, &result);
                held.insert(task, result);
            }
            None => match data.last_mut() {
                Some((range, values)) if range.end == task.index => {
                    range.end += 1;
                    values.push(value.clone());
                }
                _ => data.push((TaskRange::one(task), vec![value.clone()])),
            },
        }
    }
    for (range, values) in data {
        job.given.push((range, loaded(py, values)?));
    }
    Ok(())
}

/// The task stands for a result of another run: neighbours of the same are one import.
fn import(imports: &mut Vec<Import>, task: TaskId, held: &HeldResult) {
    let (run, from) = held.place();
    if let Some(last) = imports.last_mut() {
        let source = last.source();
        let follows = last.tasks.layer == task.layer && last.tasks.end == task.index;
        if follows && last.run == run && source.layer == from.layer && source.end == from.index {
            last.tasks.end += 1;
            return;
        }
    }
    imports.push(Import { tasks: TaskRange::one(task), run, from });
}
