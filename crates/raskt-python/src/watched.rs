use crate::cluster::check_stopped;
use crate::memory;
use crate::runner::check_cancelled;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::time::{Duration, Instant};

/// Something that a thread waits for, and the callbacks that watch it: `raskt.diagnostics._active` holds objects with
/// `start(total)`, `update(done, total, elapsed)` and `finish(error)`.
pub(crate) struct Watched<'a, 'py> {
    /// How much of how much is done; nothing if it can't be known any more.
    progress: &'a dyn Fn() -> Option<(u64, u64)>,
    start: Instant,
    /// Nothing before they were told of the start.
    callbacks: Option<Vec<Bound<'py, PyAny>>>,
}

/// How long signals and progress wait at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// What is over sooner than this starts and finishes its progress in one go.
const FIRST: Duration = Duration::from_millis(20);

impl<'a, 'py> Watched<'a, 'py> {
    pub fn new(progress: &'a dyn Fn() -> Option<(u64, u64)>) -> Self {
        Self { progress, start: Instant::now(), callbacks: None }
    }

    /// Something that no callback is told of.
    pub fn by_nobody() -> Self {
        Self { progress: &|| None, start: Instant::now(), callbacks: Some(vec![]) }
    }

    /// How long to wait before the next look.
    pub fn patience(&self) -> Duration {
        if self.callbacks.is_none() { FIRST } else { HEARTBEAT }
    }

    /// Looks after signals, and tells the callbacks of the progress. An error is a reason to wait no longer.
    pub fn look_up(&mut self, py: Python<'py>) -> PyResult<()> {
        py.check_signals()?;
        check_cancelled(py)?;
        check_stopped(py)?;
        memory::look(py);
        self.update(py)
    }

    /// Tells the callbacks of the end.
    pub fn finish<T>(mut self, py: Python<'py>, result: &PyResult<T>) -> PyResult<()> {
        let error = result.as_ref().err().map(|error| error.value(py).clone());
        let callbacks = self.started(py)?;
        let finish = |callback: &Bound<'py, PyAny>| callback.call_method1("finish", (error.clone(),)).map(drop);
        for told in std::iter::once(self.update(py)).chain(callbacks.iter().map(finish)) {
            // The result is there; a callback that fails must not take it away.
            told.unwrap_or_else(|error| error.write_unraisable(py, None));
        }
        Ok(())
    }

    fn update(&mut self, py: Python<'py>) -> PyResult<()> {
        let callbacks = self.started(py)?;
        if callbacks.is_empty() {
            return Ok(());
        }
        let Some((done, total)) = (self.progress)() else { return Ok(()) };
        let arguments = (done, total, self.start.elapsed().as_secs_f64());
        callbacks.iter().try_for_each(|callback| callback.call_method1("update", arguments).map(drop))
    }

    /// Those that watch; they are told of the start if they weren't.
    fn started(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if let Some(callbacks) = &self.callbacks {
            return Ok(callbacks.clone());
        }
        let callbacks = active(py)?;
        self.callbacks = Some(callbacks.clone());
        let total = (self.progress)().map_or(0, |(_, total)| total);
        callbacks.iter().try_for_each(|callback| callback.call_method1("start", (total,)).map(drop))?;
        Ok(callbacks)
    }
}

/// Whether any callback is told of progress.
pub(crate) fn is_followed(py: Python<'_>) -> PyResult<bool> {
    Ok(!active(py)?.is_empty())
}

/// The callbacks that are active. Nobody watches unless somebody imported the module.
fn active(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(module) = modules.get_item("raskt.diagnostics")? else { return Ok(vec![]) };
    let Some(active) = module.getattr_opt("_active")? else { return Ok(vec![]) };
    Ok(active.cast::<PyList>()?.iter().collect())
}
