//! Results of delayed calls as partitions.

use super::promise::{MayMiss, Promise, PromiseForm};
use super::{ColumnExpr, FrameExpr, OrRaise, interchange};
use crate::block::{PythonBlock, input, wire_form};
use crate::delayed::{Delayed, DelayedBlocks};
use crate::object::Object;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use raskt_frame::{Domain, Frame, FrameTable};
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Turns the result of a delayed call into a partition.
struct FromDelayed {
    promise: Promise,
    /// What it is called.
    name: String,
    /// The rows of each partition, if they are numbered through.
    rows: Option<Vec<usize>>,
}

impl PythonBlock for FromDelayed {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let object = Object::of(input(inputs, 0)?)
            .ok_or_else(|| PyTypeError::new_err("a delayed partition has to be a pandas object"))?;
        let imported = interchange::import_promised(object.bind(py), self.promise.codecs(py))?;
        let table = self.promise.kept(imported, &self.name, self.rows.is_some())?;
        match self.rows.as_ref().and_then(|rows| rows.get(index as usize).copied()) {
            Some(rows) if rows != table.height() => Err(PyValueError::new_err(format!(
                "partition {index} of `{}` has {} rows, and had {rows} when it was looked at",
                self.name,
                table.height()
            ))),
            _ => Ok(FrameTable::from(table).into()),
        }
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn wire(&self, _py: Python<'_>) -> PyResult<WireForm> {
        let Self { promise, name, rows } = self;
        let form = FromDelayedForm { promise: promise.form()?, name: name.clone(), rows: rows.clone() };
        wire_form(FROM_DELAYED, FROM_DELAYED_VERSION, &form)
    }
}

/// What tells it from other functions that travel.
pub(crate) const FROM_DELAYED: &str = "raskt.python.from_delayed";
pub(crate) const FROM_DELAYED_VERSION: u16 = 1;

/// What it is when it travels.
#[derive(Serialize, Deserialize)]
struct FromDelayedForm {
    promise: PromiseForm,
    name: String,
    rows: Option<Vec<usize>>,
}

/// What has come.
pub(crate) fn decode_from_delayed(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let FromDelayedForm { promise, name, rows } = form.read()?;
    let promise = promise.promise().map_err(|reason| form.malformed(reason))?;
    Ok(Arc::new(FromDelayed { promise, name, rows }))
}

/// A dataframe (or a column) whose partitions are the results of delayed calls, like the empty pandas object `meta`.
/// With `rows`, their number in each partition, rows are numbered through; otherwise they have the labels that the calls
/// give them.
#[pyfunction]
#[pyo3(signature = (parts, meta, *, name="from_delayed", rows=None))]
pub(super) fn frame_from_delayed(
    py: Python<'_>,
    parts: Vec<Py<Delayed>>,
    meta: &Bound<'_, PyAny>,
    name: &str,
    rows: Option<Vec<usize>>,
) -> PyResult<Py<PyAny>> {
    if parts.is_empty() {
        return Err(PyValueError::new_err("a dataframe needs at least one delayed partition"));
    }
    let promise = Promise::of(py.None().bind(py), meta, &MayMiss::All(false))?;
    let series_name = if promise.is_series { meta.getattr("name")?.extract::<Option<String>>()? } else { None };
    let levels = if rows.is_some() { vec![] } else { promise.levels.clone() };
    let (columns, is_series) = (promise.columns.clone(), promise.is_series);
    let levels: Vec<(Option<&str>, Domain)> = levels.iter().map(|(name, it)| (name.as_deref(), it.clone())).collect();
    let columns: Vec<(&str, Domain)> = columns.iter().map(|(name, it)| (name.as_str(), it.clone())).collect();
    let nodes = parts.iter().map(|part| part.get().node.clone()).collect();
    let convert = Arc::new(FromDelayed { promise, name: name.to_owned(), rows: rows.clone() });
    let source = DelayedBlocks::new(nodes, convert);
    let frame = Frame::from_tasks(Arc::new(source), parts.len(), &levels, &columns, name, true, rows);
    if is_series {
        let column = frame.column_at(0).or_raise()?.rename(series_name.as_deref());
        return Ok(Py::new(py, ColumnExpr::from(column))?.into_any());
    }
    Ok(Py::new(py, FrameExpr::from(frame))?.into_any())
}
