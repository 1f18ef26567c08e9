use crate::ending::Outside;
use crate::error::from_task_error;
use crate::memory;
use crate::object::{Object, references};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};
use raskt_store::{Lineage, Pins, ResultInfo, Store, StoredRef};
use raskt_value::{ErrorKind, TaskError};
use std::sync::Arc;

/// The result of a future.
pub(crate) enum Held {
    /// As it is.
    Here(Py<PyAny>),
    /// In the store, which may move it to disk, and which Python's garbage collector doesn't look into: only what can't refer
    /// to the future, or what nobody has got yet who could put it there.
    Stored(Arc<StoredRef>, Py<PyType>),
}

/// A result that has come into the store and stays in memory, until room is made for it.
pub(crate) struct Entered {
    store: Store,
    pins: Pins,
}

impl Entered {
    /// Has others leave for it, or itself.
    pub fn make_room(self, py: Python<'_>) {
        let Self { store, pins } = self;
        py.outside(|| {
            drop(pins);
            store.make_room();
        });
    }
}

/// Futures belong to no run. Those that are older leave memory later: a group is a run, and the runs of engines have numbers
/// of their own.
const GROUP: u64 = u64::MAX;

impl Held {
    /// Takes a result in; `label` names what made it.
    pub fn new(py: Python<'_>, result: Py<PyAny>, label: impl FnOnce() -> String) -> Self {
        let (held, entered) = Self::enter(py, result, label);
        entered.into_iter().for_each(|entered| entered.make_room(py));
        held
    }

    /// The same; what it needs is still to be made free, once nobody else refers to the result.
    pub fn enter(py: Python<'_>, result: Py<PyAny>, label: impl FnOnce() -> String) -> (Self, Option<Entered>) {
        let Some(value) = Object::that_leaves(result.bind(py)) else { return (Self::Here(result), None) };
        let Ok(store) = memory::store(py) else { return (Self::Here(result), None) };
        let (label, kind) = (label().into(), result.bind(py).get_type().unbind());
        let facts = ResultInfo { label, group: GROUP, turn: None, recompute_nanoseconds: None, family: 0 };
        match py.outside(|| store.keep_pinned(value, Lineage::none(), facts)) {
            Ok((kept, pins)) => (Self::Stored(kept, kind), Some(Entered { store, pins })),
            // The store broke, and whoever waits for it is told; the result is here.
            Err(_) => (Self::Here(result), None),
        }
    }

    /// The result, if it is here and nobody else has it.
    pub fn alone(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match self {
            Self::Here(result) if references(result.bind(py)) == 1 => Some(result.clone_ref(py)),
            _ => None,
        }
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Here(result) => Self::Here(result.clone_ref(py)),
            Self::Stored(kept, kind) => Self::Stored(kept.clone(), kind.clone_ref(py)),
        }
    }

    /// The result, read from its file if need be.
    pub fn get(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Self::Here(result) => Ok(result.clone_ref(py)),
            Self::Stored(kept, _) => {
                // A thread of the store that reads it needs the interpreter.
                let value = py.outside(|| kept.fetch()).map_err(|error| from_task_error(py, &error))?;
                let object = value.as_ref().and_then(Object::of).map(|object| object.clone_ref(py));
                object.ok_or_else(|| {
                    let message = "the result of a future was spilled, and its file is gone or damaged; `retry` makes \
                                   no call again that has succeeded: submit it anew";
                    from_task_error(py, &TaskError::new(ErrorKind::Lost, message))
                })
            }
        }
    }

    /// The result, and what holds it from now on, if that has to change since somebody gets it: into a container he may put the
    /// future, and then only the garbage collector finds that nobody has either.
    pub fn give(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Option<Self>)> {
        let result = self.get(py)?;
        let changes = matches!(self, Self::Stored(..)) && takes_objects(result.bind(py));
        let held = changes.then(|| Self::Here(result.clone_ref(py)));
        Ok((result, held))
    }

    /// The type of the result.
    pub fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyType> {
        match self {
            Self::Here(result) => result.bind(py).get_type(),
            Self::Stored(_, kind) => kind.bind(py).clone(),
        }
    }

    /// Shows the garbage collector what it holds.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Here(result) => visit.call(result),
            Self::Stored(_, kind) => visit.call(kind),
        }
    }
}

/// Whether objects can be put into it, or into what is in it. Frames can hold some as well, but they leave memory far more
/// often than anybody puts a future into one.
fn takes_objects(object: &Bound<'_, PyAny>) -> bool {
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return tuple.iter().any(|element| takes_objects(&element));
    }
    object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyDict>()
        || object.is_instance_of::<PySet>()
}
