//! Objects among the arguments of calls: which stand in several places, and which are data by themselves.

use super::pickle;
use crate::delayed::Node;
use crate::object::size_of_object;
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use raskt_store::Store;
use std::sync::Arc;

/// Pickles, and their numbers by the addresses of the objects.
type Constants<'py> = (Vec<Vec<u8>>, Option<Bound<'py, PyDict>>);

/// Pickles of objects that stand in several places and are neither small nor large, and their numbers by their addresses.
pub(super) fn constants<'py>(py: Python<'py>, nodes: &[Arc<Node>]) -> PyResult<Constants<'py>> {
    let (mut uses, mut in_order): (HashMap<usize, u32>, Vec<&Py<PyAny>>) = Default::default();
    if nodes.len() > 1 {
        for_each_object(nodes, &mut |object| {
            if !is_small(object.bind(py)) {
                let uses = uses.entry(object.as_ptr() as usize).or_default();
                if *uses == 0 {
                    in_order.push(object);
                }
                *uses += 1;
            }
        });
    }
    in_order.retain(|object| uses[&(object.as_ptr() as usize)] > 1 && !is_large(object.bind(py)));
    if in_order.is_empty() {
        return Ok((vec![], None));
    }
    let (mut pickles, shared) = (vec![], PyDict::new(py));
    for object in in_order {
        // What can't be pickled is told of the call that has it.
        if let Ok(pickle) = pickle::dump_whole(object.bind(py)) {
            pickles.push(pickle);
            shared.set_item(object.as_ptr() as usize, -(pickles.len() as isize))?;
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
pub(super) fn whole_objects(py: Python<'_>, node: &Node) -> Vec<Py<PyAny>> {
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
