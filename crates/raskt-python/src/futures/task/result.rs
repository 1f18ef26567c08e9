//! Who gets the result of a task, and when the store has it.

use super::super::given;
use super::super::held::{Entered, Held};
use super::super::state::{PythonState, State};
use super::Task;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;

impl Task {
    /// The result, or what it ended with.
    pub fn result(self: &Arc<Self>, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(error) = self.error(py)? {
            return Err(error);
        }
        // Those that were read before are to leave for this one.
        given::look(py);
        let held = self.inner.lock().state.result(py);
        let bug = || PyRuntimeError::new_err("a future was read before it was done, which is a bug in raskt");
        let (result, held) = held.ok_or_else(bug)?.give(py)?;
        if let Some(held) = held {
            // What it replaces goes without the lock: the store lets go of it.
            let before = self.inner.lock().state.hold(held);
            drop(before);
            given::note(self);
        }
        Ok(result)
    }

    /// Has the store take the result back, if nobody but this future has it any more.
    pub(in crate::futures) fn take_back(&self, py: Python<'_>) -> TakenBack {
        let result = match &self.inner.lock().state {
            State::Done(held @ Held::Here(_)) => held.alone(py),
            _ => return TakenBack::Entered(None),
        };
        let Some(result) = result else { return TakenBack::Elsewhere };
        let (held, entered) = Held::enter(py, result, || self.name.bind(py).to_string());
        let before = self.inner.lock().state.hold(held);
        drop(before);
        TakenBack::Entered(entered)
    }
}

/// What became of a result that the store was to take back.
pub(in crate::futures) enum TakenBack {
    /// Somebody else has it.
    Elsewhere,
    /// It is in the store, room for it still to be made, or the future has none.
    Entered(Option<Entered>),
}
