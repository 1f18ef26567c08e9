//! Tasks that stand alone: what fails with them, and what clients are told of each.

mod cancelling;
mod claims;
mod failing;
mod failure;
pub(crate) mod failures;
mod telling;
pub(crate) mod told;

pub use claims::Claim;
pub use failure::{Failure, FailureScope};
