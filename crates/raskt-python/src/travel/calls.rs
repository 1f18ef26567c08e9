//! Delayed calls as they travel: functions once each, and for each call a pickle of its arguments, with slots for results.

use super::apart::split;
use super::portable::own;
use super::slots::{Filling, filled};
use super::{Portable, bundles, pickle};
use crate::block::{PythonBlock, ToldCall, input, own as own_of, wire_form};
use crate::cluster::{awaited, is_worker};
use crate::delayed::{Key, python_object};
use crate::object::Object;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use raskt_store::Family;
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

pub(super) const TAG: &str = "raskt.python.calls";
pub(super) const VERSION: u16 = 4;

/// The calls of an op.
#[derive(Serialize, Deserialize)]
pub(super) struct CallsForm {
    pub functions: Vec<Function>,
    /// Pickles of objects that several calls have.
    pub constants: Vec<Vec<u8>>,
    pub calls: Vec<Call>,
}

/// The pickle of a function.
#[derive(Serialize, Deserialize)]
pub(super) struct Function {
    pub pickle: Vec<u8>,
    /// How many objects were taken out of it.
    pub taken: u32,
    /// Whether it may be one object for all calls that have it, of whichever op: there is nothing in it that one could change.
    pub is_fixed: bool,
}

/// A call. It reads what its arguments want, then what was taken out of the function, and then what was taken out of the arguments.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Call {
    pub key: Key,
    /// What tells it from all other calls of all processes.
    pub identity: u128,
    pub does: Does,
    pub arguments: Pickle,
    /// How many objects were taken out of the arguments.
    pub taken: u32,
    /// Whether others of the op have one of these objects as well: then this call has them for itself.
    pub is_shared: bool,
}

/// The pickle of a tuple: what is given, or the arguments; with those by name, of two.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Pickle {
    Here(Vec<u8>),
    /// A part of the last object that the call reads.
    Bundled {
        start: u64,
        end: u64,
    },
}

/// What a call does.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) enum Does {
    /// Gives the one argument that it has.
    Give,
    /// Gives the one result that it reads, as it is.
    HandOn,
    /// Calls a function, by its position.
    Call(u32),
    /// The same, with arguments by name.
    CallByName(u32),
}

/// The calls of an op that has come from another process.
struct SentCalls {
    functions: Arc<[SentFunction]>,
    constants: Arc<[Portable]>,
    calls: Vec<Call>,
}

struct SentFunction {
    object: Arc<Portable>,
    /// How many objects were taken out of it.
    taken: u32,
    /// The digest of its pickle.
    family: Family,
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
    let portable = |Function { pickle, taken, is_fixed }: Function| SentFunction {
        family: xxh3_64(&pickle),
        object: if is_fixed { Portable::fixed(pickle) } else { Arc::new(Portable::sent(pickle)) },
        taken,
    };
    let functions = functions.into_iter().map(portable).collect();
    let constants = constants.into_iter().map(Portable::sent).collect();
    Ok(Arc::new(SentCalls { functions, constants, calls }))
}

impl SentCalls {
    /// The function, if it is there for a call that has read that of it.
    fn function<'py>(&self, py: Python<'py>, at: u32, data: Vec<Py<PyAny>>) -> PyResult<&Bound<'py, PyAny>> {
        let function = &self.functions[at as usize].object;
        filled(Filling { data: data.into(), ..Filling::default() }, || function.bind(py))
    }

    fn arguments<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        inputs: &[Value],
        data: Vec<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let results = inputs.iter().map(|value| Ok(python_object(py, value)?.unbind())).collect::<PyResult<_>>()?;
        let bundle = data.last().map(|last| last.clone_ref(py));
        let data = if call.is_shared {
            data.into_iter().map(|object| own(py, object)).collect::<PyResult<_>>()?
        } else {
            data
        };
        let filling = Filling { results, data: data.into(), constants: self.constants.clone(), ..Filling::default() };
        filled(filling, || match &call.arguments {
            Pickle::Here(pickle) => pickle::load(py, pickle),
            Pickle::Bundled { start, end } => pickle::load(py, bundles::part(py, &bundle, *start, *end)?),
        })
    }

    /// What a call reads itself; what was taken out of its function, and what out of its arguments.
    #[expect(clippy::type_complexity, reason = "three lists that are taken apart at once")]
    fn split<'a>(
        &self,
        py: Python<'_>,
        call: &Call,
        inputs: &'a [Value],
    ) -> PyResult<(&'a [Value], Vec<Py<PyAny>>, Vec<Py<PyAny>>)> {
        let of_function = match call.does {
            Does::Call(function) | Does::CallByName(function) => self.functions[function as usize].taken,
            Does::Give | Does::HandOn => 0,
        };
        let is_bundled = matches!(call.arguments, Pickle::Bundled { .. });
        let of_arguments = call.taken as usize + usize::from(is_bundled);
        let (own, mut data) = split(py, inputs, of_function as usize + of_arguments)?;
        let arguments = data.split_off(of_function as usize);
        Ok((own, data, arguments))
    }

    fn label(&self, py: Python<'_>, call: &Call) -> String {
        let (Does::Call(function) | Does::CallByName(function)) = call.does else { return "call".into() };
        let SentFunction { object: function, taken, .. } = &self.functions[function as usize];
        let name = || -> PyResult<Option<String>> {
            // Before its data is there only one that was read already says what it is called.
            let function = if *taken == 0 { Some(function.bind(py)?) } else { function.known(py) };
            function.map(|function| -> PyResult<String> { function.getattr("__name__")?.extract() }).transpose()
        };
        name().ok().flatten().unwrap_or_else(|| "call".into())
    }
}

