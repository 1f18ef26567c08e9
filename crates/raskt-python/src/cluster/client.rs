//! This process as a client of a cluster.

use super::adopted::cluster_of;
use super::face::PythonFace;
use super::here::Lent;
use super::opened::{Credentials, address, open};
use super::running::from_cluster_error;
use super::submitting::{Asked, submit, submit_one};
use super::waiting::duration;
use super::{ClusterFuture, HeldResult};
use crate::annotations::AnnotationSet;
use crate::delayed::Node;
use crate::ending::{Outside, attached};
use crate::watched::Watched;
use pyo3::exceptions::{PyConnectionError, PyRuntimeError, PyTimeoutError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use raskt_cluster::hello::Role;
use raskt_cluster::{Client, ConnectError, WorkerInfo};
use raskt_sync::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A client of a cluster.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct ClusterClient {
    client: Arc<Client>,
    /// The process that made it: a fork has none of its threads.
    process: u32,
    /// Results that people have named, as long as somebody has a handle on them.
    named: Mutex<Named>,
}

#[derive(Default)]
struct Named {
    results: HashMap<String, Weak<HeldResult>>,
    /// How many there were after those that are gone were taken out last.
    swept: usize,
}

impl Named {
    fn get(&self, key: &str) -> Option<Arc<HeldResult>> {
        self.results.get(key)?.upgrade()
    }

    fn insert(&mut self, key: &str, result: &Arc<HeldResult>) {
        if self.results.len() > 2 * self.swept + FEW_NAMED {
            self.results.retain(|_, result| result.strong_count() > 0);
            self.swept = self.results.len();
        }
        self.results.insert(key.to_owned(), Arc::downgrade(result));
    }
}

/// So many are never swept.
const FEW_NAMED: usize = 64;

/// How long signals wait at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

#[pymethods]
impl ClusterClient {
    /// Connects with the scheduler, and waits for it `patience` seconds at most.
    #[new]
    fn new(
        py: Python<'_>,
        scheduler: &str,
        listen: &str,
        credentials: Credentials,
        name: &str,
        patience: f64,
    ) -> PyResult<Self> {
        let (scheduler, listen) = (address(scheduler)?, address(listen)?);
        let network = open(py, Role::Client, name, &credentials)?;
        let patience = duration(patience)?;
        let interrupted = Mutex::new(None);
        let is_wanted = || {
            // The thread that waits may be there longer than the interpreter.
            let checked = attached(|py| py.check_signals()).unwrap_or(Ok(()));
            checked.map_err(|error| *interrupted.lock() = Some(error)).is_ok()
        };
        let at = (&scheduler, &listen);
        let connect = || Client::connect_while(network, at, Arc::new(PythonFace), patience, is_wanted);
        let client = py.outside(connect);
        match interrupted.into_inner() {
            Some(error) => Err(error),
            None => Self::connected(client),
        }
    }

    /// A client of the cluster of a worker of this process, known by what the worker is known by.
    #[staticmethod]
    fn of_worker(py: Python<'_>, worker: u64, listen: &str, name: &str, patience: f64) -> PyResult<Self> {
        let client = Self::connected(super::here::connect(py, worker, listen, name, duration(patience)?)?)?;
        client.is_of_tasks(worker);
        Ok(client)
    }

    /// The tasks of that worker of this process ask by it.
    fn is_of_tasks(&self, worker: u64) {
        super::here::note_client(&self.client, worker);
    }

    /// Its users await: of its futures they get something to be awaited, too.
    fn is_asynchronous(&self) {
        super::awaiting::note(&self.client);
    }

    /// Which cluster it is of: the same for all its clients.
    #[getter]
    fn cluster<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        Some(PyBytes::new(py, &cluster_of(&self.client)?))
    }

    /// Whether the result of a future is held by this client.
    fn holds(&self, future: &Bound<'_, ClusterFuture>) -> bool {
        future.get().held().is_some_and(|held| Arc::ptr_eq(held.client(), &self.client))
    }

    /// Whether anybody keeps something of it: futures, persisted collections, or names of what is shared.
    fn has_results(&self) -> bool {
        Arc::strong_count(&self.client) > 1
    }

    /// Has all workers have a plugin, those that come later too; None takes it away. Waits for the scheduler `patience` seconds at
    /// most.
    #[pyo3(signature = (name, plugin, patience))]
    fn plugin(&self, py: Python<'_>, name: &str, plugin: Option<Vec<u8>>, patience: f64) -> PyResult<()> {
        self.check()?;
        let (plugin, patience) = (plugin.map(Into::into), duration(patience)?);
        py.outside(|| self.client.plugin(name, plugin, patience)).map_err(|error| from_cluster_error(py, &error))
    }

    /// Has the cluster call `function(*args, **kwargs)`.
    #[pyo3(signature = (function, args, kwargs=None, key=None, annotations=None))]
    fn submit(
        &self,
        function: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        key: Option<String>,
        annotations: Option<&AnnotationSet>,
    ) -> PyResult<ClusterFuture> {
        let py = function.py();
        if let Some(known) = key.as_deref().and_then(|key| self.known(key)) {
            return Ok(known);
        }
        let node = Asked::new(py, annotations)?.call(function, args, kwargs, key.clone())?;
        self.check()?;
        let future = submit_one(py, &self.client, &node)?;
        self.note(key.as_deref(), &future);
        Ok(future)
    }

    /// Has the cluster call the function with each of these arguments, and `kwargs`.
    #[pyo3(signature = (function, rows, kwargs=None, keys=None, annotations=None))]
    fn map(
        &self,
        function: &Bound<'_, PyAny>,
        rows: Vec<Bound<'_, PyTuple>>,
        kwargs: Option<&Bound<'_, PyDict>>,
        keys: Option<Vec<String>>,
        annotations: Option<&AnnotationSet>,
    ) -> PyResult<Vec<ClusterFuture>> {
        let asked = Asked::new(function.py(), annotations)?;
        let call = |row: &Bound<'_, PyTuple>, key| asked.call(function, row, kwargs, key);
        self.begin_all(function.py(), &rows, keys, call)
    }

    /// Has the cluster hold objects (`is_data`), or compute what is lazy.
    #[pyo3(signature = (objects, is_data, keys=None, annotations=None))]
    fn give(
        &self,
        py: Python<'_>,
        objects: Vec<Bound<'_, PyAny>>,
        is_data: bool,
        keys: Option<Vec<String>>,
        annotations: Option<&AnnotationSet>,
    ) -> PyResult<Vec<ClusterFuture>> {
        let asked = Asked::new(py, annotations)?;
        let give = |object: &Bound<'_, PyAny>, key| asked.give(object, is_data, key);
        self.begin_all(py, &objects, keys, give)
    }

    /// The workers that are there: a dict for each.
    fn workers<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.client.workers().iter().map(|worker| described(py, worker)).collect()
    }

    /// Waits until there are `count` workers.
    #[pyo3(signature = (count, timeout=None))]
    fn wait_for_workers(&self, py: Python<'_>, count: usize, timeout: Option<f64>) -> PyResult<()> {
        let deadline = timeout.map(duration).transpose()?.map(|timeout| Instant::now() + timeout);
        let _lent = Lent::new(py)?;
        loop {
            let left = deadline.map_or(HEARTBEAT, |deadline| deadline.saturating_duration_since(Instant::now()));
            if py.outside(|| self.client.wait_for_workers(count, left.min(HEARTBEAT))) {
                return Ok(());
            }
            Watched::by_nobody().look_up(py)?;
            self.check()?;
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let (there, timeout) = (self.client.workers().len(), timeout.unwrap_or_default());
                let message = format!("{there} of {count} workers were there after {timeout} s");
                return Err(PyTimeoutError::new_err(message));
            }
        }
    }

    /// Why the cluster is out of reach for good, or None.
    fn lost(&self) -> Option<String> {
        self.client.lost()
    }

    /// Leaves the cluster; what was said has `patience` seconds to arrive.
    fn close(&self, py: Python<'_>, patience: f64) -> PyResult<()> {
        let patience = duration(patience)?;
        if self.is_left_behind() {
            return Ok(());
        }
        py.outside(|| self.client.close(patience));
        Ok(())
    }

    /// An error if the cluster is out of reach: for good, or for this process.
    #[pyo3(name = "check")]
    fn py_check(&self) -> PyResult<()> {
        self.check()
    }
}

