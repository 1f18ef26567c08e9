//! The Python module `raskt._core`: convert, call, convert back.
//!
//! Each folder is one face: it turns Python arguments into the expressions of its crate and values back into Python
//! objects. `collection` is what the faces share with `compute` and `persist`; `block` is how a Python function
//! becomes a task over values.

mod annotations;
mod array;
mod block;
mod cluster;
mod collection;
mod compute;
mod config;
mod contexts;
mod dask;
mod delayed;
mod diagnostics;
mod ending;
mod engines;
mod error;
mod frame;
mod futures;
mod last_threads;
mod library_threads;
mod lineage;
mod memory;
mod object;
mod panicking;
mod processes;
mod ran;
mod request;
mod runner;
mod settings;
mod tokenize;
mod travel;
mod turns;
mod visualize;
mod wait;
mod watched;
mod workers;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

unsafe extern "C" {
    /// Gives memory that is free back to the system. Of mimalloc, whose crate declares it only with all else that it has.
    fn mi_collect(force: bool);
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: the allocator lets it be called at any time, from any thread.
    raskt_store::freed_is_given_back_by(|| unsafe { mi_collect(true) });
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    annotations::register(module)?;
    array::register(module)?;
    cluster::register(module)?;
    compute::register(module)?;
    module.add_function(wrap_pyfunction!(config::config_check, module)?)?;
    module.add_function(wrap_pyfunction!(config::config_read, module)?)?;
    dask::register(module)?;
    delayed::register(module)?;
    diagnostics::register(module)?;
    engines::register(module)?;
    error::register(module)?;
    ending::register(module)?;
    frame::register(module)?;
    futures::register(module)?;
    memory::register(module)?;
    object::register(module)?;
    panicking::register(module)?;
    processes::register(module)?;
    tokenize::register(module)?;
    travel::register(module)?;
    visualize::register(module)
}
