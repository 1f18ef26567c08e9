use super::argument::python_object;
use super::{Node, Work};
use crate::object::Object;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use raskt_store::Family;
use raskt_value::Value;
use std::sync::Arc;

/// The body of the op of a layer of delayed calls: call *i* is made by task *i*.
pub(crate) struct Calls(pub Vec<Arc<Node>>);

impl Calls {
    /// Makes call `index`; the inputs are the results of the leaves of its arguments, in order, and after them those
    /// that it only comes after.
    pub fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let mut results = inputs.iter().map(|value| python_object(py, value));
        let result = match &self.0[index as usize].work {
            Work::Give(argument) => argument.build(py, &mut results)?,
            Work::Call { function, arguments } => {
                let (function, named) = (function.bind(py), arguments.named());
                let mut positional = Vec::with_capacity(arguments.positional().len());
                for argument in arguments.positional() {
                    positional.push(argument.build(py, &mut results)?);
                }
                let positional = PyTuple::new(py, positional)?;
                if named.is_empty() {
                    function.call1(positional)?
                } else {
                    let keywords = PyDict::new(py);
                    for (name, argument) in named {
                        keywords.set_item(name, argument.build(py, &mut results)?)?;
                    }
                    function.call(positional, Some(&keywords))?
                }
            }
            Work::Stored(kept) => return Ok(Value::Stored(kept.clone())),
            // Fetched before anything runs: see `cluster::brought_here`.
            Work::Held(held) => return Ok(held.clone().value()),
            Work::Block { .. } | Work::Taken => return Ok(inputs[0].clone()),
        };
        Ok(Object::labelled(result, || Some(self.0[index as usize].label(py).into())))
    }

    /// What calls the same function as call `index`, while that is there.
    pub fn family(&self, index: u64) -> Option<Family> {
        match &self.0[index as usize].work {
            Work::Call { function, .. } => Some(function.as_ptr() as Family),
            _ => None,
        }
    }

    /// The key of call `index`.
    pub fn key(&self, index: u64) -> String {
        Python::attach(|py| self.0[index as usize].key(py))
    }
}
