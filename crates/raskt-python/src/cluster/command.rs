//! The `raskt` command of an interpreter: its workers are processes of that interpreter.

use super::face::PythonFace;
use super::opened::versions;
use crate::ending::Outside;
use crate::memory;
use crate::runner::PythonRunner;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use raskt_cli::Host;
use raskt_cluster::Face;
use raskt_cluster::hello::Versions;
use raskt_execute::{Runners, Store};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

/// What differs between the plain command and this one.
struct Interpreter {
    versions: Versions,
    /// The interpreter, with its flags and the module that is the command.
    command: Vec<OsString>,
}

impl Host for Interpreter {
    fn face(&self) -> Arc<dyn Face> {
        Arc::new(PythonFace)
    }

    fn runners(&self) -> Runners {
        Runners::default().with_python(Arc::new(PythonRunner))
    }

    fn command(&self) -> io::Result<Vec<OsString>> {
        Ok(self.command.clone())
    }

    fn versions(&self) -> Versions {
        self.versions.clone()
    }

    fn preload(&self, modules: &[String]) -> Result<(), String> {
        Python::attach(|py| {
            let preload = py.import("raskt._cli")?.getattr("preload")?;
            modules.iter().try_for_each(|module| preload.call1((module,)).map(drop))
        })
        .map_err(|error: PyErr| error.to_string())
    }

    fn is_bound(&self, store: &Store, memory: u64) {
        memory::bind_worker(store, memory);
    }

    fn is_interrupted(&self) -> bool {
        Python::attach(|py| match py.check_signals() {
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
            Err(error) => {
                error.write_unraisable(py, None);
                false
            }
            Ok(()) => false,
        })
    }
}

/// Runs the command `raskt` with these arguments, its own name first, and gives its exit status. `command` starts another process of
/// the same kind.
#[pyfunction]
pub(super) fn cluster_command(py: Python<'_>, args: Vec<OsString>, command: Vec<OsString>) -> PyResult<u8> {
    let host = Interpreter { versions: versions(py)?, command };
    Ok(py.outside(|| raskt_cli::run(args, &host)))
}
