//! Work as data: tasks, layers of tasks and the ops they run.
//!
//! A [`Graph`] is a list of [`Layer`]s, each a possibly huge number of tasks that run the same [`Op`]. A layer doesn't
//! list its edges: its [`Shape`] is a pure function from a task to its inputs and back to its dependents, so that a
//! layer of a hundred million blocks is one record. Collections write graphs through a [`GraphBuilder`]; the scheduler
//! reads them and never looks inside an op's body.

mod builder;
mod error;
mod explicit;
mod explicit_builder;
mod grid;
mod id;
mod layer;
mod op;
mod order;
mod shape;

pub use builder::{Graph, GraphBuilder, Lower};
pub use error::GraphError;
pub use explicit::Explicit;
pub use explicit_builder::ExplicitBuilder;
pub use grid::{Grid, GridBox};
pub use id::{LayerId, OpId, TaskId};
pub use layer::{Annotations, Cost, Layer, Resources};
pub use op::{Op, OpBody, OpFlags, OpKind};
pub use shape::{MapInput, Shape};
