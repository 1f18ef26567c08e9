//! What a run waits for that may never come.

use raskt_graph::LayerId;
use std::fmt;
use std::sync::Arc;

/// Why a run can't go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StallCause {
    /// There is no worker.
    NoWorkers,
    /// No worker that is there has what the tasks of a layer require.
    Unmet {
        /// The layer.
        layer: LayerId,
        /// What people call it.
        name: Arc<str>,
        /// What is missing, in words.
        requires: String,
    },
    /// Nothing runs and nothing can start, though results are missing: a bug of this machine.
    NothingToStart,
}

impl fmt::Display for StallCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkers => write!(f, "there is no worker to run it"),
            Self::Unmet { name, requires, .. } => write!(f, "`{name}` needs {requires}, which no worker has"),
            Self::NothingToStart => write!(f, "results are missing, and nothing runs or can start"),
        }
    }
}
