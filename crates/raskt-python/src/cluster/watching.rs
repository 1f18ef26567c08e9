//! Waiting for many futures of a cluster at once.

use super::client::check_process;
use super::future::ClusterFuture;
use super::running::from_cluster_error;
use super::waiting::{timeout_of, wait_until, waited_for, while_interruptible};
use crate::delayed::python_object;
use crate::ending::Outside;
use crate::error::from_task_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_cluster::{ClusterError, Until};
use raskt_futures::{Arrivals, HeldResult, Standing, by_client, fetching, watch};
use raskt_sync::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Futures as they are done.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterArrivals {
    arrivals: Arrivals,
    waiting: Mutex<Waiting>,
    /// The process that made it: in a fork nothing comes.
    process: u32,
}

/// Those that haven't been given, by their numbers.
#[derive(Default)]
struct Waiting {
    next: u64,
    futures: HashMap<u64, Py<ClusterFuture>>,
    /// How many have come that nobody says to have been given to whoever waits for them.
    taken: usize,
}

#[pymethods]
impl ClusterArrivals {
    #[new]
    fn new() -> Self {
        Self { arrivals: Arrivals::new(), waiting: Mutex::default(), process: std::process::id() }
    }

    /// Adds futures, each of which comes once.
    fn add(&self, py: Python<'_>, futures: Vec<Bound<'_, ClusterFuture>>) -> PyResult<()> {
        check_process(self.process)?;
        futures.iter().try_for_each(check_process_of)?;
        let mut numbered = Vec::with_capacity(futures.len());
        {
            let mut waiting = self.waiting.lock();
            for future in futures {
                let number = waiting.next;
                waiting.next += 1;
                numbered.push((number, future.get().held()));
                waiting.futures.insert(number, future.unbind());
            }
        }
        py.outside(|| {
            for (number, held) in numbered {
                match held {
                    Some(held) => self.arrivals.add(number, &held),
                    // It was released: there is nothing to wait for.
                    None => self.arrivals.push(number),
                }
            }
        });
        Ok(())
    }

    /// The next futures that are done; none within `timeout` seconds if the list is empty, or if all have come.
    #[pyo3(signature = (timeout=None))]
    fn next(&self, py: Python<'_>, timeout: Option<Bound<'_, PyAny>>) -> PyResult<Vec<Py<ClusterFuture>>> {
        check_process(self.process)?;
        let timeout = timeout_of(timeout.as_ref())?;
        let came = waited_for(py, timeout, |deadline| {
            let came = self.arrivals.take(deadline);
            if came.is_empty() && self.__len__() > 0 { None } else { Some(came) }
        })?;
        let mut waiting = self.waiting.lock();
        let came: Vec<_> = came.into_iter().flatten().filter_map(|number| waiting.futures.remove(&number)).collect();
        waiting.taken += came.len();
        Ok(came)
    }

    /// So many of those that have come were given to whoever waits for them, or are forgotten.
    fn given(&self, count: usize) {
        let mut waiting = self.waiting.lock();
        waiting.taken = waiting.taken.saturating_sub(count);
    }

    /// How many have come of which nobody has said that yet.
    fn taken(&self) -> usize {
        self.waiting.lock().taken
    }

    /// Forgets those that haven't come.
    fn clear(&self) {
        let gone = std::mem::take(&mut self.waiting.lock().futures);
        drop(gone);
    }

    /// How many haven't come.
    fn __len__(&self) -> usize {
        self.waiting.lock().futures.len()
    }
}

