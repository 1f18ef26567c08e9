//! NumPy arrays as chunks and chunks as NumPy arrays, both without a copy where memory allows it.

use super::dtype;
use crate::ending::Outside;
use numpy::npyffi::{self, PY_ARRAY_API};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_value::{Buffer, Chunk, DType, Dims, Element, Strides, with_element};
use std::any::Any;
use std::ffi::c_int;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

/// A NumPy array that keeps the memory of a buffer alive.
struct NumpyOwner(#[expect(dead_code, reason = "held for its drop")] Py<PyUntypedArray>);

/// A buffer that keeps the memory of a NumPy array alive.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ChunkOwner(#[expect(dead_code, reason = "held for its drop")] Buffer);

/// A chunk over the memory of `array`; only arrays that no chunk can describe (foreign byte order, elements that are
/// not aligned) are copied.
pub(crate) fn chunk_from_numpy(array: &Bound<'_, PyUntypedArray>) -> PyResult<Chunk> {
    let dtype = dtype::from_descriptor(&array.dtype())?;
    if !is_describable(array, dtype) {
        return chunk_from_numpy(&aligned_copy(array, dtype)?);
    }
    if array.is_empty() {
        return Ok(empty(dtype, array.shape()));
    }
    let chunk = view_of(array, dtype)?;
    if dtype == DType::Bool {
        check_truth_values(&chunk)?;
    }
    Ok(chunk)
}

fn is_describable(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> bool {
    let size = dtype.size() as isize;
    array.dtype().is_native_byteorder() != Some(false)
        && array.is_aligned()
        && array.strides().iter().all(|stride| stride % size == 0)
}

fn aligned_copy<'py>(array: &Bound<'py, PyUntypedArray>, dtype: DType) -> PyResult<Bound<'py, PyUntypedArray>> {
    let copy = array.call_method1("astype", (dtype.name(), "C"))?;
    Ok(copy.cast_into::<PyUntypedArray>()?)
}

/// The chunk that has the strides of `array`, which is aligned and has at least one element.
fn view_of(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Chunk> {
    let size = dtype.size();
    let shape: Dims = array.shape().into();
    let strides: Strides = array.strides().iter().map(|stride| stride / size as isize).collect();
    let (mut low, mut high) = (0, 0);
    for (&length, &stride) in shape.iter().zip(&strides) {
        let reach = (length as isize - 1) * stride;
        if reach < 0 { low += reach } else { high += reach }
    }
    let bytes = (high - low + 1) as usize * size;
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(NumpyOwner(array.clone().unbind()));
    // SAFETY: `array` is alive, so its header can be read.
    let first = unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>();
    let start = NonNull::new(first.wrapping_offset(low * size as isize)).expect("an array with elements has memory");
    // SAFETY: NumPy's shape and strides reach the elements from `low` to `high` and no others; they are aligned, and
    // the owner keeps them alive. That nobody writes to them meanwhile is what `from_array` asks of its caller.
    let buffer = unsafe { Buffer::from_raw(start, bytes, owner) };
    Chunk::from_parts(dtype, shape, strides, -low as usize, buffer)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A byte other than 0 and 1 is not a `bool` in Rust; NumPy lets one in by `view(bool)`.
fn check_truth_values(chunk: &Chunk) -> PyResult<()> {
    let bytes = Chunk::from_parts(
        DType::U8,
        chunk.shape().into(),
        chunk.strides().into(),
        chunk.offset(),
        chunk.buffer().clone(),
    );
    let bytes = bytes.expect("bytes have the layout of truth values");
    match bytes.view::<u8>().expect("the type was given").iter().find(|&&byte| byte > 1) {
        None => Ok(()),
        Some(byte) => Err(PyValueError::new_err(format!(
            "a boolean array holds the byte {byte}, which is neither 0 nor 1; pass `array != 0` instead"
        ))),
    }
}

fn empty(dtype: DType, shape: &[usize]) -> Chunk {
    with_element!(dtype, T => Chunk::from_vec::<T>(vec![], shape).expect("an empty block has no element"))
}

/// The elements of `chunk` as a NumPy array that its holder may write to.
///
/// The memory is handed over where nobody else can see it; else it is copied.
pub(crate) fn numpy_from_chunk<'py>(py: Python<'py>, chunk: Arc<Chunk>) -> PyResult<Bound<'py, PyAny>> {
    let chunk = Arc::unwrap_or_clone(chunk);
    if is_ours_alone(&chunk) {
        return wrap(py, &chunk, npyffi::NPY_ARRAY_WRITEABLE);
    }
    let copy = py.outside(|| with_element!(chunk.dtype(), T => copied::<T>(&chunk)));
    wrap(py, &copy, npyffi::NPY_ARRAY_WRITEABLE)
}

