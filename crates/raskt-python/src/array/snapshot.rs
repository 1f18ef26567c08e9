//! Arrays that users give: what they hold at the call counts, whatever is written to them afterwards.

use super::chunk_from_numpy;
use super::convert::ChunkOwner;
use crate::ending::Outside;
use numpy::{PyUntypedArray, PyUntypedArrayMethods, npyffi};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use raskt_value::{Buffer, Chunk};

/// A chunk of the elements that `array` has now. Memory that no array can be written through, and memory that is a
/// file, is used as it is; other memory is copied.
pub(crate) fn snapshot_of_numpy(array: &Bound<'_, PyUntypedArray>) -> PyResult<Chunk> {
    let chunk = chunk_from_numpy(array)?;
    if chunk.is_empty() || !may_be_written(array)? {
        return Ok(chunk);
    }
    Ok(array.py().outside(|| copied(&chunk)))
}

/// Whether a write through the array, or through one that it is a view of, would change its elements.
fn may_be_written(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    let mut array = array.clone();
    let mut writable = false;
    loop {
        if is_file(&array)? {
            return Ok(false);
        }
        // SAFETY: `array` is alive, so its header can be read.
        let flags = unsafe { (*array.as_array_ptr()).fields.flags };
        writable |= flags & npyffi::NPY_ARRAY_WRITEABLE != 0;
        match array.getattr(intern!(array.py(), "base"))?.cast_into::<PyUntypedArray>() {
            Ok(base) => array = base,
            Err(error) => return Ok(writable || !is_constant(&error.into_inner())?),
        }
    }
}

/// Whether memory that an array borrows from `owner` stays as it is: its own, that of raskt, of Arrow and of `bytes`.
/// Others say that an array may not be written through, and write to it themselves.
fn is_constant(owner: &Bound<'_, PyAny>) -> PyResult<bool> {
    if owner.is_none() || owner.is_instance_of::<PyBytes>() || owner.is_instance_of::<ChunkOwner>() {
        return Ok(true);
    }
    let module = owner.get_type().module()?;
    let module = module.to_str()?;
    // Who maps a file doesn't want all of it in memory.
    Ok(module == "mmap" || module.split('.').next() == Some("pyarrow"))
}

/// A chunk of the array that a function gave, to which only `references` are held here. What nobody else can write to is
/// used as it is; else it is copied: the function may have kept the array, and write to it for its next block.
pub(super) fn chunk_of_result(array: &Bound<'_, PyUntypedArray>, references: isize) -> PyResult<Chunk> {
    if is_alone(array, references)? { chunk_from_numpy(array) } else { snapshot_of_numpy(array) }
}

/// Whether nothing else refers to the array, nor to those that it is a view of.
fn is_alone(array: &Bound<'_, PyUntypedArray>, references: isize) -> PyResult<bool> {
    let (mut array, mut references) = (array.clone(), references + 1);
    loop {
        // SAFETY: `array` is alive, so its header can be read.
        if unsafe { ffi::Py_REFCNT(array.as_ptr()) } > references {
            return Ok(false);
        }
        let base = array.getattr(intern!(array.py(), "base"))?;
        if base.is_none() {
            return Ok(true);
        }
        let Ok(base) = base.cast_into::<PyUntypedArray>() else { return Ok(false) };
        // The view that it is the base of, and this one.
        (array, references) = (base, 2);
    }
}

/// Whether it is a `numpy.memmap`: who maps a file doesn't want all of it in memory.
fn is_file(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    static MEMMAP: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    array.is_instance(MEMMAP.import(array.py(), "numpy", "memmap")?)
}

/// The chunk over memory of its own.
fn copied(chunk: &Chunk) -> Chunk {
    let buffer = chunk.buffer();
    // The buffer spans what the strides reach: if they skip most of it, the elements alone are less.
    if buffer.len() > 2 * chunk.bytes() {
        return chunk.to_contiguous();
    }
    let copy = copied_bytes(buffer);
    Chunk::from_parts(chunk.dtype(), chunk.shape().into(), chunk.strides().into(), chunk.offset(), copy)
        .expect("a copy is as long")
}

/// The same bytes elsewhere, aligned for elements of any type.
fn copied_bytes(buffer: &Buffer) -> Buffer {
    let words = buffer.len().div_ceil(8);
    let mut copy: Vec<u64> = Vec::with_capacity(words);
    // SAFETY: the words have room for the bytes, of which the last word may take a part only, and is written first.
    unsafe {
        copy.as_mut_ptr().add(words - 1).write(0);
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(buffer.as_ptr(), buffer.len());
        copy.set_len(words);
    }
    Buffer::from_vec(copy).part(0, buffer.len()).expect("the words hold as many bytes")
}
