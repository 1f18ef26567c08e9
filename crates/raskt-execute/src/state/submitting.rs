//! How runs come.

use super::entry::RunEntry;
use super::{State, settings};
use crate::RunError;
use crate::completion::Completion;
use crate::error::Breakdown;
use crate::owner::OwnsRuns;
use raskt_graph::Graph;
use raskt_schedule::{PreparedRun, RunId, TaskRange};
use raskt_store::Past;
use raskt_sync::guard;
use std::sync::{Arc, Weak};

/// A run as it comes to the engine: all that takes as long as its graph is large was done before, without the lock.
pub(crate) struct Submitted {
    prepared: PreparedRun,
    entry: RunEntry,
    parent: Option<RunId>,
}

impl Submitted {
    pub fn new(
        graph: Arc<Graph>,
        wanted: Vec<TaskRange>,
        parent: Option<RunId>,
        (owner, past): (Option<Weak<dyn OwnsRuns>>, Option<Arc<Past>>),
        completion: Arc<Completion>,
    ) -> Result<Self, RunError> {
        // If this panics, no other run has to do with it.
        let prepared = guard(|| PreparedRun::new(graph.clone(), &wanted, &settings()));
        let prepared = prepared.map_err(|story| RunError::Broken(Arc::new(Breakdown { story, flight: None })))??;
        let entry = RunEntry::new(graph, past, (wanted, completion, owner));
        Ok(Self { prepared, entry, parent })
    }
}

impl State {
    /// Takes in a run. If this panics, its owner is told as those of all runs are; he isn't of what is refused.
    pub fn submit(&mut self, submitted: Submitted) -> Result<RunId, RunError> {
        let run = RunId(self.next_run);
        self.next_run += 1;
        let Submitted { prepared, entry, parent } = submitted;
        // Before anything else: what isn't among the runs isn't told of a panic.
        self.runs.insert(run, entry);
        self.heed_limit();
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Submitting);
        let entry = &self.runs[&run];
        if let Err(refused) = self.head.submit(run, parent, (&entry.graph, &entry.wanted), prepared) {
            self.afterwards.runs.extend(self.runs.remove(&run));
            return Err(refused);
        }
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Submitted);
        self.act();
        Ok(run)
    }

    /// Nobody wants `run` any more, be it at an end or not.
    pub fn release(&mut self, run: RunId) {
        if self.runs.contains_key(&run) {
            let forgotten = self.head.release(run);
            self.afterwards.forgotten.extend(forgotten);
            #[cfg(test)]
            self.pass(super::stumbling::Spot::Releasing);
            self.act();
            self.forget(run);
        }
    }

    /// Whether all that it is for is done.
    pub fn has_ended(&self, run: RunId) -> bool {
        self.runs.get(&run).is_none_or(|entry| entry.has_ended)
    }
}
