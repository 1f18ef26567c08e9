//! Where elements stand: indexing, chunks, axes, joining.

use super::arguments::Axes;
use super::error::OrRaise;
use super::{ArrayExpr, chunks, index};
use pyo3::prelude::*;
use raskt_array::Array;
use std::ops::Range;

/// `x[key]`.
#[pyfunction]
fn array_index(x: &ArrayExpr, key: &Bound<'_, PyAny>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.index(&index::from_key(key)?))
}

/// The elements at `positions` along `axis`.
#[pyfunction]
fn array_take(x: &ArrayExpr, positions: Vec<i64>, axis: isize) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.take(&positions, axis))
}

/// The same array in other chunks.
#[pyfunction]
fn array_rechunk(x: &ArrayExpr, chunks: &Bound<'_, PyAny>, limit: Option<usize>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.rechunk(&chunks::argument(chunks, x.array.ndim())?, limit))
}

/// The same elements in C order under another shape; one length may be -1.
#[pyfunction]
fn array_reshape(x: &ArrayExpr, shape: Vec<i64>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.reshape(&shape))
}

/// The axes in another order; reversed if none is given.
#[pyfunction]
fn array_transpose(x: &ArrayExpr, axes: Option<Vec<isize>>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.transpose(axes.as_deref()))
}

/// Axes moved to other places.
#[pyfunction]
fn array_moveaxis(x: &ArrayExpr, source: Axes, destination: Axes) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.move_axis(&source.into_list(), &destination.into_list()))
}

/// Two axes swapped.
#[pyfunction]
fn array_swapaxes(x: &ArrayExpr, first: isize, second: isize) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.swap_axes(first, second))
}

/// New axes of length 1.
#[pyfunction]
fn array_expand_dims(x: &ArrayExpr, axis: Axes) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.expand_dims(&axis.into_list()))
}

/// Without axes of length 1.
#[pyfunction]
fn array_squeeze(x: &ArrayExpr, axis: Option<Axes>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.squeeze(axis.map(Axes::into_list).as_deref()))
}

/// The elements repeated along new axes and axes of length 1.
#[pyfunction]
fn array_broadcast_to(x: &ArrayExpr, shape: Vec<usize>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.broadcast_to(&shape))
}

/// The elements in reverse order along axes.
#[pyfunction]
fn array_flip(x: &ArrayExpr, axis: Option<Axes>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(x.array.flip(axis.map(Axes::into_list).as_deref()))
}

/// Arrays one after the other along an axis.
#[pyfunction]
fn array_concatenate(arrays: Vec<PyRef<'_, ArrayExpr>>, axis: isize) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(Array::concatenate(&expressions(&arrays), axis))
}

/// Arrays side by side along a new axis.
#[pyfunction]
fn array_stack(arrays: Vec<PyRef<'_, ArrayExpr>>, axis: isize) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(Array::stack(&expressions(&arrays), axis))
}

fn expressions(arrays: &[PyRef<'_, ArrayExpr>]) -> Vec<Array> {
    arrays.iter().map(|array| array.array.clone()).collect()
}

/// A box of blocks: for each axis, the blocks from a first to before a last.
#[pyfunction]
fn array_blocks(x: &ArrayExpr, ranges: Vec<(u32, u32)>) -> PyResult<ArrayExpr> {
    let ranges: Vec<Range<u32>> = ranges.into_iter().map(|(first, end)| first..end).collect();
    x.array.blocks(&ranges).or_raise().map(ArrayExpr::from)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_index, module)?)?;
    module.add_function(wrap_pyfunction!(array_take, module)?)?;
    module.add_function(wrap_pyfunction!(array_rechunk, module)?)?;
    module.add_function(wrap_pyfunction!(array_reshape, module)?)?;
    module.add_function(wrap_pyfunction!(array_transpose, module)?)?;
    module.add_function(wrap_pyfunction!(array_moveaxis, module)?)?;
    module.add_function(wrap_pyfunction!(array_swapaxes, module)?)?;
    module.add_function(wrap_pyfunction!(array_expand_dims, module)?)?;
    module.add_function(wrap_pyfunction!(array_squeeze, module)?)?;
    module.add_function(wrap_pyfunction!(array_broadcast_to, module)?)?;
    module.add_function(wrap_pyfunction!(array_flip, module)?)?;
    module.add_function(wrap_pyfunction!(array_concatenate, module)?)?;
    module.add_function(wrap_pyfunction!(array_stack, module)?)?;
    module.add_function(wrap_pyfunction!(array_blocks, module)?)
}
