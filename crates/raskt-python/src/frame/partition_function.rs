//! Python functions over partitions.

use super::function_input::{Input, InputForm};
use super::interchange;
use super::promise::{MayMiss, Promise, PromiseForm};
use super::{ColumnExpr, FrameExpr, OrRaise};
use crate::block::{PythonBlock, PythonOp, input, wire_form};
use crate::travel::{Portable, refuse};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyTraceback, PyTuple};
use raskt_frame::{Domain, Frame, FrameTable};
use raskt_graph::OpBody;
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells calls apart: a function has no content hash.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A function of one pandas object, called with each partition.
struct PartitionFunction {
    function: Portable,
    input: Input,
    promise: Promise,
    name: String,
    same_rows: bool,
    /// Whether it is told the number of the partition.
    numbered: bool,
}

impl PythonBlock for PartitionFunction {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let table = interchange::one_table(std::slice::from_ref(input(inputs, 0)?))?;
        let mut arguments = vec![self.input.to_pandas(py, &table, index as usize)?];
        if self.numbered {
            arguments.push(index.into_pyobject(py)?.into_any().unbind());
        }
        let arguments = PyTuple::new(py, arguments)?;
        let result = call(py, &self.function, arguments)?;
        let found = self.promise.kept(
            interchange::import_promised(&result, self.promise.codecs(py))?,
            &self.name,
            self.same_rows,
        )?;
        if self.same_rows && found.height() != table.height() {
            let (name, given, found) = (&self.name, table.height(), found.height());
            let message = format!("`{name}` gave {found} rows for a partition of {given}; it has to give as many");
            return Err(PyValueError::new_err(message));
        }
        Ok(FrameTable::from(found).into())
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn has_data_apart(&self) -> bool {
        true
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let Self { function, input, promise, name, same_rows, numbered } = self;
        let form = PartitionFunctionForm {
            function: dumped(py, name, function)?,
            input: input.form()?,
            promise: promise.form()?,
            name: name.clone(),
            same_rows: *same_rows,
            numbered: *numbered,
        };
        wire_form(PARTITION_FUNCTION, PARTITION_FUNCTION_VERSION, &form)
    }
}

/// What tells it from other functions that travel.
pub(crate) const PARTITION_FUNCTION: &str = "raskt.python.partition_function";
pub(crate) const PARTITION_FUNCTION_VERSION: u16 = 1;

/// What it is when it travels.
#[derive(Serialize, Deserialize)]
struct PartitionFunctionForm {
    function: Vec<u8>,
    input: InputForm,
    promise: PromiseForm,
    name: String,
    same_rows: bool,
    numbered: bool,
}

/// The function that has come.
pub(crate) fn decode_partition_function(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let PartitionFunctionForm { function, input, promise, name, same_rows, numbered } = form.read()?;
    let malformed = |reason: String| form.malformed(reason);
    let (input, promise) = (input.input().map_err(malformed)?, promise.promise().map_err(malformed)?);
    let function = Portable::sent(function);
    Ok(Arc::new(PartitionFunction { function, input, promise, name, same_rows, numbered }))
}

/// The pickle of a function; what is wrong with it is told under its name.
pub(super) fn dumped(py: Python<'_>, name: &str, function: &Portable) -> PyResult<Vec<u8>> {
    function.dump(py).or_else(|error| Err(refuse(py, name, &[("the function", function.bind(py)?)], error)))
}

/// Calls a function of users; its error has no frames of raskt's own.
pub(super) fn call<'py>(
    py: Python<'py>,
    function: &Portable,
    arguments: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = function.bind(py)?.as_unbound();
    crate::processes::call(py, function, arguments).map_err(|error| without_own_frames(py, error))
}

/// The error without the frames of raskt's own Python code, through which a call reaches the user's function.
fn without_own_frames(py: Python<'_>, error: PyErr) -> PyErr {
    let mut traceback = error.traceback(py);
    while let Some(entry) = &traceback {
        if !is_own(entry).unwrap_or(false) {
            break;
        }
        match entry.getattr("tb_next").ok().and_then(|next| next.cast_into::<PyTraceback>().ok()) {
            Some(next) => traceback = Some(next),
            // Our own code raised it: the frames say where.
            None => return error,
        }
    }
    error.set_traceback(py, traceback);
    error
}

fn is_own(entry: &Bound<'_, PyTraceback>) -> PyResult<bool> {
    let file = entry.getattr("tb_frame")?.getattr("f_code")?.getattr("co_filename")?.extract::<String>()?;
    Ok(file.replace('\\', "/").contains("/raskt/dataframe/"))
}

