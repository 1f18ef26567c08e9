//! Runs Python callables: the interpreter is taken once for a run of them.

use crate::block::PythonOp;
use crate::cluster::{task_begins, task_ends};
use crate::contexts;
use crate::delayed::Calls;
use crate::ending::Outside;
use crate::error::{TaskCancelled, to_task_error};
use crate::last_threads::note_thread;
use crate::library_threads::{AtRest, Share};
use crate::memory;
use crate::turns::Runs;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use raskt_execute::{Batch, Runner, TaskCall, TaskRange};
use raskt_graph::{Graph, LayerId, OpKind, TaskId};
use raskt_store::Family;
use raskt_sync::Mutex;
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::cell::RefCell;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use xxhash_rust::xxh3::xxh3_64;

/// The runner of ops of kind `Python`.
pub(crate) struct PythonRunner;

impl Runner for PythonRunner {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Python::attach(|py| {
            let _current = Current::set(py, call.cancel, None);
            contexts::within(py, call.graph, || make(py, call, inputs))
        })
    }

    fn run_batch(&self, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        Python::attach(|py| {
            let _current = Current::set(py, batch.cancel, Some(batch.graph));
            contexts::within(py, batch.graph, || batch.run_each(|call, inputs| make(py, call, inputs)))
        })
    }

    fn stretch(&self, has_company: bool, step: &mut dyn FnMut() -> bool) {
        let runs = Runs::new();
        let (mut share, mut goes_on) = (None::<Share>, true);
        while goes_on {
            let turn = runs.turn();
            Python::attach(|py| {
                match &share {
                    Some(share) => share.refresh(py),
                    None => share = Some(Share::take(py, has_company)),
                }
                contexts::apart(py, || {
                    while goes_on && !turn.is_over() {
                        goes_on = step();
                    }
                });
                if !goes_on {
                    // While the interpreter is held anyway.
                    share = None;
                }
            });
        }
    }

    fn settle(&self, live: &mut (dyn FnMut() + Send)) {
        // The interpreter's state of a thread is made anew whenever the thread takes it for the first time, and goes with the last.
        Python::attach(|py| py.outside(live));
    }

    fn let_wait(&self, wait: &mut (dyn FnMut() + Send)) {
        Python::attach(|py| {
            let _at_rest = AtRest::new(py);
            py.outside(wait);
        });
    }

    fn has_room(&self) -> bool {
        // Where it can't be told, the interpreter raises an error of its own if there is none.
        Python::attach(|py| has_frames_left(py).unwrap_or(true))
    }

    fn key(&self, graph: &Graph, task: TaskId) -> String {
        let body = &graph.op_of(task.layer).body;
        let key = match (body.downcast_ref::<Calls>(), body.downcast_ref()) {
            (Some(calls), _) => Some(calls.key(task.index)),
            (_, Some(PythonOp(block))) => block.key(task.index),
            _ => None,
        };
        key.unwrap_or_else(|| graph.key(task))
    }

    fn family(&self, graph: &Graph, task: TaskId) -> Family {
        let op = graph.op_of(task.layer);
        let family = match (op.body.downcast_ref::<Calls>(), op.body.downcast_ref()) {
            (Some(calls), _) => calls.family(task.index),
            (_, Some(PythonOp(block))) => block.family(task.index),
            _ => None,
        };
        family.unwrap_or_else(|| xxh3_64(op.name.as_bytes()))
    }

    fn tells_itself(&self, graph: &Graph, tasks: TaskRange) -> bool {
        graph.op_of(tasks.layer).body.downcast_ref().is_some_and(|PythonOp(block)| block.tells_itself())
    }
}

/// Whether the calling thread is less than half as deep in calls as the interpreter lets it go (`sys.setrecursionlimit`): each task
/// of Python begins with as much of that as its function may need.
fn has_frames_left(py: Python<'_>) -> PyResult<bool> {
    let sys = py.import("sys")?;
    let limit: usize = sys.call_method0("getrecursionlimit")?.extract()?;
    // It raises an error if there are fewer frames than that.
    Ok(sys.call_method1("_getframe", (limit / (2 * CALLS_A_FRAME),)).is_err())
}

