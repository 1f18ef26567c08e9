//! Waiting for a run with the interpreter free, and with an eye on signals and on those who watch.

use crate::error::from_run_error;
use crate::ran::load;
use crate::runner::interrupt_cancelled;
use crate::watched::Watched;
use pyo3::prelude::*;
use raskt_execute::RunHandle;
use raskt_value::Value;

/// Waits for the results, and has them in memory.
pub(crate) fn wait(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    load(py, handle, wait_kept(py, handle)?)
}

/// Waits for the results, of which some may only stand for what the store keeps. A signal cancels the run and interrupts what its tasks are in; so does the end of the run whose
/// task waits here, and a callback that raises.
pub(crate) fn wait_kept(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    let progress = || handle.progress().map(|progress| (progress.done, progress.total));
    let mut watched = Watched::new(&progress);
    let result = loop {
        let patience = watched.patience();
        if let Some(result) = py.detach(|| handle.wait_timeout_kept(patience)) {
            break result.map_err(|error| from_run_error(py, &error));
        }
        if let Err(error) = watched.look_up(py) {
            handle.cancel();
            interrupt_cancelled(py);
            break Err(error);
        }
    };
    watched.finish(py, &result)?;
    result
}
