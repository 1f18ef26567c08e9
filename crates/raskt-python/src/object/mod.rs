//! Python objects as values.

mod codec;
mod parcel;
mod size;
mod small;
mod travelling;

pub(crate) use codec::references;
pub(crate) use parcel::add_decoders;
pub(crate) use size::size_of_object;

use codec::ObjectCodec;
use pyo3::prelude::*;
use pyo3::types::PyString;
use raskt_store::Store;
use raskt_value::{Codec, Foreign, Parcel, Part, TaskError, Value};
use small::Small;
use std::any::Any;
use std::sync::Arc;
use travelling::{TravellingCodec, do_leave, objects_leave};

/// A Python object that is the result of a task, and so small that the store leaves it alone: 16 bytes (32 behind an `Arc`),
/// since there may be millions.
pub(crate) struct Object {
    object: Py<PyAny>,
    bytes: u32,
}

const _: () = assert!(size_of::<Object>() == 16, "an object has grown, and there may be millions");
const _: () = assert!(Store::KEPT_BYTES <= u32::MAX as usize, "what is smaller is counted in so many bits");

/// One that the store keeps.
struct Kept {
    object: Py<PyAny>,
    bytes: usize,
    /// Large pieces of memory that other objects may hold as well.
    parts: Box<[Part]>,
    /// How it is written; nothing if moving it would cost more than it brings.
    way: Option<Way>,
    /// What made it, for people, where that is more than its layer says.
    label: Option<Arc<str>>,
}

/// How an object leaves memory.
#[derive(Clone, Copy)]
enum Way {
    /// As its buffers, which are nearly all of it.
    Buffers(ObjectCodec),
    /// As it travels.
    Travels(TravellingCodec),
}

impl Object {
    pub fn value(object: Bound<'_, PyAny>) -> Value {
        Self::labelled(object, || None)
    }

    /// The same, with the name of what made it if it is large enough that somebody may ask.
    pub fn labelled(object: Bound<'_, PyAny>, label: impl FnOnce() -> Option<Arc<str>>) -> Value {
        let (size, parts) = size::with_parts(&object);
        if size.bytes < Store::KEPT_BYTES {
            return Value::Foreign(Arc::new(Self { object: object.unbind(), bytes: size.bytes as u32 }));
        }
        Value::Foreign(Arc::new(Kept::of_size(object, size, parts, label())))
    }

    /// The same, for a result of which somebody in another process may be told.
    pub fn told(object: Bound<'_, PyAny>, label: impl FnOnce() -> Option<Arc<str>>) -> Value {
        match Small::of(&object, size_of_object(&object)) {
            Some(small) => Value::Foreign(Arc::new(small)),
            None => Self::labelled(object, label),
        }
    }

    /// The same, if the store would move it to disk.
    pub fn that_leaves(object: &Bound<'_, PyAny>) -> Option<Value> {
        let (size, parts) = size::with_parts(object);
        let leaves = size.bytes >= Store::KEPT_BYTES && size.moves.is_some();
        leaves.then(|| Value::Foreign(Arc::new(Kept::of_size(object.clone(), size, parts, None))))
    }

    /// The Python object in `value`, if it is one.
    pub fn of(value: &Value) -> Option<&Py<PyAny>> {
        let Value::Foreign(foreign) = value else { return None };
        let object = foreign.as_any();
        let small = object.downcast_ref().map(|small: &Self| &small.object);
        let small = small.or_else(|| object.downcast_ref().map(|small: &Small| &small.object.object));
        small.or_else(|| object.downcast_ref().map(|kept: &Kept| &kept.object))
    }
}

impl Kept {
    fn of_size(object: Bound<'_, PyAny>, size: size::Size, parts: Vec<Part>, label: Option<Arc<str>>) -> Self {
        let travels = || {
            let fixed = object.is_exact_instance_of::<PyString>();
            do_leave().then_some(Way::Travels(TravellingCodec { fixed }))
        };
        let way = size.moves.map(|fixed| Way::Buffers(ObjectCodec { fixed })).or_else(travels);
        Self { object: object.unbind(), bytes: size.bytes, parts: parts.into(), way, label }
    }
}

impl Foreign for Object {
    fn bytes(&self) -> usize {
        self.bytes as usize
    }

    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        parcel::pack(&self.object)
    }
}

impl Foreign for Kept {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn label(&self) -> Option<&Arc<str>> {
        self.label.as_ref()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        match self.way? {
            Way::Buffers(codec) => Some(Arc::new(codec)),
            Way::Travels(codec) => Some(Arc::new(codec)),
        }
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        parcel::pack(&self.object)
    }
}

const TYPE_NAME: &str = "Python object";

/// Bytes that an object holds, as `memory.limit` counts them.
#[pyfunction(name = "size_of")]
fn bytes_of(value: &Bound<'_, PyAny>) -> usize {
    size_of_object(value)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(objects_leave, module)?)?;
    module.add_function(wrap_pyfunction!(bytes_of, module)?)
}
