//! What a task has given: a value that is here, or one that went with the last of its readers.

use raskt_value::Value;

/// What a task gave.
pub(crate) enum Made {
    Here(Value),
    /// It went with the last of its readers.
    Consumed {
        bytes: u64,
    },
}

impl Made {
    /// Bytes of the result, also if it is gone.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Here(value) => value.bytes() as u64,
            Self::Consumed { bytes } => *bytes,
        }
    }
}
