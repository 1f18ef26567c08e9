//! A way to try whether everything travels: each computation's graph, data and results go through their forms, and nothing else
//! of them is left. Tests run the collections' own tests so.

use super::decoders;
use super::graph::{Body, Travelling, build};
use crate::block::{PythonBlock, PythonOp};
use crate::error::from_task_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_graph::GraphForm;
use raskt_graph::{Graph, OpKind};
use raskt_store::StoredRef;
use raskt_value::wire::{WireError, WireForm};
use raskt_value::{Buffer, Given, NativeOp, Parcel, TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// Has everything that this process computes travel from now on, or no longer.
#[pyfunction]
pub(super) fn _travel_always(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

/// Whether everything travels.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// The graph as another process would have it.
pub(crate) fn travelled(py: Python<'_>, graph: &Graph) -> PyResult<Arc<Graph>> {
    let Travelling { form, given: data } = Travelling::of(py, graph)?;
    let bytes = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let form: GraphForm<Body> =
        postcard::from_bytes(&bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let data: Vec<Vec<Value>> = data.into_iter().map(|values| travelled_values(py, values)).collect::<PyResult<_>>()?;
    let body = |at: u32, kind| match data.get(at as usize) {
        Some(values) if kind == OpKind::Python => Ok(Arc::new(PythonOp(Arc::new(GivenObjects(values.clone())))) as _),
        Some(values) => Ok(Arc::new(NativeOp(Arc::new(Given(values.as_slice().into())))) as _),
        None => Err(WireError::Malformed { tag: "given".into(), reason: "data that isn't there".into() }),
    };
    Ok(Arc::new(build(form, body)?))
}

/// Gives objects that have come.
struct GivenObjects(Vec<Value>);

impl PythonBlock for GivenObjects {
    fn call(&self, _: Python<'_>, index: u64, _: &[Value]) -> PyResult<Value> {
        Ok(self.0[index as usize].clone())
    }

    fn name(&self) -> String {
        "given".into()
    }
}

/// Values as another process would have them.
pub(crate) fn travelled_values(py: Python<'_>, values: Vec<Value>) -> PyResult<Vec<Value>> {
    values.into_iter().map(|value| travelled_value(value).map_err(|error| from_task_error(py, &error))).collect()
}

fn travelled_value(value: Value) -> Result<Value, TaskError> {
    if StoredRef::of(&value).is_some() {
        // Results that the store keeps stay with it.
        return Ok(value);
    }
    let Parcel { form, pieces } = value.pack()?;
    let form = postcard::to_stdvec(&form).expect("a list of bytes takes all that is written");
    let form: WireForm = postcard::from_bytes(&form).expect("it was written so");
    decoders().unpack(Parcel { form, pieces: pieces.iter().map(copied).collect() })
}

/// The same bytes elsewhere, at a multiple of what pieces begin at.
fn copied(piece: &Buffer) -> Buffer {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "bytes that are looked at through the buffer")] [u8; Parcel::ALIGNMENT]);
    let mut lines = vec![Line([0; Parcel::ALIGNMENT]); piece.len().div_ceil(Parcel::ALIGNMENT)];
    // SAFETY: there is room for so many bytes, and nobody else has it.
    unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), lines.as_mut_ptr().cast(), piece.len()) };
    let start = std::ptr::NonNull::new(lines.as_mut_ptr().cast()).expect("a list is somewhere");
    // SAFETY: the list keeps the bytes alive, and nobody writes to them.
    unsafe { Buffer::from_raw(start, piece.len(), Arc::new(lines)) }
}
