//! How processes of a cluster speak with each other.

pub mod frame;
pub mod hello;
pub mod session;
mod token;

pub use token::{Token, TokenError};
