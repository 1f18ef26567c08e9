//! Python objects on their way to another process: a pickle, and the large buffers that it refers to, as they are.

use super::Object;
use super::travelling::do_leave;
use crate::array::{chunk_from_numpy, numpy_over};
use crate::cluster::within_own;
use crate::error::{from_task_error, raise_again, to_task_error};
use crate::memory::{Beside, have_beside};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyEOFError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Buffer, ErrorKind, Parcel, TaskError, Value};
use std::ptr::NonNull;
use std::sync::Arc;

const TAG: &str = "raskt.python.object";
const VERSION: u16 = 1;

/// Whether each of the buffers can't be written to; the pickle comes before them.
type Fixed = Vec<bool>;

/// Where an object goes.
#[derive(Clone, Copy)]
pub(super) enum Goes {
    /// To another process, which gets an object of its own.
    ToOthers,
    /// From the memory of this one, until somebody wants it.
    FromMemory,
}

/// What an object is when it travels.
pub(super) fn pack(object: &Py<PyAny>) -> Result<Parcel, TaskError> {
    let packed =
        Python::try_attach(|py| packed(object.bind(py), Goes::ToOthers).map_err(|error| to_task_error(py, error)));
    packed.unwrap_or_else(|| Err(TaskError::new(ErrorKind::Cancelled, "the interpreter has ended")))
}

/// The same, with the interpreter.
pub(super) fn packed(object: &Bound<'_, PyAny>, goes: Goes) -> PyResult<Parcel> {
    let py = object.py();
    let name = match goes {
        Goes::ToOthers => intern!(py, "dump_object"),
        Goes::FromMemory => intern!(py, "dump_leaving"),
    };
    let dump = py.import(intern!(py, "raskt._process.travel"))?.getattr(name)?;
    let dumped = if do_leave() { within_own(|| dump.call1((object,))) } else { dump.call1((object,)) };
    let (pickle, arrays, fixed): (Bound<'_, PyBytes>, Vec<Bound<'_, PyUntypedArray>>, Fixed) = dumped?.extract()?;
    let mut pieces = vec![piece_of(pickle, goes)];
    for array in &arrays {
        pieces.push(chunk_from_numpy(array)?.buffer().clone());
    }
    Ok(Parcel { form: WireForm::of(TAG, VERSION, &fixed), pieces })
}

/// A pickle from here on isn't copied on its way out and in: bytes, texts and dictionaries of these lie in it as they are.
const LARGE: usize = 64 << 10;

/// Holds a pickle as long as its bytes are on their way, and has them counted.
struct PickleOwner {
    _pickle: Py<PyBytes>,
    _beside: Option<Beside>,
}

/// What is written to make room is no reason to write more, and isn't counted.
fn piece_of(pickle: Bound<'_, PyBytes>, goes: Goes) -> Buffer {
    let bytes = pickle.as_bytes();
    if bytes.len() < LARGE {
        return Buffer::from_vec(bytes.to_vec());
    }
    let (start, length) = (NonNull::from(bytes).cast(), bytes.len());
    let beside = match goes {
        Goes::ToOthers => have_beside(length),
        Goes::FromMemory => None,
    };
    let owner = Arc::new(PickleOwner { _pickle: pickle.unbind(), _beside: beside });
    // SAFETY: bytes of Python never change, and these live as long as the owner, which is told of nobody else.
    unsafe { Buffer::from_raw(start, length, owner) }
}

/// What an object is when it travels that is nothing but this pickle.
pub(super) fn of_pickle(pickle: &[u8]) -> Parcel {
    Parcel { form: WireForm::of(TAG, VERSION, &Fixed::new()), pieces: vec![Buffer::from_vec(pickle.to_vec())] }
}

/// Adds what makes objects of what has come.
pub(crate) fn add_decoders(decoders: &mut Decoders) {
    decoders.add_value(TAG, VERSION, unpack);
}

pub(super) fn unpack(form: &WireForm, pieces: Vec<Buffer>) -> Result<Value, TaskError> {
    let fixed: Fixed = form.read()?;
    let loaded = Python::try_attach(|py| {
        unpacked(py, &fixed, pieces).map_err(|error| {
            let told = to_task_error(py, error);
            raise_again(py, &from_task_error(py, &told));
            told
        })
    });
    loaded.unwrap_or_else(|| Err(TaskError::new(ErrorKind::Cancelled, "the interpreter has ended")))
}

fn unpacked(py: Python<'_>, fixed: &[bool], pieces: Vec<Buffer>) -> PyResult<Value> {
    if pieces.len() != fixed.len() + 1 {
        return Err(PyEOFError::new_err("an object has come without all of its memory"));
    }
    let mut pieces = pieces.into_iter();
    let pickle = pieces.next().map(|piece| whole(py, piece)).transpose()?;
    if fixed.is_empty() {
        static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        return Ok(Object::value(LOADS.import(py, "pickle", "loads")?.call1((pickle,))?));
    }
    let mut arrays = vec![];
    for (piece, fixed) in pieces.zip(fixed) {
        // SAFETY: what has come for this object is nobody else's.
        arrays.push(unsafe { numpy_over(py, piece, !fixed) }?);
    }
    let load = py.import(intern!(py, "raskt._process.travel"))?.getattr(intern!(py, "load_object"))?;
    Ok(Object::value(load.call1((pickle, arrays))?))
}

/// What a pickle is read from.
fn whole(py: Python<'_>, piece: Buffer) -> PyResult<Bound<'_, PyAny>> {
    if piece.len() >= LARGE {
        // SAFETY: it can't be written to.
        return unsafe { numpy_over(py, piece, false) };
    }
    // SAFETY: the buffer's bytes are valid for reads as long as it lives.
    Ok(PyBytes::new(py, unsafe { std::slice::from_raw_parts(piece.as_ptr(), piece.len()) }).into_any())
}
