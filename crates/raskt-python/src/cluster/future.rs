//! Handles on results that a cluster makes.

use super::adopted::{Origin, Written, adopted, cluster_of, named};
use super::awaiting::is_awaited;
use super::client::check_process;
use super::running::{cancelled_error, from_cluster_error};
use super::waiting::{timeout_of, wait_until, while_interruptible};
use super::{ClusterClient, HeldResult, client_of};
use crate::delayed::{Node, Work, python_object};
use crate::ending::{Outside, calling};
use crate::futures::timeout_error;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use raskt_cluster::{Client, ClusterError, TaskFailed, Until};
use raskt_futures::{Standing, fetching, ranges_of, retry};
use raskt_sync::Mutex;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A result that is there is fetched for so long in any case, however short the time is in which it is to be done.
const FETCH: Duration = Duration::from_secs(1);

/// A handle on the result of a call that a cluster makes. Made by `raskt.distributed.Client.submit`.
///
/// It may stand among the arguments of further calls, before it is done. When the last handle goes, so does the result; a call
/// that hasn't begun by then, and that no other call reads, isn't made.
#[pyclass(frozen, weakref, name = "Future", module = "raskt.distributed")]
pub(crate) struct ClusterFuture {
    key: FutureKey,
    /// The same for all handles on one result, also once they have let go of it.
    hash: usize,
    /// Nothing once this handle has let go of it, or as long as no client here is of its cluster.
    held: Mutex<Option<Arc<HeldResult>>>,
    /// Where the result is, as it was read from a pickle, until a client holds it.
    unbound: Mutex<Option<Origin>>,
    /// The call that stands for it in graphs.
    node: Mutex<Weak<Node>>,
}

/// What people call a result.
#[derive(Clone)]
pub(crate) enum FutureKey {
    Named(Arc<str>),
    /// The name of the function, and a number.
    Number(Arc<str>, u64),
}

/// How a future is pickled: the function that reads it, its name and its key.
type Reduced<'py> = (Bound<'py, PyAny>, (Option<Written>, String));

#[pymethods]
impl ClusterFuture {
    /// The name of the call in messages.
    #[getter]
    pub(super) fn key(&self) -> String {
        match &self.key {
            FutureKey::Named(name) => name.to_string(),
            FutureKey::Number(label, number) => format!("{label}-{number:x}"),
        }
    }

