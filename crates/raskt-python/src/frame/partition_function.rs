//! Python functions over partitions.

use super::function_input::Input;
use super::interchange::{self, Imported};
use super::logical::codecs;
use super::{ColumnExpr, FrameExpr, OrRaise};
use crate::block::{PythonBlock, PythonOp};
use crate::delayed::{Delayed, DelayedBlocks};
use crate::object::Object;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTraceback, PyTuple};
use raskt_frame::polars::prelude::{Column as Values, DataFrame, DataType, TimeUnit};
use raskt_frame::{Domain, Frame, FrameError, FrameTable, index_column_name, shown_label};
use raskt_graph::OpBody;
use raskt_value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells calls apart: a function has no content hash.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What the function promised to give, by its meta.
pub(super) struct Promise {
    pub levels: Vec<(Option<String>, Domain)>,
    pub columns: Vec<(String, Domain)>,
    pub is_series: bool,
    /// Whether nobody said the types: they were found by trying the function on a few rows.
    pub inferred: bool,
}

/// A function of one pandas object, called with each partition.
struct PartitionFunction {
    function: Py<PyAny>,
    input: Input,
    promise: Promise,
    name: String,
    same_rows: bool,
    /// Whether it is told the number of the partition.
    numbered: bool,
}

impl PythonBlock for PartitionFunction {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let table = interchange::one_table(&inputs[..1])?;
        let mut arguments = vec![self.input.to_pandas(py, &table, index as usize)?];
        if self.numbered {
            arguments.push(index.into_pyobject(py)?.into_any().unbind());
        }
        let arguments = PyTuple::new(py, arguments)?;
        let result =
            crate::processes::call(py, &self.function, arguments).map_err(|error| without_own_frames(py, error))?;
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
}

/// The error without the frames of raskt's own Python code, through which a call reaches the user's function.
pub(super) fn without_own_frames(py: Python<'_>, error: PyErr) -> PyErr {
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

/// Which columns of a result may miss values, whatever their types are.
#[derive(FromPyObject)]
pub(super) enum MayMiss {
    All(bool),
    Each(Vec<bool>),
}

impl MayMiss {
    fn at(&self, column: usize) -> bool {
        match self {
            Self::All(may_miss) => *may_miss,
            Self::Each(columns) => columns.get(column).copied().unwrap_or(true),
        }
    }
}

impl Promise {
    /// The promise of a function by an empty pandas object; where `may_miss`, values may be missing whatever its types are.
    /// A function says of itself whether its promise was found by a trial, and whether row labels may miss values as well.
    pub(super) fn of(function: &Bound<'_, PyAny>, meta: &Bound<'_, PyAny>, may_miss: &MayMiss) -> PyResult<Self> {
        let imported = interchange::import_meta(meta)?;
        let (mut levels, mut columns) = imported.promised();
        let says = |what: &str| function.getattr(what).and_then(|it| it.is_truthy()).unwrap_or(false);
        let missing_labels = says("missing_labels");
        levels.iter_mut().for_each(|(_, domain)| domain.missing |= missing_labels);
        columns.iter_mut().enumerate().for_each(|(at, (_, domain))| domain.missing |= may_miss.at(at));
        Ok(Self { levels, columns, is_series: imported.is_series, inferred: says("inferred") })
    }

    /// What stores the values of each level and column.
    pub(super) fn codecs<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        let domains: Vec<&Domain> = self.domains().collect();
        codecs(py, &domains)
    }

    fn domains(&self) -> impl Iterator<Item = &Domain> {
        self.levels.iter().map(|(_, it)| it).chain(self.columns.iter().map(|(_, it)| it))
    }

    /// The table of a result, with the names and types that were promised; an error if it has others.
    pub(super) fn kept(&self, found: Imported, name: &str, without_labels: bool) -> PyResult<DataFrame> {
        let wrong = |what: String| match self.inferred {
            true => PyNotImplementedError::new_err(format!(
                "`{name}` gives another type for these values than for the few rows that it was tried on: {what}; \
                 convert the values by astype first, or say the type where there is a meta="
            )),
            false => PyValueError::new_err(format!("`{name}` didn't give what its meta promised: {what}")),
        };
        if found.is_series != self.is_series {
            let kind = |series: bool| if series { "a Series" } else { "a DataFrame" };
            return Err(wrong(format!("{} and not {}", kind(found.is_series), kind(self.is_series))));
        }
        if found.levels.len() != self.levels.len() {
            return Err(wrong(format!("{} levels of row labels and not {}", found.levels.len(), self.levels.len())));
        }
        let names: Vec<String> = found.names.iter().map(|name| name.clone().unwrap_or_default()).collect();
        let promised: Vec<&String> = self.columns.iter().map(|(name, _)| name).collect();
        let names: Vec<&String> = names.iter().collect();
        if !self.is_series && names != promised {
            let shown = |names: &[&String]| names.iter().map(|name| shown_label(name)).collect::<Vec<_>>().join("`, `");
            let (found, promised) = (shown(&names), shown(&promised));
            return Err(wrong(format!("columns `{found}` and not `{promised}`")));
        }
        for ((domain, logical), own) in self.domains().zip(&found.logical).zip(found.table.columns()) {
            if domain.logical != *logical {
                let given = Domain::full(own.dtype().clone()).with_logical(logical.clone());
                let (given, promised) = (given.pandas_dtype(), domain.pandas_dtype());
                return Err(wrong(match given == promised {
                    true => format!("other values of {given} (categories, say) than those promised"),
                    false => format!("values of {given} and not of {promised}"),
                }));
            }
        }
        let own = found.table.columns();
        let count = self.levels.len();
        let mut columns = vec![];
        for (at, (_, domain)) in self.levels.iter().enumerate().filter(|_| !without_labels) {
            let what = "the row labels are";
            let labels = cast(&own[at], &domain.dtype, own[at].null_count() > 0, self.inferred, what).map_err(wrong)?;
            let back = labels.cast(own[at].dtype());
            if own[at].dtype().is_integer() && !back.is_ok_and(|back| back.equals_missing(&own[at])) {
                return Err(wrong(format!("{what} integers that would be rounded to {}", domain.pandas_dtype())));
            }
            if !domain.missing && labels.null_count() > 0 {
                return Err(wrong(format!("missing row labels of {}, which has none", domain.pandas_dtype())));
            }
            columns.push(labels.with_name(index_column_name(at)));
        }
        for (at, (column, domain)) in self.columns.iter().enumerate() {
            let what = format!("column `{column}` is");
            let values = cast(&own[count + at], &domain.dtype, domain.missing, self.inferred, &what).map_err(wrong)?;
            if !domain.missing && values.null_count() > 0 {
                let dtype = domain.pandas_dtype();
                return Err(wrong(format!("missing values in column `{column}` of {dtype}, which has none")));
            }
            columns.push(values.with_name(column.as_str().into()));
        }
        DataFrame::new(found.table.height(), columns).map_err(FrameError::from).or_raise()
    }
}

