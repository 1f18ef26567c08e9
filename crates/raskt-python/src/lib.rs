//! The Python module `raskt._core`: convert, call, convert back.
//!
//! Each folder is one face: it turns Python arguments into the expressions of its crate and values back into Python
//! objects. [`collection`] is what the faces share with `compute` and `persist`; [`block`] is how a Python function
//! becomes a task over values.

mod block;
mod collection;
mod config;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use crate::config::{config_check, config_read};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
