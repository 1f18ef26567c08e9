//! What a client knows of a run.

use raskt_graph::TaskId;
use raskt_schedule::{Held, TaskRange};
use raskt_sync::Mutex;
use raskt_value::TaskError;

/// Why a run has no results.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClusterError {
    /// A task failed.
    #[error("task `{key}` failed: {error}")]
    Task {
        /// Its key.
        key: String,
        /// Why.
        error: TaskError,
    },
    /// A task killed its workers.
    #[error("{deaths} workers died while they ran task {} of layer {}, and nothing else that could be the reason", .task.index, .task.layer.0)]
    Killed {
        /// How many.
        deaths: usize,
        /// The task.
        task: TaskId,
    },
    /// Something that nobody can make again is gone.
    #[error("{0}")]
    Lost(String),
    /// The cluster doesn't take it.
    #[error("{0}")]
    Refused(String),
    /// The cluster is out of reach.
    #[error("{0}")]
    Disconnected(String),
}

/// What is known of a run.
pub(crate) struct RunState {
    pub wanted: Vec<TaskRange>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Who holds what is wanted, once all of it is there.
    held: Option<Vec<Held>>,
    error: Option<ClusterError>,
    stalled: Option<String>,
}

impl RunState {
    pub fn new(wanted: Vec<TaskRange>) -> Self {
        Self { wanted, known: Mutex::default() }
    }

    pub fn finished(&self, held: Vec<Held>) {
        self.known.lock().held = Some(held);
    }

    pub fn end(&self, error: ClusterError) {
        self.known.lock().error.get_or_insert(error);
    }

    pub fn stalled(&self, cause: Option<String>) {
        self.known.lock().stalled = cause;
    }

    /// What it waits for, if it can't go on as things are.
    pub fn cause(&self) -> Option<String> {
        self.known.lock().stalled.clone()
    }

    /// Who holds its results, once after each time that this was told.
    pub fn take_held(&self) -> Result<Option<Vec<Held>>, ClusterError> {
        let mut known = self.known.lock();
        match &known.error {
            Some(error) => Err(error.clone()),
            None => Ok(known.held.take()),
        }
    }
}
