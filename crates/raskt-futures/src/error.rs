//! Why a future has no result.

use raskt_cluster::ClusterError;
use raskt_graph::GraphError;
use raskt_value::TaskError;

/// Why there is no result, or no future.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FutureError {
    /// The cluster has none: a task failed, was cancelled, or what it was made of is lost.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Something can't be sent to another process.
    #[error("{0}")]
    Stays(String),
    /// What came isn't what was due.
    #[error("{0}")]
    Unreadable(String),
    /// A malformed graph was written: a bug.
    #[error("a malformed graph was written, which is a bug: {0}")]
    Graph(#[from] GraphError),
}

impl From<TaskError> for FutureError {
    fn from(error: TaskError) -> Self {
        Self::Unreadable(error.message)
    }
}
