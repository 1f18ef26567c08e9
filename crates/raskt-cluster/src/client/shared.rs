//! What the runs of a client and its session have in common.

use super::giving::Shelf;
use super::state::{ClusterError, RunState};
use crate::Address;
use crate::bulk::Fetcher;
use crate::driver::Incoming;
use crate::face::Face;
use crate::message::{ToClient, WorkerInfo};
use crate::session;
use raskt_schedule::{RunId, WorkerId};
use raskt_sync::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What runs and the session have in common.
pub(crate) struct Shared {
    pub face: Arc<dyn Face>,
    pub fetcher: Fetcher,
    pub shelf: Arc<Shelf>,
    pub state: Mutex<State>,
    /// Told of everything that comes.
    pub changed: Condvar,
}

#[derive(Default)]
pub(crate) struct State {
    pub next_run: Option<u64>,
    pub workers: BTreeMap<WorkerId, (WorkerInfo, Vec<Address>)>,
    pub runs: BTreeMap<RunId, Arc<RunState>>,
    /// Why the session is over, if it is.
    pub lost: Option<String>,
}

impl Shared {
    pub fn new(face: Arc<dyn Face>, fetcher: Fetcher, shelf: Arc<Shelf>) -> Self {
        let (state, changed) = Default::default();
        Self { face, fetcher, shelf, state, changed }
    }

    /// Takes in what the scheduler says.
    pub fn hear(&self, incoming: Incoming<ToClient>) {
        let mut state = self.state.lock();
        match incoming {
            Incoming::Message { message, .. } => self.take(&mut state, message),
            Incoming::Event(session::Event::Lost(lost)) => {
                let why = format!("the session with the scheduler is over: {lost}");
                let runs = std::mem::take(&mut state.runs);
                runs.into_values().for_each(|run| run.end(ClusterError::Disconnected(why.clone())));
                state.workers.clear();
                state.lost.get_or_insert(why);
            }
            Incoming::Event(_) => {}
        }
        drop(state);
        self.changed.notify_all();
    }

    fn take(&self, state: &mut State, message: ToClient) {
        match message {
            ToClient::Welcome { first_run } => state.next_run = Some(first_run.0),
            ToClient::Joined(workers) => {
                for worker in workers {
                    let addresses = worker.addresses.iter().filter_map(|address| address.parse().ok()).collect();
                    state.workers.insert(worker.worker, (worker, addresses));
                }
            }
            ToClient::Left(worker) => _ = state.workers.remove(&worker),
            ToClient::Finished { run, held } => {
                if let Some(run) = state.runs.get(&run) {
                    run.finished(held);
                }
            }
            ToClient::Failed { run, failure } => {
                let error = match failure.error {
                    Some(form) => {
                        let key = form.key.clone();
                        ClusterError::Task { key, error: self.face.error(form) }
                    }
                    None => ClusterError::Killed { deaths: failure.story.len(), task: failure.task },
                };
                self.end(state, run, error);
            }
            ToClient::Lost { run } => {
                self.end(
                    state,
                    run,
                    ClusterError::Lost("data that the graph was given is gone with its worker".into()),
                );
            }
            ToClient::Refused { run, reason } => self.end(state, run, ClusterError::Refused(reason)),
            ToClient::Stalled { run, cause } => {
                if let Some(run) = state.runs.get(&run) {
                    run.stalled(Some(cause));
                }
            }
            ToClient::Resumed { run } => {
                if let Some(run) = state.runs.get(&run) {
                    run.stalled(None);
                }
            }
            ToClient::Available { .. } | ToClient::Unavailable { .. } | ToClient::TasksFailed { .. } => {}
        }
    }

    fn end(&self, state: &mut State, run: RunId, error: ClusterError) {
        if let Some(run) = state.runs.get(&run) {
            run.end(error);
        }
    }

    /// Nothing is wanted any more of a run.
    pub fn forget(&self, run: RunId) {
        self.state.lock().runs.remove(&run);
        self.shelf.forget(run);
    }
}
