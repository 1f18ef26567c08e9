//! What looks on while tasks run: records of tasks for the profilers, and hooks that call Python functions.

mod clock;
mod hooks;
mod recorder;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<hooks::TaskHooks>()?;
    module.add_class::<recorder::TaskRecorder>()
}
