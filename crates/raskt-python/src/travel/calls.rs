//! Delayed calls as they travel: functions once each, and for each call a pickle of its arguments, with slots for results.

use super::apart::{Apart, split};
use super::pickle::{self, refuse};
use super::pickled::own_process;
use super::slots::{Filling, Slot, filled};
use super::{Portable, bundles};
use crate::block::{PythonBlock, ToldCall, input, own as own_of, wire_form};
use crate::delayed::{Argument, Calls, Key, Node, Work, identity, python_object};
use crate::object::{Object, size_of_object};
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use raskt_store::Store;
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

pub(super) const TAG: &str = "raskt.python.calls";
pub(super) const VERSION: u16 = 2;

/// The calls of an op.
#[derive(Serialize, Deserialize)]
struct CallsForm {
    functions: Vec<Function>,
    /// Pickles of objects that several calls have.
    constants: Vec<Vec<u8>>,
    calls: Vec<Call>,
}

/// The pickle of a function.
#[derive(Serialize, Deserialize)]
struct Function {
    pickle: Vec<u8>,
    /// How many objects were taken out of it.
    taken: u32,
}

/// A call. It reads what its arguments want, then what was taken out of the function, and then what was taken out of the arguments.
#[derive(Clone, Serialize, Deserialize)]
struct Call {
    key: Key,
    /// What tells it from all other calls of all processes.
    identity: u128,
    does: Does,
    arguments: Pickle,
    /// How many objects were taken out of the arguments.
    taken: u32,
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

/// Calls as they travel.
pub(super) struct Written {
    pub form: WireForm,
    /// For each call the objects that it reads beside all else, in order.
    pub objects: Vec<Vec<Py<PyAny>>>,
}

impl Calls {
    /// What they are when they travel, with their data apart if that may be.
    pub(super) fn travelling(&self, py: Python<'_>, is_apart: bool) -> PyResult<Written> {
        let mut writing = Writing::of(py, &self.0, is_apart)?;
        let mut calls = self.0.iter().map(|node| writing.call(py, node)).collect::<PyResult<Vec<_>>>()?;
        let Writing { functions, constants, mut objects, .. } = writing;
        if is_apart {
            let arguments = calls.iter_mut().map(|call| &mut call.arguments);
            bundles::bundle(py, arguments.zip(objects.iter_mut()));
        }
        let functions = functions.written.into_iter().map(|(function, _)| function).collect();
        let form = wire_form(TAG, VERSION, &CallsForm { functions, constants, calls })?;
        Ok(Written { form, objects })
    }
}

/// What has been written of the calls of an op.
struct Writing<'py> {
    is_apart: bool,
    functions: Functions,
    constants: Vec<Vec<u8>>,
    /// The numbers of the constants by their addresses, as pickles have them.
    shared: Option<Bound<'py, PyDict>>,
    objects: Vec<Vec<Py<PyAny>>>,
}

/// Pickles of functions, each once, and what was taken out of them.
#[derive(Default)]
struct Functions {
    by_address: HashMap<usize, u32>,
    written: Vec<(Function, Vec<Py<PyAny>>)>,
}

impl Functions {
    fn place_of(&mut self, function: &Bound<'_, PyAny>, is_apart: bool) -> PyResult<u32> {
        let address = function.as_ptr() as usize;
        if let Some(&place) = self.by_address.get(&address) {
            return Ok(place);
        }
        let place = self.written.len() as u32;
        let apart = if is_apart { Some(Apart::new(function.py(), vec![], None)?) } else { None };
        let pickle = super::apart::written(apart.as_ref(), || pickle::dump(function))?;
        let objects = apart.map_or_else(|| Ok(vec![]), |apart| apart.objects())?;
        self.written.push((Function { pickle, taken: objects.len() as u32 }, objects));
        self.by_address.insert(address, place);
        Ok(place)
    }
}

impl<'py> Writing<'py> {
    fn of(py: Python<'py>, nodes: &[Arc<Node>], is_apart: bool) -> PyResult<Self> {
        let (constants, shared) = constants(py, nodes)?;
        Ok(Self { is_apart, functions: Functions::default(), constants, shared, objects: vec![] })
    }

