//! Data of Python ops beside them: what is large in their functions and arguments is given to tasks by layers of its own.
//!
//! An op is pickled with numbers in the places of what is large ([`Apart`]). That travels as results that are given, each once however
//! many ops have it, and each task that needs some of it reads it, after all else that it reads. So it goes where such tasks are, counts
//! as memory there, and no form is large because of it. Nothing is taken out of ops whose tasks can't be told to read more.

use super::pickle;
use super::slots::{Filling, filled};
use crate::block::{PythonBlock, wire_form};
use crate::delayed::python_object;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;

/// A `raskt._process.apart.Apart`.
pub(super) struct Apart<'py>(Bound<'py, PyAny>);

impl<'py> Apart<'py> {
    /// Nothing yet; these objects are taken out whatever they are, and those stand elsewhere.
    pub fn new(py: Python<'py>, whole: Vec<Py<PyAny>>, shared: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        Ok(Self(CLASS.import(py, "raskt._process.apart", "Apart")?.call1((whole, shared))?))
    }

    /// The pickle of a function.
    pub fn dump_function(&self, function: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        pickle::bytes(self.0.call_method1(intern!(function.py(), "dump_function"), (function,))?)
    }

    /// The pickle of the arguments of a call.
    pub fn dump_arguments(&self, arguments: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        pickle::bytes(self.0.call_method1(intern!(arguments.py(), "dump_arguments"), (arguments,))?)
    }

    /// What was taken out.
    pub fn objects(&self) -> PyResult<Vec<Py<PyAny>>> {
        let objects = self.0.getattr(intern!(self.0.py(), "objects"))?;
        Ok(objects.cast::<PyList>()?.iter().map(Bound::unbind).collect())
    }
}

thread_local! {
    /// What takes data out of the op that is being written.
    static COLLECTING: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// Puts back what there was.
struct Before(Option<Py<PyAny>>);

impl Drop for Before {
    fn drop(&mut self) {
        let before = self.0.take();
        drop(COLLECTING.with_borrow_mut(|collecting| std::mem::replace(collecting, before)));
    }
}

/// Calls `write`, which writes an op, and has `apart` take data out of it; nothing does without one.
pub(super) fn written<T>(apart: Option<&Apart<'_>>, write: impl FnOnce() -> T) -> T {
    let own = apart.map(|apart| apart.0.clone().unbind());
    let _before = Before(COLLECTING.with_borrow_mut(|collecting| std::mem::replace(collecting, own)));
    write()
}

/// What takes data out of the op that is being written.
pub(super) fn collecting(py: Python<'_>) -> Option<Apart<'_>> {
    COLLECTING.with_borrow(|collecting| Some(Apart(collecting.as_ref()?.bind(py).clone())))
}

pub(super) const TAG: &str = "raskt.python.apart";
pub(super) const VERSION: u16 = 1;

/// A function whose data is apart, as it travels.
#[derive(Serialize, Deserialize)]
struct ApartForm {
    inner: WireForm,
    /// How many of what its tasks read are that data: the last ones.
    objects: u32,
}

/// What a function is whose form is `inner`, without so many objects.
pub(super) fn form(inner: WireForm, objects: usize) -> PyResult<WireForm> {
    wire_form(TAG, VERSION, &ApartForm { inner, objects: objects as u32 })
}

/// A function whose data is apart.
struct FunctionApart {
    inner: Arc<dyn PythonBlock>,
    objects: u32,
}

/// The function that has come; `decode` makes what is in it.
pub(super) fn decode(
    form: &WireForm,
    decode: impl FnOnce(&WireForm) -> Result<Arc<dyn PythonBlock>, WireError>,
) -> Result<Arc<dyn PythonBlock>, WireError> {
    let ApartForm { inner, objects } = form.read()?;
    if inner.tag == TAG {
        return Err(form.malformed("data apart of what has its data apart"));
    }
    Ok(Arc::new(FunctionApart { inner: decode(&inner)?, objects }))
}

/// What tasks read besides data, and so many objects of that, which come last.
pub(super) fn split<'a>(
    py: Python<'_>,
    inputs: &'a [Value],
    objects: usize,
) -> PyResult<(&'a [Value], Vec<Py<PyAny>>)> {
    let Some(own) = inputs.len().checked_sub(objects) else {
        return Err(PyValueError::new_err(format!("{} inputs have come where {objects} are data", inputs.len())));
    };
    let (own, data) = inputs.split_at(own);
    Ok((own, data.iter().map(|value| Ok(python_object(py, value)?.unbind())).collect::<PyResult<_>>()?))
}

impl PythonBlock for FunctionApart {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let (own, data) = split(py, inputs, self.objects as usize)?;
        filled(Filling { data: data.into(), ..Filling::default() }, || self.inner.call(py, index, own))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn tells_itself(&self) -> bool {
        self.inner.tells_itself()
    }

    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let inner = self.inner.without_kept(py)?;
        Ok(inner.map(|inner| Arc::new(Self { inner, objects: self.objects }) as Arc<dyn PythonBlock>))
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        form(self.inner.wire(py)?, self.objects as usize)
    }

    fn key(&self, index: u64) -> Option<String> {
        self.inner.key(index)
    }
}
