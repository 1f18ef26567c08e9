use super::Task;
use super::pool::Pool;
use crate::runner::is_in_task;
use crate::watched::Watched;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raskt_sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where tasks tell that they are done.
pub(crate) struct Watch {
    pub arrived: Mutex<Arrived>,
    changed: Condvar,
    /// Whoever waits is woken when so many have arrived, and not by each of thousands.
    wakes_at: usize,
    wakes_on_failure: bool,
}

/// The tasks that are done, in the order in which they ended, until they are taken out.
#[derive(Default)]
pub(crate) struct Arrived {
    pub tasks: VecDeque<u64>,
    /// How many have failed or were cancelled.
    pub failed: usize,
}

/// When a wait for several tasks is over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    All,
    First,
    /// One has failed, or all are done.
    FirstFailure,
}

impl Watch {
    pub fn new(wakes_at: usize, wakes_on_failure: bool) -> Arc<Self> {
        let (arrived, changed) = (Mutex::default(), Condvar::new());
        Arc::new(Self { arrived, changed, wakes_at, wakes_on_failure })
    }

    pub fn arrive(&self, task: u64, failed: bool) {
        let mut arrived = self.arrived.lock();
        arrived.tasks.push_back(task);
        arrived.failed += usize::from(failed);
        if arrived.tasks.len() >= self.wakes_at || (failed && self.wakes_on_failure) {
            self.changed.notify_all();
        }
    }

    /// Waits, with the interpreter free, until `is_enough` or until `deadline`; says whether it was enough.
    pub fn wait<'py>(
        &self,
        py: Python<'py>,
        deadline: Option<Instant>,
        watched: &mut Watched<'_, 'py>,
        is_enough: impl Fn(&Arrived) -> bool + Sync,
    ) -> PyResult<bool> {
        loop {
            let patience = watched.patience();
            let is_over = py.detach(|| {
                let mut arrived = self.arrived.lock();
                if is_enough(&arrived) {
                    return Some(true);
                }
                let now = Instant::now();
                if deadline.is_some_and(|deadline| deadline <= now) {
                    return Some(false);
                }
                let heartbeat = now + patience;
                let until = deadline.map_or(heartbeat, |deadline| deadline.min(heartbeat));
                (arrived, _) = self.changed.wait_until(arrived, until);
                is_enough(&arrived).then_some(true)
            });
            if let Some(enough) = is_over {
                return Ok(enough);
            }
            watched.look_up(py)?;
        }
    }
}

/// Waits for `tasks`; says whether enough of them are done before `timeout` seconds have passed.
pub(crate) fn wait_for(py: Python<'_>, tasks: &[Arc<Task>], until: Until, timeout: Option<f64>) -> PyResult<bool> {
    let deadline = deadline(timeout)?;
    if until == Until::All && deadline.is_none() {
        Pool::run_ahead(py, tasks)?;
    }
    let total = tasks.len();
    let is_enough = |arrived: &Arrived| match until {
        Until::All => arrived.tasks.len() >= total,
        Until::First => !arrived.tasks.is_empty() || total == 0,
        Until::FirstFailure => arrived.failed > 0 || arrived.tasks.len() >= total,
    };
    let wakes_at = if until == Until::First { 1 } else { total };
    let watch = Watch::new(wakes_at, until == Until::FirstFailure);
    for task in tasks {
        task.watch(&watch);
    }
    if is_enough(&watch.arrived.lock()) {
        return Ok(true);
    }
    let progress = || Some((watch.arrived.lock().tasks.len() as u64, total as u64));
    // What a call waits for is a part of the work that is watched already.
    let mut watched = if is_in_task() { Watched::by_nobody() } else { Watched::new(&progress) };
    let waited = wait_lending(py, tasks, || watch.wait(py, deadline, &mut watched, is_enough));
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
