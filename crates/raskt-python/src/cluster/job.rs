//! Graphs of Python as jobs of a cluster.

use super::HeldResult;
use super::adopted::as_own;
use super::here::parent_on;
use crate::travel::{Travelling, loaded};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_cluster::{Client, Job};
use raskt_futures::Bring;
pub(super) use raskt_futures::Prepared;
use raskt_graph::{Graph, TaskId};
use raskt_value::Value;
use std::sync::Arc;

/// The graph as it is sent.
pub(super) fn prepare(py: Python<'_>, client: &Arc<Client>, graph: &Graph, wanted: &[TaskId]) -> PyResult<Prepared> {
    let travelling = Travelling::of(py, graph)?;
    let wanted: Vec<_> = wanted.iter().map(|task| travelling.task(*task)).collect();
    let Travelling { form, given, .. } = &travelling;
    let bytes = postcard::to_stdvec(form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let job = Job { graph: bytes.into(), parent: parent_on(py, client)?, ..Job::default() };
    Prepared::of(job, form, given, wanted, &mut Bringing { py, client })
}

/// Values of Python on their way.
struct Bringing<'a, 'py> {
    py: Python<'py>,
    client: &'a Arc<Client>,
}

impl Bring for Bringing<'_, '_> {
    type Error = PyErr;

    fn own(&mut self, held: &Arc<HeldResult>) -> PyResult<Option<Arc<HeldResult>>> {
        as_own(self.py, self.client, held)
    }

    fn loaded(&mut self, values: Vec<Value>) -> PyResult<Vec<Value>> {
        loaded(self.py, values)
    }
}