impl ClusterClient {
    fn connected(client: Result<Client, ConnectError>) -> PyResult<Self> {
        let client = client.map_err(|error| match error {
            ConnectError::Unreached { .. } | ConnectError::Insecure(_) => PyConnectionError::new_err(error.to_string()),
            ConnectError::Listen(_) | ConnectError::Io(_) => super::opened::refused(error),
        })?;
        super::current::cluster_is_used();
        Ok(Self::of(Arc::new(client)))
    }

    /// This one, as computations know it.
    pub fn of(client: Arc<Client>) -> Self {
        Self { client, process: std::process::id(), named: Mutex::default() }
    }

    fn begin(&self, py: Python<'_>, nodes: &[Arc<Node>]) -> PyResult<Vec<ClusterFuture>> {
        self.check()?;
        submit(py, &self.client, nodes)
    }

    /// Begins what `node` makes of each item and its key; what is known under its key isn't begun again.
    fn begin_all<T>(
        &self,
        py: Python<'_>,
        items: &[T],
        keys: Option<Vec<String>>,
        node: impl Fn(&T, Option<String>) -> PyResult<Arc<Node>>,
    ) -> PyResult<Vec<ClusterFuture>> {
        let Some(keys) = keys else {
            let nodes: Vec<_> = items.iter().map(|item| node(item, None)).collect::<PyResult<_>>()?;
            return self.begin(py, &nodes);
        };
        let known: Vec<_> = keys.iter().map(|key| self.known(key)).collect();
        let new = items.iter().zip(&keys).zip(&known).filter(|(_, known)| known.is_none());
        let nodes: Vec<_> = new.map(|((item, key), _)| node(item, Some(key.clone()))).collect::<PyResult<_>>()?;
        let mut begun = self.begin(py, &nodes)?.into_iter();
        let futures = known.into_iter().zip(&keys).map(|(known, key)| {
            known.unwrap_or_else(|| {
                let future = begun.next().expect("one for each call");
                self.note(Some(key), &future);
                future
            })
        });
        Ok(futures.collect())
    }

