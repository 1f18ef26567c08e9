//! What objects of classes that nobody knows say of what they hold.

use pyo3::exceptions::{PyBaseException, PyKeyboardInterrupt};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyModule, PyString, PyTuple, PyType};

/// What an object said of itself. An error is no reason to lose a result, and so the object has said nothing. But a signal that
/// came meanwhile was for the program and not for the object: it comes once more.
pub(super) fn heard<T>(py: Python<'_>, said: PyResult<T>) -> Option<T> {
    said.inspect_err(|error| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // SAFETY: sets a flag of the interpreter, which is held.
            unsafe { pyo3::ffi::PyErr_SetInterrupt() };
        }
    })
    .ok()
}

/// What `raskt.sizeof` has been told of the class of an object.
pub(super) fn registered(object: &Bound<'_, PyAny>) -> Option<usize> {
    static SIZERS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let py = object.py();
    let sizers = SIZERS.get_or_try_init(py, || -> PyResult<_> {
        Ok(py.import("raskt.sizeof")?.getattr("_SIZERS")?.cast_into::<PyDict>()?.unbind())
    });
    if sizers.ok()?.bind(py).is_empty() {
        return None;
    }
    let registered =
        py.import(intern!(py, "raskt.sizeof")).and_then(|module| module.getattr(intern!(py, "registered")));
    heard(py, registered.and_then(|registered| registered.call1((object,))?.extract())).flatten()
}

/// What a function was made with: the variables of others that it reads, and the defaults of its arguments.
pub(super) fn bound<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    let py = object.py();
    let found = |object: &Bound<'py, PyAny>, name| heard(py, object.getattr_opt(name)).flatten();
    let cells = found(object, intern!(py, "__closure__")).and_then(|cells| cells.cast_into::<PyTuple>().ok());
    let values = PyList::empty(py);
    for cell in cells.iter().flatten() {
        found(&cell, intern!(py, "cell_contents")).into_iter().for_each(|value| _ = values.append(value));
    }
    found(object, intern!(py, "__defaults__")).into_iter().for_each(|defaults| _ = values.append(defaults));
    Some(values).filter(|values| !values.is_empty())
}

/// Whether it is a module, a class or a function: what such refer to isn't theirs, but for what a function was made with.
pub(super) fn is_code(object: &Bound<'_, PyAny>) -> bool {
    let has =
        |name: &Bound<'_, PyString>| heard(object.py(), object.getattr_opt(name)).is_some_and(|found| found.is_some());
    object.is_instance_of::<PyModule>()
        || object.is_instance_of::<PyType>()
        || has(intern!(object.py(), "__code__"))
        || has(intern!(object.py(), "__func__"))
}

/// What its class counts for it.
pub(super) fn own_count(object: &Bound<'_, PyAny>) -> usize {
    let count = object.call_method0(intern!(object.py(), "__sizeof__"));
    heard(object.py(), count.and_then(|count| count.extract())).unwrap_or(0)
}

/// How many elements an object has if it is a `collections.deque`.
pub(super) fn count_in_deque(object: &Bound<'_, PyAny>) -> Option<usize> {
    static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = object.py();
    let deque = DEQUE.import(py, "collections", "deque").ok()?;
    let is_one = heard(py, object.is_instance(deque)).unwrap_or(false);
    if is_one { heard(py, object.len()) } else { None }
}

/// The values of its attributes, of its dictionary and of its slots, and the arguments of exceptions and partial calls.
pub(super) fn attributes<'py>(object: &Bound<'py, PyAny>) -> Bound<'py, PyList> {
    let py = object.py();
    let dictionary = heard(py, object.getattr_opt(intern!(py, "__dict__"))).flatten();
    let dictionary = dictionary.and_then(|dictionary| dictionary.cast_into::<PyDict>().ok());
    let values = dictionary.map_or_else(|| PyList::empty(py), |dictionary| dictionary.values());
    let arguments = has_arguments(object).then(|| [intern!(py, "args"), intern!(py, "keywords")]);
    let arguments = arguments.into_iter().flatten().cloned();
    for name in heard(py, slots(object)).into_iter().flatten().chain(arguments) {
        if let Some(Some(value)) = heard(py, object.getattr_opt(name)) {
            let _ = values.append(value);
        }
    }
    values
}

fn has_arguments(object: &Bound<'_, PyAny>) -> bool {
    static PARTIAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let partial = PARTIAL.import(object.py(), "functools", "partial");
    let is_partial = partial.and_then(|partial| object.is_instance(partial));
    object.is_instance_of::<PyBaseException>() || heard(object.py(), is_partial).unwrap_or(false)
}

/// The names of the slots of its class.
fn slots<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyString>>> {
    static NAMES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    NAMES.import(object.py(), "copyreg", "_slotnames")?.call1((object.get_type(),))?.extract()
}
