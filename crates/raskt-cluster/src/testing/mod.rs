//! For tests of this crate and of those that build on it: networks that are broken, values of any type, and what holds of everything
//! that reads bytes, each by a seed.

mod chance;
mod drawn;
mod graphs;
mod laws;
mod proxy;
mod rights;

pub use chance::Chance;
pub use drawn::draw;
#[cfg(test)]
pub(crate) use graphs::some_graph;
pub use laws::{Reader, readers};
pub use proxy::{FaultProxy, Faults, Tally};
pub use rights::give_up_sight;
