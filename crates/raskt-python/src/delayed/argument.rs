use super::{Delayed, Node};
use crate::object::Object;
use parking_lot::Mutex;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::*;
use raskt_value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An argument of a delayed call. Containers are taken apart only where something delayed is in them.
pub(crate) enum Argument {
    /// Passed on as it is.
    Object(Py<PyAny>),
    /// The result of another call.
    Node(Arc<Node>),
    /// The result of computing a collection: the object that users hold.
    Collection(Py<PyAny>),
    List(Vec<Argument>),
    Tuple(Vec<Argument>),
    Set(Vec<Argument>),
    Dict(Vec<(Argument, Argument)>),
}

/// Containers in containers are followed this far.
const DEPTH: usize = 200;

impl Argument {
    /// Takes `object` apart, into containers only if `traverse`.
    pub fn new(object: &Bound<'_, PyAny>, traverse: bool) -> PyResult<Self> {
        Self::at_depth(object, traverse, 0)
    }

    fn at_depth(object: &Bound<'_, PyAny>, traverse: bool, depth: usize) -> PyResult<Self> {
        if depth > DEPTH {
            return Err(PyRecursionError::new_err(format!(
                "an argument of a delayed call holds containers more than {DEPTH} deep; pass it with traverse=False"
            )));
        }
        if let Ok(delayed) = object.cast_exact::<Delayed>() {
            return Ok(Self::Node(delayed.get().node.clone()));
        }
        let take = |item: Bound<'_, PyAny>| Self::at_depth(&item, traverse, depth + 1);
        let container = if !traverse {
            None
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            Some(Self::List(list.iter().map(take).collect::<PyResult<_>>()?))
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            Some(Self::Tuple(tuple.iter().map(take).collect::<PyResult<_>>()?))
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            let mut pairs = Vec::with_capacity(dict.len());
            for (key, value) in dict {
                pairs.push((take(key)?, take(value)?));
            }
            Some(Self::Dict(pairs))
        } else if let Ok(set) = object.cast_exact::<PySet>() {
            Some(Self::Set(set.iter().map(take).collect::<PyResult<_>>()?))
        } else {
            None
        };
        match container {
            Some(container) if container.is_delayed() => Ok(container),
            Some(_) => Ok(Self::Object(object.clone().unbind())),
            None if is_collection(object)? => Ok(Self::Collection(object.clone().unbind())),
            None => Ok(Self::Object(object.clone().unbind())),
        }
    }

    /// Whether something in it has to be computed first. Containers are looked at one level deep: those within are
    /// plain objects unless something delayed is in them.
    pub fn is_delayed(&self) -> bool {
        let is_plain = |argument: &Self| matches!(argument, Self::Object(_));
        match self {
            Self::Object(_) => false,
            Self::Node(_) | Self::Collection(_) => true,
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => !items.iter().all(is_plain),
            Self::Dict(pairs) => !pairs.iter().all(|(key, value)| is_plain(key) && is_plain(value)),
        }
    }

    pub fn as_object(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Calls `visit` with each node and each collection in it, in the order in which [`Self::build`] wants their results.
    pub fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match self {
            Self::Object(_) => {}
            Self::Node(_) | Self::Collection(_) => visit(self),
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => {
                items.iter().for_each(|item| item.for_each_leaf(visit));
            }
            Self::Dict(pairs) => pairs.iter().for_each(|(key, value)| {
                key.for_each_leaf(visit);
                value.for_each_leaf(visit);
            }),
        }
    }

    /// The argument with the results of its leaves in their places.
    pub fn build<'py>(
        &self,
        py: Python<'py>,
        results: &mut dyn Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut next = |item: &Self| item.build(py, results);
        match self {
            Self::Object(object) => Ok(object.bind(py).clone()),
            Self::List(items) => {
                let items = items.iter().map(next).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, items)?.into_any())
            }
            Self::Tuple(items) => {
                let items = items.iter().map(next).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            Self::Set(items) => {
                let items = items.iter().map(next).collect::<PyResult<Vec<_>>>()?;
                Ok(PySet::new(py, items)?.into_any())
            }
            Self::Dict(pairs) => {
                let dict = PyDict::new(py);
                for (key, value) in pairs {
                    let key = next(key)?;
                    dict.set_item(key, next(value)?)?;
                }
                Ok(dict.into_any())
            }
            Self::Node(_) | Self::Collection(_) => results.next().expect("there is a result for each leaf, in order"),
        }
    }
}

/// The Python object that the result of a Python task is.
pub(crate) fn python_object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let object = Object::of(value).ok_or_else(|| {
        let message = format!("a Python call got a native {} where a Python object was due", value.type_name());
        pyo3::exceptions::PyTypeError::new_err(message)
    })?;
    Ok(object.bind(py).clone())
}

/// Whether objects of the type of `object` are collections. Remembered by type, so that arguments are looked at fast.
fn is_collection(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = object.get_type();
    let address = class.as_ptr() as usize;
    if let Some((_, known)) = KINDS.lock().get(&address) {
        return Ok(*known);
    }
    // Asked of the class, since an object may make up attributes; and without the lock, since a metaclass may do anything.
    let found = class.hasattr(pyo3::intern!(object.py(), "__raskt_expr__"))?;
    KINDS.lock().insert(address, (class.unbind(), found));
    Ok(found)
}

/// By the address of the type, which is kept alive so that no other takes its place.
static KINDS: Mutex<BTreeMap<usize, (Py<PyType>, bool)>> = Mutex::new(BTreeMap::new());
