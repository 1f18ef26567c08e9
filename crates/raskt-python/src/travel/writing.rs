//! Delayed calls as they are written: functions once each, and for each call a pickle of its arguments.

use super::apart::{self, Apart};
use super::bundles;
use super::calls::{Call, CallsForm, Does, Function, Pickle, TAG, VERSION};
use super::objects::{constants, whole_objects};
use super::pickle::{self, refuse};
use super::pickled::own_process;
use super::slots::Slot;
use crate::block::wire_form;
use crate::delayed::{Argument, Arguments, Calls, Node, Work, identity};
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use raskt_value::wire::WireForm;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

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
        note_shared(&mut calls, &objects);
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
        let pickle = apart::written(apart.as_ref(), || pickle::dump(function))?;
        let objects = apart.map_or_else(|| Ok(vec![]), |apart| apart.objects())?;
        self.written.push((Function { pickle, taken: objects.len() as u32, is_fixed: false }, objects));
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
        let mut objects = vec![];
        let (does, arguments) = match &node.work {
            Work::Block { .. } | Work::Stored(_) | Work::Held(_) | Work::Taken => (Does::HandOn, None),
            Work::Give(argument) => {
                let given = slotted(py, argument, &mut 0).map_err(|error| own(py, node, error))?;
                (Does::Give, Some(PyTuple::new(py, [given])?))
            }
            Work::Call { function, arguments } => {
                let function = function.bind(py);
                let at = self.functions.place_of(function, self.is_apart);
                let at = at.map_err(|error| refuse(py, &node.label(py), &[("the function", function)], error))?;
                objects.extend(self.functions.written[at as usize].1.iter().map(|object| object.clone_ref(py)));
                let (does, arguments) = slotted_arguments(py, node, arguments, at)?;
                (does, Some(arguments))
            }
        };
        let (pickle, taken) = match arguments {
            Some(arguments) => self
                .arguments(py, node, arguments.as_any())
                .map_err(|error| refuse(py, &node.label(py), &[("args", arguments.as_any())], error))?,
            None => (vec![], vec![]),
        };
        let identity = identity_of(node);
        let call =
            Call { key, identity, does, arguments: Pickle::Here(pickle), taken: taken.len() as u32, is_shared: false };
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

/// Notes which calls have objects that others have as well.
fn note_shared(calls: &mut [Call], objects: &[Vec<Py<PyAny>>]) {
    let of_arguments = |call: &Call, objects: &[Py<PyAny>]| objects.len() - call.taken as usize;
    let mut uses: HashMap<usize, u32> = HashMap::new();
    for (call, objects) in calls.iter().zip(objects) {
        for object in &objects[of_arguments(call, objects)..] {
            *uses.entry(object.as_ptr() as usize).or_default() += 1;
        }
    }
    for (call, objects) in calls.iter_mut().zip(objects) {
        let own = &objects[of_arguments(call, objects)..];
        call.is_shared = own.iter().any(|object| uses[&(object.as_ptr() as usize)] > 1);
    }
}

/// What the call of the function at `at` gets, with slots for what isn't there yet.
pub(super) fn slotted_arguments<'py>(
    py: Python<'py>,
    node: &Arc<Node>,
    arguments: &Arguments,
    at: u32,
) -> PyResult<(Does, Bound<'py, PyTuple>)> {
    let (mut leaves, mut positional) = (0, vec![]);
    for argument in arguments.positional() {
        positional.push(slotted(py, argument, &mut leaves).map_err(|error| own(py, node, error))?);
    }
    let positional = PyTuple::new(py, positional)?;
    if arguments.named().is_empty() {
        return Ok((Does::Call(at), positional));
    }
    let named = PyDict::new(py);
    for (name, argument) in arguments.named() {
        let argument = slotted(py, argument, &mut leaves).map_err(|error| own(py, node, error))?;
        named.set_item(name, argument)?;
    }
    Ok((Does::CallByName(at), PyTuple::new(py, [positional.into_any(), named.into_any()])?))
}

/// What tells a call from all others of all processes.
pub(super) fn identity_of(node: &Node) -> u128 {
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
