//! The engines of this process: one for each way of running that was asked for.

use crate::ending::Outside;
use crate::last_threads::park_instead_of_abort;
use crate::memory;
use crate::processes::{self, ProcessRunner};
use crate::runner::{PythonRunner, are_cancelled_running, interrupt_cancelled};
use crate::settings::settings;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raskt_execute::{Engine, EngineOptions, Runner, Runners, Store};
use raskt_graph::{Graph, OpKind};
use raskt_store::processors;
use raskt_sync::{Mutex, MutexGuard};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

struct Engines {
    /// The process that made them.
    process: u32,
    by_size: BTreeMap<Size, Engine>,
    /// Engines without threads that nobody uses, and those that somebody does.
    unused: Vec<Engine>,
    in_use: Vec<Engine>,
}

/// What tells one engine from another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    threads: usize,
    /// Whether Python functions run in worker processes.
    has_processes: bool,
    /// The folder of flight records, if they are to be written.
    flights: Option<PathBuf>,
}

static ENGINES: Mutex<Engines> =
    Mutex::new(Engines { process: 0, by_size: BTreeMap::new(), unused: vec![], in_use: vec![] });

/// An engine without threads for one user at a time: what it runs waits for nothing else.
pub(crate) struct OwnEngine(Option<Engine>);

thread_local! {
    /// That of a thread that runs its computations itself.
    static OF_THREAD: RefCell<Option<OwnEngine>> = const { RefCell::new(None) };
}

impl OwnEngine {
    /// One whose results are in `store`, which is the store of this process.
    pub fn new(store: &Store) -> Self {
        let mut engines = current();
        let engine = engines.unused.pop().unwrap_or_else(|| ALONE.engine_with(store.clone()));
        engines.in_use.push(engine.clone());
        Self(Some(engine))
    }

    /// That of the calling thread.
    fn of_thread(store: &Store) -> Engine {
        OF_THREAD.with_borrow_mut(|own| {
            if own.as_ref().is_some_and(|own| own.get().is_left_behind()) {
                *own = None;
            }
            own.get_or_insert_with(|| Self::new(store)).get().clone()
        })
    }

    pub fn get(&self) -> &Engine {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

/// Engines without work are kept up to this number.
const UNUSED: usize = 16;

impl Drop for OwnEngine {
    fn drop(&mut self) {
        let mut engines = current();
        let Some(engine) = self.0.take() else { return };
        if engine.is_left_behind() {
            // As the others of the parent.
            return std::mem::forget(engine);
        }
        engines.in_use.retain(|other| *other != engine);
        if engines.unused.len() < UNUSED {
            engines.unused.push(engine);
        }
    }
}

/// The engine for `scheduler` ("threads", "sync" or "processes") with `num_workers` threads or processes.
pub(crate) fn engine(py: Python<'_>, scheduler: &str, num_workers: Option<usize>) -> PyResult<Engine> {
    if num_workers == Some(0) && !is_sync(scheduler) {
        return Err(PyValueError::new_err("num_workers is 0; at least one thread has to run the tasks"));
    }
    let threads = num_workers.or_else(processes::worker_threads).unwrap_or_else(processors);
    let (threads, has_processes) = match scheduler {
        _ if is_sync(scheduler) => (0, false),
        "threads" | "threading" => (threads, false),
        "processes" | "multiprocessing" => (threads, has_processes(scheduler)),
        _ => {
            return Err(PyValueError::new_err(format!(
                "unknown scheduler '{scheduler}'; 'threads', 'processes' and 'sync' are known"
            )));
        }
    };
    let size = Size { threads, has_processes, flights: settings(py)?.flights.clone() };
    let store = memory::store(py)?;
    if size == ALONE {
        return Ok(OwnEngine::of_thread(&store));
    }
    match current().by_size.entry(size) {
        Entry::Occupied(known) => Ok(known.get().clone()),
        Entry::Vacant(place) => {
            let engine = place.key().engine(store)?;
            Ok(place.insert(engine).clone())
        }
    }
}

/// Tasks of cancelled computations that can't be stopped and go on, and the threads that other computations lack for them.
#[pyfunction]
pub(crate) fn left_running() -> (usize, usize) {
    let engines: Vec<Engine> = {
        let engines = current();
        engines.by_size.values().chain(&engines.unused).chain(&engines.in_use).cloned().collect()
    };
    engines.iter().fold((0, 0), |(tasks, threads), engine| (tasks + engine.strays(), threads + engine.stray_slots()))
}

/// The engines of this process.
fn current() -> MutexGuard<'static, Engines> {
    let mut engines = ENGINES.lock();
    let process = std::process::id();
    if engines.process != process {
        // A child of a fork has none of its parent's threads. The parent's engines are forgotten and not dropped: their
        // locks may be held by threads that don't exist here, and their worker processes are the parent's.
        let Engines { by_size, unused, in_use, .. } = &mut *engines;
        std::mem::forget((std::mem::take(by_size), std::mem::take(unused), std::mem::take(in_use)));
        engines.process = process;
    }
    engines
}

/// Whether `scheduler` runs Python functions in worker processes. Within one of those the processors are shared out already:
/// its tasks' computations run on threads.
pub(crate) fn has_processes(scheduler: &str) -> bool {
    matches!(scheduler, "processes" | "multiprocessing") && processes::worker_threads().is_none()
}

fn is_sync(scheduler: &str) -> bool {
    matches!(scheduler, "sync" | "synchronous" | "single-threaded")
}

/// An engine without threads.
const ALONE: Size = Size { threads: 0, has_processes: false, flights: None };

/// The number of the next flight record of this process.
static NEXT_FLIGHT: AtomicU32 = AtomicU32::new(1);

impl Size {
    fn engine(&self, store: Store) -> PyResult<Engine> {
        let engine = self.engine_with(store);
        if let Some(folder) = &self.flights {
            let number = NEXT_FLIGHT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{}-{number}.flight", std::process::id()));
            engine.record_flight(&path).map_err(|error| {
                PyOSError::new_err(format!("the flight record `{}` can't be written: {error}", path.display()))
            })?;
        }
        Ok(engine)
    }

