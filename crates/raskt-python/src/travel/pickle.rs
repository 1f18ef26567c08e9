//! Pickles of what travels, made and read by `raskt._process.travel`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

/// The function of that name in `raskt._process.travel`.
fn function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    cell.import(py, "raskt._process.travel", name)
}

/// The pickle of a function or another object that an op has, with all that can't be imported elsewhere in it.
pub(super) fn dump(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    static DUMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    bytes(function(object.py(), &DUMP, "dump")?.call1((object,))?)
}

/// The pickle of the arguments of a call.
pub(super) fn dump_arguments(arguments: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    static DUMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    bytes(function(arguments.py(), &DUMP, "dump_arguments")?.call1((arguments,))?)
}

/// What was pickled.
pub(super) fn load<'py>(py: Python<'py>, pickle: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "pickle", "loads")?.call1((PyBytes::new(py, pickle),))
}

fn bytes(pickle: Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(pickle.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The error of something called `name` that can't be pickled, with what is wrong with which of its `parts`.
pub(crate) fn refuse(py: Python<'_>, name: &str, parts: &[(&str, &Bound<'_, PyAny>)], error: PyErr) -> PyErr {
    let told = || {
        let of = PyDict::new(py);
        parts.iter().try_for_each(|(called, part)| of.set_item(called, part))?;
        static REFUSED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        function(py, &REFUSED, "refused")?.call1((name, of, error.value(py)))
    };
    told().map_or_else(|other| other, PyErr::from_value)
}
