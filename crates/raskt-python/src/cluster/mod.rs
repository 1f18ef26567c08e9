//! Clusters: this process as a scheduler, a worker or a client of one.
//!
//! What processes say to each other is `raskt-cluster`'s. Here is what only Python knows: what ops do ([`face`]), exceptions as
//! they travel, handles on results ([`future`]), and waiting with an eye on signals ([`waiting`]). Threads of the network never take
//! the interpreter while something is locked that whoever holds the interpreter may wait for.

mod client;
mod command;
mod current;
mod errand;
mod face;
mod fetching;
mod future;
mod held;
mod job;
mod opened;
mod questions;
mod running;
mod scheduler;
mod snapshot;
mod submitting;
mod waiting;
mod watching;
mod worker;

pub(crate) use client::ClusterClient;
pub(crate) use current::{client_of, current, current_for_users};
pub(crate) use fetching::{brought_here, fetched};
pub(crate) use future::{ClusterFuture, held_node};
pub(crate) use held::HeldResult;
pub(crate) use running::{hold, run};

use pyo3::prelude::*;

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
    module.add_function(wrap_pyfunction!(current::cluster_is_used, module)?)?;
    module.add_function(wrap_pyfunction!(watching::cluster_wait, module)?)?;
    module.add("KilledWorker", py.get_type::<running::KilledWorker>())
}
