//! The one place where errors become Python exceptions.

use pyo3::exceptions::*;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use raskt_execute::RunError;
use raskt_graph::GraphError;
use raskt_value::{ErrorKind, TaskError};
use std::sync::Arc;

pyo3::create_exception!(
    raskt._core,
    TaskCancelled,
    PyBaseException,
    "Raised inside a Python function that a cancelled computation was running."
);

pyo3::create_exception!(
    raskt._core,
    MemoryLimitError,
    PyMemoryError,
    "No memory is left for a computation within `memory.limit`, and no result can leave it any more. The message is a table \
     of what holds memory; `raskt.diagnostics.memory()` shows the same."
);

pyo3::create_exception!(
    raskt._core,
    ResultsLost,
    PyRuntimeError,
    "The spill file of a result is gone or damaged, and the result can't be computed again."
);

pyo3::create_exception!(
    raskt._core,
    EngineBroken,
    PyRuntimeError,
    "The engine broke down, which is a bug in raskt. The message tells what happened, and where the flight record is; the next \
     computation finds the engine in order."
);

pyo3::create_exception!(
    raskt._core,
    NotNative,
    PyNotImplementedError,
    "The engine has no form of an operation that answers as pandas does: pandas has to compute it."
);

pyo3::create_exception!(
    raskt._core,
    Reschedule,
    PyException,
    "Raised by a task that is to be run again, by another worker if there is one that is free. It fails with this if it asks for \
     that too often."
);

/// An exception of user code on its way through the engine.
struct Raised(PyErr);

/// An exception that has come from another process, read where somebody gets it: who hears of it may not hold the interpreter.
struct Sent {
    pickle: Box<[u8]>,
    read: PyOnceLock<PyErr>,
}

/// The failure of a task of another process; `cause` is what [`cause_of`] has written there.
pub(crate) fn sent_error(kind: ErrorKind, message: String, cause: Option<Vec<u8>>) -> TaskError {
    match cause {
        Some(pickle) => TaskError::foreign(message, Arc::new(Sent { pickle: pickle.into(), read: PyOnceLock::new() })),
        None => TaskError::new(kind, message),
    }
}

/// The exception behind a failure as it travels, if there is one: in about so many bytes at most.
pub(crate) fn cause_of(py: Python<'_>, error: &TaskError, most: usize) -> Option<Vec<u8>> {
    let cause = error.cause.as_ref()?;
    if let Some(sent) = cause.downcast_ref::<Sent>() {
        return Some(sent.pickle.to_vec());
    }
    let Raised(raised) = cause.downcast_ref()?;
    // Made a value of its own, it has its traceback.
    let raised = raised.clone_ref(py).into_value(py);
    let dumped = py.import("raskt._process.errors").and_then(|module| module.call_method1("dump", (raised, 0, most)));
    // What can't be pickled is told by its message.
    dumped.and_then(|pickle| pickle.extract()).ok()
}

impl Sent {
    fn read(&self, py: Python<'_>) -> PyErr {
        let read = || {
            let module = py.import("raskt._process.errors")?;
            let pickle = PyBytes::new(py, &self.pickle);
            Ok::<_, PyErr>(PyErr::from_value(module.call_method1("load", (pickle,))?))
        };
        self.read.get_or_try_init(py, read).map_or_else(|error| error, |error| error.clone_ref(py))
    }
}

/// What the engine is told of an exception: the exception itself travels along.
pub(crate) fn to_task_error(py: Python<'_>, error: PyErr) -> TaskError {
    // Its message may be of the user's making, and fail to be made.
    let text =
        error.value(py).str().map_or_else(|_| "(its message can't be shown)".to_owned(), |text| text.to_string());
    let message = format!("{}: {text}", error.get_type(py));
    let kind = if error.is_instance_of::<Reschedule>(py) { ErrorKind::Rescheduled } else { ErrorKind::Foreign };
    TaskError { kind, ..TaskError::foreign(message, Arc::new(Raised(error))) }
}

