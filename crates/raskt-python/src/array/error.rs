//! Errors of array expressions as the exceptions that NumPy users expect.

use pyo3::exceptions::{PyIndexError, PyNotImplementedError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use raskt_array::{ArrayError, ErrorClass};

/// The exception for `error`.
pub(crate) fn to_python(error: ArrayError) -> PyErr {
    let message = error.to_string();
    match error.class() {
        ErrorClass::Value => PyValueError::new_err(message),
        ErrorClass::Unknown => defined_in("raskt._errors", "UnknownLengths", message),
        ErrorClass::Type => PyTypeError::new_err(message),
        ErrorClass::Index => PyIndexError::new_err(message),
        ErrorClass::Overflow => defined_in("raskt._errors", "TooLarge", message),
        ErrorClass::NotImplemented => PyNotImplementedError::new_err(message),
        ErrorClass::Runtime => PyRuntimeError::new_err(message),
        ErrorClass::Axis => defined_in("numpy.exceptions", "AxisError", message),
        ErrorClass::LinearAlgebra => defined_in("numpy.linalg", "LinAlgError", message),
    }
}

/// An exception whose class a Python module defines.
pub(crate) fn defined_in(module: &str, class: &str, message: String) -> PyErr {
    let found = Python::attach(|py| {
        let class = py.import(module)?.getattr(class)?.cast_into::<PyType>()?;
        Ok::<_, PyErr>(PyErr::from_type(class, message))
    });
    found.unwrap_or_else(|import_failure| import_failure)
}

/// Turns the error of a result into an exception.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for raskt_array::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(to_python)
    }
}
