//! Orders taken by a thread that must not wait until the scheduler hears what comes of them.

use crate::imports::Imports;
use crate::shared::Shared;
use crate::state::{RunEntry, State};
use crate::worker_error::WorkerError;
use raskt_graph::Graph;
use raskt_schedule::{Import, RunId, WorkerOrder};
use std::sync::Arc;

/// Takes orders for a worker, and leaves it to its threads to tell what comes of them. With each answer goes whether there is no thread
/// that will, so that somebody has to call [`WorkerEngine::tell`](crate::WorkerEngine::tell).
pub struct Unheard<'a>(pub(crate) &'a Arc<Shared>);

impl Unheard<'_> {
    /// [`WorkerEngine::add_graph`](crate::WorkerEngine::add_graph).
    pub fn add_graph(&self, run: RunId, graph: Arc<Graph>, imports: &[Import]) -> (Result<(), WorkerError>, bool) {
        match Imports::new(&graph, imports) {
            Ok(imports) => self.change(|state| state.add_graph(run, RunEntry::of_worker(graph, imports))),
            Err(error) => (Err(error), false),
        }
    }

    /// [`WorkerEngine::handle`](crate::WorkerEngine::handle).
    pub fn handle(&self, order: WorkerOrder) -> (Result<(), WorkerError>, bool) {
        self.change(|state| state.obey(order))
    }

    fn change(&self, change: impl FnOnce(&mut State) -> Result<(), WorkerError>) -> (Result<(), WorkerError>, bool) {
        let (changed, is_left) = self.0.change_unheard(change);
        (changed.map_err(WorkerError::of).flatten(), is_left)
    }
}
