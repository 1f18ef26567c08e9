use super::call::Call;
use super::held::Held;
use super::wait::Watch;
use super::{Future, Task};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;
use pyo3::{PyTraverseError, PyVisit};
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// Where a task stands.
///
/// | from | to | by |
/// |---|---|---|
/// | `Waiting` | `Running` | its inputs were there, and its turn in the line came |
/// | `Waiting` | `Failed`, `Cancelled` | an input failed or was cancelled |
/// | `Waiting`, `Running` | `Cancelled` | somebody cancelled it, or the interpreter goes |
/// | `Running` | `Done`, `Failed` | the call returned or raised |
/// | `Failed` | `Waiting` | somebody wants the call to be made again |
pub(crate) enum State {
    /// Inputs are missing, or its turn hasn't come.
    Waiting(Call),
    /// A thread makes the call.
    Running,
    /// The result is there.
    Done(Held),
    /// The call, or one that it reads, raised this. The call is kept so that it can be made again.
    Failed(Failure, Option<Box<Call>>),
    /// Nobody wants it, for this reason. What a thread may still do for it counts for nothing.
    Cancelled(String),
}

/// How a task ended.
pub(crate) enum Outcome {
    Done(Held),
    /// With the call, if it was made.
    Failed(Failure, Option<Box<Call>>),
    Cancelled(String),
}

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

impl State {
    pub fn is_done(&self) -> bool {
        !matches!(self, Self::Waiting(_) | Self::Running)
    }

    /// The result, if it is there.
    pub fn result(&self, py: Python<'_>) -> Option<Held> {
        match self {
            Self::Done(held) => Some(held.clone_ref(py)),
            _ => None,
        }
    }

    /// Holds the result otherwise, if it is there; gives what held it before, or else would now.
    pub fn hold(&mut self, held: Held) -> Option<Held> {
        match self {
            Self::Done(own) => Some(std::mem::replace(own, held)),
            _ => Some(held),
        }
    }

    /// Shows the garbage collector what it holds.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
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

    /// Keeps the call of the state before this one if it is needed to begin again; what is left of that state comes back.
    pub fn keep_call_of(&mut self, before: Self) -> Self {
        match (self, before) {
            (Self::Failed(_, kept @ None), Self::Waiting(call)) => {
                *kept = Some(Box::new(call));
                Self::Running
            }
            (_, before) => before,
        }
    }

    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Failed(..) | Self::Cancelled(_))
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done(result) => Self::Done(result),
            Outcome::Failed(failure, call) => Self::Failed(failure, call),
            Outcome::Cancelled(reason) => Self::Cancelled(reason),
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