    /// Another handle on what is known under a key.
    fn known(&self, key: &str) -> Option<ClusterFuture> {
        let held = self.named.lock().get(key).filter(|held| !held.is_cancelled())?;
        Some(ClusterFuture::again(held, key))
    }

    fn note(&self, key: Option<&str>, future: &ClusterFuture) {
        if let (Some(key), Some(held)) = (key, future.held()) {
            self.named.lock().insert(key, &held);
        }
    }

    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// Whether this process is a fork of the one that has the client's threads.
    fn is_left_behind(&self) -> bool {
        self.process != std::process::id()
    }

    /// An error if the cluster is out of reach: for good, or for this process.
    pub fn check(&self) -> PyResult<()> {
        check_process(self.process)?;
        self.client.lost().map_or(Ok(()), |why| Err(PyConnectionError::new_err(why)))
    }
}

impl Drop for ClusterClient {
    fn drop(&mut self) {
        if self.is_left_behind() {
            // Its threads aren't here, and its locks may be held by one of them for ever.
            std::mem::forget(self.client.clone());
        }
    }
}

/// An error if this process is a fork of the one that has the threads of a client.
pub(super) fn check_process(process: u32) -> PyResult<()> {
    if process == std::process::id() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "this process was forked from process {process}, whose client this is: make a client of its own here, or start \
         processes by 'spawn' or 'forkserver'"
    )))
}

fn described<'py>(py: Python<'py>, worker: &WorkerInfo) -> PyResult<Bound<'py, PyDict>> {
    let WorkerInfo { worker: id, name, addresses, identity, slots, memory } = worker;
    let about = PyDict::new(py);
    about.set_item("id", id.0)?;
    about.set_item("identity", identity.to_string())?;
    about.set_item("name", name)?;
    about.set_item("addresses", addresses)?;
    about.set_item("nthreads", slots)?;
    about.set_item("memory_limit", memory)?;
    Ok(about)
}
