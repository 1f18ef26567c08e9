//! `scheduler="processes"`: Python functions run in worker processes, native kernels stay on this process's threads.
//!
//! A worker process is an interpreter that runs `raskt._process.worker` and nothing of the user's main module. A thread of
//! the pool that has Python tasks to run takes a [`Process`](process::Process) from the [`Pool`](pool::Pool), sends it a
//! batch of calls over a [`Channel`](channel::Channel) and waits, without the interpreter. Python's part, in
//! `raskt/_process/`, turns calls into messages and messages into results; large buffers lie in memory that both sides
//! map ([`shared`]).
//!
//! What is hard is the end of a process. A [`Page`](page::Page) that both see says which task runs, so that a death is
//! blamed on that task alone: results that were on their way are made once more, by a new process. A worker looks after
//! its parent ([`watch`]), so that none is left when the parent is killed.

mod channel;
mod page;
mod pool;
mod prepare;
mod process;
mod route;
mod runner;
mod session;
mod shared;
mod signs;
mod watch;

pub(crate) use pool::kill_all;
pub(crate) use route::{call, is_away};
pub(crate) use runner::ProcessRunner;
pub(crate) use signs::Signs;
pub(crate) use watch::{hear_parent, worker_threads};

use pyo3::prelude::*;

pyo3::create_exception!(
    raskt._core,
    ProcessDied,
    pyo3::exceptions::PyRuntimeError,
    "The worker process that ran a task ended before the task did."
);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ProcessDied", module.py().get_type::<ProcessDied>())?;
    module.add_function(wrap_pyfunction!(shared::map_shared, module)?)?;
    module.add_function(wrap_pyfunction!(watch::watch_parent, module)?)
}
