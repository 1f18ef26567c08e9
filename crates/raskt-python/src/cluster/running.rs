//! A computation on a cluster: the graph goes there, and its results come back.

use super::adopted::noting;
use super::fetching::fetched;
use super::here::Lent;
use super::job::{Prepared, prepare};
use super::snapshot::snapshot;
use super::waiting::Standstill;
use super::{ClusterClient, HeldResult};
use crate::delayed::Calls;
use crate::ending::Outside;
use crate::error::{ResultsLost, from_task_error, with_note};
use crate::travel::Travelling;
use crate::watched::Watched;
use hashbrown::HashMap;
use pyo3::exceptions::{PyConnectionError, PyMemoryError, PyRuntimeError, PyTimeoutError};
use pyo3::prelude::*;
use raskt_cluster::{Client, ClusterError, RemoteRun};
use raskt_graph::{Graph, TaskId};

use raskt_value::{ErrorKind, Value};
use std::sync::Arc;

pyo3::create_exception!(
    raskt._core,
    KilledWorker,
    PyRuntimeError,
    "Workers died one after the other while they ran the same task."
);

/// Runs the graph on the cluster of `client`, and gives the results of `wanted`.
pub(crate) fn run(py: Python<'_>, client: &ClusterClient, graph: &Graph, wanted: &[TaskId]) -> PyResult<Vec<Value>> {
    client.check()?;
    // What it names stays until it has run.
    let (Prepared { job, held, wanted }, _named) =
        noting(client.client(), || prepare(py, client.client(), graph, wanted))?;
    let each: Vec<TaskId> = job.wanted.iter().flat_map(|range| range.tasks()).collect();
    let mut values = vec![];
    if !each.is_empty() {
        let run = py.outside(|| client.client().submit(job)).map_err(|error| from_cluster_error(py, &error))?;
        values = wait(py, &run, graph)?;
    }
    if each == wanted {
        return Ok(values);
    }
    let by_task: HashMap<TaskId, Value> = each.into_iter().zip(values).collect();
    let values = wanted.iter().map(|task| match held.get(task) {
        Some(held) => held.clone().value(),
        None => by_task[task].clone(),
    });
    fetched(py, values.collect())
}

/// Has the graph run there, and gives what stands for the results of `wanted`, which stay there.
pub(crate) fn hold(py: Python<'_>, client: &ClusterClient, graph: &Graph, wanted: &[TaskId]) -> PyResult<Vec<Value>> {
    client.check()?;
    Ok(begin(py, client.client(), graph, wanted)?.into_iter().map(HeldResult::value).collect())
}

/// The same for whoever wants handles.
pub(super) fn begin(
    py: Python<'_>,
    client: &Arc<Client>,
    graph: &Graph,
    wanted: &[TaskId],
) -> PyResult<Vec<Arc<HeldResult>>> {
    let (prepared, named) = noting(client, || {
        let mut prepared = prepare(py, client, graph, wanted)?;
        for value in prepared.job.given.iter_mut().flat_map(|(_, values)| values) {
            *value = snapshot(py, value.clone())?;
        }
        Ok(prepared)
    })?;
    py.outside(|| prepared.begin(client, named)).map_err(|error| from_cluster_error(py, &error))
}

/// Waits for results, with an eye on signals; when this ends by one of them, so does the run.
fn wait(py: Python<'_>, run: &RemoteRun, graph: &Graph) -> PyResult<Vec<Value>> {
    let progress = || None;
    let mut watched = Watched::new(&progress);
    let mut standstill = Standstill::default();
    let _lent = Lent::new(py)?;
    let result = loop {
        let patience = watched.patience();
        if let Some(result) = py.outside(|| run.wait_timeout(patience)) {
            break result.map_err(|error| from_cluster_error(py, &named(py, graph, error)));
        }
        if let Err(error) = watched.look_up(py).and_then(|()| standstill.look(py, run.stalled())) {
            break Err(error);
        }
    };
    watched.finish(py, &result)?;
    result
}

/// The same error; of a call that has killed its workers it has the name. Others don't know it, since they don't read what calls are.
fn named(py: Python<'_>, graph: &Graph, mut error: ClusterError) -> ClusterError {
    if let ClusterError::Killed { task, key, .. } = &mut error
        && let Ok(travelling) = Travelling::of(py, graph)
    {
        let calls =
            graph.layers().filter_map(|(layer, _)| Some((layer, graph.op_of(layer).body.downcast_ref::<Calls>()?)));
        let each = calls.flat_map(|(layer, Calls(nodes))| {
            nodes.iter().zip(0..).map(move |(node, index)| (TaskId::new(layer, index), node))
        });
        let found = each.into_iter().find(|(own, _)| travelling.task(*own) == *task);
        *key = found.map(|(_, node)| node.key(py)).or(key.take());
    }
    error
}

/// What the caller of `compute` gets.
pub(super) fn from_cluster_error(py: Python<'_>, error: &ClusterError) -> PyErr {
    match error {
        ClusterError::Task { key, error } if error.kind == ErrorKind::Cancelled => {
            cancelled_error(py, format!("{key}: {error}"))
        }
        ClusterError::Task { key, error } => with_note(py, from_task_error(py, error), key),
        ClusterError::Unread { error, .. } => from_task_error(py, error),
        ClusterError::Killed { .. } => KilledWorker::new_err(error.to_string()),
        ClusterError::Lost(_) => ResultsLost::new_err(error.to_string()),
        ClusterError::Refused(_) => PyRuntimeError::new_err(error.to_string()),
        ClusterError::TooLarge(_) => PyMemoryError::new_err(error.to_string()),
        ClusterError::Disconnected(_) => PyConnectionError::new_err(error.to_string()),
        ClusterError::Released { .. } => cancelled_error(py, error.to_string()),
        ClusterError::TimedOut => PyTimeoutError::new_err(error.to_string()),
    }
}

/// What is raised for a result that was let go of.
pub(super) fn cancelled_error(py: Python<'_>, message: String) -> PyErr {
    let error = || py.import("concurrent.futures")?.getattr("CancelledError")?.call1((message,));
    error().map_or_else(|error| error, PyErr::from_value)
}
