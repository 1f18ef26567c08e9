//! Pickles of what travels, made and read by `raskt._process.travel` and `raskt._process.apart`.

use super::{apart, slots};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

/// The function of that name in `raskt._process.apart`.
fn function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    cell.import(py, "raskt._process.apart", name)
}

/// The pickle of a function or another object that an op has, with all that can't be imported elsewhere in it; what is large in it is
/// taken out if the op's data is apart.
pub(super) fn dump(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    static DUMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let Some(apart) = apart::collecting(py) else { return dump_whole(object) };
    let small = function(py, &DUMP, "dump_function")?.call1((object,))?;
    if small.is_none() { apart.dump_function(object) } else { bytes(small) }
}

/// The pickle of a function; nothing if there is something large in it. If it can be told that nothing of the function has changed, it
/// is the object of before.
pub(super) fn dump_small_function<'py>(function_of: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    static DUMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let small = function(function_of.py(), &DUMP, "dump_function")?.call1((function_of,))?;
    if small.is_none() { Ok(None) } else { Ok(Some(small.cast_into()?)) }
}

/// The pickle of an object with nothing taken out of it.
pub(super) fn dump_whole(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    bytes(PLAIN.import(object.py(), "raskt._process.travel", "dump")?.call1((object,))?)
}

/// The pickle of the arguments of a call; nothing if there is something large in them.
pub(super) fn dump_arguments(arguments: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    static DUMP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let small = function(arguments.py(), &DUMP, "dump_arguments")?.call1((arguments,))?;
    if small.is_none() { Ok(None) } else { bytes(small).map(Some) }
}

/// What was pickled.
pub(super) fn load<'py>(py: Python<'py>, pickle: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static LOAD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let load = match slots::has_taken() {
        true => function(py, &LOAD, "load")?,
        false => LOADS.import(py, "pickle", "loads")?,
    };
    load.call1((PyBytes::new(py, pickle),))
}

pub(super) fn bytes(pickle: Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(pickle.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The error of something called `name` that can't be pickled, with what is wrong with which of its `parts`.
pub(crate) fn refuse(py: Python<'_>, name: &str, parts: &[(&str, &Bound<'_, PyAny>)], error: PyErr) -> PyErr {
    let told = || {
        let of = PyDict::new(py);
        parts.iter().try_for_each(|(called, part)| of.set_item(called, part))?;
        static REFUSED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        REFUSED.import(py, "raskt._process.travel", "refused")?.call1((name, of, error.value(py)))
    };
    told().map_or_else(|other| other, PyErr::from_value)
}
