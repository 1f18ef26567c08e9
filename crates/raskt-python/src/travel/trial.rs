//! A way to try whether everything travels: each computation's graph, data and results go through their forms, and nothing else
//! of them is left. Tests run the collections' own tests so.

use super::graph::{Form, Travelling, build, given_body};
use super::{decoders, values};
use crate::error::from_task_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_graph::{Graph, TaskId};
use raskt_store::StoredRef;
use raskt_value::wire::WireForm;
use raskt_value::{Parcel, TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Has everything that this process computes travel from now on, or no longer.
#[pyfunction]
pub(super) fn _travel_always(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

/// Whether everything travels.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// The graph as another process would have it, and what the tasks that are wanted are called in it.
pub(crate) fn travelled(py: Python<'_>, graph: &Graph, mut wanted: Vec<TaskId>) -> PyResult<(Arc<Graph>, Vec<TaskId>)> {
    let travelling = Travelling::of(py, graph)?;
    wanted.iter_mut().for_each(|task| *task = travelling.task(*task));
    let Travelling { form, given: data, .. } = travelling;
    let bytes = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let form: Form = postcard::from_bytes(&bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let data: Vec<Vec<Value>> = data.into_iter().map(|values| travelled_values(py, values)).collect::<PyResult<_>>()?;
    Ok((Arc::new(build(form, |at, kind| given_body(data.get(at as usize), kind))?), wanted))
}

/// Values as another process would have them.
pub(crate) fn travelled_values(py: Python<'_>, values: Vec<Value>) -> PyResult<Vec<Value>> {
    values.into_iter().map(|value| travelled_value(value).map_err(|error| from_task_error(py, &error))).collect()
}

fn travelled_value(value: Value) -> Result<Value, TaskError> {
    if StoredRef::of(&value).is_some() {
        // Results that the store keeps stay with it.
        return Ok(value);
    }
    let Parcel { form, pieces } = value.pack()?;
    let form = postcard::to_stdvec(&form).expect("a list of bytes takes all that is written");
    let form: WireForm = postcard::from_bytes(&form).expect("it was written so");
    decoders().unpack(Parcel { form, pieces: pieces.iter().map(values::copied).collect() })
}
