//! Python objects as values.

mod codec;
mod size;

pub(crate) use size::size_of_object;

use codec::ObjectCodec;
use pyo3::prelude::*;
use raskt_store::Store;
use raskt_value::{Codec, Foreign, Part, Value};
use std::any::Any;
use std::sync::Arc;

/// A Python object that is the result of a task.
pub(crate) struct Object {
    pub object: Py<PyAny>,
    bytes: usize,
    /// Large pieces of memory that other objects may hold as well, if it is kept.
    parts: Box<[Part]>,
    /// How it is written; nothing if moving it would cost more than it brings.
    codec: Option<ObjectCodec>,
    /// What made it, for people, where that is more than its layer says.
    label: Option<Arc<str>>,
}

impl Object {
    pub fn value(object: Bound<'_, PyAny>) -> Value {
        Self::labelled(object, || None)
    }

    /// The same, with the name of what made it if it is large enough that somebody may ask.
    pub fn labelled(object: Bound<'_, PyAny>, label: impl FnOnce() -> Option<Arc<str>>) -> Value {
        Value::Foreign(Arc::new(Self::of_object(object, label)))
    }

    /// The same, if the store would move it to disk.
    pub fn that_leaves(object: &Bound<'_, PyAny>) -> Option<Value> {
        let value = Self::of_object(object.clone(), || None);
        value.codec.is_some().then(|| Value::Foreign(Arc::new(value)))
    }

    fn of_object(object: Bound<'_, PyAny>, label: impl FnOnce() -> Option<Arc<str>>) -> Self {
        let (size, parts) = size::with_parts(&object);
        let is_kept = size.bytes >= Store::KEPT_BYTES;
        let codec = if is_kept { size.moves.map(|fixed| ObjectCodec { fixed }) } else { None };
        let (label, parts) = if is_kept { (label(), parts.into()) } else { Default::default() };
        Self { object: object.unbind(), bytes: size.bytes, parts, codec, label }
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

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn type_name(&self) -> &str {
        "Python object"
    }

    fn label(&self) -> Option<&Arc<str>> {
        self.label.as_ref()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(self.codec?))
    }
}

/// Bytes that an object holds, as `memory.limit` counts them.
#[pyfunction(name = "size_of")]
fn bytes_of(value: &Bound<'_, PyAny>) -> usize {
    size_of_object(value)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(bytes_of, module)?)
}
