//! Data types by NumPy's names and objects.

use super::error;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use raskt_value::{DType, with_element};

/// The data type of a NumPy descriptor, whatever its byte order.
pub(crate) fn from_descriptor(descriptor: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let found = match (descriptor.kind(), descriptor.itemsize()) {
        (b'b', 1) => DType::Bool,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        (b'c', 8) => DType::C64,
        (b'c', 16) => DType::C128,
        _ => return Err(unsupported(descriptor)),
    };
    Ok(found)
}

/// The data type that a user means by `object`: `"f4"`, `float`, `np.int8`, a descriptor.
pub(crate) fn from_object(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    if let Ok(descriptor) = object.cast::<PyArrayDescr>() {
        return from_descriptor(descriptor);
    }
    from_descriptor(&PyArrayDescr::new(object.py(), object)?)
}

/// NumPy's descriptor of `dtype`.
pub(crate) fn to_descriptor(py: Python<'_>, dtype: DType) -> Bound<'_, PyArrayDescr> {
    with_element!(dtype, T => numpy::dtype::<T>(py))
}

fn unsupported(descriptor: &Bound<'_, PyArrayDescr>) -> PyErr {
    let advice = match descriptor.kind() {
        b'O' => "convert to a numeric data type first, for example by `array.astype(float)`",
        b'S' | b'U' | b'T' => "strings belong in a `raskt.dataframe`",
        b'M' | b'm' => "pass `array.astype(\"int64\")`, or use a `raskt.dataframe`",
        b'V' => "pass one field of the structured array at a time",
        b'f' => "convert first, for example by `array.astype(\"float32\")`",
        b'c' => "convert first, for example by `array.astype(\"complex128\")`",
        _ => "convert to a numeric data type first",
    };
    let message = format!(
        "raskt arrays hold booleans, integers, floats and complex numbers of NumPy's standard sizes, not `{descriptor}`: \
         {advice}"
    );
    error::defined_in("raskt._errors", "Unsupported", message)
}
