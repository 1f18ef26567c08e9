//! Parallel and distributed computing for Rust: chunked arrays, partitioned dataframes and delayed functions, all lazy,
//! on one engine, and on clusters of many processes and machines.
//!
//! This crate is the door: it re-exports what the others offer and adds [`Compute`], by which everything lazy is run,
//! and [`cluster`].
//!
//! ```
//! use raskt::prelude::*;
//!
//! let answer = delayed(|| 6).with(&delayed(|| 7), |a, b| a * b);
//! assert_eq!(*answer.compute()?, 42);
//! # Ok::<(), raskt::ComputeError>(())
//! ```

pub mod cluster;
mod collections;
mod compute;
mod delayed;

pub use compute::{Compute, ComputeError, engine};
pub use delayed::{Delayed, delayed};
pub use raskt_array as array;
pub use raskt_config as config;
pub use raskt_execute as execute;
pub use raskt_frame as frame;
pub use raskt_graph as graph;
pub use raskt_value as value;

/// What most programs need.
pub mod prelude {
    pub use crate::cluster::{Client, Function, Functions, Future, LocalCluster};
    pub use crate::{Compute, ComputeError, Delayed, delayed};
}
