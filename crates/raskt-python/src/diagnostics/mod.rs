//! What looks on while tasks run: records of tasks for the profilers, and hooks that call Python functions. And which libraries compute.

mod clock;
mod hooks;
mod libraries;
mod recorder;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<hooks::TaskHooks>()?;
    module.add_class::<recorder::TaskRecorder>()?;
    module.add_function(wrap_pyfunction!(libraries::libraries, module)?)
}
