//! Delayed calls as they travel: functions once each, and for each call a pickle of its arguments, with slots for results.

use super::Portable;
use super::pickle::{self, refuse};
use super::slots::{Place, Slot, filled};
use crate::block::{PythonBlock, input, own as own_of, wire_form};
use crate::cluster::{awaited, is_worker};
use crate::delayed::{Argument, Calls, Key, Node, Work, python_object};
use crate::object::Object;
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const TAG: &str = "raskt.python.calls";
pub(super) const VERSION: u16 = 1;

/// The calls of an op.
#[derive(Serialize, Deserialize)]
struct CallsForm {
    /// Pickles of functions.
    functions: Vec<Vec<u8>>,
    /// Pickles of objects that several calls have.
    constants: Vec<Vec<u8>>,
    calls: Vec<Call>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Call {
    key: Key,
    does: Does,
    /// The pickle of a tuple: what is given, or the arguments; with those by name, of two.
    arguments: Vec<u8>,
}

/// What a call does.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Does {
    /// Gives the one argument that it has.
    Give,
    /// Gives the one result that it reads, as it is.
    HandOn,
    /// Calls a function, by its position.
    Call(u32),
    /// The same, with arguments by name.
    CallByName(u32),
}

impl Calls {
    /// What they are when they travel.
    pub(super) fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let mut written = Written::of(py, &self.0);
        let calls = self.0.iter().map(|node| written.call(py, node)).collect::<PyResult<_>>()?;
        let Written { functions, constants, .. } = written;
        let form = CallsForm { functions: functions.pickles, constants: constants.pickles, calls };
        wire_form(TAG, VERSION, &form)
    }
}

/// What has been written of the calls of an op.
struct Written {
    functions: Pickles,
    constants: Pickles,
    /// How often each object is an argument, by its address; the nodes hold them.
    uses: HashMap<usize, u32>,
}

/// Pickles of objects, each once.
#[derive(Default)]
struct Pickles {
    by_address: HashMap<usize, u32>,
    pickles: Vec<Vec<u8>>,
}

impl Pickles {
    fn place_of(&mut self, object: &Bound<'_, PyAny>) -> PyResult<u32> {
        let address = object.as_ptr() as usize;
        if let Some(&place) = self.by_address.get(&address) {
            return Ok(place);
        }
        let place = self.pickles.len() as u32;
        self.pickles.push(pickle::dump(object)?);
        self.by_address.insert(address, place);
        Ok(place)
    }
}

impl Written {
    fn of(py: Python<'_>, nodes: &[Arc<Node>]) -> Self {
        let mut uses = HashMap::new();
        for node in nodes {
            node.for_each_argument(|argument| {
                if let Argument::Object(object) = argument
                    && !is_small(object.bind(py))
                {
                    *uses.entry(object.as_ptr() as usize).or_default() += 1;
                }
            });
        }
        Self { functions: Pickles::default(), constants: Pickles::default(), uses }
    }

    fn call(&mut self, py: Python<'_>, node: &Arc<Node>) -> PyResult<Call> {
        let key = node.key_form(py);
        let mut leaves = 0;
        let (does, arguments) = match &node.work {
            Work::Block { .. } | Work::Stored(_) | Work::Held(_) | Work::Taken => (Does::HandOn, None),
            Work::Give(argument) => {
                let given = self.argument(py, argument, &mut leaves).map_err(|error| own(py, node, error))?;
                (Does::Give, Some(PyTuple::new(py, [given])?))
            }
            Work::Call { function, arguments } => {
                let function = function.bind(py);
                let at = self.functions.place_of(function);
                let at = at.map_err(|error| refuse(py, &node.label(py), &[("the function", function)], error))?;
                let mut positional = vec![];
                for argument in arguments.positional() {
                    positional.push(self.argument(py, argument, &mut leaves).map_err(|error| own(py, node, error))?);
                }
                let positional = PyTuple::new(py, positional)?;
                if arguments.named().is_empty() {
                    (Does::Call(at), Some(positional))
                } else {
                    let named = PyDict::new(py);
                    for (name, argument) in arguments.named() {
                        let argument =
                            self.argument(py, argument, &mut leaves).map_err(|error| own(py, node, error))?;
                        named.set_item(name, argument)?;
                    }
                    (Does::CallByName(at), Some(PyTuple::new(py, [positional.into_any(), named.into_any()])?))
                }
            }
        };
        let arguments = match arguments {
            Some(arguments) => pickle::dump_arguments(&arguments)
                .map_err(|error| refuse(py, &node.label(py), &[("args", arguments.as_any())], error))?,
            None => vec![],
        };
        Ok(Call { key, does, arguments })
    }

