use super::Future;
use super::class::timeout_error;
use super::wait::{deadline, wait_lending, wait_watching};
use crate::watched::Watched;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_futures::local::{Arrived, Watch};
use raskt_sync::Mutex;
use std::sync::Arc;

/// Futures in the order in which they are done; what `raskt.futures.as_completed` takes them from.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct Arrivals {
    watch: Arc<Watch>,
    /// The futures that were added and not taken, by task: the same future may be added more than once.
    futures: Mutex<HashMap<u64, Vec<Py<Future>>>>,
}

#[pymethods]
impl Arrivals {
    #[new]
    fn new() -> Self {
        Self { watch: Watch::new(1, false), futures: Mutex::default() }
    }

    /// Adds a future; it comes out once for each time that it was added.
    fn add(&self, future: Bound<'_, Future>) {
        let task = future.get().task();
        let is_new = {
            let mut futures = self.futures.lock();
            let same = futures.entry(task.id).or_default();
            same.push(future.unbind());
            same.len() == 1
        };
        if is_new {
            task.watch(&self.watch);
        }
    }

    /// The next future that is done, or None if none is left; raises if there is none after `left` seconds, which is what is left
    /// of `timeout` seconds.
    #[pyo3(signature = (left=None, timeout=None))]
    fn next(&self, py: Python<'_>, left: Option<f64>, timeout: Option<f64>) -> PyResult<Option<Py<Future>>> {
        if self.futures.lock().is_empty() {
            return Ok(None);
        }
        if self.watch.arrived.lock().tasks.is_empty() && !self.wait(py, left)? {
            let (what, count) = match self.count() {
                1 => ("future isn't", 1),
                count => ("futures aren't", count),
            };
            let message = format!("{count} {what} done after {} s", timeout.or(left).unwrap_or_default());
            return Err(timeout_error(py, message)?);
        }
        Ok(self.take())
    }

    /// The next future if one is done already.
    fn next_ready(&self) -> Option<Py<Future>> {
        self.take()
    }

    /// Whether a future is done and hasn't come out.
    fn has_ready(&self) -> bool {
        !self.watch.arrived.lock().tasks.is_empty()
    }

    /// How many futures haven't come out.
    fn count(&self) -> usize {
        self.futures.lock().values().map(Vec::len).sum()
    }

    /// Forgets all futures.
    fn clear(&self) {
        self.watch.arrived.lock().tasks.clear();
        let futures = std::mem::take(&mut *self.futures.lock());
        for future in futures.values().flatten() {
            future.get().task().unwatch(&self.watch);
        }
    }
}

impl Arrivals {
    fn take(&self) -> Option<Py<Future>> {
        let mut arrived = self.watch.arrived.lock();
        let task = *arrived.tasks.front()?;
        let mut futures = self.futures.lock();
        let same = futures.get_mut(&task)?;
        let future = same.pop();
        if same.is_empty() {
            futures.remove(&task);
            arrived.tasks.pop_front();
        }
        future
    }

    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let deadline = deadline(timeout)?;
        let one = self.futures.lock().values().flatten().next().map(|future| future.get().task());
        let tasks: Vec<_> = one.into_iter().collect();
        let mut watched = Watched::by_nobody();
        let is_enough = |arrived: &Arrived| !arrived.tasks.is_empty();
        wait_lending(py, &tasks, || wait_watching(py, &self.watch, deadline, &mut watched, is_enough))
    }
}

impl Drop for Arrivals {
    fn drop(&mut self) {
        self.clear();
    }
}
