//! Arguments that several methods take.

use super::{ColumnExpr, literal};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_frame::{Column, ColumnOrValue, Domain, Literal, ReduceOptions};

/// A column, or a value that a column can meet.
pub(super) fn column_or_value(domain: &Domain, object: &Bound<'_, PyAny>) -> PyResult<ColumnOrValue> {
    match object.cast::<ColumnExpr>() {
        Ok(column) => Ok(ColumnOrValue::Column(column.get().column.clone())),
        Err(_) => Ok(ColumnOrValue::Literal(literal::literal_for(domain, object)?)),
    }
}

/// Pairs of a name and a column or value.
pub(super) fn named(columns: &[(String, Bound<'_, PyAny>)]) -> PyResult<Vec<(String, ColumnOrValue)>> {
    let one = |(name, object): &(String, Bound<'_, PyAny>)| {
        let value = match object.cast::<ColumnExpr>() {
            Ok(column) => ColumnOrValue::Column(column.get().column.clone()),
            Err(_) => ColumnOrValue::Literal(literal::literal(object)?),
        };
        Ok((name.clone(), value))
    };
    columns.iter().map(one).collect()
}

/// The same, as plans take them.
pub(super) fn borrowed(columns: &[(String, ColumnOrValue)]) -> Vec<(&str, ColumnOrValue)> {
    columns.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

pub(super) fn columns(columns: &[Py<ColumnExpr>]) -> Vec<Column> {
    columns.iter().map(|column| column.get().column.clone()).collect()
}

pub(super) fn literals(domain: &Domain, values: &[Bound<'_, PyAny>]) -> PyResult<Vec<Literal>> {
    values.iter().map(|value| literal::literal_for(domain, value)).collect()
}

pub(super) fn strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// What a reduction is told by keyword.
pub(super) fn reduce_options(options: Option<&Bound<'_, PyDict>>) -> PyResult<ReduceOptions> {
    let mut found = ReduceOptions::default();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        match name.as_str() {
            "ddof" => {
                let hint = "only pandas has variances with such a ddof";
                found.ddof = value.extract().map_err(|_| PyNotImplementedError::new_err(hint))?;
            }
            "q" => found.q = value.extract()?,
            "min_count" => found.min_count = value.extract::<i64>()?.clamp(0, u32::MAX.into()) as u32,
            "skipna" => found.skipna = value.extract()?,
            _ => return Err(PyTypeError::new_err(format!("a reduction takes no option `{name}`"))),
        }
    }
    if !(0.0..=1.0).contains(&found.q) {
        let message = format!("a quantile has to be between 0 and 1, and q is {}", found.q);
        return Err(pyo3::exceptions::PyValueError::new_err(message));
    }
    Ok(found)
}
