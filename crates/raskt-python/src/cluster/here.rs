//! Workers of this process, as their own tasks see them.

use super::adopted::{Origin, Written};
use super::opened::address;
use crate::ending::Outside;
use crate::library_threads::AtRest;
use crate::runner::current_task;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use raskt_cluster::{Client, ConnectError, ThisWorker};
use raskt_execute::{Engine, RunId, SlotLoan};
use raskt_sync::Mutex;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Workers that have begun and aren't over.
static WORKERS: Mutex<Vec<ThisWorker>> = Mutex::new(vec![]);

/// The clients of their tasks, with the numbers of these workers.
static CLIENTS: Mutex<Vec<(Weak<Client>, u64)>> = Mutex::new(vec![]);

/// Whether there ever was one: who has none shall pay nothing for it.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The slot of the task that this thread is in, if that task has given it away for good.
    static SECEDED: RefCell<Option<SlotLoan>> = const { RefCell::new(None) };
}

pub(super) fn begins(worker: ThisWorker) {
    WORKERS.lock().push(worker);
    ARE_THERE.store(true, Ordering::Relaxed);
}

pub(super) fn ends(number: u64) {
    let gone: Vec<_> = WORKERS.lock().extract_if(.., |worker| worker.number() == number).collect();
    if gone.is_empty() {
        return;
    }
    drop(gone);
    Python::try_attach(|py| {
        let ended = || {
            let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
            match modules.get_item("raskt.distributed._this_worker")? {
                Some(module) => module.call_method1("ended", (number,)).map(drop),
                None => Ok(()),
            }
        };
        ended().unwrap_or_else(|error: PyErr| error.write_unraisable(py, None));
    });
}

/// Whether this process is, or was, a worker of a cluster.
pub(crate) fn is_worker() -> bool {
    ARE_THERE.load(Ordering::Relaxed)
}

/// The worker in whose task this thread is, and the run of that task.
fn here() -> Option<(ThisWorker, RunId)> {
    if !is_worker() {
        return None;
    }
    let with_run = |worker: &ThisWorker| worker.run_here().map(|run| (worker.clone(), run));
    WORKERS.lock().iter().find_map(with_run)
}

/// The run whose task this thread is in, if it is one of the cluster of `client`.
pub(super) fn parent_on(py: Python<'_>, client: &Arc<Client>) -> PyResult<Option<RunId>> {
    let Some((worker, run)) = here() else {
        return asks(py, client).map(|()| None);
    };
    let is_own = client.scheduler().map(|it| it.identity) == worker.scheduler_identity();
    Ok(is_own.then_some(run))
}

/// A thread that is in no task asks for something by the client of a worker: a plugin may have started it, and wait for it.
fn asks(py: Python<'_>, client: &Arc<Client>) -> PyResult<()> {
    let is_it = |(it, _): &&(Weak<Client>, u64)| std::ptr::eq(it.as_ptr(), Arc::as_ptr(client));
    let of_worker = CLIENTS.lock().iter().find(is_it).map(|(_, worker)| *worker);
    match of_worker {
        Some(worker) => py.import("raskt.distributed._plugged")?.call_method1("asks_beside", (worker,)).map(drop),
        None => Ok(()),
    }
}

/// It is the client of a worker's tasks.
pub(super) fn note_client(client: &Arc<Client>, worker: u64) {
    let mut clients = CLIENTS.lock();
    clients.retain(|(client, _)| client.strong_count() > 0);
    clients.push((Arc::downgrade(client), worker));
}

/// The client of the tasks of this process, if they have needed one by now.
pub(super) fn client_of_workers() -> Option<Arc<Client>> {
    CLIENTS.lock().iter().rev().find_map(|(client, _)| client.upgrade())
}

/// A client of the cluster of a worker of this process.
pub(super) fn connect(
    py: Python<'_>,
    number: u64,
    listen: &str,
    name: &str,
    patience: Duration,
) -> PyResult<Result<Client, ConnectError>> {
    let listen = address(listen)?;
    let worker = WORKERS.lock().iter().find(|worker| worker.number() == number).cloned();
    let worker = worker.ok_or_else(|| PyValueError::new_err("the worker is over"))?;
    Ok(py.outside(|| Client::of_worker(&worker, name, &listen, Arc::new(super::face::PythonFace), patience)))
}

/// A task begins in this thread; what the task outside of it had given away is to be handed to [`task_ends`].
pub(crate) fn task_begins() -> Option<SlotLoan> {
    if is_worker() { SECEDED.take() } else { None }
}

/// It has ended: it has its slot again, if it had given it away.
pub(crate) fn task_ends(py: Python<'_>, outer: Option<SlotLoan>) {
    if is_worker()
        && let Some(own) = SECEDED.replace(outer)
    {
        py.outside(move || drop(own));
    }
}

/// What a call gives: that of an `async` function is awaited, by the loop of the worker.
pub(crate) fn awaited(result: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    static COROUTINE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = result.py();
    if !result.get_type().is(COROUTINE.import(py, "types", "CoroutineType")?) {
        return Ok(result);
    }
    py.import("raskt.distributed._coroutines")?.call_method1("awaited", (result,))
}

/// The slot of this thread's task is given to others as long as this lives.
pub(super) struct Lent<'py>(
    Python<'py>,
    Option<SlotLoan>,
    #[expect(dead_code, reason = "kept only to be dropped later")] AtRest,
);

