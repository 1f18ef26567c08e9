//! Python objects as bytes and back: arrays and tables, whose pickles are a few words beside the buffers that they have
//! anyway.
//!
//! It runs on threads of the store, with the interpreter and without any lock. An object that somebody else refers to stays,
//! since letting it go would free nothing; and so whoever gets the object and changes it sees what he has changed. Between
//! being written and being let go again, it may have been in the hands of a task, which may have changed it: so what it is
//! then is compared with its file, and whether it can still be moved is asked again.

use super::{Object, size};
use crate::array::{chunk_from_numpy, numpy_over};
use crate::error::{from_task_error, raise_again, to_task_error};
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::intern;
use pyo3::prelude::*;
use raskt_value::{Buffer, Codec, Decoder, Encoded, ErrorKind, TaskError, Unwritten, Value};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(super) struct ObjectCodec {
    /// Whether nobody can change the object.
    pub fixed: bool,
}

/// Every buffer begins at a multiple of this.
const ALIGNMENT: usize = 64;

impl Codec for ObjectCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        with_object(value, |py, object| {
            if !self.fixed && !moves_still(object) {
                return Err(Unwritten::Shared);
            }
            if is_shared(object).map_err(|error| refused(py, error))? {
                return Err(Unwritten::Shared);
            }
            encode(object).map_err(|error| refused(py, error))
        })
    }

    fn may_change(&self) -> bool {
        !self.fixed
    }

    fn let_go(&self, value: Value) {
        drop_attached(value);
    }
}

/// What `encode` makes of the object of a value. Where the interpreter is going, everything stays where it is.
pub(super) fn with_object(
    value: &Value,
    encode: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> Result<Encoded, Unwritten>,
) -> Result<Encoded, Unwritten> {
    let encoded = Python::try_attach(|py| {
        let object = Object::of(value).ok_or_else(|| TaskError::new(ErrorKind::Type, "expected a Python object"))?;
        encode(py, object.bind(py))
    });
    encoded.unwrap_or(Err(Unwritten::Shared))
}

/// Without the interpreter, the object would be freed when somebody takes it next.
pub(super) fn drop_attached(value: Value) {
    let mut value = Some(value);
    Python::try_attach(|_| drop(value.take()));
}

/// What an exception says of an object that isn't written for it.
pub(super) fn refused(py: Python<'_>, error: PyErr) -> Unwritten {
    let is_of_the_object = error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py);
    if is_of_the_object {
        return Unwritten::Failed(to_task_error(py, error));
    }
    raise_again(py, &error);
    Unwritten::Interrupted
}

/// Whether it is still such that moving it pays: since it came, it may have been changed, and hold what would come back as
/// another object.
fn moves_still(object: &Bound<'_, PyAny>) -> bool {
    size::of(object).moves.is_some()
}

/// Whether somebody beside the store refers to the object or to what is in it, or may write to its memory.
fn is_shared(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if references(object) > 1 {
        return Ok(true);
    }
    if is_plain_array(object)? {
        return Ok(false);
    }
    py.import(intern!(py, "raskt._sharing"))?.getattr(intern!(py, "is_shared"))?.call1((object,))?.extract()
}

/// Whether it is an array whose memory is its own, and that nobody watches: then there is nothing more to look at.
fn is_plain_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if object.cast_exact::<PyUntypedArray>().is_err() || !object.getattr(intern!(py, "base"))?.is_none() {
        return Ok(false);
    }
    let owns: bool = object.getattr(intern!(py, "flags"))?.getattr(intern!(py, "owndata"))?.extract()?;
    let weak = py.import(intern!(py, "_weakref"))?.getattr(intern!(py, "getweakrefcount"))?.call1((object,))?;
    Ok(owns && weak.extract::<usize>()? == 0)
}

/// How many references there are to an object.
pub(crate) fn references(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: the object is alive, and the interpreter is held.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

fn encode(object: &Bound<'_, PyAny>) -> PyResult<Encoded> {
    let py = object.py();
    let dump = py.import(intern!(py, "raskt._spill"))?.getattr(intern!(py, "dump"))?;
    let (arrays, fixed, kept): (Vec<Bound<'_, PyUntypedArray>>, Vec<bool>, Bound<'_, PyAny>) =
        dump.call1((object,))?.extract()?;
    let (mut pieces, mut parts) = (vec![], vec![]);
    for (array, fixed) in arrays.iter().zip(fixed) {
        let bytes = chunk_from_numpy(array)?.buffer().clone();
        let padding = bytes.len().next_multiple_of(ALIGNMENT) - bytes.len();
        parts.push(Part { length: bytes.len(), fixed });
        pieces.extend([bytes, Buffer::from_vec(vec![0_u8; padding])]);
    }
    Ok(Encoded { pieces, decoder: Arc::new(ObjectDecoder { parts, kept: kept.unbind() }) })
}

/// The pickle and the buffers of an object.
struct ObjectDecoder {
    parts: Vec<Part>,
    /// Objects that stay in memory beside them, by the numbers that the pickle has in their place.
    kept: Py<PyAny>,
}

struct Part {
    length: usize,
    /// Whether the buffer can't be written to.
    fixed: bool,
}

impl Decoder for ObjectDecoder {
    fn decode(&self, bytes: Buffer) -> Result<Value, TaskError> {
        // What Python raises says nothing of the file: it may be a signal's, or want of memory.
        Python::try_attach(|py| self.load(py, &bytes).map_err(|error| to_task_error(py, error)))
            .unwrap_or_else(|| Err(TaskError::new(ErrorKind::Cancelled, "the interpreter has ended")))
    }

    fn unheard(&self, error: &TaskError) {
        Python::try_attach(|py| raise_again(py, &from_task_error(py, error)));
    }
}

impl ObjectDecoder {
    fn load(&self, py: Python<'_>, bytes: &Buffer) -> PyResult<Value> {
        let mut at = 0;
        let mut arrays = vec![];
        for Part { length, fixed } in &self.parts {
            let part = bytes.part(at, *length);
            let part = part.ok_or_else(|| pyo3::exceptions::PyEOFError::new_err("its file is shorter than it is"))?;
            // SAFETY: what was read for this object is nobody else's.
            arrays.push(unsafe { numpy_over(py, part, !fixed) }?);
            at += length.next_multiple_of(ALIGNMENT);
        }
        let load = py.import(intern!(py, "raskt._spill"))?.getattr(intern!(py, "load"))?;
        Ok(Object::value(load.call1((arrays, &self.kept))?))
    }
}
