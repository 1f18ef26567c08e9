//! Why a command ends early.

use raskt_cluster::nanny::status;
use std::fmt;

/// A sentence for whoever called, and the status that the process ends with.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: u8,
    sentence: String,
}

impl Failure {
    /// Something that was asked for can't be, and won't be the next time.
    pub fn usage(sentence: impl fmt::Display) -> Self {
        Self { status: status::USAGE, sentence: sentence.to_string() }
    }

    /// Something went wrong that may go well another time.
    pub fn failed(sentence: impl fmt::Display) -> Self {
        Self { status: status::FAILED, sentence: sentence.to_string() }
    }

    /// The cluster says no.
    pub fn refused(sentence: impl fmt::Display) -> Self {
        Self { status: status::REFUSED, sentence: sentence.to_string() }
    }

    /// Nobody is there.
    pub fn unreached(sentence: impl fmt::Display) -> Self {
        Self { status: status::UNREACHED, sentence: sentence.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}