/// What the caller of `compute` gets: the user's exception itself, with a note that names the task; for anything else
/// the exception that a Python user would expect.
pub(crate) fn from_run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::Task { key, error } => with_note(py, from_task_error(py, error), key),
        RunError::Unread(error) => from_task_error(py, error),
        // The interpreter is on its way out, and a thread that still waits goes with it, without a word.
        RunError::ShutDown => PySystemExit::new_err(error.to_string()),
        RunError::Memory(_) => {
            let by = crate::memory::words_of_suspects();
            MemoryLimitError::new_err(format!("{error}{by}"))
        }
        RunError::Broken(_) => EngineBroken::new_err(error.to_string()),
        // The graph is of our making.
        RunError::Refused(_) => PyRuntimeError::new_err(format!("{error}, which is a bug in raskt")),
        RunError::Cancelled | RunError::Stalled(_) | RunError::Threads { .. } | RunError::Forked => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}

/// Of an exception that nobody hears of, since it came while a thread did what the store had to do: if it was Ctrl-C, it comes once
/// more.
pub(crate) fn raise_again(py: Python<'_>, error: &PyErr) {
    let is_main = || {
        let threading = py.import("threading")?;
        Ok::<_, PyErr>(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
    };
    if error.is_instance_of::<PyKeyboardInterrupt>(py) && is_main().unwrap_or(false) {
        // SAFETY: it only notes that the signal came.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
    }
}

/// The exception that a failure was, or that a Python user would expect for it.
pub(crate) fn from_task_error(py: Python<'_>, error: &TaskError) -> PyErr {
    if let Some(Raised(raised)) = error.cause.as_ref().and_then(|cause| cause.downcast_ref()) {
        return raised.clone_ref(py);
    }
    if let Some(sent) = error.cause.as_ref().and_then(|cause| cause.downcast_ref::<Sent>()) {
        return sent.read(py);
    }
    let message = error.message.clone();
    match error.kind {
        ErrorKind::Value => PyValueError::new_err(message),
        ErrorKind::Overflow => PyOverflowError::new_err(message),
        ErrorKind::Type => PyTypeError::new_err(message),
        ErrorKind::Key => PyKeyError::new_err(message),
        ErrorKind::Io => PyOSError::new_err(message),
        ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::Lost => ResultsLost::new_err(message),
        ErrorKind::LinearAlgebra => linear_algebra_error(py, &message),
        ErrorKind::NotImplemented => PyNotImplementedError::new_err(message),
        ErrorKind::UnknownLengths => crate::array::defined_in("raskt._errors", "UnknownLengths", message),
        ErrorKind::Rescheduled => Reschedule::new_err(message),
        ErrorKind::Cancelled | ErrorKind::Panic | ErrorKind::Foreign => PyRuntimeError::new_err(message),
    }
}

/// A malformed graph is a bug of ours, and is said to be one; one that is too large is not.
pub(crate) fn from_graph_error(error: GraphError) -> PyErr {
    if matches!(error, GraphError::TooLarge(_) | GraphError::TooMany { .. } | GraphError::TooManyInputs { .. }) {
        return PyNotImplementedError::new_err(error.to_string());
    }
    PyRuntimeError::new_err(format!("raskt wrote a malformed graph, which is a bug: {error}"))
}

fn linear_algebra_error(py: Python<'_>, message: &str) -> PyErr {
    let class = py.import("numpy.linalg").and_then(|module| module.getattr("LinAlgError"));
    match class.and_then(|class| class.call1((message,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyValueError::new_err(message.to_owned()),
    }
}

/// Adds the task's key to the exception, once: it may come by more than one way.
pub(crate) fn with_note(py: Python<'_>, error: PyErr, key: &str) -> PyErr {
    let note = format!("raskt: this happened in task `{key}`");
    let value = error.value(py);
    let has_it = value.getattr("__notes__").and_then(|notes| notes.contains(&note)).unwrap_or(false);
    if !has_it {
        // Python 3.10 has no notes: the exception is raised without one.
        let _ = value.call_method1("add_note", (note,));
    }
    error
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TaskCancelled", py.get_type::<TaskCancelled>())?;
    module.add("MemoryLimitError", py.get_type::<MemoryLimitError>())?;
    module.add("Reschedule", py.get_type::<Reschedule>())?;
    module.add("ResultsLost", py.get_type::<ResultsLost>())?;
    module.add("EngineBroken", py.get_type::<EngineBroken>())?;
    module.add("NotNative", py.get_type::<NotNative>())
}
