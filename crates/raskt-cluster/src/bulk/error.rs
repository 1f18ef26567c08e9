//! Why a result didn't come.

use super::Missing;

/// Why a result didn't come. Whether another try may help depends on the kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BulkError {
    /// The peer was never reached: it knows nothing of the request.
    #[error("the peer was not reached: {0}")]
    Unreached(String),
    /// Whoever is there isn't the peer, or doesn't let this process in: another try goes no better.
    #[error("the peer was not reached: {0}")]
    Refused(String),
    /// The peer was reached, and the connection broke before all had come.
    #[error("the connection to the peer broke while a result was on its way: {0}")]
    Lost(String),
    /// The peer is there and doesn't have it, or can't give it.
    #[error("the peer does not give the result: {0}")]
    Missing(Missing),
    /// It is larger than what was reserved for it.
    #[error("the result has {bytes} bytes, and {reserved} were reserved for it")]
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// Those that were reserved.
        reserved: u64,
    },
    /// The peer broke the rules.
    #[error("the peer broke the rules of transfers: {0}")]
    Violation(String),
}