    fn engine_with(&self, store: Store) -> Engine {
        let runner: Arc<dyn Runner> =
            if self.has_processes { Arc::new(ProcessRunner::new(self.threads)) } else { Arc::new(PythonRunner) };
        let options = EngineOptions { threads: self.threads, ..EngineOptions::default() };
        Engine::with_store(options, store, Runners::default().with_python(runner))
    }
}

/// The process that has imported this module; a fork of it has another number.
static IMPORTED_IN: AtomicU32 = AtomicU32::new(0);

/// Refuses what would wait for ever in a fork: Polars keeps threads of its own, which a fork doesn't have.
pub(crate) fn check_fork(graph: &Graph) -> PyResult<()> {
    let parent = IMPORTED_IN.load(Ordering::Relaxed);
    let mut layers = graph.layers();
    if parent == std::process::id() || !layers.any(|(layer, _)| graph.op_of(layer).kind == OpKind::Frame) {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "this process was forked from process {parent} after raskt was imported there, and the threads that compute \
         dataframes don't come along with a fork: start it by 'spawn' or 'forkserver' \
         (multiprocessing.get_context(\"spawn\")), or import raskt in it only"
    )))
}

/// Ends all computations, threads and worker processes; called when the interpreter goes.
#[pyfunction]
fn shut_down(py: Python<'_>) {
    let engines = {
        let mut engines = ENGINES.lock();
        if engines.process != std::process::id() {
            return;
        }
        let by_size = std::mem::take(&mut engines.by_size).into_values();
        by_size.chain(std::mem::take(&mut engines.in_use)).collect::<Vec<_>>()
    };
    let shut_down = |patience| engines.iter().for_each(|engine| engine.shut_down(patience));
    py.outside(|| shut_down(Duration::ZERO));
    leave_tasks(py);
    py.outside(|| {
        shut_down(Duration::from_millis(200));
        processes::kill_all();
        memory::shut_down();
    });
}

/// Gets every thread out of the Python function that it is in. One that is in native code, say asleep, stays there, and
/// waits for the end of the process when it comes back.
fn leave_tasks(py: Python<'_>) {
    for _ in 0..3 {
        if !interrupt_cancelled(py) {
            return;
        }
        py.outside(|| {
            for _ in 0..20 {
                if are_cancelled_running() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        });
    }
    if are_cancelled_running() {
        park_instead_of_abort();
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    IMPORTED_IN.store(std::process::id(), Ordering::Relaxed);
    module.add_function(wrap_pyfunction!(left_running, module)?)?;
    module.add_function(wrap_pyfunction!(shut_down, module)?)
}
