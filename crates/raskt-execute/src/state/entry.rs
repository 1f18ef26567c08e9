//! What an engine knows of a run.

use crate::completion::Completion;
use crate::imports::Imports;
use crate::owner::OwnsRuns;
use crate::results::Results;
use crate::turn::is_repeatable;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::TaskRange;
use raskt_store::Past;
use raskt_value::{CancelToken, TaskError};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// A run, from when it is submitted until it is released.
pub(crate) struct RunEntry {
    pub graph: Arc<Graph>,
    /// Whether the graph costs nothing to keep and gives the same results at any time.
    pub is_repeatable: bool,
    /// What its results are made of, as long as they last.
    pub past: Option<Arc<Past>>,
    /// In the order in which they were asked for.
    pub wanted: Vec<TaskRange>,
    pub completion: Arc<Completion>,
    pub cancel: CancelToken,
    pub errors: BTreeMap<TaskId, (String, TaskError)>,
    /// Those that somebody may read; all go to whoever waits when the run has finished.
    pub results: Results,
    /// Bytes of small results that the store counts until the run is released, or they are discarded.
    pub small: u64,
    /// Slots that those who wait for it have lent, until it has ended.
    pub lent_slots: u32,
    pub has_ended: bool,
    /// What its tasks stand for that are of other runs.
    pub imports: Imports,
    /// Nothing of it is to run here as far as is known: it is a place for results that tasks of other runs read, and has no graph.
    pub is_guest: bool,
    /// Why its graph can't be read here, if it can't: its tasks fail.
    pub unread: Option<TaskError>,
    /// Who is told if it ends before a thread has begun it; nobody waits for it then.
    pub owner: Option<Weak<dyn OwnsRuns>>,
}

impl RunEntry {
    /// A run of which nothing is there yet. Takes as long as the graph has layers.
    pub fn new(
        graph: Arc<Graph>,
        past: Option<Arc<Past>>,
        (wanted, completion, owner): (Vec<TaskRange>, Arc<Completion>, Option<Weak<dyn OwnsRuns>>),
    ) -> Self {
        let is_repeatable = is_repeatable(&graph);
        Self {
            is_repeatable,
            past: past.or_else(|| is_repeatable.then(|| Arc::new(Past::of(graph.clone())))),
            graph,
            wanted,
            completion,
            cancel: CancelToken::default(),
            errors: BTreeMap::new(),
            results: Results::default(),
            small: 0,
            lent_slots: 0,
            has_ended: false,
            imports: Imports::default(),
            is_guest: false,
            unread: None,
            owner,
        }
    }

    /// The same at a worker: what is wanted of it is its scheduler's business.
    pub fn of_worker(graph: Arc<Graph>, imports: Imports) -> Self {
        Self { imports, ..Self::new(graph, None, (vec![], Arc::default(), None)) }
    }

    /// A place for results of a run of which a worker has run nothing, and that it has no graph of.
    pub fn of_guests() -> Self {
        Self { is_guest: true, ..Self::of_worker(Arc::default(), Imports::default()) }
    }

    /// The graph has come of a run of which there are results here: they are among its own from now on.
    pub fn welcome(&mut self, run: Self) {
        let guests = std::mem::replace(self, run);
        (self.results, self.small) = (guests.results, guests.small);
    }
}
