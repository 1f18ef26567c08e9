//! The array face: NumPy arrays and Python arguments in, array expressions and NumPy arrays out.
//!
//! Every function here is named `array_…`, takes and gives [`ArrayExpr`], and is called by `python/raskt/array/`, which
//! owns names, defaults and documentation. [`convert`] moves memory between NumPy and chunks, [`arguments`] reads
//! Python arguments, [`error`] picks the exception class, [`block`] runs Python functions over blocks.

mod arguments;
mod block;
mod block_shape;
mod chunks;
mod convert;
mod creation;
mod dtype;
mod elementwise;
mod error;
mod expr;
mod index;
mod layout;
mod linalg;
mod memory;
mod random;
mod reduction;
mod snapshot;

pub(crate) use block::{NUMPY_BLOCK, NUMPY_BLOCK_VERSION, decode_numpy_block};
pub(crate) use convert::{chunk_from_numpy, numpy_from_chunk, numpy_over, numpy_view};
pub(crate) use error::defined_in;
pub(crate) use expr::ArrayExpr;
use snapshot::snapshot_of_numpy;

use pyo3::prelude::*;

/// Adds the array face to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ArrayExpr>()?;
    module.add_class::<convert::ChunkOwner>()?;
    creation::register(module)?;
    elementwise::register(module)?;
    reduction::register(module)?;
    layout::register(module)?;
    linalg::register(module)?;
    random::register(module)?;
    block::register(module)?;
    block_shape::register(module)
}
