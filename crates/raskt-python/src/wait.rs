//! Waiting for a run with the interpreter free, and with an eye on signals and on those who watch.

use crate::ending::Outside;
use crate::error::from_run_error;
use crate::library_threads::AtRest;
use crate::ran::load;
use crate::runner::{check_cancelled, interrupt_cancelled, is_in_task};
use crate::watched::{Watched, is_followed};
use pyo3::prelude::*;
use raskt_execute::{Engine, RunError, RunHandle, RunResult, is_watched};
use raskt_graph::{Graph, TaskId};
use raskt_value::{ErrorKind, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Waits for the results, and has them in memory.
pub(crate) fn wait(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    load(py, handle, wait_kept(py, handle)?)
}

/// Waits for the results, of which some may only stand for what the store keeps. A signal cancels the run and interrupts
/// what its tasks are in; so does the end of the run whose task waits here, and a callback that raises.
pub(crate) fn wait_kept(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    let progress = || handle.progress().map(|progress| (progress.done, progress.total));
    let mut watched = Watched::new(&progress);
    let at_rest = AtRest::new(py);
    let result = loop {
        let patience = watched.patience();
        if let Some(result) = py.outside(|| handle.wait_timeout_kept(patience)) {
            break ended(py, result);
        }
        if let Err(error) = watched.look_up(py) {
            handle.cancel();
            interrupt_cancelled(py);
            break Err(error);
        }
    };
    drop(at_rest);
    watched.finish(py, &result)?;
    result
}

/// The results of a run of one call that this thread makes at once, since it is in a task that would only wait for it; nothing if
/// it is to be submitted.
pub(crate) fn run_within(
    py: Python<'_>,
    engine: &Engine,
    (graph, wanted): (&Arc<Graph>, &[TaskId]),
) -> PyResult<Option<Vec<Value>>> {
    if !is_in_task() || graph.tasks() > 1 || is_watched() || is_followed(py)? {
        return Ok(None);
    }
    check_cancelled(py)?;
    engine.run_within(graph, wanted).map(|result| ended(py, result)).transpose()
}

/// What came of a run.
fn ended(py: Python<'_>, result: RunResult) -> PyResult<Vec<Value>> {
    // The exception that stops this thread may have come while it ran a task of the run itself: then the run has failed of it,
    // and the other threads that are at its tasks haven't heard of it.
    if result.is_err()
        && let Err(cancelled) = check_cancelled(py)
    {
        interrupt_cancelled(py);
        return Err(cancelled);
    }
    result.map_err(|error| signal_behind(py, &error).unwrap_or_else(|| from_run_error(py, &error)))
}

/// The signal that ended a run. The engine of frames sees Ctrl-C as well, and may be the first: then its task fails as
/// cancelled a moment before the interpreter knows.
fn signal_behind(py: Python<'_>, error: &RunError) -> Option<PyErr> {
    let is_expected = matches!(error, RunError::Task { error, .. } if error.kind == ErrorKind::Cancelled);
    let until = Instant::now() + if is_expected { SIGNAL_DELAY_MAX } else { Duration::ZERO };
    loop {
        if let Err(signal) = py.check_signals() {
            return Some(signal);
        }
        if Instant::now() >= until {
            return None;
        }
        py.outside(|| std::thread::sleep(Duration::from_millis(1)));
    }
}

/// How much later than the engine of frames the interpreter may hear of a signal, on a busy machine.
const SIGNAL_DELAY_MAX: Duration = Duration::from_secs(1);
