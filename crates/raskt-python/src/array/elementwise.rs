//! Functions of corresponding elements.

use super::{ArrayExpr, arguments, dtype};
use pyo3::prelude::*;
use raskt_array::{Array, Operand, Ufunc};

/// The ufunc `name` of one operand, or `None` if the operand is of a type that raskt doesn't know.
#[pyfunction]
fn array_unary(name: &str, x: &Bound<'_, PyAny>) -> PyResult<Option<ArrayExpr>> {
    match arguments::operand(x)? {
        Some(x) => map(name, &[x]).map(Some),
        None => Ok(None),
    }
}

/// The ufunc `name` of two operands, or `None` if one is of a type that raskt doesn't know.
#[pyfunction]
fn array_binary(name: &str, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Option<ArrayExpr>> {
    match (arguments::operand(x)?, arguments::operand(y)?) {
        (Some(x), Some(y)) => map(name, &[x, y]).map(Some),
        _ => Ok(None),
    }
}

fn map(name: &str, operands: &[Operand]) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(Ufunc::from_name(name).and_then(|ufunc| Array::map(ufunc, operands)))
}

/// Whether there is a native ufunc called `name`.
#[pyfunction]
fn array_has_ufunc(name: &str) -> bool {
    Ufunc::from_name(name).is_ok()
}

/// Elements of `x` where the condition holds, of `y` elsewhere.
#[pyfunction]
fn array_where(condition: &Bound<'_, PyAny>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<ArrayExpr> {
    let [condition, x, y] = [condition, x, y].map(arguments::known_operand);
    ArrayExpr::checked(Array::select(condition?, x?, y?))
}

/// The elements of `x`, none below `low` or above `high`.
#[pyfunction]
fn array_clip(x: &ArrayExpr, low: Option<&Bound<'_, PyAny>>, high: Option<&Bound<'_, PyAny>>) -> PyResult<ArrayExpr> {
    let low = low.map(arguments::known_operand).transpose()?;
    let high = high.map(arguments::known_operand).transpose()?;
    ArrayExpr::checked(x.array.clip(low, high))
}

/// The same elements as another data type.
#[pyfunction]
fn array_astype(x: &ArrayExpr, dtype: &Bound<'_, PyAny>) -> PyResult<ArrayExpr> {
    Ok(x.array.astype(dtype::from_object(dtype)?).into())
}

/// The array that `object` is: a raskt array as it is, anything of NumPy's in one chunk; `None` for other types.
#[pyfunction]
fn array_operand(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayExpr>> {
    Ok(arguments::array(object)?.map(ArrayExpr::from))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_unary, module)?)?;
    module.add_function(wrap_pyfunction!(array_binary, module)?)?;
    module.add_function(wrap_pyfunction!(array_has_ufunc, module)?)?;
    module.add_function(wrap_pyfunction!(array_where, module)?)?;
    module.add_function(wrap_pyfunction!(array_clip, module)?)?;
    module.add_function(wrap_pyfunction!(array_astype, module)?)?;
    module.add_function(wrap_pyfunction!(array_operand, module)?)
}
