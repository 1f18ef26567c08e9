//! A worker in this process.

use super::face::PythonFace;
use super::opened::{Credentials, address, open, refused};
use super::waiting::duration;
use crate::ending::Outside;
use crate::memory;
use crate::processes::Signs;
use crate::runner::PythonRunner;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_cluster::hello::Role;
use raskt_cluster::{WorkerOptions, WorkerServer};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_schedule::Offer;
use std::os::fd::RawFd;
use std::sync::Arc;

/// A worker of a cluster. It runs tasks on threads of its own.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterWorker(WorkerServer);

#[pymethods]
impl ClusterWorker {
    /// A worker without a limit of its own has the store of the process, and the limits that the settings state.
    #[new]
    #[pyo3(signature = (scheduler, listen, credentials, *, name, threads, memory_limit=None))]
    fn new(
        py: Python<'_>,
        scheduler: &str,
        listen: &str,
        credentials: Credentials,
        name: &str,
        threads: usize,
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        if threads == 0 {
            return Err(PyValueError::new_err("a worker has 0 threads; at least one has to run its tasks"));
        }
        let (scheduler, listen) = (address(scheduler)?, address(listen)?);
        let network = open(py, Role::Worker, name, &credentials)?;
        let store = match memory_limit {
            Some(limit) => Store::new(Limits::of_memory(limit)),
            None => memory::store(py)?,
        };
        let options = WorkerOptions {
            scheduler,
            listen,
            offer: Offer { name: name.into(), ..Offer::slots(threads as u32) },
            engine: EngineOptions { threads, ..EngineOptions::default() },
        };
        let runners = Runners::default().with_python(Arc::new(PythonRunner));
        let started = py.outside(|| WorkerServer::start(network, options, runners, store, Arc::new(PythonFace)));
        started.map(Self).map_err(refused)
    }

    /// Somebody starts this process again when it ends, so that the worker may be told to begin anew. What he says before he ends
    /// it, the scheduler is told.
    fn is_looked_after(&self) {
        crate::processes::hear_parent(self.0.last_words());
        self.0.is_looked_after();
    }

    /// Gives signs of life in the memory of a file that the parent has, too, as long as the worker can do anything.
    fn gives_signs(&self, file: RawFd) -> PyResult<()> {
        let signs = Signs::into_memory(file)?;
        self.0.gives_signs(move || signs.give());
        Ok(())
    }

    /// Waits until the worker is over, `patience` seconds at most; gives why it is, or None if it isn't.
    fn wait(&self, py: Python<'_>, patience: f64) -> PyResult<Option<String>> {
        let patience = duration(patience)?;
        Ok(py.outside(|| self.0.wait(patience)))
    }

    /// Lets what runs end for up to `grace` seconds, and leaves.
    fn shut_down(&self, py: Python<'_>, grace: f64) -> PyResult<()> {
        let grace = duration(grace)?;
        py.outside(|| self.0.shut_down(grace));
        Ok(())
    }
}