/// What a frame counts for at most: a function that computes counts itself, the call of `compute` and that of the task's function.
const CALLS_A_FRAME: usize = 3;

/// Makes the Python call that a task is.
fn make(py: Python<'_>, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
    let body = &call.op().body;
    THREAD.with_borrow(|thread| {
        if let Some(thread) = thread {
            thread.task.store(packed(call.task), Ordering::Relaxed);
        }
    });
    let outer = task_begins();
    let result = if let Some(calls) = body.downcast_ref::<Calls>() {
        calls.call(py, call.task.index, inputs)
    } else if let Some(PythonOp(block)) = body.downcast_ref() {
        block.call(py, call.task.index, inputs)
    } else {
        return Err(TaskError::new(ErrorKind::Type, format!("op `{}` is not a Python call", call.op().name)));
    };
    task_ends(py, outer);
    memory::task_ended(py);
    result.map_err(|error| to_task_error(py, error))
}

/// A thread that runs Python tasks.
struct PythonThread {
    thread: c_ulong,
    at: Mutex<At>,
    /// The task of the innermost run that it is in, or was in last.
    task: AtomicU64,
}

/// A task as one number.
fn packed(task: TaskId) -> u64 {
    u64::from(task.layer.0) << TaskId::INDEX_BITS | task.index
}

fn unpacked(task: u64) -> TaskId {
    TaskId::new(LayerId((task >> TaskId::INDEX_BITS) as u32), task & ((1 << TaskId::INDEX_BITS) - 1))
}

/// What it is at.
#[derive(Default)]
struct At {
    /// The runs whose tasks it is in, the innermost last: a task may compute, and then run another within itself.
    running: Vec<CancelToken>,
    /// Their graphs, where they are known.
    graphs: Vec<Option<Arc<Graph>>>,
    /// An exception was sent, and may not have been raised yet when the task ends: a function of C never raises it.
    is_interrupted: bool,
}

static THREADS: Mutex<Vec<Weak<PythonThread>>> = Mutex::new(vec![]);

thread_local! {
    static THREAD: RefCell<Option<Arc<PythonThread>>> = const { RefCell::new(None) };
}

/// While it lives, this thread is known to run tasks of the run that the token belongs to. It is made and dropped with the
/// interpreter held.
struct Current {
    thread: Arc<PythonThread>,
    /// The task that it was in before.
    outer: u64,
}

impl Current {
    fn set(_py: Python<'_>, cancel: &CancelToken, graph: Option<&Arc<Graph>>) -> Self {
        let thread = THREAD.with_borrow_mut(|thread| thread.get_or_insert_with(PythonThread::new).clone());
        let mut at = thread.at.lock();
        at.running.push(cancel.clone());
        at.graphs.push(graph.cloned());
        drop(at);
        let outer = thread.task.load(Ordering::Relaxed);
        Self { thread, outer }
    }
}

impl Drop for Current {
    /// Both this and [`interrupt_cancelled`] hold the interpreter, so that either the exception is sent before, and what
    /// hasn't been raised of it is taken back here, or the thread is seen to run the task no longer.
    fn drop(&mut self) {
        let mut at = self.thread.at.lock();
        at.running.pop();
        let graph = at.graphs.pop();
        if at.is_interrupted && !at.is_cancelled() {
            self.thread.take_back(&mut at);
        }
        drop(at);
        self.thread.task.store(self.outer, Ordering::Relaxed);
        // It may be the last to hold the graph.
        drop(graph);
    }
}

impl PythonThread {
    fn new() -> Arc<Self> {
        // SAFETY: reads the number of the calling thread, which is always there.
        let thread = unsafe { pyo3::ffi::PyThread_get_thread_ident() };
        let thread = Arc::new(Self { thread, at: Mutex::default(), task: AtomicU64::new(0) });
        note_thread();
        let mut threads = THREADS.lock();
        threads.retain(|thread| thread.strong_count() > 0);
        threads.push(Arc::downgrade(&thread));
        thread
    }

    /// Takes back the exception that was sent to it, if it wasn't raised yet.
    fn take_back(&self, at: &mut At) {
        if std::mem::take(&mut at.is_interrupted) {
            send(self.thread, std::ptr::null_mut());
        }
    }
}

