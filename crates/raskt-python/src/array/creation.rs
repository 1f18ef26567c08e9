//! Arrays from memory and from rules.

use super::{ArrayExpr, arguments, chunk_from_numpy, chunks, dtype, snapshot_of_numpy};
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use raskt_array::Array;

/// The elements that a NumPy array has now, cut into chunks; with `shared`, a view of its memory.
#[pyfunction]
fn array_from_numpy(
    array: &Bound<'_, PyUntypedArray>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
    shared: bool,
) -> PyResult<ArrayExpr> {
    let memory = if shared { chunk_from_numpy(array)? } else { snapshot_of_numpy(array)? };
    let grid = chunks::for_new_array(chunks, memory.shape(), memory.dtype(), limit)?;
    ArrayExpr::checked(Array::from_memory(memory, grid))
}

/// An array of one value.
#[pyfunction]
fn array_full(
    shape: Vec<usize>,
    value: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &shape, dtype, limit)?;
    ArrayExpr::checked(Array::full(grid, arguments::any_scalar(value)?, dtype))
}

/// `length` numbers from `start` at distances of `step`; `second` is the number at position 1, which rounding may take
/// elsewhere. How many they are is for the caller to say, who has the bounds in types that are exact.
#[pyfunction]
fn array_arange(
    start: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    length: usize,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let [start, step, second] = [start, step, second].map(arguments::any_scalar);
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &[length], dtype, limit)?;
    ArrayExpr::checked(Array::range(start?, step?, second?, dtype, grid))
}

/// `count` numbers from `start` to `stop`, evenly spaced.
#[pyfunction]
fn array_linspace(
    start: f64,
    stop: f64,
    count: usize,
    endpoint: bool,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &[count], dtype, limit)?;
    ArrayExpr::checked(Array::linspace(start, stop, endpoint, dtype, grid))
}

/// A matrix with ones on its `diagonal` and zeros elsewhere.
#[pyfunction]
fn array_eye(
    shape: [usize; 2],
    diagonal: i64,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &shape, dtype, limit)?;
    ArrayExpr::checked(Array::eye(grid, diagonal, dtype))
}

/// A matrix with ones at and below its `diagonal` and zeros above.
#[pyfunction]
fn array_tri(
    shape: [usize; 2],
    diagonal: i64,
    dtype: &Bound<'_, PyAny>,
    chunks: &Bound<'_, PyAny>,
    limit: Option<usize>,
) -> PyResult<ArrayExpr> {
    let dtype = dtype::from_object(dtype)?;
    let grid = chunks::for_new_array(chunks, &shape, dtype, limit)?;
    ArrayExpr::checked(Array::tri(grid, diagonal, dtype))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(array_full, module)?)?;
    module.add_function(wrap_pyfunction!(array_arange, module)?)?;
    module.add_function(wrap_pyfunction!(array_linspace, module)?)?;
    module.add_function(wrap_pyfunction!(array_eye, module)?)?;
    module.add_function(wrap_pyfunction!(array_tri, module)?)
}
