//! The settings in force, read from Python once after each change.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raskt_sync::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

/// What the settings say of how computations run.
pub(crate) struct Settings {
    pub scheduler: String,
    /// Whether the program has set `scheduler`: that holds also where there is a client of a cluster.
    pub scheduler_is_chosen: bool,
    pub num_workers: Option<usize>,
    pub library_threads_are_free: bool,
    /// The folder of flight records, if they are to be written.
    pub flights: Option<PathBuf>,
    /// Bytes that the process may take; nothing for the usual part of the machine.
    pub memory_limit: Option<u64>,
    pub disk_limit: Option<u64>,
    pub spill_path: Option<PathBuf>,
}

impl Settings {
    fn read(py: Python<'_>) -> PyResult<Self> {
        let get = py.import("raskt.config")?.getattr("get")?;
        let library_threads: String = get.call1(("library-threads", "held"))?.extract()?;
        Ok(Self {
            scheduler: get.call1(("scheduler", "threads"))?.extract()?,
            scheduler_is_chosen: state(py)?.call_method1("is_set", ("scheduler",))?.extract()?,
            num_workers: get.call1(("num_workers", py.None()))?.extract()?,
            library_threads_are_free: library_threads == "free",
            flights: get.call1(("flight-record", py.None()))?.extract()?,
            memory_limit: get.call1(("memory.limit", py.None()))?.extract()?,
            disk_limit: get.call1(("memory.disk-limit", py.None()))?.extract()?,
            spill_path: get.call1(("memory.spill-path", py.None()))?.extract()?,
        })
    }
}

/// The dictionary that the settings were read from, and what was read.
type Latest = (Py<PyAny>, Arc<Settings>);

static LATEST: Mutex<Option<Latest>> = Mutex::new(None);

/// The settings in force. They are the same as long as nobody changes any, and others afterwards.
pub(crate) fn settings(py: Python<'_>) -> PyResult<Arc<Settings>> {
    let state = state(py)?;
    let current = || state.getattr(intern!(py, "_current"));
    let in_force = current()?;
    if let Some((known, settings)) = &*LATEST.lock()
        && known.is(&in_force)
    {
        return Ok(settings.clone());
    }
    // After a change there is no dictionary until somebody asks for it.
    let before = state.call_method0(intern!(py, "current"))?;
    let settings = Arc::new(Settings::read(py)?);
    // What was changed meanwhile is read again next time.
    let latest = current()?.is(&before).then(|| (before.unbind(), settings.clone()));
    let replaced = std::mem::replace(&mut *LATEST.lock(), latest);
    drop(replaced);
    Ok(settings)
}

/// What `raskt.config` keeps the settings in: a dictionary, which is another after each change.
fn state(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static STATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let state = || Ok::<_, PyErr>(py.import("raskt.config")?.getattr("_state")?.unbind());
    Ok(STATE.get_or_try_init(py, state)?.bind(py))
}