    fn call(&mut self, py: Python<'py>, node: &Arc<Node>) -> PyResult<Call> {
        let key = node.key_form(py);
        let mut leaves = 0;
        let mut objects = vec![];
        let (does, arguments) = match &node.work {
            Work::Block { .. } | Work::Stored(_) | Work::Held(_) | Work::Taken => (Does::HandOn, None),
            Work::Give(argument) => {
                let given = slotted(py, argument, &mut leaves).map_err(|error| own(py, node, error))?;
                (Does::Give, Some(PyTuple::new(py, [given])?))
            }
            Work::Call { function, arguments } => {
                let function = function.bind(py);
                let at = self.functions.place_of(function, self.is_apart);
                let at = at.map_err(|error| refuse(py, &node.label(py), &[("the function", function)], error))?;
                objects.extend(self.functions.written[at as usize].1.iter().map(|object| object.clone_ref(py)));
                let mut positional = vec![];
                for argument in arguments.positional() {
                    positional.push(slotted(py, argument, &mut leaves).map_err(|error| own(py, node, error))?);
                }
                let positional = PyTuple::new(py, positional)?;
                if arguments.named().is_empty() {
                    (Does::Call(at), Some(positional))
                } else {
                    let named = PyDict::new(py);
                    for (name, argument) in arguments.named() {
                        let argument = slotted(py, argument, &mut leaves).map_err(|error| own(py, node, error))?;
                        named.set_item(name, argument)?;
                    }
                    (Does::CallByName(at), Some(PyTuple::new(py, [positional.into_any(), named.into_any()])?))
                }
            }
        };
        let (pickle, taken) = match arguments {
            Some(arguments) => self
                .arguments(py, node, arguments.as_any())
                .map_err(|error| refuse(py, &node.label(py), &[("args", arguments.as_any())], error))?,
            None => (vec![], vec![]),
        };
        let identity = identity_of(node);
        let call = Call { key, identity, does, arguments: Pickle::Here(pickle), taken: taken.len() as u32 };
        objects.extend(taken);
        self.objects.push(objects);
        Ok(call)
    }

    /// The pickle of the arguments of a call, and what was taken out of it.
    fn arguments(
        &self,
        py: Python<'py>,
        node: &Node,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<(Vec<u8>, Vec<Py<PyAny>>)> {
        let whole = if self.is_apart { whole_objects(py, node) } else { vec![] };
        if whole.is_empty()
            && self.shared.is_none()
            && let Some(pickle) = pickle::dump_arguments(arguments)?
        {
            return Ok((pickle, vec![]));
        }
        if !self.is_apart && self.shared.is_none() {
            return Ok((pickle::dump_whole(arguments)?, vec![]));
        }
        let apart = Apart::new(py, whole, self.shared.as_ref())?;
        Ok((apart.dump_arguments(arguments)?, apart.objects()?))
    }
}

/// What tells a call from all others of all processes.
fn identity_of(node: &Node) -> u128 {
    let words = own_process().into_iter().flat_map(u64::to_le_bytes);
    xxh3_128(&words.chain(identity(node).to_le_bytes()).collect::<Vec<u8>>())
}

/// An argument with slots for what isn't there yet.
fn slotted<'py>(py: Python<'py>, argument: &Argument, leaves: &mut usize) -> PyResult<Bound<'py, PyAny>> {
    let mut count = 0;
    argument.for_each_leaf(&mut |_| count += 1);
    let start = *leaves;
    *leaves += count;
    argument.build(py, &mut (start..*leaves).map(|at| Slot::object(py, at)))
}

/// The error of a call's argument that can't be taken apart.
fn own(py: Python<'_>, node: &Node, error: PyErr) -> PyErr {
    refuse(py, &node.label(py), &[], error)
}

/// Pickles of objects that stand in several places and are neither small nor large, and their numbers by their addresses.
fn constants<'py>(py: Python<'py>, nodes: &[Arc<Node>]) -> PyResult<(Vec<Vec<u8>>, Option<Bound<'py, PyDict>>)> {
    let mut uses: HashMap<usize, (u32, &Py<PyAny>)> = HashMap::new();
    if nodes.len() > 1 {
        for_each_object(nodes, &mut |object| {
            if !is_small(object.bind(py)) {
                uses.entry(object.as_ptr() as usize).or_insert((0, object)).0 += 1;
            }
        });
    }
    uses.retain(|_, (uses, object)| *uses > 1 && size_of_object(object.bind(py)) < Store::KEPT_BYTES);
    if uses.is_empty() {
        return Ok((vec![], None));
    }
    let (mut pickles, shared) = (vec![], PyDict::new(py));
    for (address, (_, object)) in uses {
        // What can't be pickled is told of the call that has it.
        if let Ok(pickle) = pickle::dump_whole(object.bind(py)) {
            pickles.push(pickle);
            shared.set_item(address, -(pickles.len() as isize))?;
        }
    }
    Ok((pickles, Some(shared)))
}

