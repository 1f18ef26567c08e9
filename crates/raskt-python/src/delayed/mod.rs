//! Delayed calls of Python functions.
//!
//! A [`Node`] is one call with its arguments; arguments that are delayed themselves make a graph of nodes. [`lower`]
//! turns the nodes behind what is computed into one explicit layer, in depth-first order, whose op ([`Calls`]) makes
//! call *i* for task *i*.

mod argument;
mod calls;
mod class;
mod lower;
mod node;
mod operators;

pub(crate) use argument::{Argument, python_object};
pub(crate) use calls::Calls;
pub(crate) use class::Delayed;
pub(crate) use lower::DelayedBlocks;
pub(crate) use lower::lower_nodes;
pub(crate) use node::{Node, Work};

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Delayed>()?;
    module.add_class::<class::DelayedIterator>()?;
    module.add_function(wrap_pyfunction!(class::make_delayed, module)?)?;
    module.add_function(wrap_pyfunction!(class::delayed_block, module)?)
}
