//! Futures that are awaited in a loop of asyncio, and clients whose users do so.

use super::ClusterFuture;
use super::future::futures;
use super::running::from_cluster_error;
use crate::delayed::python_object;
use crate::ending::{Outside, calling};
use pyo3::prelude::*;
use raskt_cluster::Client;
use raskt_futures::{Standing, ranges_of};
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Those whose users await.
static ASYNCHRONOUS: Mutex<Vec<Weak<Client>>> = Mutex::new(vec![]);

/// Whether there ever was one: who has none shall pay nothing for it.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// The users of this client await.
pub(super) fn note(client: &Arc<Client>) {
    let mut known = ASYNCHRONOUS.lock();
    known.retain(|client| client.strong_count() > 0);
    known.push(Arc::downgrade(client));
    ARE_THERE.store(true, Ordering::Relaxed);
}

/// Whether whoever calls gets something to be awaited of this future: in a loop, if it is one of such a client.
pub(super) fn is_awaited(py: Python<'_>, future: &ClusterFuture) -> PyResult<bool> {
    if !ARE_THERE.load(Ordering::Relaxed) {
        return Ok(false);
    }
    // One that has let go of its result isn't known to be of another client.
    let client = future.held().map(|held| Arc::as_ptr(held.client()));
    let is_its = |known: &Weak<Client>| match client {
        Some(client) => known.as_ptr() == client,
        None => known.strong_count() > 0,
    };
    if !ASYNCHRONOUS.lock().iter().any(is_its) {
        return Ok(false);
    }
    Ok(!py.import("asyncio")?.call_method0("_get_running_loop")?.is_none())
}

#[pymethods]
impl ClusterFuture {
    /// Calls `fn()` when it is done, or let go of, by a thread that must not wait. Nothing of the future is held for that.
    fn _when_done(&self, py: Python<'_>, r#fn: Py<PyAny>) -> PyResult<()> {
        self.check_bound()?;
        let Some(held) = self.held() else { return r#fn.call0(py).map(drop) };
        let call = move || calling(|py| super::called_back(r#fn.bind(py), ()));
        py.outside(move || held.client().on_settled(&ranges_of([&*held].into_iter()), Box::new(call)));
        Ok(())
    }

    /// The result in a tuple, if it is here already and small; None if it has to be waited for, or fetched.
    fn _at_once(&self, py: Python<'_>) -> PyResult<Option<(Py<PyAny>,)>> {
        let Some(held) = self.held().filter(|held| matches!(held.standing(), Standing::Available)) else {
            return Ok(None);
        };
        let found = py.outside(|| held.client().at_hand(&ranges_of([&*held].into_iter())));
        match found.map_err(|error| from_cluster_error(py, &error))? {
            Some(values) => Ok(Some((python_object(py, &values[0])?.unbind(),))),
            None => Ok(None),
        }
    }

    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        futures(slf.py(), "awaiting")?.call1((slf,))?.call_method0("__await__")
    }
}

impl ClusterFuture {
    /// The method of this name beside the loop of whoever calls.
    pub(super) fn awaited(
        slf: &Bound<'_, Self>,
        method: &str,
        timeout: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        Ok(futures(slf.py(), "beside")?.call1((slf.getattr(method)?, timeout))?.unbind())
    }
}
