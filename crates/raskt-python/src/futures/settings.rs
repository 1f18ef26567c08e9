//! The pool that the settings ask for.

use super::Pool;
use crate::engines;
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raskt_execute::EngineOptions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The pool for what the caller says, and where he says nothing what the settings say.
pub(crate) fn pool_for(py: Python<'_>, scheduler: Option<String>, num_workers: Option<usize>) -> PyResult<Arc<Pool>> {
    let get = py.import("raskt.config")?.getattr("get")?;
    let scheduler = scheduler.map_or_else(|| get.call1(("scheduler", "threads"))?.extract(), Ok)?;
    let num_workers = num_workers.map_or_else(|| get.call1(("num_workers", py.None()))?.extract(), |n| Ok(Some(n)))?;
    let engine = engines::engine(py, &scheduler, num_workers)?;
    let width = match scheduler.as_str() {
        "sync" | "synchronous" | "single-threaded" => 0,
        _ => num_workers.unwrap_or_else(|| EngineOptions::default().threads),
    };
    Ok(Pool::new(engine, width))
}

/// The pool that futures are submitted to which name none: one for each setting, kept for good.
pub(crate) fn default_pool(py: Python<'_>) -> PyResult<Arc<Pool>> {
    let settings = settings_in_force(py)?;
    let process = std::process::id();
    if let Some(settings) = &settings
        && let Some(latest) = &*LATEST.lock()
        && latest.settings.is(settings)
        && latest.pool.process == process
    {
        return Ok(latest.pool.clone());
    }
    let get = py.import("raskt.config")?.getattr("get")?;
    let mut asked = vec![];
    for name in ["scheduler", "num_workers"] {
        asked.push(get.call1((name, py.None()))?.str()?.to_string());
    }
    let known = POOLS.lock().get(&(process, asked.clone())).cloned();
    let pool = known.map_or_else(|| pool_for(py, None, None), Ok)?;
    let replaced = POOLS.lock().insert((process, asked), pool.clone());
    // Reading the settings has brought them into force, if they weren't.
    let latest = settings_in_force(py)?.map(|settings| Latest { settings: settings.unbind(), pool: pool.clone() });
    let before = std::mem::replace(&mut *LATEST.lock(), latest);
    drop((replaced, before));
    Ok(pool)
}

/// The pool of the settings that were in force when it was last asked for: a submission looks no further while they are.
struct Latest {
    settings: Py<PyAny>,
    pool: Arc<Pool>,
}

static LATEST: Mutex<Option<Latest>> = Mutex::new(None);

/// A process and what its settings ask for.
type Asked = (u32, Vec<String>);

static POOLS: Mutex<BTreeMap<Asked, Arc<Pool>>> = Mutex::new(BTreeMap::new());

/// The dictionary of the settings in force, which is another after each change; nothing if it is yet to be made.
pub(crate) fn settings_in_force(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    static STATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let state = STATE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("raskt.config")?.getattr("_state")?.unbind()))?;
    let current = state.bind(py).getattr(pyo3::intern!(py, "_current"))?;
    Ok((!current.is_none()).then_some(current))
}