/// The elements of `chunk` as a NumPy array that can't be written to, since others may read them. Never copies.
pub(crate) fn numpy_view<'py>(py: Python<'py>, chunk: &Chunk) -> PyResult<Bound<'py, PyAny>> {
    wrap(py, chunk, 0)
}

/// Bytes as a NumPy array, which may be written to if `writable` says so. Never copies.
///
/// # Safety
/// If it may be written to, nobody else reads the bytes.
pub(crate) unsafe fn numpy_over(py: Python<'_>, bytes: Buffer, writable: bool) -> PyResult<Bound<'_, PyAny>> {
    let length = bytes.len();
    let (shape, strides) = (Dims::from_slice(&[length]), Strides::from_slice(&[1]));
    let chunk = Chunk::from_parts(DType::U8, shape, strides, 0, bytes);
    let chunk = chunk.map_err(|error| PyValueError::new_err(error.to_string()))?;
    wrap(py, &chunk, if writable { npyffi::NPY_ARRAY_WRITEABLE } else { 0 })
}

/// Whether nobody else refers to the memory, it is Rust's, and the chunk uses at least half of it.
fn is_ours_alone(chunk: &Chunk) -> bool {
    let owner = chunk.buffer().owner();
    let is_broadcast = chunk.shape().iter().zip(chunk.strides()).any(|(&length, &stride)| length > 1 && stride == 0);
    Arc::strong_count(owner) == 1
        && !owner.is::<NumpyOwner>()
        && !is_broadcast
        && chunk.bytes() * 2 >= chunk.buffer().len()
}

fn copied<T: Element>(chunk: &Chunk) -> Chunk {
    let elements: Vec<T> = match chunk.as_slice::<T>() {
        Some(elements) => elements.to_vec(),
        None => chunk.view::<T>().expect("the type was matched").iter().copied().collect(),
    };
    Chunk::from_vec(elements, chunk.shape()).expect("a copy has as many elements")
}

/// A NumPy array over the memory of `chunk`, which it keeps alive.
fn wrap<'py>(py: Python<'py>, chunk: &Chunk, flags: c_int) -> PyResult<Bound<'py, PyAny>> {
    let size = chunk.dtype().size() as isize;
    let mut shape: Vec<npyffi::npy_intp> = chunk.shape().iter().map(|&length| length as _).collect();
    let mut strides: Vec<npyffi::npy_intp> = chunk.strides().iter().map(|stride| stride * size).collect();
    let owner = Bound::new(py, ChunkOwner(chunk.buffer().clone()))?;
    let descriptor = dtype::to_descriptor(py, chunk.dtype());
    // SAFETY: the descriptor is given away as NumPy wants it; shape and strides stay within the buffer, which the
    // base object keeps alive; writing is allowed by `flags` only where the caller knows that nobody else reads.
    let array = unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            descriptor.into_dtype_ptr(),
            shape.len() as c_int,
            shape.as_mut_ptr(),
            strides.as_mut_ptr(),
            chunk.as_ptr().cast_mut().cast(),
            flags,
            null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, array)?
    };
    // SAFETY: `array` is a new array without a base; the reference to the owner is given away.
    let status = unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) };
    if status < 0 { Err(PyErr::fetch(py)) } else { Ok(array) }
}
