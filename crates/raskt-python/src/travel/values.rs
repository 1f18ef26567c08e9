//! Results between the forms in which they travel and Python.

use crate::array::{chunk_from_numpy, numpy_view};
use crate::ending::Outside;
use crate::error::from_run_error;
use crate::{cluster, engines};
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use raskt_store::StoredRef;
use raskt_value::{Buffer, Chunk, DType, Dims, Parcel, Strides, Value};
use std::ptr::NonNull;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// The same bytes elsewhere, at a multiple of what pieces begin at, and nobody else's.
pub(crate) fn copied(piece: &Buffer) -> Buffer {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "bytes that are looked at through the buffer")] [u8; Parcel::ALIGNMENT]);
    let mut lines = vec![Line([0; Parcel::ALIGNMENT]); piece.len().div_ceil(Parcel::ALIGNMENT)];
    // SAFETY: there is room for so many bytes, and nobody else has it.
    unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), lines.as_mut_ptr().cast(), piece.len()) };
    let start = NonNull::from(lines.as_mut_slice()).cast();
    // SAFETY: the list keeps the bytes alive, and nobody writes to them.
    unsafe { Buffer::from_raw(start, piece.len(), Arc::new(lines)) }
}

/// A piece as an array of bytes that can't be written to.
pub(super) fn bytes_of<'py>(py: Python<'py>, piece: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    let (shape, strides) = (Dims::from_slice(&[piece.len()]), Strides::from_slice(&[1]));
    let chunk = Chunk::from_parts(DType::U8, shape, strides, 0, piece.clone()).expect("as long as it is");
    numpy_view(py, &chunk)
}

/// An array of bytes as a piece of nobody else's.
pub(super) fn piece_of(bytes: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let array = bytes.cast::<PyUntypedArray>()?;
    let chunk = chunk_from_numpy(array)?.to_contiguous();
    let piece = chunk.buffer().part(chunk.offset(), chunk.bytes());
    Ok(copied(&piece.expect("its elements lie in it")))
}

/// A hash of its bytes.
pub(super) fn digest(piece: &Buffer) -> u128 {
    // SAFETY: the buffer's bytes are valid for reads as long as it lives.
    xxh3_128(unsafe { std::slice::from_raw_parts(piece.as_ptr(), piece.len()) })
}

/// The values themselves, of those that stand for what a store keeps.
pub(crate) fn loaded(py: Python<'_>, values: Vec<Value>) -> PyResult<Vec<Value>> {
    let values = cluster::fetched(py, values)?;
    if !values.iter().any(|value| StoredRef::of(value).is_some()) {
        return Ok(values);
    }
    let engine = engines::OwnEngine::new(&crate::memory::store(py)?);
    py.outside(|| engine.get().load(values)).map_err(|error| from_run_error(py, &error))
}
