//! Tasks that stand alone: what fails with them, and what clients are told of each.

mod cancelling;
pub(crate) mod claims;
mod failing;
pub(crate) mod failure;
pub(crate) mod failures;
mod telling;
pub(crate) mod told;
