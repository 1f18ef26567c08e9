//! Work as data: tasks, layers of tasks and the ops they run.
//!
//! A [`Graph`] is a list of [`Layer`]s, each a possibly huge number of tasks that run the same [`Op`]. A layer doesn't
//! list its edges: its [`Shape`] is a pure function from a task to its inputs and back to its dependents, so that a
//! layer of a hundred million blocks is one record. Collections write graphs through a [`GraphBuilder`]; the scheduler
//! reads them and never looks inside an op's body.

#![deny(clippy::iter_over_hash_type)]

mod axis_ranges;
mod axis_set;
mod box_walk;
mod builder;
mod error;
mod explicit;
mod explicit_builder;
mod grid;
mod grid_set;
mod id;
mod layer;
mod map_input;
mod op;
mod order;
mod parts;
mod ports;
mod readers;
mod renumbered;
mod shape;
pub mod small;
#[cfg(test)]
mod tests;
mod turns;
mod wire;

pub use axis_ranges::{AxisRanges, Windows};
pub use axis_set::AxisSet;
pub use box_walk::BoxWalk;
pub use builder::{Graph, GraphBuilder, Lower};
pub use error::GraphError;
pub use explicit::Explicit;
pub use explicit_builder::{ExplicitBuilder, Places};
pub use grid::{Grid, GridBox};
pub use grid_set::GridSet;
pub use id::{LayerId, OpId, TaskId};
pub use layer::{Annotations, Cost, Layer, Resources};
pub use map_input::MapInput;
pub use op::{Op, OpBody, OpFlags, OpKind};
pub use parts::Parts;
pub use shape::Shape;
pub use wire::{GraphForm, OpForm, shape_form};
