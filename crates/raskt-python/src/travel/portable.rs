//! Objects of ops, which can be in this process or have come from another.

use super::pickle;
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyComplex, PyFloat, PyInt, PyString, PyType};
use raskt_sync::Mutex;
use std::sync::Arc;

/// Fixed ones, by their pickles.
static READ: Mutex<Option<Read>> = Mutex::new(None);

type Read = HashMap<Box<[u8]>, Arc<Portable>>;

/// So many of them are kept.
const READ_MOST: usize = 512;

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

    /// One of another process that is one object for all that have this pickle: it is read once.
    pub fn fixed(pickle: Vec<u8>) -> Arc<Self> {
        let mut read = READ.lock();
        let read = read.get_or_insert_default();
        if let Some(known) = read.get(&*pickle) {
            return known.clone();
        }
        if read.len() >= READ_MOST {
            read.clear();
        }
        let fixed = Arc::new(Self::sent(pickle.clone()));
        read.insert(pickle.into(), fixed.clone());
        fixed
    }

    /// The object.
    ///
    /// # Errors
    /// If the pickle can't be read here: a module may be missing. It is tried again by whoever needs it next.
    pub fn bind<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let read = || pickle::load(py, self.pickle.as_deref().unwrap_or_default()).map(Bound::unbind);
        Ok(self.object.get_or_try_init(py, read)?.bind(py))
    }

    /// The object, which is nobody else's unless it is of this process, or nobody can change it: a function that changes its argument
    /// must not change that of another call.
    ///
    /// # Errors
    /// As those of [`Self::bind`].
    pub fn own<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.known(py) {
            return Ok(known.clone());
        }
        let read = pickle::load(py, self.pickle.as_deref().unwrap_or_default())?;
        if is_unchangeable(&read) {
            return Ok(self.object.get_or_init(py, || read.unbind()).bind(py).clone());
        }
        Ok(read)
    }

    /// The object, if it is of this process or was read already.
    pub fn known<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        self.object.get(py).map(|object| object.bind(py))
    }

    /// The pickle that has come; nothing if it is of this process.
    pub fn sent_pickle(&self) -> &[u8] {
        self.pickle.as_deref().unwrap_or_default()
    }

    /// Its pickle.
    pub fn dump(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        match &self.pickle {
            Some(pickle) => Ok(pickle.to_vec()),
            None => pickle::dump(self.bind(py)?),
        }
    }
}

/// An object that several calls have, as one of them has it: itself, if nobody can change it. Large arrays can't be written to then.
pub(super) fn own(py: Python<'_>, object: Py<PyAny>) -> PyResult<Py<PyAny>> {
    static OWN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if is_plain(object.bind(py)) {
        return Ok(object);
    }
    Ok(OWN.import(py, "raskt._process.unchangeable", "own")?.call1((object,))?.unbind())
}

/// Whether nobody can change an object: it may be that of several calls.
fn is_unchangeable(object: &Bound<'_, PyAny>) -> bool {
    static IS_UNCHANGEABLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let asked = || -> PyResult<bool> {
        IS_UNCHANGEABLE.import(py, "raskt._process.unchangeable", "is_unchangeable")?.call1((object,))?.extract()
    };
    is_plain(object) || asked().unwrap_or(false)
}

fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyBytes>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyComplex>()
        || object.is_exact_instance_of::<PyType>()
}
