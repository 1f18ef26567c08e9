//! Runs Python callables: the interpreter is taken once for a run of them.

use crate::block::PythonOp;
use crate::delayed::Calls;
use crate::error::{TaskCancelled, to_task_error};
use crate::library_threads::Share;
use parking_lot::Mutex;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use raskt_execute::{Runner, TaskCall, TaskRange};
use raskt_graph::{Graph, TaskId};
use raskt_value::{CancelToken, ErrorKind, TaskError, Value};
use std::cell::RefCell;
use std::ffi::c_ulong;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The runner of ops of kind `Python`.
pub(crate) struct PythonRunner;

/// A thread that runs Python tasks gives way to others at least this often, even if its tasks are builtins that never
/// reach the interpreter's own switch.
const TURN: Duration = Duration::from_millis(5);

impl Runner for PythonRunner {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Python::attach(|py| {
            let _current = Current::set(py, call.cancel);
            let body = &call.op().body;
            let result = if let Some(calls) = body.downcast_ref::<Calls>() {
                calls.call(py, call.task.index, inputs)
            } else if let Some(PythonOp(block)) = body.downcast_ref() {
                block.call(py, call.task.index, inputs)
            } else {
                return Err(TaskError::new(ErrorKind::Type, format!("op `{}` is not a Python call", call.op().name)));
            };
            result.map_err(|error| to_task_error(py, error))
        })
    }

    fn stretch(&self, step: &mut dyn FnMut() -> bool) {
        Python::attach(|py| {
            let mut turn = Instant::now();
            let share = Share::take(py);
            while step() {
                if turn.elapsed() > TURN {
                    py.detach(|| {});
                    share.refresh(py);
                    turn = Instant::now();
                }
            }
        });
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

    fn tells_itself(&self, graph: &Graph, tasks: TaskRange) -> bool {
        graph.op_of(tasks.layer).body.downcast_ref().is_some_and(|PythonOp(block)| block.tells_itself())
    }
}

/// What a thread that runs Python tasks is at.
struct Seat {
    thread: c_ulong,
    running: Mutex<Option<CancelToken>>,
    /// An exception was sent, and may still be on its way when the next task begins.
    is_interrupted: Mutex<bool>,
}

static SEATS: Mutex<Vec<Weak<Seat>>> = Mutex::new(vec![]);

thread_local! {
    static SEAT: RefCell<Option<Arc<Seat>>> = const { RefCell::new(None) };
}

/// While it lives, this thread is known to run a task of the run that the token belongs to. A task may compute, and then
/// run another within itself.
struct Current {
    seat: Arc<Seat>,
    outer: Option<CancelToken>,
}

impl Current {
    fn set(_py: Python<'_>, cancel: &CancelToken) -> Self {
        let seat = SEAT.with_borrow_mut(|seat| seat.get_or_insert_with(Seat::new).clone());
        if std::mem::take(&mut *seat.is_interrupted.lock()) {
            send(seat.thread, std::ptr::null_mut());
        }
        let outer = seat.running.lock().replace(cancel.clone());
        Self { seat, outer }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        *self.seat.running.lock() = self.outer.take();
    }
}

impl Seat {
    fn new() -> Arc<Self> {
        // SAFETY: reads the number of the calling thread, which is always there.
        let thread = unsafe { pyo3::ffi::PyThread_get_thread_ident() };
        let seat = Arc::new(Self { thread, running: Mutex::new(None), is_interrupted: Mutex::new(false) });
        let mut seats = SEATS.lock();
        seats.retain(|seat| seat.strong_count() > 0);
        seats.push(Arc::downgrade(&seat));
        seat
    }
}

/// Raises [`TaskCancelled`] in every thread whose Python task nobody wants any more, and says whether there are any.
pub(crate) fn interrupt_cancelled(py: Python<'_>) -> bool {
    let cancelled = cancelled_seats();
    for seat in &cancelled {
        *seat.is_interrupted.lock() = true;
        send(seat.thread, TaskCancelled::type_object_raw(py).cast());
    }
    !cancelled.is_empty()
}

/// Whether a thread still runs a Python task that nobody wants any more.
pub(crate) fn are_cancelled_running() -> bool {
    !cancelled_seats().is_empty()
}

fn cancelled_seats() -> Vec<Arc<Seat>> {
    let seats: Vec<_> = SEATS.lock().iter().filter_map(Weak::upgrade).collect();
    let is_cancelled = |seat: &Arc<Seat>| seat.running.lock().as_ref().is_some_and(CancelToken::is_cancelled);
    seats.into_iter().filter(is_cancelled).collect()
}

/// Sets the exception that `thread` raises at its next step in the interpreter; null takes it back.
fn send(thread: c_ulong, exception: *mut pyo3::ffi::PyObject) {
    // SAFETY: the interpreter is held by the caller, and the exception is a class that lives as long as the module.
    unsafe { pyo3::ffi::PyThreadState_SetAsyncExc(thread as _, exception) };
}
