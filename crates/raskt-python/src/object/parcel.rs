//! Python objects on their way to another process: a pickle, and the large buffers that it refers to, as they are.

use super::Object;
use crate::array::{chunk_from_numpy, numpy_over};
use crate::error::{from_task_error, raise_again, to_task_error};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyEOFError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Buffer, ErrorKind, Parcel, TaskError, Value};

const TAG: &str = "raskt.python.object";
const VERSION: u16 = 1;

/// Whether each of the buffers can't be written to; the pickle comes before them.
type Fixed = Vec<bool>;

/// What an object is when it travels.
pub(super) fn pack(object: &Py<PyAny>) -> Result<Parcel, TaskError> {
    let packed = Python::try_attach(|py| packed(object.bind(py)).map_err(|error| to_task_error(py, error)));
    packed.unwrap_or_else(|| Err(TaskError::new(ErrorKind::Cancelled, "the interpreter has ended")))
}

fn packed(object: &Bound<'_, PyAny>) -> PyResult<Parcel> {
    let py = object.py();
    let dump = py.import(intern!(py, "raskt._process.travel"))?.getattr(intern!(py, "dump_object"))?;
    let (pickle, arrays, fixed): (Bound<'_, PyBytes>, Vec<Bound<'_, PyUntypedArray>>, Fixed) =
        dump.call1((object,))?.extract()?;
    let mut pieces = vec![Buffer::from_vec(pickle.as_bytes().to_vec())];
    for array in &arrays {
        pieces.push(chunk_from_numpy(array)?.buffer().clone());
    }
    Ok(Parcel { form: WireForm::of(TAG, VERSION, &fixed), pieces })
}

/// What an object is when it travels that is nothing but this pickle.
pub(super) fn of_pickle(pickle: &[u8]) -> Parcel {
    Parcel { form: WireForm::of(TAG, VERSION, &Fixed::new()), pieces: vec![Buffer::from_vec(pickle.to_vec())] }
}

/// Adds what makes objects of what has come.
pub(crate) fn add_decoders(decoders: &mut Decoders) {
    decoders.add_value(TAG, VERSION, unpack);
}

fn unpack(form: &WireForm, pieces: Vec<Buffer>) -> Result<Value, TaskError> {
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
    let pickle = pieces.next().map(|piece| whole(py, &piece));
    let mut arrays = vec![];
    for (piece, fixed) in pieces.zip(fixed) {
        // SAFETY: what has come for this object is nobody else's.
        arrays.push(unsafe { numpy_over(py, piece, !fixed) }?);
    }
    let load = py.import(intern!(py, "raskt._process.travel"))?.getattr(intern!(py, "load_object"))?;
    Ok(Object::value(load.call1((pickle, arrays))?))
}

fn whole<'py>(py: Python<'py>, piece: &Buffer) -> Bound<'py, PyBytes> {
    // SAFETY: the buffer's bytes are valid for reads as long as it lives.
    PyBytes::new(py, unsafe { std::slice::from_raw_parts(piece.as_ptr(), piece.len()) })
}
