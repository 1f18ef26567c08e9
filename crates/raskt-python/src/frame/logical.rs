//! What columns are to their users, as Python says it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_frame::polars::prelude::DataType;
use raskt_frame::{Column, Domain, Frame, Index, Logical, PandasType};

/// The name of a type in pandas, which family it is of, and how its values are stored.
pub(super) type Described = (String, String, Vec<u8>);

/// The logical type that Python described; none for a plain column.
pub(super) fn logical(described: Option<&Described>) -> PyResult<Logical> {
    let Some((name, family, codec)) = described else { return Ok(Logical::Plain) };
    let it = PandasType { name: name.as_str().into(), codec: codec.as_slice().into() };
    Ok(match family.as_str() {
        "nullable" => Logical::Nullable(it),
        "arrow" => Logical::Arrow(it),
        "category" => Logical::Category(it),
        "opaque" => Logical::Opaque(it),
        other => return Err(PyValueError::new_err(format!("there is no family `{other}` of types"))),
    })
}

/// What restores values of a domain in Python; None for plain ones.
pub(super) fn codec<'py>(py: Python<'py>, domain: &Domain) -> Option<Bound<'py, PyBytes>> {
    domain.logical.pandas_type().map(|it| PyBytes::new(py, &it.codec))
}

/// The categories of a column that the engine has as such, if it knows them.
pub(super) fn categories(domain: &Domain) -> Option<Vec<String>> {
    match &domain.dtype {
        DataType::Enum(known, _) if domain.is_plain() => {
            Some(known.categories().values_iter().map(str::to_owned).collect())
        }
        _ => None,
    }
}

/// The domains of the columns of a frame's table, labels first.
pub(super) fn domains_of(frame: &Frame) -> Vec<&Domain> {
    let labels = levels_of(&frame.index).into_iter();
    labels.chain(frame.columns.iter().map(|(_, values)| &values.domain)).collect()
}

/// The domains of the columns of a column's table, labels first.
pub(super) fn domains_of_column(column: &Column) -> Vec<&Domain> {
    let labels = if column.is_scalar() || column.labels { vec![] } else { levels_of(&column.index) };
    labels.into_iter().chain([&column.values.domain]).collect()
}

fn levels_of(index: &Index) -> Vec<&Domain> {
    match index {
        Index::Rows(_) => vec![],
        Index::Levels(levels) => levels.iter().map(|level| &level.values.domain).collect(),
    }
}

/// What restores the labels of each level in Python.
pub(super) fn index_codecs<'py>(py: Python<'py>, index: &Index) -> Vec<Option<Bound<'py, PyBytes>>> {
    match index {
        Index::Rows(_) => vec![None],
        Index::Levels(_) => codecs(py, &levels_of(index)),
    }
}

/// The names of pandas' types of the levels.
pub(super) fn index_dtypes(index: &Index) -> Vec<String> {
    match index {
        Index::Rows(_) => vec!["int64".to_owned()],
        Index::Levels(_) => levels_of(index).into_iter().map(Domain::pandas_dtype).collect(),
    }
}

/// What restores the values of each column in Python.
pub(super) fn codecs<'py>(py: Python<'py>, domains: &[&Domain]) -> Vec<Option<Bound<'py, PyBytes>>> {
    domains.iter().map(|domain| codec(py, domain)).collect()
}

/// What the columns are to their user.
pub(super) fn logicals(domains: &[&Domain]) -> Vec<Logical> {
    domains.iter().map(|domain| domain.logical.clone()).collect()
}
