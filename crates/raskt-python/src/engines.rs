//! The engines of this process: one for each way of running that was asked for.

use crate::runner::PythonRunner;
use parking_lot::Mutex;
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::prelude::*;
use raskt_execute::{Engine, EngineOptions, Runners};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

struct Engines {
    /// The process that made them.
    process: u32,
    /// By number of threads and limit of memory.
    by_size: BTreeMap<(usize, u64), Engine>,
}

static ENGINES: Mutex<Engines> = Mutex::new(Engines { process: 0, by_size: BTreeMap::new() });

/// The engine for `scheduler` ("threads" or "sync") with `num_workers` threads.
pub(crate) fn engine(scheduler: &str, num_workers: Option<usize>, memory_limit: Option<u64>) -> PyResult<Engine> {
    let defaults = EngineOptions::default();
    let threads = match (scheduler, num_workers) {
        ("sync" | "synchronous" | "single-threaded", _) => 0,
        ("threads" | "threading", Some(0)) => {
            return Err(PyValueError::new_err("num_workers is 0; at least one thread has to run the tasks"));
        }
        ("threads" | "threading", Some(threads)) => threads,
        ("threads" | "threading", None) => defaults.threads,
        ("processes" | "multiprocessing", _) => {
            return Err(PyNotImplementedError::new_err(
                "scheduler=\"processes\" is not there yet; \"threads\" runs native work in parallel without the interpreter's lock",
            ));
        }
        _ => {
            return Err(PyValueError::new_err(format!(
                "unknown scheduler '{scheduler}'; 'threads' and 'sync' are known"
            )));
        }
    };
    let memory_limit = memory_limit.unwrap_or(defaults.memory_limit);
    let mut engines = ENGINES.lock();
    let process = std::process::id();
    if engines.process != process {
        // A child of a fork has none of its parent's threads. The parent's engines are forgotten and not dropped: their
        // locks may be held by threads that don't exist here.
        let of_parent = std::mem::take(&mut engines.by_size);
        std::mem::forget(of_parent);
        engines.process = process;
    }
    let make =
        || Engine::new(EngineOptions { threads, memory_limit }, Runners::default().with_python(Arc::new(PythonRunner)));
    Ok(engines.by_size.entry((threads, memory_limit)).or_insert_with(make).clone())
}

/// Ends all computations and threads; called when the interpreter goes.
#[pyfunction]
fn shut_down(py: Python<'_>) {
    let engines = std::mem::take(&mut ENGINES.lock().by_size);
    py.detach(|| {
        for engine in engines.values() {
            engine.shut_down(Duration::from_secs(1));
        }
    });
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(shut_down, module)?)
}
