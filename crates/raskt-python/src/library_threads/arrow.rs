//! Arrow's pool, which is reached by Python's `pyarrow` where that was imported.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_sync::Mutex;

/// What Arrow had before it was held.
static BEFORE: Mutex<Option<usize>> = Mutex::new(None);

/// Holds Arrow to `limit` threads, or gives back what it had.
pub(super) fn hold(py: Python<'_>, limit: Option<usize>) {
    // Arrow goes on as it is if it can't be told.
    let _ = try_hold(py, limit);
}

fn try_hold(py: Python<'_>, limit: Option<usize>) -> PyResult<()> {
    let modules: Bound<'_, PyDict> = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?.cast_into()?;
    let Some(arrow) = modules.get_item(intern!(py, "pyarrow"))? else { return Ok(()) };
    let before = *BEFORE.lock();
    let threads = match (limit, before) {
        (None, None) => return Ok(()),
        (None, Some(before)) => {
            *BEFORE.lock() = None;
            before
        }
        (Some(limit), Some(before)) => limit.min(before),
        (Some(limit), None) => {
            let before: usize = arrow.call_method0(intern!(py, "cpu_count"))?.extract()?;
            *BEFORE.lock() = Some(before);
            limit.min(before)
        }
    };
    arrow.call_method1(intern!(py, "set_cpu_count"), (threads,)).map(drop)
}
