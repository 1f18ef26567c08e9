//! `chunks` as users write it, and chunk grids as users read them.

use super::error::OrRaise;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString, PyTuple};
use raskt_array::{ChunkSpec, Chunks, ChunksArg, Extent, normalize_chunks};
use raskt_value::DType;

/// The chunk grid that `chunks` means for a new array of `shape`.
pub(crate) fn for_new_array(
    chunks: &Bound<'_, PyAny>,
    shape: &[usize],
    dtype: DType,
    limit: Option<usize>,
) -> PyResult<Chunks> {
    normalize_chunks(&argument(chunks, shape.len())?, shape, dtype, limit, None).or_raise()
}

/// What `chunks` means for an array of `ndim` axes: `"auto"`, `1000`, `-1`, `"8MB"`, `(1000, -1)`, `((2, 3), (4,))`,
/// `{0: 1000}`.
pub(crate) fn argument(chunks: &Bound<'_, PyAny>, ndim: usize) -> PyResult<ChunksArg> {
    if let Ok(axes) = chunks.cast::<PyDict>() {
        let axes = axes.iter().map(|(axis, spec)| Ok((axis.extract::<isize>()?, axis_spec(&spec)?)));
        return axes.collect::<PyResult<_>>().map(ChunksArg::Some);
    }
    if !is_sequence(chunks) {
        return axis_spec(chunks).map(ChunksArg::Each);
    }
    let axes: Vec<_> = chunks.try_iter()?.collect::<PyResult<_>>()?;
    // For a line of blocks, `(2, 3)` are the lengths of its blocks, not the chunks of two axes.
    if ndim == 1 && axes.len() > 1 && !axes.iter().any(is_sequence) {
        return Ok(ChunksArg::Axes(vec![lengths(chunks)?]));
    }
    axes.iter().map(axis_spec).collect::<PyResult<_>>().map(ChunksArg::Axes)
}

/// What is said about the chunks of one axis.
pub(crate) fn axis_spec(spec: &Bound<'_, PyAny>) -> PyResult<ChunkSpec> {
    if spec.is_none() {
        return Ok(ChunkSpec::Keep);
    }
    if let Ok(text) = spec.cast::<PyString>() {
        return match text.to_str()? {
            "auto" => Ok(ChunkSpec::Auto),
            bytes => raskt_array::parse_bytes(bytes).or_raise().map(ChunkSpec::Bytes),
        };
    }
    if is_sequence(spec) {
        return lengths(spec);
    }
    if is_nan(spec) {
        return Ok(ChunkSpec::Unknown);
    }
    match whole_number(spec) {
        Some(-1) => Ok(ChunkSpec::Whole),
        Some(size) if size >= 0 => Ok(ChunkSpec::Size(size as usize)),
        Some(size) => {
            Err(PyValueError::new_err(format!("a chunk can't have the size {size}; -1 means the whole axis")))
        }
        None => Err(PyTypeError::new_err(format!(
            "chunks take a number, a tuple of numbers, \"auto\", a size like \"8MB\", -1 or None, not {}",
            spec.repr()?
        ))),
    }
}

fn lengths(spec: &Bound<'_, PyAny>) -> PyResult<ChunkSpec> {
    for item in spec.try_iter()? {
        if is_nan(&item?) {
            return Ok(ChunkSpec::Unknown);
        }
    }
    let length = |item: Bound<'_, PyAny>| match whole_number(&item) {
        Some(length) if length >= 0 => Ok(length as usize),
        _ => Err(PyValueError::new_err(format!("a block can't have the length {}", item.repr()?))),
    };
    spec.try_iter()?.map(|item| length(item?)).collect::<PyResult<_>>().map(ChunkSpec::Lengths)
}

/// An integer, or a float with an integer's value (`1e6` is what people type).
fn whole_number(object: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(number) = object.extract::<i64>() {
        return Some(number);
    }
    object
        .extract::<f64>()
        .ok()
        .filter(|number| number.fract() == 0.0 && number.abs() < 1e18)
        .map(|number| number as i64)
}

fn is_nan(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyFloat>() && object.extract::<f64>().is_ok_and(f64::is_nan)
}

fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>()
}

/// A length as Python shows it: NaN where it isn't known.
pub(crate) fn extent<'py>(py: Python<'py>, extent: Extent) -> PyResult<Bound<'py, PyAny>> {
    match extent {
        Some(length) => Ok(length.into_pyobject(py)?.into_any()),
        // The very object, so that tuples of lengths compare equal, as `x is y` lets a NaN do in a tuple.
        None => py.import(intern!(py, "numpy"))?.getattr(intern!(py, "nan")),
    }
}

/// Lengths as Python shows them.
pub(crate) fn extents<'py>(
    py: Python<'py>,
    extents: impl IntoIterator<Item = Extent>,
) -> PyResult<Bound<'py, PyTuple>> {
    let items: Vec<_> = extents.into_iter().map(|length| extent(py, length)).collect::<PyResult<_>>()?;
    PyTuple::new(py, items)
}

/// All block lengths of all axes, as `.chunks` shows them.
pub(crate) fn to_python<'py>(py: Python<'py>, chunks: &Chunks) -> PyResult<Bound<'py, PyTuple>> {
    let axes: Vec<_> = chunks.axes().iter().map(|axis| extents(py, axis.lengths())).collect::<PyResult<_>>()?;
    PyTuple::new(py, axes)
}
