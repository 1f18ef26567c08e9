//! The same elements in another order, shape or cut.

mod axes;
mod join;
mod rechunk;
mod reshape;
mod view;

pub(crate) use axes::{axes_of, axis_of};
pub(crate) use view::view_block;
