//! Hashes of Python objects by what they are, the same in every process.
//!
//! What the interpreter builds in is hashed here; anything else is first put into such terms by
//! `raskt._tokens.normalize`. Bytes go through xxh3 where they lie.

mod buffer;
mod tokenizer;

pub(crate) use tokenizer::Tokenizer;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

pyo3::create_exception!(
    raskt._core,
    TokenizationError,
    PyRuntimeError,
    "Raised where an object has no token that is the same in every process."
);

/// The token of these arguments: 32 hexadecimal digits.
#[pyfunction]
#[pyo3(signature = (args, kwargs, ensure_deterministic))]
fn token(
    py: Python<'_>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
    ensure_deterministic: bool,
) -> PyResult<String> {
    let mut tokenizer = Tokenizer::new(py, ensure_deterministic);
    tokenizer.length(args.len());
    args.iter().try_for_each(|object| tokenizer.feed(&object))?;
    if let Some(kwargs) = kwargs {
        tokenizer.feed(kwargs)?;
    }
    Ok(format!("{:032x}", tokenizer.finish()))
}

/// The token of one object as bytes; an object without one gets a random token.
#[pyfunction]
fn tokenize_bytes<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let mut tokenizer = Tokenizer::new(obj.py(), false);
    tokenizer.feed(obj)?;
    Ok(PyBytes::new(obj.py(), &tokenizer.finish().to_le_bytes()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TokenizationError", module.py().get_type::<TokenizationError>())?;
    module.add_function(wrap_pyfunction!(token, module)?)?;
    module.add_function(wrap_pyfunction!(tokenize_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(buffer::buffer_digest, module)?)
}
