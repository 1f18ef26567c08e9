//! Runs that read results of other runs.

pub(crate) mod exports;
pub(crate) mod holds;
pub(crate) mod import;
mod importing;
pub(crate) mod imports;
mod linking;
pub(crate) mod located;
mod validate_links;
