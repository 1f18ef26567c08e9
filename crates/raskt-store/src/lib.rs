//! Where results are kept, and the broker that promises memory for them.
//!
//! There is one tier so far: host memory. [`Store`] holds the results of tasks by run; [`Broker`] counts what is held and
//! what is promised, and refuses a promise that would go beyond the limit.

mod broker;
mod store;

pub use broker::Broker;
pub use store::{RunKey, Store};
