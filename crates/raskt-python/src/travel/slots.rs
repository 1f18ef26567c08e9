//! Places in what travels: where the results of other tasks go in the arguments of calls, and what was taken out of pickles.
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
    /// The result that the task reads, by its position among those.
    at: usize,
}

impl Slot {
    pub fn object(py: Python<'_>, at: usize) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, Self { at })?.into_any())
    }
}

#[pymethods]
impl Slot {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (usize,))> {
        Ok((py.import("raskt._core")?.getattr("_slot")?, (self.at,)))
    }
}

/// What goes into what a thread reads.
#[derive(Default)]
pub(super) struct Filling {
    /// What goes into slots.
    pub results: Vec<Py<PyAny>>,
    /// What was taken out, by its numbers.
    pub data: Arc<[Py<PyAny>]>,
    /// What several calls of the op have; minus one and downwards.
    pub constants: Arc<[Portable]>,
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

/// Calls `read`, which reads pickles with slots in them, or such that something was taken out of.
pub(super) fn filled<T>(filling: Filling, read: impl FnOnce() -> T) -> T {
    FILLINGS.with_borrow_mut(|fillings| fillings.push(filling));
    let _filled = Filled;
    read()
}

/// Whether something may have been taken out of what the thread reads.
pub(super) fn has_taken() -> bool {
    FILLINGS
        .with_borrow(|fillings| fillings.last().is_some_and(|last| !last.data.is_empty() || !last.constants.is_empty()))
}

/// What goes into the slot of a result.
#[pyfunction]
pub(super) fn _slot(py: Python<'_>, at: usize) -> PyResult<Py<PyAny>> {
    let found = FILLINGS.with_borrow(|fillings| Some(fillings.last()?.results.get(at)?.clone_ref(py)));
    found.ok_or_else(|| PyRuntimeError::new_err("only a task of raskt reads the arguments of its call"))
}

/// What was taken out of a pickle.
#[pyfunction]
pub(super) fn _taken(py: Python<'_>, at: isize) -> PyResult<Py<PyAny>> {
    let missing = || PyRuntimeError::new_err("only a task of raskt reads what has its data apart");
    let last = FILLINGS.with_borrow(|fillings| {
        let last = fillings.last()?;
        Some((last.data.clone(), last.constants.clone()))
    });
    let (data, constants) = last.ok_or_else(missing)?;
    match usize::try_from(at) {
        Ok(at) => Ok(data.get(at).ok_or_else(missing)?.clone_ref(py)),
        // Read while the list isn't borrowed.
        Err(_) => Ok(constants.get(-(at + 1) as usize).ok_or_else(missing)?.bind(py)?.clone().unbind()),
    }
}