    /// "pending", "finished", "error" or "cancelled".
    #[getter]
    fn status(&self) -> &'static str {
        match self.standing() {
            Standing::Pending => "pending",
            Standing::Available => "finished",
            Standing::Failed(_) => "error",
            Standing::Cancelled => "cancelled",
        }
    }

    /// Whether it is over: finished, failed or cancelled.
    fn done(&self) -> bool {
        !matches!(self.standing(), Standing::Pending)
    }

    /// Whether it was cancelled, or released.
    fn cancelled(&self) -> bool {
        matches!(self.standing(), Standing::Cancelled)
    }

    /// The number of the run of which it is, and the task: its layer, and its number there. None if this handle has let go of it.
    ///
    /// Raises a `ValueError` if it is of another cluster than `client`, where these numbers are of something else.
    fn _place(&self, client: &Bound<'_, ClusterClient>) -> PyResult<Option<(u64, u32, u64)>> {
        let Some(held) = self.held() else { return Ok(None) };
        let (own, asked) = (held.client(), client.get().client());
        let cluster = cluster_of(own);
        if !Arc::ptr_eq(own, asked) && (cluster.is_none() || cluster != cluster_of(asked)) {
            let key = self.key();
            return Err(PyValueError::new_err(format!(
                "future `{key}` is of another cluster than the client that is asked: ask one of its own (future.client)"
            )));
        }
        let (run, task) = held.place();
        Ok(Some((run.0, task.layer.0, task.index)))
    }

    /// Cancels the call, and all calls that depend on it and haven't been made; says whether it wasn't over before. A call whose
    /// result another client has too, or that something shared by name refers to, is let go of, and cancelled only with `force`.
    ///
    /// A function that runs already isn't stopped; its result counts for nothing. Whoever asks for it here hears `reason` and `msg`. In a
    /// loop of asyncio, and of an asynchronous client, it is cancelled at once, and what it says may be awaited.
    #[pyo3(signature = (reason=None, msg=None, force=false))]
    fn cancel(&self, py: Python<'_>, reason: Option<&str>, msg: Option<&str>, force: bool) -> PyResult<Py<PyAny>> {
        let was_pending = self.take_back(py, reason, msg, force)?;
        if is_awaited(py, self)? {
            return Ok(futures(py, "known")?.call1((was_pending,))?.unbind());
        }
        Ok(was_pending.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    /// Lets go of the result, as if this handle were gone. Calls that read it keep what they need.
    fn release(&self, py: Python<'_>) {
        let held = self.held.lock().take();
        py.outside(|| drop(held));
    }

    /// Has the call made again if it has failed, and those before it whose failure was the reason. In a loop of asyncio, and of an
    /// asynchronous client, this is awaited.
    fn retry(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (py, future) = (slf.py(), slf.get());
        if is_awaited(py, future)? {
            return Ok(futures(py, "beside")?.call1((slf.getattr("retry")?,))?.unbind());
        }
        retry_all(py, vec![future.held().ok_or_else(|| future.cancelled_error(py))?])?;
        Ok(py.None())
    }

    /// Waits for the result, `timeout` seconds at most; raises what the call raised. In a loop of asyncio, and of an asynchronous
    /// client, this is awaited, as `exception` and `traceback` are.
    #[pyo3(signature = (timeout=None))]
    fn result(slf: &Bound<'_, Self>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let (py, future) = (slf.py(), slf.get());
        if is_awaited(py, future)? {
            return Self::awaited(slf, "result", timeout);
        }
        let began = Instant::now();
        let held = future.wait(py, timeout.as_ref())?;
        if let Standing::Failed(failed) = held.standing() {
            return Err(future.error(py, &held, &failed));
        }
        let seconds = timeout_of(timeout.as_ref())?;
        // It may be gone by now, and come again much later, or never.
        let last = seconds.and_then(|seconds| began.checked_add(seconds)).map(|last| last.max(Instant::now() + FETCH));
        let mut fetching = fetching(&[held]);
        let stalled = fetching.stalled();
        let fetch = move |next: Option<Instant>| fetching.wait(next.into_iter().chain(last).min());
        let values = match while_interruptible(py, fetch, stalled)? {
            Ok(values) => values,
            Err(ClusterError::TimedOut) => return Err(future.timed_out(py, seconds)?),
            // It can't be sent, or read: whoever asked for it knows it by this name.
            Err(ClusterError::Task { error, .. } | ClusterError::Unread { error, .. }) => {
                return Err(from_cluster_error(py, &ClusterError::Task { key: future.key(), error }));
            }
            Err(error) => return Err(from_cluster_error(py, &error)),
        };
        Ok(python_object(py, &values[0])?.unbind())
    }

    /// Waits for the end, `timeout` seconds at most, and gives what the call raised; None if it returned.
    #[pyo3(signature = (timeout=None))]
    fn exception(slf: &Bound<'_, Self>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        let (py, future) = (slf.py(), slf.get());
        if is_awaited(py, future)? {
            return Self::awaited(slf, "exception", timeout).map(Some);
        }
        let held = future.wait(py, timeout.as_ref())?;
        match held.standing() {
            Standing::Failed(failed) => Ok(Some(future.error(py, &held, &failed).into_value(py).into_any())),
            _ => Ok(None),
        }
    }

    /// The traceback of what the call raised; None if it returned.
    #[pyo3(signature = (timeout=None))]
    fn traceback(slf: &Bound<'_, Self>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        let (py, future) = (slf.py(), slf.get());
        if is_awaited(py, future)? {
            return Self::awaited(slf, "traceback", timeout).map(Some);
        }
        let held = future.wait(py, timeout.as_ref())?;
        match held.standing() {
            Standing::Failed(failed) => {
                let error = future.error(py, &held, &failed);
                Ok(error.traceback(py).map(|traceback| traceback.unbind().into_any()))
            }
            _ => Ok(None),
        }
    }

    /// Calls `fn` with this future when it is done, soon if it is done already, by a thread for callbacks: it may wait, and the
    /// callbacks of one future are called one after the other. What it raises is logged.
    #[pyo3(signature = (r#fn))]
    fn add_done_callback(slf: Bound<'_, Self>, r#fn: &Bound<'_, PyAny>) -> PyResult<()> {
        if !r#fn.is_callable() {
            return Err(PyTypeError::new_err(format!("a callback is called with the future; {:?} can't be", r#fn)));
        }
        slf.get().check_bound()?;
        let Some(held) = slf.get().held() else {
            return r#fn.call1((slf,)).map(drop);
        };
        let (function, future) = (r#fn.clone().unbind(), slf.clone().unbind());
        let call = move || {
            calling(|py| super::called_back(function.bind(py), (future,)));
        };
        let of = Arc::as_ptr(&held) as u64;
        slf.py().outside(|| held.client().call_when_settled(&ranges_of([&*held].into_iter()), of, Box::new(call)));
        Ok(())
    }

    /// The client that holds the result; None if it was released, or none does.
    #[getter]
    fn client<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        futures(slf.py(), "client_of")?.call1((slf,))
    }

    /// The same as `client`.
    #[getter]
    fn executor<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::client(slf)
    }

    /// The type of the result; None as long as it isn't there.
    #[getter]
    fn r#type<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        futures(slf.py(), "type_of")?.call1((slf,))
    }

    /// Has a client hold the result, if none does: for a future that was read from a pickle where there was no client of its
    /// cluster.
    fn bind_client(slf: &Bound<'_, Self>, client: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, future) = (slf.py(), slf.get());
        let native = client_of(client)?;
        native.get().check()?;
        let Some(origin) = *future.unbound.lock() else { return Ok(()) };
        if cluster_of(native.get().client()) != Some(origin.cluster) {
            let key = future.key();
            return Err(PyValueError::new_err(format!("future `{key}` is of another cluster than {client:?}")));
        }
        future.bind(py, native.get().client(), origin)
    }

    /// A future goes by the name of its result: whoever reads it holds that, if it is there by then.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let (py, future) = (slf.py(), slf.get());
        let unbound = *future.unbound.lock();
        let origin = match future.held().filter(|held| !held.is_cancelled()) {
            Some(held) => named(py, &held)?,
            None => unbound,
        };
        Ok((futures(py, "future_of")?, (origin.map(|origin| origin.written()), future.key())))
    }

    fn __hash__(&self) -> usize {
        self.hash
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast_exact::<Self>() else { return false };
        match (self.held(), other.get().held()) {
            (Some(own), Some(other)) => Arc::ptr_eq(&own, &other),
            _ => std::ptr::eq(self, other.get()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Future: {}, key: {}>", self.status(), self.key())
    }

    /// `Future[int]` in annotations.
    #[classmethod]
    fn __class_getitem__(cls: &Bound<'_, PyType>, _item: &Bound<'_, PyAny>) -> Py<PyType> {
        cls.clone().unbind()
    }
}

impl ClusterFuture {
    pub fn new(held: Arc<HeldResult>, key: FutureKey) -> Self {
        let hash = Arc::as_ptr(&held) as usize >> 4;
        Self { key, hash, held: Mutex::new(Some(held)), unbound: Mutex::default(), node: Mutex::default() }
    }

    /// A client holds the result from now on; if it isn't there any more, the future is a cancelled one.
    fn bind(&self, py: Python<'_>, client: &Arc<Client>, origin: Origin) -> PyResult<()> {
        match adopted(py, client, (origin.run, origin.task), origin.mark) {
            Ok(held) => *self.held.lock() = Some(held),
            Err(ClusterError::Refused(_)) => {}
            Err(error) => return Err(from_cluster_error(py, &error)),
        }
        *self.unbound.lock() = None;
        Ok(())
    }

    /// An error if no client here is of its cluster, or only one that is left behind by a fork.
    pub(super) fn check_bound(&self) -> PyResult<()> {
        if let Some(held) = self.held() {
            check_process(held.process())?;
        }
        match *self.unbound.lock() {
            None => Ok(()),
            Some(_) => Err(PyRuntimeError::new_err(format!(
                "future `{}` was read where there is no client of its cluster: make one, and pass it to bind_client()",
                self.key()
            ))),
        }
    }

    /// Another handle on the same result.
    pub fn again(held: Arc<HeldResult>, key: &str) -> Self {
        Self::new(held, FutureKey::Named(key.into()))
    }

    pub fn held(&self) -> Option<Arc<HeldResult>> {
        self.held.lock().clone()
    }

    pub(super) fn standing(&self) -> Standing {
        let gone = || if self.unbound.lock().is_some() { Standing::Pending } else { Standing::Cancelled };
        self.held().map_or_else(gone, |held| held.standing())
    }

    /// Waits until it is over; raises an error if it was cancelled.
    fn wait(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<HeldResult>> {
        self.check_bound()?;
        // Looked at though nothing may have to be waited for.
        let timeout = timeout_of(timeout)?;
        let held = self.held().ok_or_else(|| self.cancelled_error(py))?;
        if matches!(held.standing(), Standing::Pending) {
            let watch = held.client().watch(&ranges_of([&*held].into_iter()));
            let is_over = wait_until(py, &watch, Until::All, timeout, || held.stalled())?;
            if !is_over {
                return Err(self.timed_out(py, timeout)?);
            }
        }
        if matches!(held.standing(), Standing::Cancelled) {
            return Err(self.cancelled_error(py));
        }
        Ok(held)
    }

    fn timed_out(&self, py: Python<'_>, timeout: Option<Duration>) -> PyResult<PyErr> {
        let seconds = timeout.unwrap_or_default().as_secs_f64();
        timeout_error(py, format!("future `{}` isn't done after {seconds} s", self.key()))
    }

    /// What its call has failed with, by the name that it has here if it failed by itself.
    fn error(&self, py: Python<'_>, held: &HeldResult, failed: &TaskFailed) -> PyErr {
        let mut error = failed.error();
        if let ClusterError::Killed { key, .. } = &mut error
            && failed.root() == Some(held.source())
        {
            *key = Some(self.key());
        }
        from_cluster_error(py, &error)
    }

    /// Cancels the call; says whether it wasn't over before.
    fn take_back(&self, py: Python<'_>, reason: Option<&str>, msg: Option<&str>, force: bool) -> PyResult<bool> {
        let Some(held) = self.held() else { return Ok(false) };
        check_process(held.process())?;
        let why: Vec<_> = reason.into_iter().chain(msg).filter(|text| !text.is_empty()).collect();
        if !why.is_empty() {
            held.note_reason(&why.join(": "));
        }
        Ok(py.outside(|| held.cancel(force)))
    }

    fn cancelled_error(&self, py: Python<'_>) -> PyErr {
        let held = self.held();
        let reason = held.as_ref().and_then(|held| held.reason());
        cancelled_error(py, reason.map_or_else(|| self.key(), |reason| format!("{}: {reason}", self.key())))
    }
}

/// Has calls made again that have failed, with those before them whose failure was the reason.
#[pyfunction]
pub(super) fn cluster_retry(py: Python<'_>, futures: Vec<Bound<'_, ClusterFuture>>) -> PyResult<()> {
    let held = futures.iter().map(|future| future.get().held().ok_or_else(|| future.get().cancelled_error(py)));
    retry_all(py, held.collect::<PyResult<_>>()?)
}

fn retry_all(py: Python<'_>, held: Vec<Arc<HeldResult>>) -> PyResult<()> {
    held.iter().try_for_each(|held| check_process(held.process()))?;
    py.outside(|| retry(&held)).map_err(|error| from_cluster_error(py, &error))
}

/// The future that was pickled as `name`, for a client of its cluster; None if there is none here.
#[pyfunction]
#[pyo3(signature = (name, key, client=None))]
pub(super) fn cluster_named_future(
    py: Python<'_>,
    name: Option<Written>,
    key: String,
    client: Option<&ClusterClient>,
) -> PyResult<ClusterFuture> {
    let origin = name
        .map(|name| Origin::read(name).ok_or_else(|| PyValueError::new_err("the name of a future can't be read")))
        .transpose()?;
    let mut hasher = DefaultHasher::new();
    origin.hash(&mut hasher);
    let (held, unbound, node) = (Mutex::default(), Mutex::new(origin), Mutex::default());
    let key = FutureKey::Named(key.into());
    let future = ClusterFuture { key, hash: hasher.finish() as usize, held, unbound, node };
    let (Some(origin), Some(client)) = (origin, client) else { return Ok(future) };
    client.check()?;
    future.bind(py, client.client(), origin)?;
    let hash = future.held().map_or(future.hash, |held| Arc::as_ptr(&held) as usize >> 4);
    Ok(ClusterFuture { hash, ..future })
}

/// A function of `raskt.distributed._futures`.
pub(super) fn futures<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("raskt.distributed._futures")?.getattr(name)
}

/// The call that stands for a future of a cluster in graphs. Nothing for any other object.
pub(crate) fn held_node(object: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Node>>> {
    let Ok(future) = object.cast_exact::<ClusterFuture>() else { return Ok(None) };
    let future = future.get();
    future.check_bound()?;
    // The cluster may have forgotten it, too: after a restart.
    let Some(held) = future.held().filter(|held| !matches!(held.standing(), Standing::Cancelled)) else {
        return Err(future.cancelled_error(object.py()));
    };
    if let Some(node) = future.node.lock().upgrade() {
        return Ok(Some(node));
    }
    let node = Node::with(Work::Held(held), Some(future.key()), None);
    *future.node.lock() = Arc::downgrade(&node);
    Ok(Some(node))
}
