//! Files written from tables: each under a temporary name beside its place, and renamed when it is whole.

mod write;

pub(crate) use write::Write;
pub use write::{WriteFormat, WriteOptions};