fn for_each_object<'a>(nodes: &'a [Arc<Node>], visit: &mut dyn FnMut(&'a Py<PyAny>)) {
    for node in nodes {
        node.for_each_argument(|argument| argument.for_each_object(visit));
    }
}

/// What is large among the arguments of a call; containers only if that isn't because of what is in them.
fn whole_objects(py: Python<'_>, node: &Node) -> Vec<Py<PyAny>> {
    let mut found = vec![];
    node.for_each_argument(|argument| {
        argument.for_each_object(&mut |object| {
            if is_large(object.bind(py)) && !holds_large(object.bind(py)) {
                found.push(object.clone_ref(py));
            }
        });
    });
    found
}

fn is_large(object: &Bound<'_, PyAny>) -> bool {
    size_of_object(object) >= Store::KEPT_BYTES
}

fn holds_large(object: &Bound<'_, PyAny>) -> bool {
    let is_container = object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PySet>()
        || object.is_exact_instance_of::<PyFrozenSet>();
    let any_large = |items: Bound<'_, PyAny>| {
        items.try_iter().is_ok_and(|mut items| items.any(|item| item.is_ok_and(|item| is_large(&item))))
    };
    match object.cast_exact::<PyDict>() {
        Ok(dict) => any_large(dict.values().into_any()) || any_large(dict.keys().into_any()),
        Err(_) => is_container && any_large(object.clone()),
    }
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
    functions: Arc<[(Portable, u32)]>,
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
    let functions = functions.into_iter().map(|function| (Portable::sent(function.pickle), function.taken)).collect();
    let constants = constants.into_iter().map(Portable::sent).collect();
    Ok(Arc::new(SentCalls { functions, constants, calls }))
}

impl SentCalls {
    /// The function, if it is there for a call that has read that of it.
    fn function<'py>(&self, py: Python<'py>, at: u32, data: Vec<Py<PyAny>>) -> PyResult<&Bound<'py, PyAny>> {
        let function = &self.functions[at as usize].0;
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
        let filling = Filling { results, data: data.into(), constants: self.constants.clone() };
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
            Does::Call(function) | Does::CallByName(function) => self.functions[function as usize].1,
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
        let (function, taken) = &self.functions[function as usize];
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
        Ok(Object::told(result, || Some(self.label(py, call).into())))
    }

    fn name(&self) -> String {
        "delayed".into()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let constants = self.constants.iter().map(|object| object.dump(py)).collect::<PyResult<_>>()?;
        let function = |(object, taken): &(Portable, u32)| Ok(Function { pickle: object.dump(py)?, taken: *taken });
        let functions = self.functions.iter().map(function).collect::<PyResult<_>>()?;
        wire_form(TAG, VERSION, &CallsForm { functions, constants, calls: self.calls.clone() })
    }

    fn calls(&self) -> Option<Vec<ToldCall>> {
        let told = |call: &Call| {
            let (words, is_bundled) = match &call.arguments {
                // An argument may have changed between two pickles. Numbers of what is shared depend on the other calls.
                Pickle::Here(pickle) if self.constants.is_empty() => (pickle.as_slice(), false),
                Pickle::Here(_) => (&[][..], false),
                Pickle::Bundled { .. } => (&[][..], true),
            };
            ToldCall { identity: xxh3_128(&[&call.identity.to_le_bytes()[..], words].concat()), is_bundled }
        };
        Some(self.calls.iter().map(told).collect())
    }

    fn some_calls(&self, tasks: &[u64]) -> Option<Arc<dyn PythonBlock>> {
        let calls = tasks.iter().map(|&task| self.calls.get(task as usize).cloned()).collect::<Option<_>>()?;
        let (functions, constants) = (self.functions.clone(), self.constants.clone());
        Some(Arc::new(Self { functions, constants, calls }))
    }

    fn key(&self, index: u64) -> Option<String> {
        let call = self.calls.get(index as usize)?;
        Some(call.key.text(|| Python::attach(|py| self.label(py, call))))
    }
}
