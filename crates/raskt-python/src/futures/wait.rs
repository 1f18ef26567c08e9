//! Waiting for futures with the interpreter free, and with an eye on signals.

use super::Task;
use super::pool::Pool;
use crate::ending::Outside;
use crate::runner::is_in_task;
use crate::watched::Watched;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
pub(crate) use raskt_cluster::Until;
use raskt_futures::local::{Arrived, Watch, is_met};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Waits, with the interpreter free, until `is_enough` or until `deadline`; says whether it was enough.
pub(super) fn wait_watching<'py>(
    py: Python<'py>,
    watch: &Watch,
    deadline: Option<Instant>,
    watched: &mut Watched<'_, 'py>,
    is_enough: impl Fn(&Arrived) -> bool + Sync,
) -> PyResult<bool> {
    loop {
        let patience = watched.patience();
        if let Some(enough) = py.outside(|| watch.look(deadline, patience, &is_enough)) {
            return Ok(enough);
        }
        watched.look_up(py)?;
    }
}

/// Waits for `tasks`; says whether enough of them are done before `timeout` seconds have passed.
pub(crate) fn wait_for(py: Python<'_>, tasks: &[Arc<Task>], until: Until, timeout: Option<f64>) -> PyResult<bool> {
    let deadline = deadline(timeout)?;
    if until == Until::All && deadline.is_none() {
        Pool::run_ahead(py, tasks)?;
    }
    let total = tasks.len();
    let is_enough = |arrived: &Arrived| is_met(until, arrived, total);
    let watch = Watch::until(until, total);
    for task in tasks {
        task.watch(&watch);
    }
    if is_enough(&watch.arrived.lock()) {
        return Ok(true);
    }
    let progress = || Some((watch.arrived.lock().tasks.len() as u64, total as u64));
    // What a call waits for is a part of the work that is watched already.
    let mut watched = if is_in_task() { Watched::by_nobody() } else { Watched::new(&progress) };
    let waited = wait_lending(py, tasks, || wait_watching(py, &watch, deadline, &mut watched, is_enough));
    // What isn't done yet must not keep the watch.
    tasks.iter().for_each(|task| task.unwatch(&watch));
    watched.finish(py, &waited)?;
    waited
}

/// Waits by `wait` for some of `tasks`, and gives this thread's slot to others meanwhile, if it has one.
pub(crate) fn wait_lending(
    py: Python<'_>,
    tasks: &[Arc<Task>],
    wait: impl FnOnce() -> PyResult<bool>,
) -> PyResult<bool> {
    let Some(waiting_for) = tasks.iter().find(|task| !task.is_done()) else { return wait() };
    let process = std::process::id();
    if waiting_for.pool.process != process {
        return Err(PyRuntimeError::new_err(format!(
            "future `{}` was submitted by process {} and this is a fork of it (process {process}), which has none of its \
             threads; submit it again here",
            waiting_for.key(py),
            waiting_for.pool.process,
        )));
    }
    let _loan = Pool::lend(&waiting_for.pool);
    wait()
}

/// The time `timeout` seconds from now; nothing for no limit.
pub(crate) fn deadline(timeout: Option<f64>) -> PyResult<Option<Instant>> {
    let Some(seconds) = timeout else { return Ok(None) };
    if seconds.is_nan() {
        return Err(PyValueError::new_err("timeout is NaN; it is a number of seconds, or None to wait without limit"));
    }
    let patience = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    Ok(patience.and_then(|patience| Instant::now().checked_add(patience)))
}
