//! Graphs as jobs of a cluster: what they are, the data that goes with them, and what they read of other runs.

use super::HeldResult;
use crate::travel::{Travelling, loaded};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_cluster::{Client, Job};
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_schedule::{Import, TaskRange};
use raskt_value::Value;
use raskt_value::wire::BodyForm;
use std::sync::Arc;

/// The graph as it is sent, with its data beside it; results that this cluster holds stay where they are.
pub(super) fn job(py: Python<'_>, client: &Arc<Client>, graph: &Graph, wanted: Vec<TaskRange>) -> PyResult<Job> {
    let Travelling { form, given } = Travelling::of(py, graph)?;
    let bytes = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut job = Job { graph: bytes.into(), wanted, ..Job::default() };
    for (layer, about) in graph.layers() {
        if let BodyForm::Given(at) = form.ops()[about.op.0 as usize].body {
            give(py, client, layer, &given[at as usize], &mut job)?;
        }
    }
    Ok(job)
}

/// Adds what the tasks of a layer stand for.
fn give(py: Python<'_>, client: &Arc<Client>, layer: LayerId, values: &[Value], job: &mut Job) -> PyResult<()> {
    let mut data: Vec<(TaskRange, Vec<Value>)> = vec![];
    for (at, value) in values.iter().enumerate() {
        let task = TaskId::new(layer, at as u64);
        match HeldResult::of(value).filter(|held| Arc::ptr_eq(held.client(), client)) {
            Some(held) => import(&mut job.imports, task, &held),
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
