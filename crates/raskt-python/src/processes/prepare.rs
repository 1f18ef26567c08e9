//! Calls of delayed functions, made ready to be sent.

use crate::delayed::{Node, Work, python_object};
use crate::object::Object;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use raskt_value::Value;

/// What becomes of a task.
pub(super) enum Prepared {
    /// It has no function to call, or one that is quicker than a message.
    Here(Value),
    /// A tuple of function, positional and named arguments.
    There(Py<PyAny>),
}

/// The call that `node` stands for; `inputs` are the results of the leaves of its arguments, in order.
pub(super) fn prepare(py: Python<'_>, node: &Node, inputs: &[Value]) -> PyResult<Prepared> {
    let mut results = inputs.iter().map(|value| python_object(py, value));
    let (function, given) = match &node.work {
        Work::Call { function, arguments } => (function.bind(py).clone(), arguments),
        Work::Give(argument) => return Ok(Prepared::Here(Object::value(argument.build(py, &mut results)?))),
        Work::Stored(kept) => return Ok(Prepared::Here(Value::Stored(kept.clone()))),
        Work::Held(held) => return Ok(Prepared::Here(held.clone().value())),
        Work::Block { .. } | Work::Taken => return Ok(Prepared::Here(inputs[0].clone())),
    };
    let arguments = given.positional().iter().map(|argument| argument.build(py, &mut results));
    let arguments = PyTuple::new(py, arguments.collect::<PyResult<Vec<_>>>()?)?;
    if given.named().is_empty() && takes_item(&function, &arguments)? {
        return Ok(Prepared::Here(Object::value(function.call1(arguments)?)));
    }
    let keywords = PyDict::new(py);
    for (name, argument) in given.named() {
        keywords.set_item(name, argument.build(py, &mut results)?)?;
    }
    let call = PyTuple::new(py, [function, arguments.into_any(), keywords.into_any()])?;
    Ok(Prepared::There(call.into_any().unbind()))
}

/// Whether the call takes an item of a plain container, so that sending the container would be the most of the work.
fn takes_item(function: &Bound<'_, PyAny>, arguments: &Bound<'_, PyTuple>) -> PyResult<bool> {
    if arguments.len() != 2 {
        return Ok(false);
    }
    let container = arguments.get_item(0)?;
    let is_plain = container.is_exact_instance_of::<PyTuple>()
        || container.is_exact_instance_of::<PyList>()
        || container.is_exact_instance_of::<PyDict>();
    Ok(is_plain && function.is(function.py().import(intern!(function.py(), "operator"))?.getattr("getitem")?))
}
