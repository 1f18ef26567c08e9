//! Tasks of copies that come after something else, whose result they get and don't look at.

use crate::block::{PythonBlock, PythonOp, wire_form};
use crate::object::Object;
use crate::travel::{decode_function, decoders};
use pyo3::prelude::*;
use raskt_graph::{OpBody, Shape};
use raskt_store::Family;
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{Call, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What they are told by when they travel.
pub(crate) const GATE: &str = "raskt.python.gate";
pub(crate) const FUNCTION: &str = "raskt.python.behind";
const KERNEL: &str = "raskt.behind";
pub(crate) const VERSION: u16 = 1;

/// The body of an op whose tasks get the result of the gate where they got nothing.
pub(super) fn without_gate(body: &OpBody, shape: &Shape) -> OpBody {
    let reads: Arc<[bool]> = match shape {
        Shape::Explicit(_) => (0..shape.len()).map(|index| shape.input_count(index) > 0).collect(),
        _ => Arc::new([]),
    };
    if !reads.is_empty() && reads.iter().all(|&reads| reads) {
        // None gets the gate: those of a copy that came after something itself, say.
        return body.clone();
    }
    if let Some(NativeOp(kernel)) = body.downcast_ref() {
        return Arc::new(NativeOp(Arc::new(Behind { inner: kernel.clone(), reads })));
    }
    if let Some(PythonOp(block)) = body.downcast_ref() {
        return Arc::new(PythonOp(Arc::new(Behind { inner: block.clone(), reads })));
    }
    // Delayed calls don't look at inputs beyond those that they read.
    body.clone()
}

/// Something that runs behind the gate.
struct Behind<T> {
    inner: T,
    /// For each task of an explicit layer, whether it reads something itself; no task of another layer does.
    reads: Arc<[bool]>,
}

impl<T> Behind<T> {
    fn own<'a>(&self, index: u64, inputs: &'a [Value]) -> &'a [Value] {
        if self.reads.get(index as usize).copied().unwrap_or(false) { inputs } else { &[] }
    }
}

impl Behind<Arc<dyn Kernel>> {
    /// What it is when it travels, or why it doesn't; nothing if the kernel behind the gate can't.
    fn form(&self) -> Option<Result<WireForm, String>> {
        let inner = self.inner.wire()?;
        Some(WireForm::try_of(KERNEL, VERSION, &BehindForm { inner, reads: self.reads.to_vec() }))
    }
}

impl Kernel for Behind<Arc<dyn Kernel>> {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        self.inner.run(call, self.own(call.index, inputs))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn given(&self) -> Option<&[Value]> {
        self.inner.given()
    }

    fn wire(&self) -> Option<WireForm> {
        self.form()?.ok()
    }

    fn stays_because(&self) -> Option<String> {
        self.form().map_or_else(|| self.inner.stays_because(), Result::err)
    }

    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(Self { inner: self.inner.without_kept()?, reads: self.reads.clone() }))
    }
}

impl PythonBlock for Behind<Arc<dyn PythonBlock>> {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        self.inner.call(py, index, self.own(index, inputs))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn tells_itself(&self) -> bool {
        self.inner.tells_itself()
    }

    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let inner = self.inner.without_kept(py)?;
        Ok(inner.map(|inner| Arc::new(Self { inner, reads: self.reads.clone() }) as Arc<dyn PythonBlock>))
    }

    fn given(&self) -> Option<&[Value]> {
        self.inner.given()
    }

    fn has_data_apart(&self) -> bool {
        self.inner.has_data_apart()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let inner = self.inner.wire(py)?;
        wire_form(FUNCTION, VERSION, &BehindForm { inner, reads: self.reads.to_vec() })
    }

    fn key(&self, index: u64) -> Option<String> {
        self.inner.key(index)
    }

    fn family(&self, index: u64) -> Option<Family> {
        self.inner.family(index)
    }
}

/// Does nothing, once all that it reads is done.
pub(crate) struct Gate;

impl PythonBlock for Gate {
    fn call(&self, py: Python<'_>, _index: u64, _inputs: &[Value]) -> PyResult<Value> {
        Ok(Object::value(py.None().into_bound(py)))
    }

    fn name(&self) -> String {
        "after".to_owned()
    }

    fn wire(&self, _py: Python<'_>) -> PyResult<WireForm> {
        Ok(WireForm::of(GATE, VERSION, &()))
    }
}

/// Something behind the gate as it travels.
#[derive(Serialize, Deserialize)]
struct BehindForm {
    inner: WireForm,
    reads: Vec<bool>,
}

impl BehindForm {
    /// What has come, if nothing in it is behind a gate of its own: tasks that read a gate are behind no other.
    fn of(form: &WireForm) -> Result<Self, WireError> {
        let read: Self = form.read()?;
        if [KERNEL, FUNCTION].contains(&read.inner.tag.as_str()) {
            return Err(form.malformed("a gate behind a gate"));
        }
        Ok(read)
    }
}

/// Adds what makes kernels behind the gate of what has come.
pub(crate) fn add_decoders(decoders: &mut Decoders) {
    decoders.add(KERNEL, VERSION, decode_kernel);
}

fn decode_kernel(form: &WireForm) -> Result<Arc<dyn Kernel>, WireError> {
    let BehindForm { inner, reads } = BehindForm::of(form)?;
    Ok(Arc::new(Behind { inner: decoders().decode(&inner)?, reads: reads.into() }))
}

/// A function behind the gate that has come.
pub(crate) fn decode_behind(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let BehindForm { inner, reads } = BehindForm::of(form)?;
    Ok(Arc::new(Behind { inner: decode_function(&inner)?, reads: reads.into() }))
}
