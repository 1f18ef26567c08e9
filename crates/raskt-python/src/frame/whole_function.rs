//! Python functions over several plans with different rows, each handed over whole: what aligns labels.

use super::function_input::{Input, InputForm};
use super::partition_function::{call, digest_of_call, dumped, labels_known};
use super::promise::{MayMiss, Promise, PromiseForm};
use super::{ColumnExpr, FrameExpr, OrRaise, interchange};
use crate::block::{PythonBlock, PythonOp, wire_form};
use crate::travel::Portable;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_frame::{Domain, Frame, FrameTable, StageOutput};
use raskt_graph::OpBody;
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A function of pandas objects, called once.
struct WholeFunction {
    function: Portable,
    inputs: Vec<Input>,
    promise: Promise,
    name: String,
    /// Whether it gives a row for each row of its first argument.
    same_rows: bool,
}

impl PythonBlock for WholeFunction {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let mut arguments = vec![];
        let mut rows = 0;
        for (at, (input, value)) in self.inputs.iter().zip(inputs).enumerate() {
            let table = interchange::one_table(std::slice::from_ref(value))?;
            if at == 0 {
                rows = table.height();
            }
            let partition = if input.partitions() == 1 { 0 } else { index as usize };
            arguments.push(input.to_pandas(py, &table, partition)?);
        }
        let arguments = PyTuple::new(py, arguments)?;
        let result = call(py, &self.function, arguments)?;
        let imported = interchange::import_promised(&result, self.promise.codecs(py))?;
        let found = self.promise.kept(imported, &self.name, self.same_rows)?;
        if self.same_rows && found.height() != rows {
            let (name, found) = (&self.name, found.height());
            return Err(PyValueError::new_err(format!(
                "`{name}` gave {found} rows for {rows}; it has to give as many"
            )));
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
        let Self { function, inputs, promise, name, same_rows } = self;
        let form = WholeFunctionForm {
            function: dumped(py, name, function)?,
            inputs: inputs.iter().map(Input::form).collect::<PyResult<_>>()?,
            promise: promise.form()?,
            name: name.clone(),
            same_rows: *same_rows,
        };
        wire_form(WHOLE_FUNCTION, WHOLE_FUNCTION_VERSION, &form)
    }
}

/// What tells it from other functions that travel.
pub(crate) const WHOLE_FUNCTION: &str = "raskt.python.whole_function";
pub(crate) const WHOLE_FUNCTION_VERSION: u16 = 1;

/// What it is when it travels.
#[derive(Serialize, Deserialize)]
struct WholeFunctionForm {
    function: Vec<u8>,
    inputs: Vec<InputForm>,
    promise: PromiseForm,
    name: String,
    same_rows: bool,
}

/// The function that has come.
pub(crate) fn decode_whole_function(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let WholeFunctionForm { function, inputs, promise, name, same_rows } = form.read()?;
    let malformed = |reason: String| form.malformed(reason);
    let inputs = inputs.into_iter().map(InputForm::input).collect::<Result<_, _>>().map_err(malformed)?;
    let promise = promise.promise().map_err(malformed)?;
    Ok(Arc::new(WholeFunction { function: Portable::sent(function), inputs, promise, name, same_rows }))
}

/// What a Python function makes of several plans, each as one pandas object. With `same_rows` it gives as many rows as
/// the first has, and the result has the rows of that; with `may_miss` its columns, all of them or some, may miss values
/// where the empty object `meta` has a type without missing ones. With `partitions` it is called for so many partitions side by side; plans of one
/// partition go with each of them.
#[pyfunction]
#[pyo3(signature = (function, inputs, meta, *, name="align", token=None, same_rows=false, may_miss=MayMiss::All(false),
                    partitions=1))]
#[expect(clippy::too_many_arguments, reason = "what users give, and what they give it to")]
pub(super) fn frame_of_whole(
    py: Python<'_>,
    function: Py<PyAny>,
    inputs: Vec<Bound<'_, PyAny>>,
    meta: &Bound<'_, PyAny>,
    name: &str,
    token: Option<&str>,
    same_rows: bool,
    may_miss: MayMiss,
    partitions: usize,
) -> PyResult<Py<PyAny>> {
    let promise = Promise::of(function.bind(py), meta, &may_miss)?;
    let series_name = if promise.is_series { meta.getattr("name")?.extract::<Option<String>>()? } else { None };
    let (levels, columns, is_series) = (promise.levels.clone(), promise.columns.clone(), promise.is_series);
    let levels: Vec<(Option<&str>, Domain)> = levels.iter().map(|(name, it)| (name.as_deref(), it.clone())).collect();
    let columns: Vec<(&str, Domain)> = columns.iter().map(|(name, it)| (name.as_str(), it.clone())).collect();
    let given = inputs.iter().map(|input| input_of(input, partitions)).collect::<PyResult<Vec<_>>>()?;
    let Some((first, _)) = given.first() else { return Err(PyValueError::new_err("there is nothing to align")) };
    let rows = rows_of(first);
    let (inputs, outputs): (Vec<Input>, Vec<StageOutput>) = given.into_iter().unzip();
    let inputs = inputs.into_iter().map(Input::hollow).collect();
    let function = WholeFunction { function: function.into(), inputs, promise, name: name.to_owned(), same_rows };
    let body: OpBody = Arc::new(PythonOp(Arc::new(function)));
    let digest = digest_of_call(token);
    let found = match same_rows {
        true => rows.with_rows_of(outputs, body, name, digest, &columns).or_raise()?,
        false => Frame::of_whole(outputs, partitions, body, name, digest, &levels, &columns),
    };
    if is_series {
        let column = found.column_at(0).or_raise()?.rename(series_name.as_deref());
        return Ok(Py::new(py, ColumnExpr::from(column))?.into_any());
    }
    Ok(Py::new(py, FrameExpr::from(found))?.into_any())
}

/// A plan as what its table is handed over as; that of several partitions with the labels that all rows together give.
fn input_of(object: &Bound<'_, PyAny>, partitions: usize) -> PyResult<(Input, StageOutput)> {
    if let Ok(frame) = object.cast::<FrameExpr>() {
        let expr = frame.get();
        let frame = labels_known(&expr.frame, partitions == 1)?;
        let output = StageOutput::of_frame(&frame);
        return Ok((if expr.labels { Input::Labels } else { Input::Frame }(frame), output));
    }
    let column = object.cast::<ColumnExpr>().map_err(|_| PyTypeError::new_err("a plan of a dataframe is wanted"))?;
    let column = &column.get().column;
    if partitions == 1 || column.is_scalar() || column.labels {
        return Ok((Input::Column(column.clone()), StageOutput::of_column(column)));
    }
    let mut known = labels_known(&column.to_frame("values"), false)?.column_at(0).or_raise()?;
    known.name = column.name.clone();
    let output = StageOutput::of_column(&known);
    Ok((Input::Column(known), output))
}

fn rows_of(input: &Input) -> Frame {
    match input {
        Input::Frame(frame) | Input::Labels(frame) => frame.clone(),
        Input::Column(column) => column.to_frame(""),
    }
}
