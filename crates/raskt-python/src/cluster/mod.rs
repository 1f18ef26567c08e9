//! Clusters: this process as a scheduler, a worker or a client of one.
//!
//! What processes say to each other is `raskt-cluster`'s. Here is what only Python knows: what ops do ([`face`]), exceptions as
//! they travel, handles on results ([`future`]), and waiting with an eye on signals ([`waiting`]). Threads of the network never take
//! the interpreter while something is locked that whoever holds the interpreter may wait for.

mod adopted;
mod awaiting;
mod client;
mod collected;
mod command;
mod coordination;
mod current;
mod errand;
mod face;
mod fetching;
mod future;
mod here;
mod job;
mod naming;
mod opened;
mod questions;
mod running;
mod scheduler;
mod snapshot;
mod stopping;
mod submitting;
mod waiting;
mod watching;
mod worker;

pub(crate) use client::ClusterClient;
pub(crate) use coordination::{is_shared_form, read_shared, shared_form};
pub(crate) use current::{client_of, current, current_for_users};
pub(crate) use fetching::{brought_here, fetched, holder};
pub(crate) use future::{ClusterFuture, held_node};
pub(crate) use here::{awaited, is_worker, task_begins, task_ends};
pub(crate) use naming::{is_named_form, named_form, read_named, within_none, within_own};
pub(crate) use running::{hold, run};
pub(crate) use stopping::check_stopped;

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
pub(crate) use raskt_futures::HeldResult;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<ClusterClient>()?;
    module.add("ClusterFuture", py.get_type::<ClusterFuture>())?;
    module.add_class::<errand::ClusterErrand>()?;
    module.add_class::<scheduler::ClusterScheduler>()?;
    module.add_class::<watching::ClusterArrivals>()?;
    module.add_class::<worker::ClusterWorker>()?;
    module.add_function(wrap_pyfunction!(command::cluster_command, module)?)?;
    module.add_function(wrap_pyfunction!(watching::cluster_gather, module)?)?;
    module.add_function(wrap_pyfunction!(opened::cluster_token, module)?)?;
    module.add_function(wrap_pyfunction!(opened::cluster_usual_token_file, module)?)?;
    module.add_function(wrap_pyfunction!(current::cluster_is_used, module)?)?;
    module.add_function(wrap_pyfunction!(future::cluster_named_future, module)?)?;
    module.add_class::<here::ClusterLoan>()?;
    module.add_class::<stopping::ClusterStop>()?;
    module.add_function(wrap_pyfunction!(here::cluster_task, module)?)?;
    module.add_function(wrap_pyfunction!(here::cluster_task_name, module)?)?;
    module.add_function(wrap_pyfunction!(here::cluster_workers, module)?)?;
    module.add_function(wrap_pyfunction!(here::cluster_secede, module)?)?;
    module.add_function(wrap_pyfunction!(here::cluster_rejoin, module)?)?;
    module.add_function(wrap_pyfunction!(here::cluster_check_cancelled, module)?)?;
    module.add_function(wrap_pyfunction!(watching::cluster_wait, module)?)?;
    module.add_function(wrap_pyfunction!(collected::cluster_futures_of, module)?)?;
    module.add_function(wrap_pyfunction!(future::cluster_retry, module)?)?;
    coordination::register(module)?;
    module.add("KilledWorker", py.get_type::<running::KilledWorker>())
}

/// Has a sentence logged under the name of the module, as something of this level.
fn logged(py: Python<'_>, level: &str, sentence: &str) -> PyResult<()> {
    let logger = py.import("logging")?.call_method1("getLogger", ("raskt.distributed",))?;
    logger.call_method1(level, ("%s", sentence)).map(drop)
}

/// Calls what a user has made, where nobody hears of what it raises: that is logged.
fn called_back<'py>(function: &Bound<'py, PyAny>, args: impl pyo3::call::PyCallArgs<'py>) {
    let py = function.py();
    let Err(error) = function.call1(args) else { return };
    let tell = |error: &PyErr| {
        let logger = py.import("logging")?.call_method1("getLogger", ("raskt.distributed",))?;
        let kwargs = [("exc_info", error.value(py))].into_py_dict(py)?;
        logger.call_method("error", ("a callback failed: %r", function), Some(&kwargs))
    };
    if tell(&error).is_err() {
        error.write_unraisable(py, Some(function));
    }
}