impl<'py> Lent<'py> {
    /// For a task that waits for others, which may need its slot.
    pub fn new(py: Python<'py>) -> PyResult<Self> {
        match lend(py, LENT_MOST) {
            Err(Crowded) => Err(PyRuntimeError::new_err(format!(
                "{LENT_MOST} tasks of this process wait and have lent their slots, each with a thread of its own: no more \
                 can. Fewer tasks that wait for tasks at a time are needed, or more workers"
            ))),
            Ok(loan) => Ok(Self(py, loan, AtRest::new(py))),
        }
    }

    /// For a task that waits for a lock, an event or the like. There may be very many for one lock: beyond some of them they keep
    /// their slots, as nothing says, and the user hears of it.
    pub fn for_what_is_named(py: Python<'py>) -> Option<Self> {
        static TOLD: AtomicBool = AtomicBool::new(false);
        if let Ok(loan) = lend(py, LENT_FOR_NAMED_MOST) {
            return Some(Self(py, loan, AtRest::new(py)));
        }
        if !TOLD.swap(true, Ordering::Relaxed) {
            let sentence = format!(
                "{LENT_FOR_NAMED_MOST} tasks of this process wait and have lent their slots, each with a thread of its own: \
                 others that wait for locks, events, queues or variables keep theirs, and what they wait for may find none"
            );
            super::logged(py, "warning", &sentence).unwrap_or_else(|error| error.write_unraisable(py, None));
        }
        None
    }
}

/// Tasks of this process that lend their slots at a time: each keeps a thread, and an engine has 4,096 at most.
const LENT_MOST: usize = 3072;

/// So many of them at most if it is for what has a name.
const LENT_FOR_NAMED_MOST: usize = 256;

/// How many do.
static LENT: AtomicUsize = AtomicUsize::new(0);

struct Crowded;

/// The slot of this thread's task, if it is in one; an error if `most` are lent already.
fn lend(py: Python<'_>, most: usize) -> Result<Option<SlotLoan>, Crowded> {
    if LENT.fetch_add(1, Ordering::Relaxed) >= most && here().is_some() {
        LENT.fetch_sub(1, Ordering::Relaxed);
        return Err(Crowded);
    }
    let loan = py.outside(Engine::lend_slot);
    // One that has seceded has no slot to lend, and only says that it waits.
    if !lends(loan.as_ref()) {
        LENT.fetch_sub(1, Ordering::Relaxed);
    }
    Ok(loan)
}

fn lends(loan: Option<&SlotLoan>) -> bool {
    loan.is_some_and(SlotLoan::has_slot)
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let lent = usize::from(lends(self.1.as_ref()));
        if let Some(loan) = self.1.take() {
            // What is told of it may have to wait for room on its way.
            self.0.outside(move || drop(loan));
            LENT.fetch_sub(lent, Ordering::Relaxed);
        }
    }
}

/// The number of the worker in whose task this thread is.
#[pyfunction]
pub(super) fn cluster_task() -> Option<u64> {
    here().map(|(worker, _)| worker.number())
}

/// The name of the result of the task that this thread is in, and its key, where they are known. Not to be asked for while the task's
/// function is read: its key is the name of that.
#[pyfunction]
pub(super) fn cluster_task_name() -> Option<(Written, String)> {
    let (worker, run) = here()?;
    let ((cluster, mark), (task, key)) = worker.named(run).zip(current_task())?;
    Some((Origin { cluster, mark: Some(mark), run, task }.written(), key))
}

/// The slot of the task of whoever makes it, which others have until it is closed. Whether the task waits for what others do, or what
/// it waits for is its own, in this process.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterLoan(Mutex<Option<SlotLoan>>);

#[pymethods]
impl ClusterLoan {
    #[new]
    #[pyo3(signature = (*, within=false))]
    fn new(py: Python<'_>, within: bool) -> Self {
        Self(Mutex::new(py.outside(if within { Engine::lend_slot_within } else { Engine::lend_slot })))
    }

    /// Other threads may, and do where a generator that has one is collected there.
    fn close(&self, py: Python<'_>) {
        let own = self.0.lock().take();
        py.outside(move || drop(own));
    }
}

/// The workers of this process.
#[pyfunction]
pub(super) fn cluster_workers(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let workers = WORKERS.lock().clone();
    workers.iter().map(|worker| described(py, worker)).collect()
}

fn described<'py>(py: Python<'py>, worker: &ThisWorker) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    let (threads, memory) = worker.size();
    about.set_item("number", worker.number())?;
    about.set_item("id", worker.id().map(|id| id.0))?;
    about.set_item("identity", worker.identity().to_string())?;
    about.set_item("name", worker.name())?;
    about.set_item("scheduler", worker.scheduler.to_string())?;
    about.set_item("addresses", &worker.addresses)?;
    about.set_item("nthreads", threads)?;
    about.set_item("memory_limit", memory)?;
    Ok(about)
}

/// Gives the slot of this thread's task to others, until it is taken back or the task ends; says whether it is in a task.
#[pyfunction]
pub(super) fn cluster_secede(py: Python<'_>) -> bool {
    if here().is_none() {
        return false;
    }
    if SECEDED.with_borrow(Option::is_none) {
        SECEDED.set(py.outside(Engine::secede));
    }
    true
}

/// Takes it back; says whether this thread is in a task.
#[pyfunction]
pub(super) fn cluster_rejoin(py: Python<'_>) -> bool {
    if here().is_none() {
        return false;
    }
    let own = SECEDED.take();
    py.outside(move || drop(own));
    true
}

/// Raises `TaskCancelled` if this thread is in a task that nobody wants any more.
#[pyfunction]
pub(super) fn cluster_check_cancelled(py: Python<'_>) -> PyResult<()> {
    crate::runner::check_cancelled(py)?;
    super::check_stopped(py)
}
