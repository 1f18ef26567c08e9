//! A task's call with gaps in it, to be filled with the results of other tasks.

use super::caller::Caller;
use super::fused::Fused;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyTuple};
use std::sync::Arc;

/// What a task gives, or an argument of it.
pub(super) enum Part {
    /// An object, as it is.
    Given(Py<PyAny>),
    /// What the task reads at this position of its reads.
    Read(u32),
    /// The result of a call.
    Call(Box<Call>),
    /// A new container.
    Container(Container, Vec<Part>),
    /// The result of the graph within a fused task, which is given what these parts are.
    Fused(Arc<Fused>, Vec<Part>),
    /// The result of a task as a whole, since it is of a foreign class or runs elsewhere: it is called with a dictionary of
    /// what it reads.
    Node { node: Py<PyAny>, reads: Vec<(Py<PyAny>, u32)> },
}

/// A function with its arguments.
pub(super) struct Call {
    pub function: Py<PyAny>,
    pub positional: Positional,
    pub named: Named,
}

/// The arguments without a name.
pub(super) enum Positional {
    /// They are the same for each call.
    Given(Py<PyTuple>),
    Parts(Vec<Part>),
}

/// The arguments with a name.
pub(super) enum Named {
    Given(Option<Py<PyDict>>),
    Parts(Vec<(Py<PyAny>, Part)>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    List,
    Tuple,
    Set,
    FrozenSet,
    /// Its parts are keys and values in turn.
    Dict,
}

impl Part {
    /// The object that it is, once the gaps are filled by `caller`.
    pub fn build<'py>(&self, caller: &Caller<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = caller.py;
        match self {
            Self::Given(object) => Ok(object.bind(py).clone()),
            Self::Read(position) => (caller.read)(*position),
            Self::Call(call) => call.make(caller),
            Self::Container(container, parts) => container.build(py, build_all(parts, caller)?),
            Self::Fused(fused, inputs) => fused.run(caller, build_all(inputs, caller)?),
            Self::Node { node, reads } => {
                let values = PyDict::new(py);
                for (key, position) in reads {
                    values.set_item(key, (caller.read)(*position)?)?;
                }
                caller.run_node(node, values)
            }
        }
    }
}

fn build_all<'py>(parts: &[Part], caller: &Caller<'_, 'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    parts.iter().map(|part| part.build(caller)).collect()
}

impl Call {
    fn make<'py>(&self, caller: &Caller<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = caller.py;
        let positional = match &self.positional {
            Positional::Given(arguments) => arguments.bind(py).clone(),
            Positional::Parts(parts) => PyTuple::new(py, build_all(parts, caller)?)?,
        };
        let named = match &self.named {
            Named::Given(None) => None,
            // A function may change the dictionary that it gets.
            Named::Given(Some(arguments)) => Some(arguments.bind(py).copy()?),
            Named::Parts(parts) => {
                let arguments = PyDict::new(py);
                for (name, part) in parts {
                    arguments.set_item(name, part.build(caller)?)?;
                }
                Some(arguments)
            }
        };
        caller.call(self.function.bind(py), positional, named)
    }
}

impl Container {
    pub fn build<'py>(self, py: Python<'py>, items: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::List => PyList::new(py, items)?.into_any(),
            Self::Tuple => PyTuple::new(py, items)?.into_any(),
            Self::Set => PySet::new(py, items)?.into_any(),
            Self::FrozenSet => PyFrozenSet::new(py, items)?.into_any(),
            Self::Dict => {
                let dict = PyDict::new(py);
                for pair in items.chunks_exact(2) {
                    dict.set_item(&pair[0], &pair[1])?;
                }
                dict.into_any()
            }
        })
    }
}
