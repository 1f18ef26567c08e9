//! What processes of a cluster share by name, for Python: locks, semaphores, events, variables, queues, topics, metadata, datasets.
//!
//! A [`ClusterCoordination`] asks in the session of a client or of this process's worker. Whoever waits does so with the interpreter
//! free and with an eye on signals; what is given to one who was interrupted meanwhile is given back ([`asking`]). Values are bytes
//! that Python has pickled, and results of the cluster that they refer to ([`references`]).

mod asking;
mod locks;
mod names;
mod references;
mod values;

pub(crate) use references::{is_shared_form, read_shared, shared_form};

use super::ClusterClient;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use raskt_cluster::coordination::{Coordination, of_worker};

/// What is shared by name, as a client or worker asks for it.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ClusterCoordination {
    coordination: Coordination,
    /// The process that has the session: a fork has none of its threads.
    process: u32,
}

impl ClusterCoordination {
    fn new(coordination: Coordination) -> Self {
        Self { coordination, process: std::process::id() }
    }

    /// An error if this process is a fork of the one that has the session.
    fn check(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(format!(
            "this process was forked from process {}, which shares things with the cluster: make a client of its own here",
            self.process
        )))
    }
}

impl Drop for ClusterCoordination {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Its threads aren't here, and its locks may be held by one of them for ever.
            std::mem::forget(self.coordination.clone());
        }
    }
}

#[pymethods]
impl ClusterClient {
    /// What is shared by name, as this client asks for it.
    fn coordination(&self) -> PyResult<ClusterCoordination> {
        self.check()?;
        Ok(ClusterCoordination::new(self.client().coordination().clone()))
    }
}

/// What is shared by name, as the worker of this process asks for it; None where there is no worker.
#[pyfunction]
fn worker_coordination() -> Option<ClusterCoordination> {
    of_worker().map(ClusterCoordination::new)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ClusterCoordination>()?;
    module.add_class::<names::ClusterSubscription>()?;
    module.add_class::<references::ClusterReferences>()?;
    module.add_class::<values::ClusterValues>()?;
    module.add_function(wrap_pyfunction!(worker_coordination, module)?)
}