impl PythonBlock for SentCalls {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let call = own_of(&self.calls, index)?;
        let (inputs, of_function, data) = self.split(py, call, inputs)?;
        let result = match call.does {
            Does::HandOn => return Ok(input(inputs, 0)?.clone()),
            Does::Give => self.arguments(py, call, inputs, data)?.cast_into::<PyTuple>()?.get_item(0)?,
            Does::Call(function) => {
                let function = self.function(py, function, of_function)?;
                let positional = self.arguments(py, call, inputs, data)?.cast_into::<PyTuple>()?;
                function.call1(positional)?
            }
            Does::CallByName(function) => {
                let function = self.function(py, function, of_function)?;
                let both = self.arguments(py, call, inputs, data)?.cast_into::<PyTuple>()?;
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
        let constants = self.constants.iter().map(|object| object.dump(py)).collect::<PyResult<_>>()?;
        let function = |SentFunction { object, taken, .. }: &SentFunction| {
            Ok(Function { pickle: object.dump(py)?, taken: *taken, is_fixed: false })
        };
        let functions = self.functions.iter().map(function).collect::<PyResult<_>>()?;
        wire_form(TAG, VERSION, &CallsForm { functions, constants, calls: self.calls.clone() })
    }

    fn calls(&self) -> Option<Vec<ToldCall>> {
        // What a call is made of may have changed between two pickles: a function by what it refers to, and arguments. What is shared with
        // other calls counts as a whole, and so does a bundle, which the call reads.
        let digest = |object: &Portable| xxh3_128(object.sent_pickle());
        let functions: Vec<u128> = self.functions.iter().map(|function| digest(&function.object)).collect();
        let constants: Vec<u8> = self.constants.iter().flat_map(|object| digest(object).to_le_bytes()).collect();
        let told = |call: &Call| {
            let function = match call.does {
                Does::Call(at) | Does::CallByName(at) => functions[at as usize],
                Does::Give | Does::HandOn => 0,
            };
            let arguments = match &call.arguments {
                Pickle::Here(pickle) => xxh3_128(pickle),
                Pickle::Bundled { start, end } => u128::from(*start) << 64 | u128::from(*end),
            };
            let numbers = [call.identity, function, arguments].map(u128::to_le_bytes).concat();
            let identity = || xxh3_128(&[&numbers[..], &constants[..]].concat());
            ToldCall { identity: (!matches!(call.does, Does::HandOn)).then(identity), is_bundled: false }
        };
        Some(self.calls.iter().map(told).collect())
    }

    fn some_calls(&self, tasks: &[u64]) -> Option<Arc<dyn PythonBlock>> {
        let calls = tasks.iter().map(|&task| self.calls.get(task as usize).cloned()).collect::<Option<_>>()?;
        let (functions, constants) = (self.functions.clone(), self.constants.clone());
        Some(Arc::new(Self { functions, constants, calls }))
    }

    fn family(&self, index: u64) -> Option<Family> {
        match self.calls.get(index as usize)?.does {
            Does::Call(function) | Does::CallByName(function) => Some(self.functions[function as usize].family),
            Does::Give | Does::HandOn => None,
        }
    }

    fn key(&self, index: u64) -> Option<String> {
        let call = self.calls.get(index as usize)?;
        Some(call.key.text(|| Python::attach(|py| self.label(py, call))))
    }
}
