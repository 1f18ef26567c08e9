//! Graphs of Dask.
//!
//! A [`DaskScheduler`] is what Dask takes for a scheduler: it is called with a graph, after Dask's own optimiser, and the
//! keys that are wanted. [`read`] turns the graph into layers. What Dask would look up and rebuild at each call
//! is settled there once: where the results of other tasks go among a task's arguments ([`part`]), and in which order the
//! inner tasks of a fused one run ([`fused`]). [`calls`] then makes a task's call with the interpreter held by the runner.

mod caller;
mod calls;
mod fused;
mod keys;
mod layering;
mod legacy;
mod node;
mod nodes;
mod order;
mod part;
mod read;
mod said;
mod scheduler;
mod spec;
mod travel;

pub(crate) use travel::{CALLS, CALLS_VERSION, decode};

use pyo3::prelude::*;
use scheduler::DaskScheduler;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DaskScheduler>()
}
