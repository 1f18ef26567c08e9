//! Plans over files.

use super::from_delayed::frame_from_delayed;
use super::rows::frame_concat;
use super::{FrameExpr, OrRaise, literal};
use crate::collection::Collection;
use crate::ending::Outside;
use crate::error::{NotNative, from_graph_error};
use crate::travel::CollectionForm;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use raskt_frame::{
    CsvDtypes, CsvLook, CsvOptions, ParquetFilter, ParquetIndex, ParquetOptions, look_at_csv, pandas_metadata,
    read_parquet,
};
use raskt_graph::{GraphBuilder, LayerId};
use raskt_value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One path, or several.
#[derive(FromPyObject)]
enum Paths {
    One(String),
    Many(Vec<String>),
}

impl Paths {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(path) => vec![path],
            Self::Many(paths) => paths,
        }
    }
}

/// One type for all columns, or types by column.
#[derive(FromPyObject)]
enum Dtypes {
    One(String),
    Each(BTreeMap<String, String>),
}

/// A look at CSV files by tasks, a task for each: what types their columns have, by all rows. Its result is the frame.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct CsvLookExpr(Arc<CsvLook>);

impl Collection for CsvLookExpr {
    fn lower(&self, _py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        self.0.lower(graph).map_err(from_graph_error)
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        self.0.take(&values).or_raise()?;
        Ok(Py::new(py, FrameExpr::from(self.0.frame().or_raise()?))?.into_any())
    }

    fn persisted(&self, _py: Python<'_>, _values: Vec<Value>) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err("a look at files can't be persisted; use compute"))
    }

    fn form(&self, _py: Python<'_>) -> PyResult<CollectionForm> {
        let hint = "a look at files can't be sent to another process: compute it, and send the dataframe that it gives";
        Err(PyNotImplementedError::new_err(hint))
    }

    fn block(&self, py: Python<'_>, _index: u64, _value: Value) -> PyResult<Py<PyAny>> {
        Ok(py.None())
    }
}

#[pymethods]
impl CsvLookExpr {
    /// "look".
    #[getter]
    fn kind(&self) -> &'static str {
        "look"
    }

    /// How many files are looked at.
    #[getter]
    fn npartitions(&self) -> usize {
        self.0.files()
    }
}

/// The look at CSV files that has to be computed to read them.
#[pyfunction]
#[pyo3(signature = (paths, *, sep=",", header=true, names=None, usecols=None, dtype=None, parse_dates=None,
                    na_values=None, skiprows=0, quotechar=Some("\""), comment=None))]
#[expect(clippy::too_many_arguments, reason = "they are pandas'")]
fn frame_look_csv(
    paths: Paths,
    sep: &str,
    header: bool,
    names: Option<Vec<String>>,
    usecols: Option<Vec<String>>,
    dtype: Option<Dtypes>,
    parse_dates: Option<Vec<String>>,
    na_values: Option<Vec<String>>,
    skiprows: usize,
    quotechar: Option<&str>,
    comment: Option<&str>,
) -> PyResult<CsvLookExpr> {
    let mut options = CsvOptions {
        separator: one_byte("sep", sep)?,
        has_header: header,
        names,
        use_columns: usecols,
        missing_words: na_values.unwrap_or_default(),
        skip_rows: skiprows,
        quote: quotechar.map(|text| one_byte("quotechar", text)).transpose()?,
        comment: comment.map(|text| one_byte("comment", text)).transpose()?,
        dates: parse_dates.unwrap_or_default().into_iter().collect(),
        ..CsvOptions::default()
    };
    if let Some(dtype) = dtype {
        options.dtypes = match dtype {
            Dtypes::One(dtype) => CsvDtypes::All(dtype),
            Dtypes::Each(dtypes) => CsvDtypes::Columns(dtypes),
        };
    }
    Ok(CsvLookExpr(Arc::new(look_at_csv(&paths.all(), options).or_raise()?)))
}

fn one_byte(what: &str, text: &str) -> PyResult<u8> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err(PyNotImplementedError::new_err(format!("{what} has to be one character of ASCII, and is {text:?}"))),
    }
}

/// The rows of Parquet files; `index` are the columns that are row labels, with the names of the levels.
#[pyfunction]
#[pyo3(signature = (paths, *, columns=None, filters=None, index=vec![]))]
fn frame_read_parquet(
    py: Python<'_>,
    paths: Paths,
    columns: Option<Vec<String>>,
    filters: Option<&Bound<'_, PyAny>>,
    index: Vec<(String, Option<String>)>,
) -> PyResult<FrameExpr> {
    let index = if index.is_empty() { ParquetIndex::Rows } else { ParquetIndex::Columns(index) };
    let filters = filters.map(conditions).transpose()?.unwrap_or_default();
    let options = ParquetOptions { columns, filters, index };
    let paths = paths.all();
    py.outside(|| read_parquet(&paths, &options)).or_raise().map(Into::into)
}

/// What pandas noted in each of some Parquet files, as JSON.
#[pyfunction]
fn frame_parquet_notes(py: Python<'_>, paths: Vec<String>) -> PyResult<Vec<Option<String>>> {
    py.outside(|| paths.iter().map(pandas_metadata).collect::<Result<_, _>>()).or_raise()
}

/// Filters as pyarrow has them: a list of conditions that all hold, or a list of such lists of which one holds.
fn conditions(filters: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<ParquetFilter>>> {
    let items: Vec<Bound<'_, PyAny>> = filters.extract()?;
    let flat = items.first().is_some_and(|first| first.get_item(0).is_ok_and(|it| it.is_instance_of::<PyString>()));
    if flat {
        return Ok(vec![items.iter().map(condition).collect::<PyResult<_>>()?]);
    }
    let list = |item: &Bound<'_, PyAny>| {
        item.extract::<Vec<Bound<'_, PyAny>>>()?.iter().map(condition).collect::<PyResult<Vec<_>>>()
    };
    items.iter().map(list).collect()
}

fn condition(item: &Bound<'_, PyAny>) -> PyResult<ParquetFilter> {
    let (column, op, value): (String, String, Bound<'_, PyAny>) =
        item.extract().map_err(|_| PyTypeError::new_err("a filter has to be (column, operator, value)"))?;
    // pyarrow knows more values than there are literals, and says which of them it doesn't.
    let one = |value: &Bound<'_, PyAny>| literal::literal(value).map_err(|error| NotNative::new_err(error.to_string()));
    let values = match op.as_str() {
        "in" | "not in" => value.try_iter()?.map(|value| one(&value?)).collect::<PyResult<_>>()?,
        _ => vec![one(&value)?],
    };
    Ok(ParquetFilter { column, op, values })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CsvLookExpr>()?;
    module.add_function(wrap_pyfunction!(frame_look_csv, module)?)?;
    module.add_function(wrap_pyfunction!(frame_read_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(frame_parquet_notes, module)?)?;
    module.add_function(wrap_pyfunction!(frame_concat, module)?)?;
    module.add_function(wrap_pyfunction!(frame_from_delayed, module)?)
}
