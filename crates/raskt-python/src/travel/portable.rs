//! Objects of ops, which can be in this process or have come from another.

use super::pickle;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A Python object that an op has, a function mostly: one of this process, or the pickle of one of another, which is read when it
/// is used first.
pub(crate) struct Portable {
    object: PyOnceLock<Py<PyAny>>,
    /// Nothing if it is of this process.
    pickle: Option<Box<[u8]>>,
}

impl From<Py<PyAny>> for Portable {
    fn from(object: Py<PyAny>) -> Self {
        let here = PyOnceLock::new();
        Python::attach(|py| here.get_or_init(py, || object));
        Self { object: here, pickle: None }
    }
}

impl Portable {
    /// One of another process.
    pub fn sent(pickle: Vec<u8>) -> Self {
        Self { object: PyOnceLock::new(), pickle: Some(pickle.into()) }
    }

    /// The object.
    ///
    /// # Errors
    /// If the pickle can't be read here: a module may be missing. It is tried again by whoever needs it next.
    pub fn bind<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let read = || pickle::load(py, self.pickle.as_deref().unwrap_or_default()).map(Bound::unbind);
        Ok(self.object.get_or_try_init(py, read)?.bind(py))
    }

    /// The object, if it is of this process or was read already.
    pub fn known<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        self.object.get(py).map(|object| object.bind(py))
    }

    /// Its pickle.
    pub fn dump(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        match &self.pickle {
            Some(pickle) => Ok(pickle.to_vec()),
            None => pickle::dump(self.bind(py)?),
        }
    }
}
