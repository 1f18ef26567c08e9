//! Small results that are pickled where they are made, while the interpreter is held anyway: they go along with the word that they are
//! there, so that nobody has to ask for them.

use super::{Object, parcel};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use raskt_value::{Foreign, Parcel, TaskError};
use std::any::Any;

/// A small object, and its pickle.
pub(super) struct Small {
    pub object: Object,
    pickle: Box<[u8]>,
}

/// Results of more bytes aren't pickled before somebody asks for them.
const SMALL_BYTES: usize = 512;

/// Containers of more items are no plain objects.
const FEW_ITEMS: usize = 8;

/// Plain objects lie so deep in others.
const DEPTH: usize = 2;

impl Small {
    /// The object with its pickle, if it is one that runs no code of users when it is pickled.
    pub fn of(object: &Bound<'_, PyAny>, bytes: usize) -> Option<Self> {
        if bytes > SMALL_BYTES || !is_plain(object, DEPTH) {
            return None;
        }
        static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = object.py();
        let pickle = DUMPS.import(py, "pickle", "dumps").ok()?.call1((object, 5)).ok()?;
        let pickle = pickle.cast::<PyBytes>().ok()?.as_bytes().into();
        Some(Self { object: Object { object: object.clone().unbind(), bytes: bytes as u32 }, pickle })
    }
}

fn is_plain(object: &Bound<'_, PyAny>, depth: usize) -> bool {
    let is_plain_within = |item: Bound<'_, PyAny>| depth > 0 && is_plain(&item, depth - 1);
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return tuple.len() <= FEW_ITEMS && tuple.iter().all(is_plain_within);
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        return list.len() <= FEW_ITEMS && list.iter().all(is_plain_within);
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        return dict.len() <= FEW_ITEMS && dict.iter().flat_map(|(key, value)| [key, value]).all(is_plain_within);
    }
    object.is_none()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyBytes>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>()
        || is_number_of_numpy(object)
}

fn is_number_of_numpy(object: &Bound<'_, PyAny>) -> bool {
    static NUMBER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let number = NUMBER.import(object.py(), "numpy", "number");
    number.is_ok_and(|number| object.is_instance(number).unwrap_or(false))
}

impl Foreign for Small {
    fn bytes(&self) -> usize {
        self.object.bytes()
    }

    fn type_name(&self) -> &str {
        self.object.type_name()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        Ok(parcel::of_pickle(&self.pickle))
    }

    fn pack_at_once(&self) -> Option<Parcel> {
        Some(parcel::of_pickle(&self.pickle))
    }
}
