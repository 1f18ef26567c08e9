//! The pool that the settings ask for.

use super::Pool;
use crate::engines;
use crate::settings::{Settings, settings};
use pyo3::prelude::*;
use raskt_store::processors;
use raskt_sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The pool for what the caller says, and where he says nothing what the settings say.
pub(crate) fn pool_for(py: Python<'_>, scheduler: Option<String>, num_workers: Option<usize>) -> PyResult<Arc<Pool>> {
    let settings = settings(py)?;
    let scheduler = scheduler.unwrap_or_else(|| settings.scheduler.clone());
    let num_workers = num_workers.or(settings.num_workers);
    let engine = engines::engine(py, &scheduler, num_workers)?;
    let width = match scheduler.as_str() {
        "sync" | "synchronous" | "single-threaded" => 0,
        _ => num_workers.unwrap_or_else(processors),
    };
    Ok(Pool::new(engine, width))
}

/// The pool that futures are submitted to which name none: one for each setting, kept for good.
pub(crate) fn default_pool(py: Python<'_>) -> PyResult<Arc<Pool>> {
    let settings = settings(py)?;
    let process = std::process::id();
    if let Some(latest) = &*LATEST.lock()
        && Arc::ptr_eq(&latest.settings, &settings)
        && latest.pool.process == process
    {
        return Ok(latest.pool.clone());
    }
    let asked = (process, settings.scheduler.clone(), settings.num_workers);
    let known = POOLS.lock().get(&asked).cloned();
    let pool = known.map_or_else(|| pool_for(py, None, None), Ok)?;
    let replaced = POOLS.lock().insert(asked, pool.clone());
    let before = LATEST.lock().replace(Latest { settings, pool: pool.clone() });
    drop((replaced, before));
    Ok(pool)
}

/// The pool of the settings that were in force when it was last asked for: a submission looks no further while they are.
struct Latest {
    settings: Arc<Settings>,
    pool: Arc<Pool>,
}

static LATEST: Mutex<Option<Latest>> = Mutex::new(None);

/// A process, and the scheduler and the number of threads that its settings ask for.
type Asked = (u32, String, Option<usize>);

static POOLS: Mutex<BTreeMap<Asked, Arc<Pool>>> = Mutex::new(BTreeMap::new());
