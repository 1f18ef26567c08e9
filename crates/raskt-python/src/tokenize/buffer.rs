use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use xxhash_rust::xxh3::xxh3_128;

/// The xxh3 digest of bytes, or of an array of them that lies in one piece; nothing is copied.
#[pyfunction]
pub(super) fn buffer_digest<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = buffer.cast::<PyBytes>() {
        return Ok(digest(buffer.py(), bytes.as_bytes()));
    }
    let array = buffer
        .cast::<PyArray1<u8>>()
        .map_err(|_| PyTypeError::new_err("a digest is made of bytes, or of a one-dimensional NumPy array of uint8"))?;
    let array = array.try_readonly().map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let slice = array.as_slice().map_err(|_| PyTypeError::new_err("the array doesn't lie in one piece"))?;
    Ok(digest(buffer.py(), slice))
}

fn digest<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &xxh3_128(bytes).to_le_bytes())
}
