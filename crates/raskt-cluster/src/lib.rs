//! How processes of a cluster speak with each other.

pub mod frame;
pub mod session;
