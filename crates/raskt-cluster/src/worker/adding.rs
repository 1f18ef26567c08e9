//! Graphs, as they come to a worker.

use super::serving::Serving;
use crate::face::read_graph;
use bytes::Bytes;
use raskt_execute::WorkerError;
use raskt_schedule::{Import, RunId, WorkerOrder};
use raskt_value::{ErrorKind, TaskError};
use std::sync::Arc;

impl Serving {
    /// A graph comes: what is here of other runs that had its number, or those of runs that it reads, is worth nothing.
    pub(super) fn meet(&self, run: RunId, mark: u64, others: &[(RunId, u64)]) {
        for run in self.along.add(run, mark, others) {
            self.heed(self.engine.handle(WorkerOrder::Forget { run }));
        }
    }

    /// The same on a thread that must not wait: whether something is left to be told.
    pub(super) fn meet_quickly(&self, run: RunId, mark: u64, others: &[(RunId, u64)]) -> bool {
        let mut is_left = false;
        for run in self.along.add(run, mark, others) {
            let (obeyed, left) = self.engine.unheard().handle(WorkerOrder::Forget { run });
            self.heed(obeyed);
            is_left |= left;
        }
        is_left
    }

    /// Tasks of a graph that can't be read here fail with the reason.
    pub(super) fn add_graph(&self, run: RunId, imports: &[Import], bytes: &Bytes) {
        let added = read_graph(&*self.face, bytes)
            .and_then(|graph| refused(self.engine.add_graph(run, Arc::new(graph), imports)));
        added.unwrap_or_else(|reason| self.add_unread(run, &reason));
    }

    /// The same on a thread that must not wait: whether something is left to be told. Nothing if it can't be read.
    pub(super) fn add_graph_quickly(&self, run: RunId, imports: &[Import], bytes: &Bytes) -> Option<bool> {
        let graph = read_graph(&*self.face, bytes).ok()?;
        let (added, is_left) = self.engine.unheard().add_graph(run, Arc::new(graph), imports);
        refused(added).ok().map(|()| is_left)
    }

    pub(super) fn add_unread(&self, run: RunId, reason: &str) {
        tracing::warn!("the graph of run {} can't be read: {reason}", run.0);
        let sentence = format!("a worker can't read the graph of the task: {reason}");
        let _ = self.engine.add_unread(run, TaskError::new(ErrorKind::Io, sentence));
    }
}

/// Why a graph isn't taken. What else goes wrong concerns the whole worker, and is told otherwise.
fn refused(added: Result<(), WorkerError>) -> Result<(), String> {
    match added {
        Err(error @ WorkerError::Refused(_)) => Err(error.to_string()),
        _ => Ok(()),
    }
}
