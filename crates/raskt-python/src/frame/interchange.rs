//! Tables as pandas objects, and pandas objects as tables. What pandas' own objects look like is said in Python, in
//! `raskt.dataframe.interchange.arrow`.

use super::logical::{Described, codecs, domains_of, domains_of_column, logical};
use super::{ColumnExpr, FrameExpr, OrRaise, arrow, literal};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_frame::polars::prelude::DataFrame;

use raskt_frame::{Column, Domain, Frame, FrameTable, Index, Literal, Logical, index_column_name, kept, memory};
use raskt_value::Value;

fn python<'py>(py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("raskt.dataframe.interchange.arrow")?.getattr(function)
}

/// The tables that tasks gave, as one.
pub(super) fn one_table(values: &[Value]) -> PyResult<DataFrame> {
    let mut tables = vec![];
    for value in values {
        let table = FrameTable::of(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        tables.push(table.frame.clone());
    }
    let mut tables = tables.into_iter();
    let mut all = tables.next().ok_or_else(|| PyRuntimeError::new_err("a dataframe has to have a partition"))?;
    for table in tables {
        all.vstack_mut(&table).map_err(raskt_frame::FrameError::from).or_raise()?;
    }
    Ok(all)
}

/// A table of labels and columns as a pandas DataFrame; positions start at `start`.
pub(super) fn to_dataframe(py: Python<'_>, table: &DataFrame, frame: &Frame, start: usize) -> PyResult<Py<PyAny>> {
    let batch = arrow::to_record_batch(py, table)?;
    let names: Vec<&str> = frame.names().collect();
    let labels = label_names(&frame.index);
    let levels = levels(&frame.index);
    let codecs = codecs(py, &domains_of(frame));
    let frequency = frame.frequency();
    let frequency = frequency.as_deref();
    Ok(python(py, "to_dataframe")?.call1((batch, labels, levels, names, start, codecs, frequency))?.unbind())
}

/// A table of labels and values as a pandas Series, Index or scalar.
pub(super) fn to_column(py: Python<'_>, table: &DataFrame, column: &Column, start: usize) -> PyResult<Py<PyAny>> {
    let batch = arrow::to_record_batch(py, table)?;
    let name = column.name.as_deref();
    let codecs = codecs(py, &domains_of_column(column));
    if column.is_scalar() {
        return Ok(python(py, "to_scalar")?.call1((batch, codecs, column.counted))?.unbind());
    }
    let frequency = column.to_frame("").frequency();
    let frequency = frequency.as_deref();
    if column.labels {
        return Ok(python(py, "to_index")?.call1((batch, name, codecs, frequency))?.unbind());
    }
    let (labels, levels) = (label_names(&column.index), levels(&column.index));
    Ok(python(py, "to_series")?.call1((batch, labels, levels, name, start, codecs, frequency))?.unbind())
}

fn label_names(index: &Index) -> Vec<Option<String>> {
    index.names().into_iter().map(|name| name.map(|name| name.to_string())).collect()
}

fn levels(index: &Index) -> usize {
    match index {
        Index::Rows(_) => 0,
        Index::Levels(levels) => levels.len(),
    }
}

/// A pandas object as a table, with what is known of its labels.
pub(super) struct Imported {
    pub table: DataFrame,
    /// The names of the levels of labels; none where rows are numbered from 0.
    pub levels: Vec<Option<String>>,
    /// The name of numbered rows.
    pub rows_name: Option<String>,
    /// The names of the columns; `None` for a series without a name.
    pub names: Vec<Option<String>>,
    pub is_series: bool,
    /// What the levels and columns are to their user.
    pub logical: Vec<Logical>,
}

/// Takes a pandas object over; its labels become columns, unless they number the rows from 0 and `number` allows that.
pub(super) fn import(object: &Bound<'_, PyAny>, number: bool) -> PyResult<Imported> {
    import_with(object, (object, number))
}

/// The empty object that tells what a function gives: columns of objects can hold anything.
pub(super) fn import_meta(object: &Bound<'_, PyAny>) -> PyResult<Imported> {
    import_with(object, (object, false, true))
}

/// What a function gave, with the types that were promised: `codecs` of the levels and columns.
pub(super) fn import_promised(
    object: &Bound<'_, PyAny>,
    codecs: Vec<Option<Bound<'_, PyBytes>>>,
) -> PyResult<Imported> {
    import_with(object, (object, false, false, codecs))
}

fn import_with<'py>(object: &Bound<'py, PyAny>, arguments: impl PyCallArgs<'py>) -> PyResult<Imported> {
    let found = python(object.py(), "from_pandas")?.call1(arguments)?;
    let (batch, levels, rows_name, names, is_series, described) =
        found.extract::<(Bound<'_, PyAny>, _, _, _, _, Vec<Option<Described>>)>()?;
    let logical = described.iter().map(|described| logical(described.as_ref())).collect::<PyResult<_>>()?;
    Ok(Imported { table: arrow::from_record_batch(&batch)?, levels, rows_name, names, is_series, logical })
}

impl Imported {
    /// The labels and columns with what their values can be, as an empty object promises them.
    #[expect(clippy::type_complexity, reason = "labels and columns, each a name and what it can hold")]
    pub fn promised(&self) -> (Vec<(Option<String>, Domain)>, Vec<(String, Domain)>) {
        let domain = |at: usize| {
            let dtype = self.table.columns()[at].dtype().clone();
            let missing = !dtype.is_integer() && !dtype.is_bool();
            Domain::new(dtype, missing, false).with_logical(self.logical[at].clone())
        };
        let count = self.levels.len();
        let levels = self.levels.iter().enumerate().map(|(at, name)| (name.clone(), domain(at))).collect();
        let columns = self.names.iter().enumerate();
        let columns = columns.map(|(at, name)| (name.clone().unwrap_or_default(), domain(at + count))).collect();
        (levels, columns)
    }
}

/// The row labels that a dataframe has, whose columns don't matter.
pub(super) fn to_labels(py: Python<'_>, table: &DataFrame, frame: &Frame, start: usize) -> PyResult<Py<PyAny>> {
    to_dataframe(py, table, frame, start)?.getattr(py, "index")
}

/// A dataframe (or a column) of a pandas object, in `npartitions` parts of about the same length, or in parts that begin
/// at the rows `locations`. Divisions are known if labels are in order and parts have none in common, unless `known` is
/// false.
#[pyfunction]
#[pyo3(signature = (data, npartitions=1, locations=None, known=true))]
fn frame_from_pandas(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    npartitions: usize,
    locations: Option<Vec<usize>>,
    known: bool,
) -> PyResult<Py<PyAny>> {
    let imported = import(data, true)?;
    let parts = match locations {
        Some(starts) => cut_at(&imported.table, &starts),
        None => cut(&imported.table, npartitions.max(1)),
    };
    let levels: Vec<Option<&str>> = imported.levels.iter().map(Option::as_deref).collect();
    let divisions = if known && levels.len() == 1 { divisions(data, &parts)? } else { None };
    let mut frame = memory(parts, &levels, &imported.logical, divisions);
    if let Some(frequency) = frequency(data)? {
        frame = frame.stepped(&frequency).or_raise()?;
    }
    if imported.levels.is_empty() {
        frame.index = Index::Rows(imported.rows_name.as_deref().map(Into::into));
    }
    if imported.is_series {
        let column = frame.column_at(0).or_raise()?.rename(imported.names[0].as_deref());
        return Ok(Py::new(py, ColumnExpr::from(column))?.into_any());
    }
    Ok(Py::new(py, FrameExpr::from(frame))?.into_any())
}

/// How far the times of an index are apart, as pandas calls it; nothing for other labels.
fn frequency(data: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    python(data.py(), "frequency_of")?.call1((data.getattr("index")?,))?.extract()
}

/// Equal slices, none of them empty unless all are.
pub(super) fn cut(table: &DataFrame, count: usize) -> Vec<DataFrame> {
    let rows = table.height();
    let count = count.clamp(1, rows.max(1));
    let (base, longer) = (rows / count, rows % count);
    let slice = |at: usize| table.slice((at * base + at.min(longer)) as i64, base + usize::from(at < longer));
    (0..count).map(slice).collect()
}

/// The slices that begin at rows `starts`, the first of which is 0.
fn cut_at(table: &DataFrame, starts: &[usize]) -> Vec<DataFrame> {
    let ends = starts.iter().skip(1).copied().chain([table.height()]);
    starts.iter().zip(ends).map(|(start, end)| table.slice(*start as i64, end - start)).collect()
}

/// The first label of each part and the last of all, if the labels are in order and no two parts have one in common.
fn divisions(data: &Bound<'_, PyAny>, parts: &[DataFrame]) -> PyResult<Option<Vec<Literal>>> {
    let index = data.getattr("index")?;
    let rows = parts.iter().map(DataFrame::height).sum::<usize>();
    let ordered = index.getattr("is_monotonic_increasing")?.extract::<bool>()?;
    if rows == 0 || !ordered || index.getattr("nlevels")?.extract::<usize>()? > 1 {
        return Ok(None);
    }
    let mut found = vec![];
    let mut at = 0;
    for part in parts {
        found.push(at);
        at += part.height();
    }
    found.push(rows - 1);
    for at in &found[1..found.len() - 1] {
        if parts.iter().any(|part| part.height() == 0) || index.get_item(at - 1)?.eq(index.get_item(*at)?)? {
            return Ok(None);
        }
    }
    let label = |at: usize| literal::literal(&index.get_item(at)?);
    Ok(found.into_iter().map(label).collect::<PyResult<Vec<_>>>().ok())
}

/// Tables that were computed as the source of the same frame; `logical` says what their columns are to their user, and
/// `rows` is the frame that they were computed from, whose divisions and frequency stay.
pub(super) fn persisted_frame(
    values: &[Value],
    index: &Index,
    logical: &[Logical],
    partitions: usize,
    rows: Option<&Frame>,
) -> PyResult<Frame> {
    let names = index.names();
    let levels: Vec<Option<&str>> = match index {
        Index::Rows(_) => vec![],
        Index::Levels(_) => names.iter().map(Option::as_deref).collect(),
    };
    let is_kept = values.iter().any(|value| matches!(value, Value::Stored(_)));
    let mut frame = match is_kept.then(|| kept(values.to_vec(), &levels, logical)).flatten() {
        Some(frame) => frame,
        None => {
            let tables = match values {
                [_] => cut(&one_table(values)?, partitions),
                values => values.iter().map(|value| one_table(std::slice::from_ref(value))).collect::<PyResult<_>>()?,
            };
            memory(tables, &levels, logical, None)
        }
    };
    if let Index::Rows(name) = index {
        frame.index = Index::Rows(name.clone());
        // Rows without columns are computed as their numbers, so that somebody counts them.
        frame.columns.retain(|(name, _)| *name != index_column_name(0));
        return Ok(frame);
    }
    match rows {
        Some(rows) => lying_as(frame, rows),
        None => Ok(frame),
    }
}

/// A frame that was computed from `rows`, with their divisions and frequency.
pub(super) fn lying_as(mut frame: Frame, rows: &Frame) -> PyResult<Frame> {
    if let Some(divisions) = rows.divisions().filter(|divisions| frame.root.partitions + 1 == divisions.len()) {
        frame = frame.divided(Some(divisions), rows.in_order()).or_raise()?;
    }
    match rows.frequency() {
        Some(frequency) => frame.stepped(&frequency).or_raise(),
        None => Ok(frame),
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(frame_from_pandas, module)?)
}