    /// An argument, with slots for what isn't there yet and for what is sent once.
    fn argument<'py>(
        &mut self,
        py: Python<'py>,
        argument: &Argument,
        leaves: &mut usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Argument::Object(object) = argument {
            let object = object.bind(py);
            if self.uses.get(&(object.as_ptr() as usize)).is_none_or(|&uses| uses < 2) {
                return Ok(object.clone());
            }
            return Slot::object(py, Place::Constant(self.constants.place_of(object)? as usize));
        }
        let mut count = 0;
        argument.for_each_leaf(&mut |_| count += 1);
        let start = *leaves;
        *leaves += count;
        argument.build(py, &mut (start..*leaves).map(|at| Slot::object(py, Place::Result(at))))
    }
}

/// The error of a call's argument that can't be taken apart.
fn own(py: Python<'_>, node: &Node, error: PyErr) -> PyErr {
    refuse(py, &node.label(py), &[], error)
}

/// Whether an object takes less where it stands than something that says where it is.
fn is_small(object: &Bound<'_, PyAny>) -> bool {
    const SHORT: usize = 64;
    object.is_none()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyBool>()
        || object.cast_exact::<PyString>().is_ok_and(|text| text.len().is_ok_and(|length| length < SHORT))
        || object.cast_exact::<PyBytes>().is_ok_and(|bytes| bytes.as_bytes().len() < SHORT)
}

/// The calls of an op that has come from another process.
struct SentCalls {
    functions: Vec<Portable>,
    constants: Arc<[Portable]>,
    calls: Vec<Call>,
}

/// The op that has come.
pub(super) fn decode(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let CallsForm { functions, constants, calls } = form.read()?;
    let count = functions.len() as u32;
    let is_known = |call: &Call| match call.does {
        Does::Call(function) | Does::CallByName(function) => function < count,
        Does::Give | Does::HandOn => true,
    };
    if !calls.iter().all(is_known) {
        return Err(form.malformed("a call of a function that isn't there"));
    }
    let functions = functions.into_iter().map(Portable::sent).collect();
    let constants = constants.into_iter().map(Portable::sent).collect();
    Ok(Arc::new(SentCalls { functions, constants, calls }))
}

impl SentCalls {
    fn arguments<'py>(&self, py: Python<'py>, call: &Call, inputs: &[Value]) -> PyResult<Bound<'py, PyAny>> {
        let results = inputs.iter().map(|value| Ok(python_object(py, value)?.unbind())).collect::<PyResult<_>>()?;
        filled(results, &self.constants, || pickle::load(py, &call.arguments))
    }

    fn label(&self, py: Python<'_>, call: &Call) -> String {
        let (Does::Call(function) | Does::CallByName(function)) = call.does else { return "call".into() };
        let name = || self.functions[function as usize].bind(py)?.getattr("__name__")?.extract();
        name().unwrap_or_else(|_| "call".into())
    }
}

impl PythonBlock for SentCalls {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let call = own_of(&self.calls, index)?;
        let result = match call.does {
            Does::HandOn => return Ok(input(inputs, 0)?.clone()),
            Does::Give => self.arguments(py, call, inputs)?.cast_into::<PyTuple>()?.get_item(0)?,
            Does::Call(function) => {
                let function = self.functions[function as usize].bind(py)?;
                let positional = self.arguments(py, call, inputs)?.cast_into::<PyTuple>()?;
                function.call1(positional)?
            }
            Does::CallByName(function) => {
                let function = self.functions[function as usize].bind(py)?;
                let both = self.arguments(py, call, inputs)?.cast_into::<PyTuple>()?;
                let (positional, named) = (both.get_item(0)?.cast_into::<PyTuple>()?, both.get_item(1)?);
                function.call(positional, Some(&named.cast_into::<PyDict>()?))?
            }
        };
        let result = if is_worker() { awaited(result)? } else { result };
        Ok(Object::told(result, || Some(self.label(py, call).into())))
    }

    fn name(&self) -> String {
        "delayed".into()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let pickles = |objects: &[Portable]| objects.iter().map(|object| object.dump(py)).collect::<PyResult<_>>();
        let (functions, constants) = (pickles(&self.functions)?, pickles(&self.constants)?);
        wire_form(TAG, VERSION, &CallsForm { functions, constants, calls: self.calls.clone() })
    }

    fn key(&self, index: u64) -> Option<String> {
        let call = self.calls.get(index as usize)?;
        Some(call.key.text(|| Python::attach(|py| self.label(py, call))))
    }
}
