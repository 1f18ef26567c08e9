//! Plans over files.

use super::partition_function::frame_from_delayed;
use super::rows::frame_concat;
use super::{FrameExpr, OrRaise, literal};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use raskt_frame::{
    CsvDtypes, CsvOptions, ParquetFilter, ParquetIndex, ParquetOptions, first_values, pandas_metadata, read_csv,
    read_parquet,
};
use std::collections::BTreeMap;

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

/// The rows of CSV files, with the types that pandas would give them.
#[pyfunction]
#[pyo3(signature = (paths, *, sep=",", header=Some(0), names=None, usecols=None, dtype=None, parse_dates=None,
                    na_values=None, keep_default_na=true, skiprows=0, nrows=None, index_col=None,
                    quotechar=Some("\""), comment=None, encoding="utf-8", include_path_column=None))]
#[expect(clippy::too_many_arguments, reason = "they are pandas'")]
fn frame_read_csv(
    py: Python<'_>,
    paths: Paths,
    sep: &str,
    header: Option<usize>,
    names: Option<Vec<String>>,
    usecols: Option<Vec<String>>,
    dtype: Option<Dtypes>,
    parse_dates: Option<Vec<String>>,
    na_values: Option<Vec<String>>,
    keep_default_na: bool,
    skiprows: usize,
    nrows: Option<usize>,
    index_col: Option<&str>,
    quotechar: Option<&str>,
    comment: Option<&str>,
    encoding: &str,
    include_path_column: Option<&str>,
) -> PyResult<FrameExpr> {
    if !matches!(encoding.to_ascii_lowercase().as_str(), "utf-8" | "utf8" | "ascii" | "utf-8-sig") {
        return Err(PyNotImplementedError::new_err(format!(
            "files in the encoding '{encoding}' can't be read natively"
        )));
    }
    if include_path_column.is_some() {
        return Err(PyNotImplementedError::new_err("a column of paths has no native form yet"));
    }
    let mut options = CsvOptions {
        separator: one_byte("sep", sep)?,
        header,
        names,
        use_columns: usecols,
        missing_words: na_values.unwrap_or_default(),
        default_missing_words: keep_default_na,
        skip_rows: skiprows,
        row_limit: nrows,
        quote: quotechar.map(|text| one_byte("quotechar", text)).transpose()?,
        comment: comment.map(|text| one_byte("comment", text)).transpose()?,
        ..CsvOptions::default()
    };
    if let Some(dtype) = dtype {
        options.dtypes = match dtype {
            Dtypes::One(dtype) => CsvDtypes::All(dtype),
            Dtypes::Each(dtypes) => CsvDtypes::Columns(dtypes),
        };
    }
    let paths = paths.all();
    if let Some(names) = parse_dates {
        options.dates = guessed_formats(py, &paths, &options, names)?;
    }
    let frame = py.detach(|| read_csv(&paths, options)).or_raise()?;
    match index_col {
        Some(name) => {
            frame.column(name).and_then(|column| frame.set_index(&column, true, false)).or_raise().map(Into::into)
        }
        None => Ok(frame.into()),
    }
}

fn one_byte(what: &str, text: &str) -> PyResult<u8> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err(PyNotImplementedError::new_err(format!("{what} has to be one character of ASCII, and is {text:?}"))),
    }
}

/// The format of each column of times, as pandas guesses it by the first value.
fn guessed_formats(
    py: Python<'_>,
    paths: &[String],
    options: &CsvOptions,
    names: Vec<String>,
) -> PyResult<BTreeMap<String, Option<String>>> {
    let first = py.detach(|| first_values(paths, options, &names)).or_raise()?;
    let guess = py.import("pandas.tseries.api")?.getattr("guess_datetime_format")?;
    let mut found = BTreeMap::new();
    for (name, value) in names.into_iter().zip(first) {
        let format = match value {
            Some(value) => {
                let format: Option<String> = guess.call1((&value,))?.extract()?;
                let unknown = || PyValueError::new_err(format!("column `{name}` doesn't look like times: {value:?}"));
                Some(engine_format(&format.ok_or_else(unknown)?, &value))
            }
            None => None,
        };
        found.insert(name, format);
    }
    Ok(found)
}

/// pandas' format in the words of the engine: `%f` stands for as many digits as there are after the dot.
fn engine_format(format: &str, value: &str) -> String {
    let format = format.replace(".%f", "%.f");
    if format.ends_with("%z") && value.ends_with('Z') { format.replace("%z", "Z") } else { format }
}

/// The rows of Parquet files.
#[pyfunction]
#[pyo3(signature = (paths, *, columns=None, filters=None, index=None))]
fn frame_read_parquet(
    py: Python<'_>,
    paths: Paths,
    columns: Option<Vec<String>>,
    filters: Option<&Bound<'_, PyAny>>,
    index: Option<&Bound<'_, PyAny>>,
) -> PyResult<FrameExpr> {
    let paths = paths.all();
    let index = match index {
        None => ParquetIndex::Columns(noted_index(py, &paths)?),
        Some(index) => asked_index(index)?,
    };
    let index = match index {
        ParquetIndex::Columns(columns) if columns.is_empty() => ParquetIndex::Rows,
        index => index,
    };
    let filters = filters.map(conditions).transpose()?.unwrap_or_default();
    let options = ParquetOptions { columns, filters, index };
    py.detach(|| read_parquet(&paths, &options)).or_raise().map(Into::into)
}

/// The columns that pandas noted as row labels, with the names of their levels.
fn noted_index(py: Python<'_>, paths: &[String]) -> PyResult<Vec<(String, Option<String>)>> {
    let Some(text) = py.detach(|| pandas_metadata(paths)).or_raise()? else { return Ok(vec![]) };
    let notes = py.import("json")?.getattr("loads")?.call1((text,))?;
    let mut names = BTreeMap::new();
    for column in notes.get_item("columns")?.try_iter()? {
        let column = column?;
        let field: Option<String> = column.get_item("field_name")?.extract()?;
        let name = column.get_item("name")?.extract::<Option<String>>().unwrap_or_default();
        names.extend(field.map(|field| (field, name)));
    }
    let mut found = vec![];
    for column in notes.get_item("index_columns")?.try_iter()? {
        let column = column?;
        // A range of numbers is noted as a dict: the rows are numbered anyway.
        if let Ok(column) = column.cast::<PyString>() {
            let column = column.to_string();
            let name = names.get(&column).cloned().flatten();
            found.push((column, name));
        }
    }
    Ok(found)
}

fn asked_index(index: &Bound<'_, PyAny>) -> PyResult<ParquetIndex> {
    if index.extract::<bool>().is_ok_and(|index| !index) {
        return Ok(ParquetIndex::Rows);
    }
    let paths: Paths =
        index.extract().map_err(|_| PyTypeError::new_err("index has to be a name, a list of names or False"))?;
    Ok(ParquetIndex::Columns(paths.all().into_iter().map(|name| (name.clone(), Some(name))).collect()))
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
    let values = match op.as_str() {
        "in" | "not in" => value.try_iter()?.map(|value| literal::literal(&value?)).collect::<PyResult<_>>()?,
        _ => vec![literal::literal(&value)?],
    };
    Ok(ParquetFilter { column, op, values })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(frame_read_csv, module)?)?;
    module.add_function(wrap_pyfunction!(frame_read_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(frame_concat, module)?)?;
    module.add_function(wrap_pyfunction!(frame_from_delayed, module)?)
}
