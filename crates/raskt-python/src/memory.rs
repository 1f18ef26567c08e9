//! The store of this process, within the limits that the settings state, and the table of what holds memory.

mod bound;
mod garbage;
mod suspects;

pub(crate) use bound::{Beside, bind_worker, fits_beside, have_beside};
pub(crate) use garbage::task_ended;
pub(crate) use suspects::words_of_suspects;

use crate::ending::Outside;
use crate::engines::left_running;
use crate::error::EngineBroken;
use crate::runner::running_functions;
use crate::settings::{Settings, settings};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_execute::{Limits, MemoryReport, Store, usual_memory_limit};
use raskt_store::{HolderLine, Place, ProcessLimit, give_back_freed, own_bytes, resident_bytes};
use raskt_sync::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The store and what it was set up by.
struct Current {
    /// The process that made it: a fork has another.
    process: u32,
    store: Store,
    settings: Arc<Settings>,
    limits: Limits,
    /// Bytes that this process has beside what the store knows of.
    baseline: u64,
    measured: Instant,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);

/// What the code, the allocator and the stacks of threads take beyond what was measured before the first task ran.
const SLACK_BYTES: u64 = 32 << 20;

/// The least that results and tasks get, however small the limit is: with less, nothing would run.
const LEAST_BYTES: u64 = 32 << 20;

/// With less than this no process is ended for what it takes (`_excess.py`).
const NEVER_ENDED_BYTES: u64 = 128 << 20;

/// How often the baseline is measured again, at the start of a computation that finds the store empty.
const BASELINE_AGE: Duration = Duration::from_secs(1);

/// The store of this process, with the limits in force.
pub(crate) fn store(py: Python<'_>) -> PyResult<Store> {
    let settings = settings(py)?;
    let process = std::process::id();
    if let Some(current) = &mut *CURRENT.lock()
        && current.process == process
        && Arc::ptr_eq(&current.settings, &settings)
    {
        suspects::forget_at_rest(&current.store);
        current.measure();
        return Ok(current.store.clone());
    }
    let limits = limits(&settings);
    let mut slot = CURRENT.lock();
    match &mut *slot {
        Some(current) if current.process == process => {
            (current.limits, current.settings) = (limits, settings);
            current.set_limits();
        }
        other => {
            // The parent's threads aren't here and its files are its own: its store is forgotten and not dropped.
            std::mem::forget(other.take());
            *other = Some(Current::new(process, limits, settings));
        }
    }
    let store = slot.as_ref().map(|current| current.store.clone());
    Ok(store.expect("it was just put there"))
}

impl Current {
    fn new(process: u32, limits: Limits, settings: Arc<Settings>) -> Self {
        let store = Store::new(Limits::of_memory(limits.memory));
        let baseline = resident_bytes().unwrap_or(0);
        let current = Self { process, store, settings, limits, baseline, measured: Instant::now() };
        current.set_limits();
        current.watch(0);
        current
    }

    /// Looks again at what this process has beside results, where nothing runs: the user's own objects come and go.
    fn measure(&mut self) {
        if self.measured.elapsed() < BASELINE_AGE {
            return;
        }
        let Some(held) = self.store.held_at_rest() else { return };
        self.measured = Instant::now();
        let beside = || resident_bytes().map_or(self.baseline, |bytes| bytes.saturating_sub(held));
        let mut baseline = beside();
        if baseline > self.baseline + SLACK_BYTES {
            // Some of it may be what allocators keep of memory that was freed.
            give_back_freed();
            baseline = beside();
        }
        self.baseline = baseline;
        self.set_limits();
        self.watch(held);
    }

    /// From now on, what the process has more than now is known from results and tasks, or watched.
    fn watch(&self, held: u64) {
        if let Some(own) = own_bytes() {
            self.store.watch_from(own.saturating_sub(held));
        }
    }

    fn set_limits(&self) {
        let all = self.limits.memory;
        let least = LEAST_BYTES.min(all);
        let mut memory = all.saturating_sub(self.baseline + SLACK_BYTES);
        if bound::is_bound(self.process) {
            memory = memory.min(ProcessLimit(all).for_results(self.baseline));
            let unbound = NEVER_ENDED_BYTES.saturating_sub(self.baseline);
            self.store.set_bound(ProcessLimit(all).at_most(self.baseline).max(unbound).max(least));
            bound::watch(&self.store);
            garbage::watch();
        }
        self.store.set_limits(Limits { memory: memory.max(least), ..self.limits.clone() });
    }
}

