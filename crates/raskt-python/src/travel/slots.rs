//! Places in the arguments of calls that travel: where the results of other tasks go, and what several calls have in common.
//!
//! Arguments are pickled with a [`Slot`] in each such place. Its pickle is a call of a function that finds, while the arguments are
//! read, what is to stand there: so containers, dataclasses and whatever else pickles are put together from the results themselves.

use super::Portable;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

/// Stands for something that isn't there yet.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct Slot {
    place: Place,
}

/// What a slot stands for.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A result that the task reads, by its position among those.
    Result(usize),
    /// An object that several calls of the op have.
    Constant(usize),
}

impl Slot {
    pub fn object(py: Python<'_>, place: Place) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, Self { place })?.into_any())
    }
}

#[pymethods]
impl Slot {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (usize,))> {
        let (name, at) = match self.place {
            Place::Result(at) => ("_slot", at),
            Place::Constant(at) => ("_constant", at),
        };
        Ok((py.import("raskt._core")?.getattr(name)?, (at,)))
    }
}

/// What stands in the slots of the arguments that a thread reads.
struct Filling {
    results: Vec<Py<PyAny>>,
    constants: Arc<[Portable]>,
}

thread_local! {
    /// The innermost last: to read an object may compute something.
    static FILLINGS: RefCell<Vec<Filling>> = const { RefCell::new(vec![]) };
}

/// Takes the innermost filling away.
struct Filled;

impl Drop for Filled {
    fn drop(&mut self) {
        let filling = FILLINGS.with_borrow_mut(Vec::pop);
        // Not while the list is borrowed: what goes with it may be the last of an object, and run code of its own.
        drop(filling);
    }
}

/// Calls `read`, which reads a pickle with slots in it.
pub(super) fn filled<T>(results: Vec<Py<PyAny>>, constants: &Arc<[Portable]>, read: impl FnOnce() -> T) -> T {
    FILLINGS.with_borrow_mut(|fillings| fillings.push(Filling { results, constants: constants.clone() }));
    let _filled = Filled;
    read()
}

/// What goes into the slot of a result.
#[pyfunction]
pub(super) fn _slot(py: Python<'_>, at: usize) -> PyResult<Py<PyAny>> {
    let found = FILLINGS.with_borrow(|fillings| Some(fillings.last()?.results.get(at)?.clone_ref(py)));
    found.ok_or_else(|| PyRuntimeError::new_err("only a task of raskt reads the arguments of its call"))
}

/// What goes into the slot of a constant.
#[pyfunction]
pub(super) fn _constant(py: Python<'_>, at: usize) -> PyResult<Py<PyAny>> {
    let constants = FILLINGS.with_borrow(|fillings| Some(fillings.last()?.constants.clone()));
    // Read while the list isn't borrowed.
    match constants.as_ref().and_then(|constants| constants.get(at)) {
        Some(constant) => Ok(constant.bind(py)?.clone().unbind()),
        None => Err(PyRuntimeError::new_err("only a task of raskt reads the arguments of its call")),
    }
}
