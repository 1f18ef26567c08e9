//! Python objects as values.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyNone};
use raskt_value::{Foreign, Value};
use std::any::Any;
use std::sync::Arc;

/// A Python object that is the result of a task.
pub(crate) struct Object {
    pub object: Py<PyAny>,
    bytes: usize,
}

impl Object {
    pub fn value(object: Bound<'_, PyAny>) -> Value {
        let bytes = size_of_object(&object);
        Value::Foreign(Arc::new(Self { object: object.unbind(), bytes }))
    }

    /// The Python object in `value`, if it is one.
    pub fn of(value: &Value) -> Option<&Py<PyAny>> {
        match value {
            Value::Foreign(foreign) => foreign.as_any().downcast_ref().map(|object: &Self| &object.object),
            _ => None,
        }
    }
}

impl Foreign for Object {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn type_name(&self) -> &str {
        "Python object"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Bytes of an object's own data: `nbytes` where it says so (arrays), a small number for what is small.
pub(crate) fn size_of_object(object: &Bound<'_, PyAny>) -> usize {
    let is_small = object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyNone>();
    if is_small {
        return SMALL;
    }
    let nbytes = object.getattr_opt(pyo3::intern!(object.py(), "nbytes")).ok().flatten();
    nbytes.and_then(|nbytes| nbytes.extract().ok()).unwrap_or(SMALL)
}

const SMALL: usize = 32;
