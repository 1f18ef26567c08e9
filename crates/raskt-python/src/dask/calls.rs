//! The body of the op that a layer of Dask's tasks runs.

use super::caller::Caller;
use super::node::Read;
use super::part::Part;
use crate::block::{PythonBlock, input, own};
use crate::delayed::python_object;
use crate::object::Object;
use pyo3::intern;
use pyo3::prelude::*;
use raskt_value::Value;
use raskt_value::wire::WireForm;
use std::sync::Arc;

/// The calls of all tasks: task *i* makes call *i*.
pub(super) struct Calls {
    pub calls: Vec<TaskCall>,
    pub surroundings: Arc<Surroundings>,
}

/// What all tasks of a computation have in common.
pub(super) struct Surroundings {
    /// The context variables of whoever asked, where there are any: `numpy.errstate`, `decimal.localcontext`.
    pub context: Option<Py<PyAny>>,
    /// Is told of each task, for callbacks.
    pub watch: Option<Py<PyAny>>,
}

/// What one task does.
pub(super) struct TaskCall {
    pub key: Py<PyAny>,
    pub part: Part,
    /// Where it finds what it reads; slots are the results that the task gets.
    pub reads: Box<[Read]>,
}

impl PythonBlock for Calls {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let call = own(&self.calls, index)?;
        let Surroundings { context, watch } = &*self.surroundings;
        if let Some(watch) = watch {
            watch.bind(py).call_method1(intern!(py, "before"), (&call.key,))?;
        }
        let read = |position: u32| match own(&call.reads, position.into())? {
            Read::Slot(slot) => python_object(py, input(inputs, *slot as usize)?),
            Read::Given(object) => Ok(object.bind(py).clone()),
        };
        let context = context.as_ref().map(|context| context.bind(py));
        let result = call.part.build(&Caller { py, context, read: &read })?;
        if let Some(watch) = watch {
            watch.bind(py).call_method1(intern!(py, "after"), (&call.key, &result))?;
        }
        Ok(Object::value(result))
    }

    fn name(&self) -> String {
        "dask".to_owned()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        super::travel::wire(py, self)
    }

    fn key(&self, index: u64) -> Option<String> {
        Python::attach(|py| Some(self.calls[index as usize].key.bind(py).str().ok()?.to_string()))
    }
}
