//! Calls of a cluster as they are written one by one: each can travel alone, or with others as one op.

use super::calls::{Call, CallsForm, Does, Function, Pickle, TAG, VERSION};
use super::objects::whole_objects;
use super::pickle::{self, refuse};
use super::slots::Slot;
use super::writing::{identity_of, slotted_arguments};
use crate::delayed::{Argument, Arguments, Node, Work};
use hashbrown::HashMap;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use raskt_graph::{OpFlags, OpForm, OpKind};
use raskt_sync::Mutex;
use raskt_value::wire::{BodyForm, WireForm};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A call, with its function beside it.
pub(crate) struct CallAlone {
    /// One object for calls whose functions are one wherever they are read.
    function: Arc<FunctionAlone>,
    call: Call,
    bytes: usize,
}

impl CallAlone {
    /// The call that `node` is; nothing if something is so large that it travels beside it.
    ///
    /// # Errors
    /// If it can't be pickled.
    pub fn of(py: Python<'_>, node: &Arc<Node>) -> PyResult<Option<Self>> {
        let Work::Call { function, arguments } = &node.work else { return Ok(None) };
        if !whole_objects(py, node).is_empty() {
            return Ok(None);
        }
        let function = function.bind(py);
        let pickled = pickle::dump_small_function(function);
        let pickled = pickled.map_err(|error| refuse(py, &node.label(py), &[("the function", function)], error))?;
        let Some(pickled) = pickled else { return Ok(None) };
        let (function, is_known) = shared(function, &pickled)?;
        let Some((does, arguments)) = written(py, node, arguments)? else { return Ok(None) };
        let bytes = arguments.len() + if is_known { 0 } else { function.pickle.len() };
        let (key, identity) = (node.key_form(py), identity_of(node));
        let call = Call { key, identity, does, arguments: Pickle::Here(arguments), taken: 0, is_shared: false };
        Ok(Some(Self { function, call, bytes }))
    }

    /// About how many it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The op whose task `i` makes call `i` of these.
pub(crate) fn op_of(alone: Vec<CallAlone>) -> Result<OpForm<BodyForm>, String> {
    let (mut functions, mut places): (Vec<Function>, HashMap<*const FunctionAlone, u32>) = Default::default();
    let mut calls = Vec::with_capacity(alone.len());
    // Told apart by their addresses, which are theirs as long as all are there.
    let _there: Vec<_> = alone.iter().map(|call| call.function.clone()).collect();
    for CallAlone { function, mut call, .. } in alone {
        let at = *places.entry(Arc::as_ptr(&function)).or_insert_with(|| {
            let is_fixed = function.is_fixed.load(Ordering::Relaxed);
            functions.push(Function { pickle: function.pickle.to_vec(), taken: 0, is_fixed });
            functions.len() as u32 - 1
        });
        call.does = match call.does {
            Does::CallByName(_) => Does::CallByName(at),
            _ => Does::Call(at),
        };
        calls.push(call);
    }
    let form = WireForm::try_of(TAG, VERSION, &CallsForm { functions, constants: vec![], calls });
    let body = BodyForm::Foreign(form.map_err(|why| format!("calls can't be sent: {why}"))?);
    Ok(OpForm { kind: OpKind::Python, name: "delayed".into(), digest: 0, flags: OpFlags::default(), body })
}

/// The pickle of a function.
struct FunctionAlone {
    pickle: Box<[u8]>,
    /// It goes by value. A name may come to stand for something else.
    is_by_value: bool,
    /// There is nothing in it that one could change, and no name of anything else.
    is_fixed: AtomicBool,
}

/// Pickles of functions that were used last.
static LAST: Mutex<[Option<Known>; 4]> = Mutex::new([const { None }; 4]);

/// A function, by its pickle.
type Known = (Py<PyBytes>, Arc<FunctionAlone>);

/// The pickle of a function, which is that of an earlier call if that had the very same object: so it is where nothing can be told from
/// one call to the next by the function (`raskt._process.known`). Of any other each call has one of its own.
fn shared(function: &Bound<'_, PyAny>, pickle: &Bound<'_, PyBytes>) -> PyResult<(Arc<FunctionAlone>, bool)> {
    let is_known = |(known, _): &&(Py<PyBytes>, _)| known.is(pickle);
    if let Some((_, known)) = LAST.lock().iter().flatten().find(is_known) {
        known.is_fixed.store(known.is_by_value, Ordering::Relaxed);
        return Ok((known.clone(), true));
    }
    let is_by_value = function
        .getattr(intern!(function.py(), "__module__"))
        .is_ok_and(|module| module.cast::<PyString>().is_ok_and(|module| module == "__main__"));
    let (pickled, is_fixed) = (pickle.as_bytes().into(), AtomicBool::new(false));
    let own = Arc::new(FunctionAlone { pickle: pickled, is_by_value, is_fixed });
    let mut last = LAST.lock();
    last.rotate_right(1);
    let gone = last[0].replace((pickle.clone().unbind(), own.clone()));
    drop(last);
    drop(gone);
    Ok((own, false))
}

/// Calls of results alone have the same arguments, as long as there are no more of them.
const SLOTS_KNOWN: usize = 8;

/// The pickle of the arguments; nothing if something in them is large.
fn written(py: Python<'_>, node: &Arc<Node>, arguments: &Arguments) -> PyResult<Option<(Does, Vec<u8>)>> {
    let positional = arguments.positional();
    let reads_only = positional.iter().all(|argument| matches!(argument, Argument::Node(_)));
    if reads_only && arguments.named().is_empty() && positional.len() < SLOTS_KNOWN {
        return Ok(Some((Does::Call(0), only_slots(py, positional.len())?)));
    }
    let (does, arguments) = slotted_arguments(py, node, arguments, 0)?;
    let pickle = pickle::dump_arguments(arguments.as_any());
    let pickle = pickle.map_err(|error| refuse(py, &node.label(py), &[("args", arguments.as_any())], error))?;
    Ok(pickle.map(|pickle| (does, pickle)))
}

/// The pickle of so many results.
fn only_slots(py: Python<'_>, count: usize) -> PyResult<Vec<u8>> {
    static KNOWN: Mutex<[Vec<u8>; SLOTS_KNOWN]> = Mutex::new([const { vec![] }; SLOTS_KNOWN]);
    let known = KNOWN.lock()[count].clone();
    if !known.is_empty() {
        return Ok(known);
    }
    let slots = (0..count).map(|at| Slot::object(py, at)).collect::<PyResult<Vec<_>>>()?;
    let pickle = pickle::dump_arguments(PyTuple::new(py, slots)?.as_any())?.unwrap_or_default();
    KNOWN.lock()[count].clone_from(&pickle);
    Ok(pickle)
}
