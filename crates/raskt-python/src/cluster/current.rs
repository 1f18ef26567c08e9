//! The client on which this thread computes, if there is one.

use super::ClusterClient;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a client was ever current: who uses none shall pay nothing for it.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Has computations ask `raskt.distributed` for the current client from now on.
#[pyfunction]
pub(super) fn cluster_is_used() {
    IS_USED.store(true, Ordering::Relaxed);
}

/// Whether this process ever had a client.
pub(super) fn is_used() -> bool {
    IS_USED.load(Ordering::Relaxed)
}

/// The client that computations of this thread go to when they name nothing else.
pub(crate) fn current(py: Python<'_>) -> PyResult<Option<Py<ClusterClient>>> {
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !is_used() {
        return Ok(None);
    }
    let found = CURRENT.import(py, "raskt.distributed._current", "native_client")?.call0()?;
    if found.is_none() { Ok(None) } else { Ok(Some(found.cast_into::<ClusterClient>()?.unbind())) }
}

/// The same as its user knows it: a `raskt.distributed.Client`.
pub(crate) fn current_for_users(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !is_used() {
        return Ok(None);
    }
    let found = CURRENT.import(py, "raskt.distributed._current", "current")?.call0()?;
    Ok((!found.is_none()).then_some(found))
}

/// The client that is named as a scheduler: `raskt.distributed.Client`, or what is within it.
pub(crate) fn client_of(object: &Bound<'_, PyAny>) -> PyResult<Py<ClusterClient>> {
    let py = object.py();
    let native = match object.getattr_opt(intern!(py, "_raskt_cluster_client"))? {
        Some(native) => native,
        None => object.clone(),
    };
    native.cast_into::<ClusterClient>().map(Bound::unbind).map_err(|_| {
        PyTypeError::new_err(format!(
            "scheduler is {object:?}; it is 'threads', 'processes', 'sync' or a client of a cluster \
             (raskt.distributed.Client)"
        ))
    })
}