fn limits(settings: &Settings) -> Limits {
    Limits {
        memory: settings.memory_limit.unwrap_or_else(usual_memory_limit),
        disk: settings.disk_limit.unwrap_or(u64::MAX),
        spill_path: settings.spill_path.clone(),
    }
}

/// Looks at what the process has, while somebody waits for a computation.
pub(crate) fn look(py: Python<'_>) {
    let Some((store, _)) = current() else { return };
    store.look();
    suspects::look(store.unpromised(), || running_functions(py));
}

/// The store of this process, if it has one by now, and all that the process may have.
fn current() -> Option<(Store, u64)> {
    let slot = CURRENT.lock();
    let current = slot.as_ref().filter(|current| current.process == std::process::id())?;
    Some((current.store.clone(), current.limits.memory))
}

/// Removes the spill files; nothing reads them any more.
pub(crate) fn shut_down() {
    let slot = CURRENT.lock();
    if let Some(current) = slot.as_ref().filter(|current| current.process == std::process::id()) {
        current.store.remove_files();
    }
}

/// What holds memory, as a dictionary: `raskt.diagnostics.memory` makes a table of it.
#[pyfunction]
fn memory_report(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let store = store(py)?;
    let (limit, baseline) = CURRENT.lock().as_ref().map_or((0, 0), |current| (current.limits.memory, current.baseline));
    let report = py.outside(|| store.report()).map_err(|broken| EngineBroken::new_err(broken.to_string()))?;
    let MemoryReport { by_label, largest, .. } = &report;
    let found = PyDict::new(py);
    found.set_item("limit", limit)?;
    found.set_item("process", resident_bytes())?;
    found.set_item("baseline", baseline)?;
    found.set_item("available", report.limit)?;
    found.set_item("held", report.held)?;
    found.set_item("shared", report.shared)?;
    found.set_item("promised", report.promised)?;
    found.set_item("arriving", report.arriving)?;
    found.set_item("peak", report.peak)?;
    found.set_item("unpromised", report.unpromised)?;
    found.set_item("unpromised_peak", report.unpromised_peak)?;
    found.set_item("unpromised_by", suspects::suspects())?;
    let (left_running, left_threads) = left_running();
    found.set_item("left_running", left_running)?;
    found.set_item("left_threads", left_threads)?;
    found.set_item("spilled", report.spilled)?;
    found.set_item("disk_limit", (report.disk_limit < u64::MAX).then_some(report.disk_limit))?;
    found.set_item("disk_trouble", &report.disk_trouble)?;
    found.set_item("files_written", report.files_written)?;
    found.set_item("files_read", report.files_read)?;
    found.set_item("files_lost", report.files_lost)?;
    found.set_item("refused", report.refused)?;
    found.set_item("holders", by_label.iter().map(|line| holder(py, line)).collect::<PyResult<Vec<_>>>()?)?;
    found.set_item("largest", largest.iter().map(|line| holder(py, line)).collect::<PyResult<Vec<_>>>()?)?;
    Ok(found)
}

fn holder<'py>(py: Python<'py>, line: &HolderLine) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let place = line.place.map(|place| match place {
        Place::Memory => "memory",
        Place::Disk => "disk",
        Place::Dropped => "dropped",
    });
    found.set_item("name", &*line.label)?;
    found.set_item("results", line.results)?;
    found.set_item("held", line.held)?;
    found.set_item("away", line.away)?;
    found.set_item("place", place)?;
    Ok(found)
}

/// Removes what dead processes have spilled to a folder, or to where it goes unless somebody says so.
#[pyfunction]
#[pyo3(signature = (place=None))]
fn sweep_spilled(py: Python<'_>, place: Option<PathBuf>) {
    py.outside(|| raskt_store::sweep_spilled(place.as_deref()));
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(memory_report, module)?)?;
    module.add_function(wrap_pyfunction!(bound::bind_memory, module)?)?;
    module.add_function(wrap_pyfunction!(sweep_spilled, module)?)
}
