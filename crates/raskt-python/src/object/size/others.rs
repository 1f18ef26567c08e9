//! What objects of classes that nobody knows say of what they hold.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyModule, PyString, PyType};

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
    registered.and_then(|registered| registered.call1((object,))?.extract()).ok().flatten()
}

/// Whether it is a module, a class or a function: what such refer to isn't theirs.
pub(super) fn is_code(object: &Bound<'_, PyAny>) -> bool {
    let has = |name: &Bound<'_, PyString>| object.getattr_opt(name).is_ok_and(|found| found.is_some());
    object.is_instance_of::<PyModule>()
        || object.is_instance_of::<PyType>()
        || has(intern!(object.py(), "__code__"))
        || has(intern!(object.py(), "__func__"))
}

/// What its class counts for it.
pub(super) fn own_count(object: &Bound<'_, PyAny>) -> usize {
    let count = object.call_method0(intern!(object.py(), "__sizeof__"));
    count.and_then(|count| count.extract()).unwrap_or(0)
}

/// The elements of a `collections.deque`.
pub(super) fn deque<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = object.py();
    let deque = DEQUE.import(py, "collections", "deque").ok()?;
    let is_one = object.is_instance(deque).unwrap_or(false);
    if is_one { py.get_type::<PyList>().call1((object,)).ok()?.cast_into().ok() } else { None }
}

/// The values of its attributes, of its dictionary and of its slots.
pub(super) fn attributes<'py>(object: &Bound<'py, PyAny>) -> Bound<'py, PyList> {
    let py = object.py();
    let dictionary = object.getattr_opt(intern!(py, "__dict__")).ok().flatten();
    let dictionary = dictionary.and_then(|dictionary| dictionary.cast_into::<PyDict>().ok());
    let values = dictionary.map_or_else(|| PyList::empty(py), |dictionary| dictionary.values());
    for name in slots(object).into_iter().flatten() {
        if let Ok(Some(value)) = object.getattr_opt(name) {
            let _ = values.append(value);
        }
    }
    values
}

/// The names of the slots of its class.
fn slots<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyString>>> {
    static NAMES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    NAMES.import(object.py(), "copyreg", "_slotnames")?.call1((object.get_type(),))?.extract()
}
