//! Waiting for a run, with an eye on signals.

use crate::error::from_run_error;
use crate::runner::interrupt_cancelled;
use pyo3::prelude::*;
use raskt_execute::RunHandle;
use raskt_value::Value;
use std::time::Duration;

/// How long a signal waits at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// Waits with the interpreter free. A signal cancels the run, and interrupts what its tasks are in.
pub(super) fn wait(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    loop {
        if let Some(result) = py.detach(|| handle.wait_timeout(HEARTBEAT)) {
            return result.map_err(|error| from_run_error(py, &error));
        }
        if let Err(signal) = py.check_signals() {
            handle.cancel();
            interrupt_cancelled(py);
            return Err(signal);
        }
    }
}
