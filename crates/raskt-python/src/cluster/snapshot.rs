//! Objects as they are now, for whoever fetches them later: their owner may change them meanwhile.

use crate::ending::Outside;
use crate::error::from_task_error;
use crate::travel::copied;
use pyo3::prelude::*;
use raskt_value::{Foreign, Parcel, TaskError, Value};
use std::any::Any;
use std::sync::Arc;

/// What an object was when it was given.
struct Snapshot {
    parcel: Parcel,
    bytes: usize,
}

/// The value, or what it is now if it is an object of Python.
pub(super) fn snapshot(py: Python<'_>, value: Value) -> PyResult<Value> {
    let Value::Foreign(object) = &value else { return Ok(value) };
    let Parcel { form, pieces } = object.pack().map_err(|error| from_task_error(py, &error))?;
    let pieces = py.outside(|| pieces.iter().map(copied).collect());
    Ok(Value::Foreign(Arc::new(Snapshot { parcel: Parcel { form, pieces }, bytes: object.bytes() })))
}

impl Foreign for Snapshot {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn type_name(&self) -> &str {
        "Python object"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        Ok(self.parcel.clone())
    }
}