impl At {
    /// Whether it is in a task that nobody wants any more, or in one within such a task.
    fn is_cancelled(&self) -> bool {
        self.running.iter().any(CancelToken::is_cancelled)
    }
}

/// The names of the Python functions that threads are in, or have just come to or left.
pub(crate) fn running_functions(py: Python<'_>) -> Vec<String> {
    let threads: Vec<_> = THREADS.lock().iter().filter_map(Weak::upgrade).collect();
    let graph_of = |thread: &Arc<PythonThread>| {
        Some((thread.at.lock().graphs.last()?.clone()?, unpacked(thread.task.load(Ordering::Relaxed))))
    };
    let running: Vec<_> = threads.iter().filter_map(graph_of).collect();
    running.iter().filter_map(|(graph, task)| name_of(py, graph, *task)).collect()
}

/// The task that this thread is in, and its key, where that is known.
pub(crate) fn current_task() -> Option<(TaskId, String)> {
    let (graph, task) = THREAD.with_borrow(|thread| {
        let thread = thread.as_ref()?;
        Some((thread.at.lock().graphs.last()?.clone()?, unpacked(thread.task.load(Ordering::Relaxed))))
    })?;
    Some((task, PythonRunner.key(&graph, task)))
}

/// The name of the function that a task calls, if it is one of the graph.
fn name_of(py: Python<'_>, graph: &Graph, task: TaskId) -> Option<String> {
    let (layer, _) = graph.layers().nth(task.layer.0 as usize)?;
    let op = graph.op_of(layer);
    if op.kind != OpKind::Python {
        return None;
    }
    let label = op.body.downcast_ref::<Calls>().map(|calls| Some(calls.0.get(task.index as usize)?.label(py)));
    label.unwrap_or_else(|| Some(op.name.to_string()))
}

/// Whether this thread is in a Python task.
pub(crate) fn is_in_task() -> bool {
    THREAD.with_borrow(|thread| thread.as_ref().is_some_and(|thread| !thread.at.lock().running.is_empty()))
}

/// Raises [`TaskCancelled`] if this thread is in a task that nobody wants any more: what such a task waits for isn't wanted
/// either, and waiting reaches no step of the interpreter at which it would be raised.
pub(crate) fn check_cancelled(_py: Python<'_>) -> PyResult<()> {
    THREAD.with_borrow(|thread| {
        let Some(thread) = thread else { return Ok(()) };
        let mut at = thread.at.lock();
        if !at.is_cancelled() {
            return Ok(());
        }
        thread.take_back(&mut at);
        Err(TaskCancelled::new_err("the computation was cancelled"))
    })
}

/// Raises [`TaskCancelled`] in every other thread whose Python task nobody wants any more, and says whether there are any. Where the
/// calling thread is in one itself it raises that by itself: it would come once more while its task cleans up.
pub(crate) fn interrupt_cancelled(py: Python<'_>) -> bool {
    // SAFETY: as in `PythonThread::new`.
    let own = unsafe { pyo3::ffi::PyThread_get_thread_ident() };
    let mut cancelled = cancelled_threads();
    cancelled.retain(|thread| thread.thread != own);
    for thread in &cancelled {
        thread.at.lock().is_interrupted = true;
        send(thread.thread, TaskCancelled::type_object_raw(py).cast());
    }
    !cancelled.is_empty()
}

/// Whether a thread still runs a Python task that nobody wants any more.
pub(crate) fn are_cancelled_running() -> bool {
    !cancelled_threads().is_empty()
}

fn cancelled_threads() -> Vec<Arc<PythonThread>> {
    let threads: Vec<_> = THREADS.lock().iter().filter_map(Weak::upgrade).collect();
    threads.into_iter().filter(|thread| thread.at.lock().is_cancelled()).collect()
}

/// Sets the exception that `thread` raises at its next step in the interpreter; null takes it back.
fn send(thread: c_ulong, exception: *mut pyo3::ffi::PyObject) {
    // SAFETY: the interpreter is held by the caller, and the exception is a class that lives as long as the module.
    unsafe { pyo3::ffi::PyThreadState_SetAsyncExc(thread as _, exception) };
}