/// `values` as `dtype`, if no value changes by it. Where that was `found_by_trial` integers are rounded to floats, as
/// pandas does where it joins parts of both types, and floats stay as wide as they are.
fn cast(values: &Values, dtype: &DataType, may_miss: bool, found_by_trial: bool, what: &str) -> Result<Values, String> {
    if values.dtype() == dtype {
        return Ok(values.clone());
    }
    let name = |dtype: &DataType| raskt_frame::pandas_dtype_name(dtype, false);
    let differ = || format!("{what} of {} and not of {}", name(values.dtype()), name(dtype));
    // Numbers that happen to be whole, or short enough, are no reason to give another type than pandas does.
    if found_by_trial && narrows(values.dtype(), dtype, may_miss) && values.null_count() < values.len() {
        return Err(differ());
    }
    let group = |dtype: &DataType| match dtype {
        dtype if dtype.is_numeric() || dtype.is_bool() => 0,
        DataType::String | DataType::Categorical(..) | DataType::Enum(..) => 1,
        dtype if dtype.is_temporal() => 2,
        _ => 3,
    };
    let zoned = |dtype: &DataType| matches!(dtype, DataType::Datetime(_, Some(_)));
    let nothing = values.null_count() == values.len();
    if found_by_trial && !nothing && changes_times(values.dtype(), dtype) {
        return Err(differ());
    }
    let alike = group(values.dtype()) == group(dtype)
        && values.dtype().is_bool() == dtype.is_bool()
        && zoned(values.dtype()) == zoned(dtype);
    if !alike && !nothing {
        return Err(differ());
    }
    if !alike && values.dtype() == &DataType::String {
        // Missing values that pandas has no type for come as text; the engine warns its users of text that is made times.
        return Ok(Values::full_null(values.name().clone(), values.len(), dtype));
    }
    let cast = values.strict_cast(dtype).map_err(|_| differ())?;
    let rounded = found_by_trial && values.dtype().is_integer() && dtype.is_float();
    let same = rounded || cast.cast(values.dtype()).is_ok_and(|back| back.equals_missing(values));
    let can_lose = matches!(group(dtype), 0 | 2);
    if same || !can_lose { Ok(cast) } else { Err(differ()) }
}

/// Whether floats would become narrower ones, or integers; those are floats in pandas where one may be missing.
fn narrows(from: &DataType, to: &DataType, may_miss: bool) -> bool {
    let whole = to.is_integer() && !may_miss;
    from.is_float() && (whole || (*from == DataType::Float64 && *to == DataType::Float32))
}

/// Whether times would become coarser ones, or those of another zone.
fn changes_times(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Datetime(own, zone), DataType::Datetime(other, wanted)) => finer(*own, *other) || zone != wanted,
        (DataType::Duration(own), DataType::Duration(other)) => finer(*own, *other),
        _ => false,
    }
}

fn finer(a: TimeUnit, b: TimeUnit) -> bool {
    let per_second = |unit| match unit {
        TimeUnit::Milliseconds => 1_000,
        TimeUnit::Microseconds => 1_000_000,
        TimeUnit::Nanoseconds => 1_000_000_000,
    };
    per_second(a) > per_second(b)
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
    let function = PartitionFunction { function, input, promise, name: name.to_owned(), same_rows, numbered };
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
        let object = Object::of(&inputs[0])
            .ok_or_else(|| PyTypeError::new_err("a delayed partition has to be a pandas object"))?;
        let imported = interchange::import_promised(object.bind(py), self.promise.codecs(py))?;
        let table = self.promise.kept(imported, &self.name, self.rows.is_some())?;
        match self.rows.as_ref().map(|rows| rows[index as usize]) {
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
