//! Where tasks stand that call functions of Python.

use super::call::Call;
use super::held::Held;
use super::{Future, Task};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;
use pyo3::{PyTraverseError, PyVisit};
use raskt_futures::local::{self, Watch};
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// Where a task stands.
pub(crate) type State = local::State<Call, Held, Failure>;

/// How a task ended.
pub(crate) type Outcome = local::Outcome<Call, Held, Failure>;

/// What a call raised. The exception and its traceback are kept side by side, and not as a `PyErr`, so that Python's
/// garbage collector can see them: a traceback holds the variables of whoever asked for the result, and so the future.
pub(crate) struct Failure {
    error: Py<PyBaseException>,
    traceback: Option<Py<PyTraceback>>,
}

impl Failure {
    pub fn new(py: Python<'_>, error: PyErr) -> Self {
        let traceback = error.traceback(py).map(Bound::unbind);
        Self { error: error.into_value(py), traceback }
    }

    /// The exception with the traceback that it had at first: what raised it since adds nothing to it.
    pub fn to_error(&self, py: Python<'_>) -> PyErr {
        let error = self.error.bind(py);
        let traceback = self.traceback.as_ref().map(|traceback| traceback.clone_ref(py));
        // Every exception takes a traceback of its own kind.
        let _ = error.setattr(pyo3::intern!(py, "__traceback__"), traceback);
        PyErr::from_value(error.clone().into_any())
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        let traceback = self.traceback.as_ref().map(|traceback| traceback.clone_ref(py));
        Self { error: self.error.clone_ref(py), traceback }
    }
}

/// Who is told when a task is done.
#[derive(Default)]
pub(crate) struct Listeners {
    /// Tasks that read it.
    pub dependents: Vec<Weak<Task>>,
    /// Threads that wait for it.
    pub watches: Vec<Arc<Watch>>,
    /// Python functions, each with the future that it gets; a future with a callback is held until it was called.
    pub callbacks: Vec<(Py<PyAny>, Py<Future>)>,
}

/// What only the interpreter can do with a state.
pub(crate) trait PythonState {
    /// The result, if it is there.
    fn result(&self, py: Python<'_>) -> Option<Held>;

    /// Shows the garbage collector what it holds.
    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;
}

impl PythonState for State {
    fn result(&self, py: Python<'_>) -> Option<Held> {
        match self {
            Self::Done(held) => Some(held.clone_ref(py)),
            _ => None,
        }
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Waiting(call) => call.traverse(visit),
            Self::Done(result) => result.traverse(visit),
            Self::Failed(Failure { error, traceback }, call) => {
                visit.call(error)?;
                visit.call(traceback)?;
                call.as_ref().map_or(Ok(()), |call| call.traverse(visit))
            }
            Self::Running | Self::Cancelled(_) => Ok(()),
        }
    }
}

thread_local! {
    /// States that wait to be dropped while this thread drops one.
    static DROPPING: RefCell<Option<Vec<State>>> = const { RefCell::new(None) };
}

/// Drops a state. A call holds the futures that it reads, and these the calls behind them: a chain of a million is
/// dropped in a loop and not by recursion.
pub(crate) fn drop_state(state: State) {
    let nested = DROPPING.with_borrow_mut(|dropping| match dropping {
        Some(waiting) => {
            waiting.push(state);
            None
        }
        None => {
            *dropping = Some(vec![]);
            Some(state)
        }
    });
    let Some(mut state) = nested else { return };
    loop {
        drop(state);
        let next = DROPPING.with_borrow_mut(|dropping| {
            let next = dropping.as_mut().and_then(Vec::pop);
            if next.is_none() {
                *dropping = None;
            }
            next
        });
        match next {
            Some(next) => state = next,
            None => return,
        }
    }
}
