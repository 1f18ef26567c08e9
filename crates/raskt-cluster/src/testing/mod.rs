//! Broken networks for tests: a proxy that delays, drops, doubles, flips and cuts what goes through it, by a seed.

mod chance;
mod proxy;

pub use chance::Chance;
pub use proxy::{FaultProxy, Faults, Tally};
