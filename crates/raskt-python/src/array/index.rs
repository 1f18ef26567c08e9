//! Index expressions as users write them between square brackets.

use super::{arguments, snapshot_of_numpy};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyNotImplementedError, PyOverflowError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PySlice, PyTuple};
use raskt_array::{Array, Index};
use raskt_value::Kind;

/// The parts of the key in `x[key]`.
pub(crate) fn from_key(key: &Bound<'_, PyAny>) -> PyResult<Vec<Index>> {
    match key.cast::<PyTuple>() {
        Ok(parts) => parts.iter().map(|part| index(&part)).collect(),
        Err(_) => Ok(vec![index(key)?]),
    }
}

fn index(part: &Bound<'_, PyAny>) -> PyResult<Index> {
    if let Ok(slice) = part.cast::<PySlice>() {
        return from_slice(slice);
    }
    if part.is_none() {
        return Ok(Index::NewAxis);
    }
    if part.is_instance_of::<PyEllipsis>() {
        return Ok(Index::Ellipsis);
    }
    if part.is_instance_of::<PyBool>() {
        return Err(PyNotImplementedError::new_err("indexing by a single True or False is not implemented"));
    }
    if let Ok(list) = part.cast::<PyList>() {
        return from_list(list);
    }
    if let Some(array) = arguments::array(part)? {
        return from_array(part, array);
    }
    part.extract::<i64>().map(Index::At).map_err(|_| unusable(part))
}

fn from_slice(slice: &Bound<'_, PySlice>) -> PyResult<Index> {
    let bound = |name| {
        let bound = slice.getattr(name)?;
        if bound.is_none() { Ok(None) } else { clamped(&bound).map(Some) }
    };
    let py = slice.py();
    let (start, stop, step) = (bound(intern!(py, "start"))?, bound(intern!(py, "stop"))?, bound(intern!(py, "step"))?);
    Ok(Index::Slice { start, stop, step })
}

/// A bound of a slice: one beyond all lengths is as good as the farthest of 64 bits.
fn clamped(bound: &Bound<'_, PyAny>) -> PyResult<i64> {
    let py = bound.py();
    bound.extract::<i64>().or_else(|error| {
        if !error.is_instance_of::<PyOverflowError>(py) {
            return Err(error);
        }
        let index = py.import("operator")?.call_method1(intern!(py, "index"), (bound,))?;
        Ok(if index.lt(0)? { -i64::MAX } else { i64::MAX })
    })
}

fn from_list(list: &Bound<'_, PyList>) -> PyResult<Index> {
    if list.is_empty() {
        return Ok(Index::List(vec![]));
    }
    let array = list.py().import("numpy")?.call_method1(intern!(list.py(), "asarray"), (list,))?;
    from_numpy(array.cast()?)
}

/// A raskt array that is an index must be a mask; NumPy's arrays and scalars may be positions too.
fn from_array(part: &Bound<'_, PyAny>, array: Array) -> PyResult<Index> {
    if let Ok(array) = part.cast::<PyUntypedArray>() {
        return from_numpy(array);
    }
    if part.hasattr(intern!(part.py(), "__raskt_expr__"))? {
        return match array.dtype().kind() {
            Kind::Bool => Ok(Index::Mask(array)),
            _ => Err(PyNotImplementedError::new_err(
                "positions in a lazy array are not implemented as an index: compute them first, as in x[positions.compute()]",
            )),
        };
    }
    part.extract::<i64>().map(Index::At).map_err(|_| unusable(part))
}

fn from_numpy(array: &Bound<'_, PyUntypedArray>) -> PyResult<Index> {
    match (array.dtype().kind(), array.ndim()) {
        (b'b', 1) => array.call_method0("tolist")?.extract().map(Index::Bools),
        (b'b', _) => Ok(Index::Mask(Array::from_chunk(snapshot_of_numpy(array)?))),
        (b'i' | b'u', 0) => array.call_method0("item")?.extract().map(Index::At),
        (b'i' | b'u', 1) => array.call_method0("tolist")?.extract().map(Index::List),
        (b'i' | b'u', ndim) => Err(PyNotImplementedError::new_err(format!(
            "an index of {ndim} dimensions is not implemented; flatten it and reshape the result"
        ))),
        _ => Err(unusable(array)),
    }
}

fn unusable(part: &Bound<'_, PyAny>) -> PyErr {
    let shown = part.repr().map_or_else(|_| "this".into(), |shown| shown.to_string());
    PyIndexError::new_err(format!(
        "only integers, slices, `...`, `None`, lists of integers and boolean masks are valid indices, not {shown}"
    ))
}
