//! A scheduler in this process: threads of its own that never take the interpreter.

use super::opened::{Credentials, address, open, refused};
use super::waiting::duration;
use crate::ending::Outside;
use pyo3::prelude::*;
use raskt_cluster::hello::Role;
use raskt_cluster::journal::{Journal, JournalOptions};
use raskt_cluster::{ListenError, SchedulerServer};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// A scheduler that listens.
#[pyclass(frozen, module = "raskt._core")]
pub(super) struct ClusterScheduler {
    server: ManuallyDrop<SchedulerServer>,
    /// The process that has its threads.
    process: u32,
}

#[pymethods]
impl ClusterScheduler {
    /// `also` is where it listens beside `listen`. With a `journal`, a folder, it goes on with what that says.
    #[new]
    #[pyo3(signature = (listen, credentials, also=vec![], journal=None))]
    fn new(
        py: Python<'_>,
        listen: &str,
        credentials: Credentials,
        also: Vec<String>,
        journal: Option<PathBuf>,
    ) -> PyResult<Self> {
        let listen = address(listen)?;
        let also = also.iter().map(|listen| address(listen)).collect::<PyResult<Vec<_>>>()?;
        let network = open(py, Role::Scheduler, "scheduler", &credentials)?;
        let journal = journal.map(|folder| py.outside(|| Journal::open(&folder, JournalOptions::default())));
        let journal = journal.transpose().map_err(refused)?;
        let start = || {
            let mut server = match journal {
                Some(journal) => SchedulerServer::start_from(network, &listen, journal)?,
                None => SchedulerServer::start(network, &listen)?,
            };
            also.iter().try_for_each(|listen| server.listen_also(listen))?;
            Ok(server)
        };
        let server = py.outside(start).map_err(|error: ListenError| refused(error))?;
        Ok(Self { server: ManuallyDrop::new(server), process: std::process::id() })
    }

    /// Where it listens.
    #[getter]
    fn address(&self) -> String {
        self.server.address().to_string()
    }

    /// Tells workers to leave, and ends all sessions; what was said has `patience` seconds to arrive.
    fn shut_down(&self, py: Python<'_>, patience: f64) -> PyResult<()> {
        let patience = duration(patience)?;
        if self.process == std::process::id() {
            py.outside(|| self.server.shut_down(patience));
        }
        Ok(())
    }
}

impl Drop for ClusterScheduler {
    fn drop(&mut self) {
        // In a fork its threads aren't there.
        if self.process == std::process::id() {
            // SAFETY: nobody uses it afterwards.
            unsafe { ManuallyDrop::drop(&mut self.server) };
        }
    }
}
