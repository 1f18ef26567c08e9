//! Clusters: the same collections on many processes and machines, and calls of functions there.
//!
//! A [`LocalCluster`] is one in this process. One of many machines is started by the command `raskt` (`raskt scheduler`, `raskt worker`,
//! of the crate `raskt-cli`), and by programs of yours that are [`Worker`]s and know [`Functions`] of yours; [`Client::connect`] finds it.
//!
//! ```
//! use raskt::cluster::{Function, Functions, LocalCluster};
//!
//! const SQUARE: Function<(u64,), u64> = Function::named("square");
//! const SUM: Function<(Vec<u64>,), u64> = Function::named("sum");
//!
//! fn square(x: u64) -> u64 {
//!     x * x
//! }
//!
//! fn sum(all: Vec<u64>) -> u64 {
//!     all.into_iter().sum()
//! }
//!
//! let functions = Functions::new().with(SQUARE, square).with(SUM, sum);
//! let cluster = LocalCluster::of_workers(2, &functions)?;
//! let client = cluster.client()?;
//! let squares = client.map(SQUARE, (1..=10).map(|x| (x,)))?;
//! let sum = client.submit(SUM, (&squares,))?;
//! assert_eq!(sum.result()?, 385);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Closures can't travel, and are refused; a function does by its name, which stands for the same code wherever it is registered.

mod client;
mod error;
mod local;
mod native;
mod persist;
mod worker;

pub use client::{Client, ConnectOptions};
pub use error::ConnectError;
pub use local::LocalCluster;
pub use persist::Persist;
pub use raskt_cluster::{Address, ClusterError, LocalOptions, Names, Security, Tls, Token, WorkerInfo};
pub use raskt_execute::EngineOptions;
pub use raskt_futures::{
    Arguments, Callable, Fallible, Function, Functions, Future, FutureError, IntoArgument, Portable, Status,
};
pub use worker::Worker;
