use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The most threads or processes of an engine, as for the setting `num-workers`.
const WORKERS_MOST: i64 = 4096;

/// The argument `num_workers` as users give it. That 0 is too few is for the engine to say, which may need none.
pub(crate) fn workers(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if object.is_none() {
        return Ok(None);
    }
    let Ok(number) = object.call_method0("__index__") else {
        return Err(PyTypeError::new_err(format!("num_workers is {object:?}; it has to be a whole number")));
    };
    match number.extract::<i64>() {
        Ok(workers) if (0..=WORKERS_MOST).contains(&workers) => Ok(Some(workers as usize)),
        _ => Err(PyValueError::new_err(format!(
            "num_workers is {number}; allowed is a whole number from 1 to {WORKERS_MOST}"
        ))),
    }
}
