//! A computation on a cluster: the graph goes there, and its results come back.

use super::ClusterClient;
use crate::error::{ResultsLost, from_task_error, with_note};
use crate::travel::{Travelling, loaded};
use crate::watched::Watched;
use hashbrown::HashMap;
use pyo3::exceptions::{PyConnectionError, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use raskt_cluster::{ClusterError, Job, RemoteRun};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::TaskRange;
use raskt_value::Value;
use raskt_value::wire::BodyForm;
use std::ffi::CString;
use std::time::{Duration, Instant};

pyo3::create_exception!(
    raskt._core,
    KilledWorker,
    PyRuntimeError,
    "Workers died one after the other while they ran the same task."
);

/// Runs the graph on the cluster of `client`, and gives the results of `wanted`.
pub(crate) fn run(py: Python<'_>, client: &ClusterClient, graph: &Graph, wanted: &[TaskId]) -> PyResult<Vec<Value>> {
    client.check()?;
    let mut each = wanted.to_vec();
    each.sort_unstable();
    each.dedup();
    let job = job(py, graph, TaskRange::of(each.iter().copied()))?;
    let run = py.detach(|| client.client().submit(job)).map_err(|error| from_cluster_error(py, &error))?;
    let values = wait(py, &run)?;
    if each == wanted {
        return Ok(values);
    }
    let by_task: HashMap<TaskId, Value> = each.into_iter().zip(values).collect();
    Ok(wanted.iter().map(|task| by_task[task].clone()).collect())
}

/// The graph as it is sent, with its data beside it.
fn job(py: Python<'_>, graph: &Graph, wanted: Vec<TaskRange>) -> PyResult<Job> {
    let Travelling { form, given } = Travelling::of(py, graph)?;
    let bytes = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut data = vec![];
    for (layer, about) in graph.layers() {
        if let BodyForm::Given(at) = form.ops()[about.op.0 as usize].body {
            let values = loaded(py, given[at as usize].clone())?;
            data.push((TaskRange { layer, start: 0, end: values.len() as u64 }, values));
        }
    }
    Ok(Job { graph: bytes.into(), wanted, given: data })
}

/// Waits for results, with an eye on signals; when this ends by one of them, so does the run.
fn wait(py: Python<'_>, run: &RemoteRun) -> PyResult<Vec<Value>> {
    let progress = || None;
    let mut watched = Watched::new(&progress);
    let mut standstill = Standstill::default();
    let result = loop {
        let patience = watched.patience();
        if let Some(result) = py.detach(|| run.wait_timeout(patience)) {
            break result.map_err(|error| from_cluster_error(py, &error));
        }
        if let Err(error) = watched.look_up(py).and_then(|()| standstill.look(py, run.stalled())) {
            break Err(error);
        }
    };
    watched.finish(py, &result)?;
    result
}

/// Tells the user once why his computation stands still.
#[derive(Default)]
struct Standstill {
    since: Option<Instant>,
    is_told: bool,
}

/// A standstill of fewer seconds is none that people want to hear of: workers come and go.
const STANDSTILL: Duration = Duration::from_secs(5);

impl Standstill {
    fn look(&mut self, py: Python<'_>, cause: Option<String>) -> PyResult<()> {
        let Some(cause) = cause else {
            self.since = None;
            return Ok(());
        };
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.is_told || since.elapsed() < STANDSTILL {
            return Ok(());
        }
        self.is_told = true;
        let message = CString::new(format!("the computation waits: {cause}")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
    }
}

/// What the caller of `compute` gets.
pub(super) fn from_cluster_error(py: Python<'_>, error: &ClusterError) -> PyErr {
    match error {
        ClusterError::Task { key, error } => with_note(py, from_task_error(py, error), key),
        ClusterError::Killed { .. } => KilledWorker::new_err(error.to_string()),
        ClusterError::Lost(_) => ResultsLost::new_err(error.to_string()),
        ClusterError::Refused(_) => PyRuntimeError::new_err(error.to_string()),
        ClusterError::Disconnected(_) => PyConnectionError::new_err(error.to_string()),
    }
}
