//! Operands and axes as Python users write them.

use super::{ArrayExpr, chunk_from_numpy, error, snapshot_of_numpy};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};
use raskt_array::{Array, Operand};
use raskt_value::Scalar;
use raskt_value::complex::Complex;

/// The operand that `object` is, or `None` for a type that raskt doesn't know (it may know raskt).
///
/// Python's own numbers are weak: they don't widen the data type of an array. NumPy's scalars are not Python's own,
/// though `numpy.float64` is a subclass of `float`, hence the exact checks.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    if let Ok(expr) = object.cast_exact::<ArrayExpr>() {
        return Ok(Some(Operand::Array(expr.get().array.clone())));
    }
    if let Some(scalar) = python_scalar(object)? {
        return Ok(Some(Operand::Scalar(scalar)));
    }
    Ok(array(object)?.map(Operand::Array))
}

/// The operand that `object` is, or a `TypeError`.
pub(crate) fn known_operand(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    operand(object)?.ok_or_else(|| unknown_operand(object))
}

/// What to say of an object that is no array and no number.
pub(crate) fn unknown_operand(object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
    PyTypeError::new_err(format!("expected an array or a number, got `{name}`"))
}

/// The number that `object` is, if it is one of Python's own.
pub(crate) fn python_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let scalar = if object.is_exact_instance_of::<PyFloat>() {
        Scalar::Float(object.extract()?)
    } else if object.is_exact_instance_of::<PyInt>() {
        integer(object)?
    } else if let Ok(truth) = object.cast_exact::<PyBool>() {
        Scalar::Bool(truth.is_true())
    } else if let Ok(number) = object.cast_exact::<PyComplex>() {
        Scalar::Complex(Complex::new(number.real(), number.imag()))
    } else {
        return Ok(None);
    };
    Ok(Some(scalar))
}

/// The number that `object` is: Python's, or a NumPy scalar.
pub(crate) fn any_scalar(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Some(scalar) = python_scalar(object)? {
        return Ok(scalar);
    }
    let item = object.call_method0(intern!(object.py(), "item")).map_err(|_| unknown_operand(object))?;
    python_scalar(&item)?.ok_or_else(|| unknown_operand(object))
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Ok(number) = object.extract::<i64>() {
        return Ok(Scalar::Int(number));
    }
    match object.extract::<u64>() {
        Ok(number) => Ok(Scalar::UInt(number)),
        Err(_) => {
            Err(error::defined_in("raskt._errors", "TooLarge", format!("the integer {object} does not fit 64 bits")))
        }
    }
}

/// The array that `object` is: raskt's, NumPy's, a NumPy scalar, or a list of numbers.
pub(crate) fn array(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    if let Some(expr) = object.getattr_opt(intern!(object.py(), "__raskt_expr__"))? {
        return Ok(expr.cast::<ArrayExpr>().ok().map(|expr| expr.get().array.clone()));
    }
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        if object.cast_exact::<PyUntypedArray>().is_err() {
            let plain = object.py().import("raskt.array.base.plain")?;
            plain.call_method1(intern!(object.py(), "check_plain"), (object,))?;
        }
        return Ok(Some(Array::from_chunk(snapshot_of_numpy(array)?)));
    }
    if is_numpy_scalar(object)? || object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let converted = object.py().import("numpy")?.call_method1(intern!(object.py(), "asarray"), (object,))?;
        return Ok(Some(Array::from_chunk(chunk_from_numpy(converted.cast()?)?)));
    }
    Ok(None)
}

fn is_numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    static GENERIC: pyo3::sync::PyOnceLock<Py<pyo3::types::PyType>> = pyo3::sync::PyOnceLock::new();
    object.is_instance(GENERIC.import(py, "numpy", "generic")?)
}

/// `axis` as users write it: nothing, a number, or several.
pub(crate) struct Axes(Vec<isize>);

impl Axes {
    /// All of them in a list.
    pub(crate) fn into_list(self) -> Vec<isize> {
        self.0
    }
}

impl FromPyObject<'_, '_> for Axes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let found = object.extract::<isize>().map(|axis| vec![axis]).or_else(|_| object.extract::<Vec<isize>>());
        found.map(Self).map_err(|_| match object.repr() {
            Ok(shown) => PyTypeError::new_err(format!("an axis is a whole number, or several in a tuple, not {shown}")),
            Err(error) => error,
        })
    }
}