/// Waits for futures, `timeout` seconds at most; says whether enough of them are done.
#[pyfunction]
#[pyo3(signature = (futures, timeout=None, return_when="ALL_COMPLETED"))]
pub(super) fn cluster_wait(
    py: Python<'_>,
    futures: Vec<Bound<'_, ClusterFuture>>,
    timeout: Option<Bound<'_, PyAny>>,
    return_when: &str,
) -> PyResult<bool> {
    let until = match return_when {
        "ALL_COMPLETED" => Until::All,
        "FIRST_COMPLETED" => Until::First,
        "FIRST_EXCEPTION" => Until::FirstFailure,
        _ => {
            return Err(PyValueError::new_err(format!(
                "return_when is '{return_when}'; known are 'ALL_COMPLETED', 'FIRST_COMPLETED' and 'FIRST_EXCEPTION'"
            )));
        }
    };
    let timeout = timeout_of(timeout.as_ref())?;
    futures.iter().try_for_each(check_process_of)?;
    let held: Vec<_> = futures.iter().filter_map(|future| future.get().held()).collect();
    let groups = by_client(&held);
    if groups.len() > 1 && until != Until::All {
        return Err(PyValueError::new_err(format!(
            "return_when is '{return_when}' for futures of {} clients; those of one client at a time can be waited for",
            groups.len()
        )));
    }
    for group in &groups {
        let watch = py.outside(|| watch(group));
        if !wait_until(py, &watch, until, timeout, || group[0].stalled())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The results of futures, in their order; raises what the first that failed has raised. `left_out` stands for those that can't be sent,
/// or read here, unless it is None: then that is raised.
#[pyfunction]
#[pyo3(signature = (futures, left_out=None))]
pub(super) fn cluster_gather(
    py: Python<'_>,
    futures: Vec<Bound<'_, ClusterFuture>>,
    left_out: Option<Py<PyAny>>,
) -> PyResult<Vec<Py<PyAny>>> {
    futures.iter().try_for_each(check_process_of)?;
    let mut held = Vec::with_capacity(futures.len());
    for future in &futures {
        match future.get().held() {
            Some(result) => held.push(result),
            // Says that it was cancelled.
            None => return future.call_method0("result").map(|result| vec![result.unbind()]),
        }
    }
    let mut results: HashMap<*const HeldResult, Py<PyAny>> = HashMap::new();
    for group in by_client(&held) {
        let watch = py.outside(|| watch(&group));
        wait_until(py, &watch, Until::FirstFailure, None, || group[0].stalled())?;
        if watch.failed() > 0
            && let Some(at) =
                held.iter().position(|held| !matches!(held.standing(), Standing::Pending | Standing::Available))
        {
            return futures[at].call_method0("result").map(|result| vec![result.unbind()]);
        }
        let mut fetching = fetching(&group);
        let stalled = fetching.stalled();
        let leaves_out = left_out.is_some();
        let come = move |deadline| match leaves_out {
            true => fetching.wait_each(deadline),
            false => fetching.wait(deadline).map(|values| values.into_iter().map(Ok).collect()),
        };
        let values = match while_interruptible(py, come, stalled)? {
            Ok(values) => values,
            Err(ClusterError::Unread { at, error }) => {
                let asked = held.iter().position(|result| Arc::ptr_eq(result, &group[at]));
                let key = asked.map(|at| futures[at].get().key()).unwrap_or_default();
                return Err(from_cluster_error(py, &ClusterError::Task { key, error }));
            }
            // Which of them it is each says by itself; or all come now, since what failed was made again.
            Err(ClusterError::Task { .. }) => {
                return futures.iter().map(|future| future.call_method0("result").map(Bound::unbind)).collect();
            }
            Err(error) => return Err(from_cluster_error(py, &error)),
        };
        for (result, value) in group.iter().zip(values) {
            let object = match (value, &left_out) {
                (Err(_), Some(left_out)) => left_out.clone_ref(py),
                (value, _) => python_object(py, &value.map_err(|error| from_task_error(py, &error))?)?.unbind(),
            };
            results.insert(Arc::as_ptr(result), object);
        }
    }
    Ok(held.iter().map(|held| results[&Arc::as_ptr(held)].clone_ref(py)).collect())
}

/// An error if the client that holds it was left behind by a fork: nothing of it ever comes here.
fn check_process_of(future: &Bound<'_, ClusterFuture>) -> PyResult<()> {
    future.get().held().map_or(Ok(()), |held| check_process(held.process()))
}
