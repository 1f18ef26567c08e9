//! Delayed calls of Python functions.
//!
//! A [`Node`] is one call with its arguments; arguments that are delayed themselves make a graph of nodes. [`lower`]
//! turns the nodes behind what is computed into explicit layers, in depth-first order, whose op ([`Calls`]) makes
//! call *i* for task *i*. Calls that are pure have a [`token`] by what they do, and are one task if it is equal.

mod argument;
mod arguments;
mod blocks;
mod calls;
mod class;
mod container;
mod copied;
mod copies;
mod gate;
mod key;
mod kind;
mod lower;
mod making;
mod node;
mod operators;
mod parts;
mod pickled;
mod places;
mod token;

pub(crate) use argument::{Argument, python_object};
pub(crate) use arguments::Arguments;
pub(crate) use blocks::DelayedBlocks;
pub(crate) use calls::Calls;
pub(crate) use class::Delayed;
pub(crate) use copied::CopiedExpr;
pub(crate) use gate::{FUNCTION, GATE, Gate, VERSION as GATE_VERSION, add_decoders, decode_behind};
pub(crate) use key::Key;
pub(crate) use lower::lower_nodes;
pub(crate) use node::{Extra, Node, Work};
pub(crate) use parts::hand_on;
pub(crate) use token::identity;

use pyo3::prelude::*;

/// What tells the result of a delayed object from others.
pub(crate) fn identity_of(delayed: &Bound<'_, Delayed>) -> u128 {
    let node = &delayed.get().node;
    token::settle(delayed.py(), node);
    identity(node)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Delayed>()?;
    module.add_class::<making::DelayedIterator>()?;
    module.add_function(wrap_pyfunction!(making::make_delayed, module)?)?;
    module.add_function(wrap_pyfunction!(making::call, module)?)?;
    module.add_function(wrap_pyfunction!(making::delayed_block, module)?)?;
    module.add_function(wrap_pyfunction!(making::delayed_task, module)?)?;
    module.add_function(wrap_pyfunction!(making::delayed_after, module)?)?;
    module.add_function(wrap_pyfunction!(pickled::_delayed_of, module)?)?;
    module.add_function(wrap_pyfunction!(pickled::_delayed_call_of, module)?)?;
    module.add_function(wrap_pyfunction!(copies::delayed_copies, module)?)
}