/// What tells a call from others: its token, or a number that no other has.
pub(super) fn digest_of_call(token: Option<&str>) -> u128 {
    match token {
        Some(token) => raskt_frame::digest_of(&["token", token], &[]),
        None => u128::from(NEXT.fetch_add(1, Ordering::Relaxed)),
    }
}

/// The frame whose partitions a function gets, with the labels that all rows together give them; a function that gives
/// a row for each row gets the very rows that its result goes beside.
pub(super) fn labels_known(frame: &Frame, same_rows: bool) -> PyResult<Frame> {
    if same_rows { Ok(frame.clone()) } else { frame.with_known_labels().or_raise() }
}

/// The result of calling `function` with each partition of `frame`, which it gets as `input`.
#[expect(clippy::too_many_arguments, reason = "what users give, and what they give it to")]
fn mapped(
    py: Python<'_>,
    frame: &Frame,
    input: Input,
    function: Py<PyAny>,
    meta: &Bound<'_, PyAny>,
    name: &str,
    token: Option<&str>,
    same_rows: bool,
    numbered: bool,
    may_miss: &MayMiss,
) -> PyResult<Py<PyAny>> {
    let promise = Promise::of(function.bind(py), meta, may_miss)?;
    let series_name = if promise.is_series { meta.getattr("name")?.extract::<Option<String>>()? } else { None };
    let digest = digest_of_call(token);
    let (levels, columns, is_series) = (promise.levels.clone(), promise.columns.clone(), promise.is_series);
    let levels: Vec<(Option<&str>, Domain)> = levels.iter().map(|(name, it)| (name.as_deref(), it.clone())).collect();
    let columns: Vec<(&str, Domain)> = columns.iter().map(|(name, it)| (name.as_str(), it.clone())).collect();
    let input = input.hollow();
    let function =
        PartitionFunction { function: function.into(), input, promise, name: name.to_owned(), same_rows, numbered };
    let body: OpBody = Arc::new(PythonOp(Arc::new(function)));
    let found = match same_rows {
        true => frame.map_rows(body, name, digest, &columns).or_raise()?,
        false => frame.map_partitions(body, name, digest, &levels, &columns).or_raise()?,
    };
    if is_series {
        let column = found.column_at(0).or_raise()?.rename(series_name.as_deref());
        return Ok(Py::new(py, ColumnExpr::from(column))?.into_any());
    }
    Ok(Py::new(py, FrameExpr::from(found))?.into_any())
}

#[pymethods]
impl FrameExpr {
    /// What a Python function makes of each partition; with `may_miss`, values may be missing where `meta` is of a type
    /// without missing ones, in all columns or in some.
    #[pyo3(signature = (function, meta, *, name="map_partitions", token=None, same_rows=false, numbered=false,
                        may_miss=MayMiss::All(false)))]
    #[expect(clippy::too_many_arguments, reason = "what users give, and how it is called")]
    fn map_partitions(
        &self,
        py: Python<'_>,
        function: Py<PyAny>,
        meta: &Bound<'_, PyAny>,
        name: &str,
        token: Option<&str>,
        same_rows: bool,
        numbered: bool,
        may_miss: MayMiss,
    ) -> PyResult<Py<PyAny>> {
        let frame = labels_known(&self.frame, same_rows)?;
        let input = if self.labels { Input::Labels } else { Input::Frame }(frame.clone());
        mapped(py, &frame, input, function, meta, name, token, same_rows, numbered, &may_miss)
    }
}

#[pymethods]
impl ColumnExpr {
    /// What a Python function makes of each partition; with `may_miss`, values may be missing where `meta` is of a type
    /// without missing ones, in all columns or in some.
    #[pyo3(signature = (function, meta, *, name="map_partitions", token=None, same_rows=false, numbered=false,
                        may_miss=MayMiss::All(false)))]
    #[expect(clippy::too_many_arguments, reason = "what users give, and how it is called")]
    fn map_partitions(
        &self,
        py: Python<'_>,
        function: Py<PyAny>,
        meta: &Bound<'_, PyAny>,
        name: &str,
        token: Option<&str>,
        same_rows: bool,
        numbered: bool,
        may_miss: MayMiss,
    ) -> PyResult<Py<PyAny>> {
        let frame = labels_known(&self.column.to_frame("values"), same_rows)?;
        let mut column = frame.column_at(0).or_raise()?;
        (column.name, column.labels) = (self.column.name.clone(), self.column.labels);
        mapped(py, &frame, Input::Column(column), function, meta, name, token, same_rows, numbered, &may_miss)
    }
}
