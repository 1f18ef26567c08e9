//! What results are made of, so that one whose file is lost can be made again.
//!
//! A result that is kept for long has a [`Past`]: the graph that it came of, and with it the functions and the data that
//! the graph names. What that graph read of other kept results are [`Origin`]s: they don't keep the results, which go when
//! their owners let go of them, but know what these were made of in turn. So a chain of results that each were made of the
//! one before costs a graph for each of them, and the data of the last. It isn't endless: the first beyond
//! [`Past::DEEPEST`] keeps the results that it was made of, and nothing of what was before them.

use crate::slot::SlotId;
use crate::threads::Shared;
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_value::{TaskError, Value};
use std::sync::{Arc, Weak};

/// The task that computes a result again.
#[derive(Clone)]
pub struct Lineage {
    past: Result<Arc<Past>, Weak<Graph>>,
    task: TaskId,
}

impl Lineage {
    /// `task` of `graph`, for as long as the graph is there for other reasons: it may keep data alive.
    pub fn of_run(graph: &Arc<Graph>, task: TaskId) -> Self {
        Self { past: Err(Arc::downgrade(graph)), task }
    }

    /// Nothing computes it again.
    pub fn none() -> Self {
        Self { past: Err(Weak::new()), task: TaskId::new(LayerId(0), 0) }
    }

    /// `task` of `past`, which it keeps.
    pub fn lasting(past: Arc<Past>, task: TaskId) -> Self {
        Self { past: Ok(past), task }
    }

    /// The past and the task; nothing if the graph is gone.
    pub fn get(&self) -> Option<(Arc<Past>, TaskId)> {
        let past = match &self.past {
            Ok(past) => Some(past.clone()),
            Err(graph) => graph.upgrade().map(|graph| Arc::new(Past::of(graph))),
        };
        past.map(|past| (past, self.task))
    }

    fn depth(&self) -> u32 {
        self.past.as_ref().map_or(0, |past| past.depth)
    }
}

/// A graph, and the kept results that it reads.
pub struct Past {
    graph: Arc<Graph>,
    /// In order of their tasks.
    origins: Vec<(TaskId, Origin)>,
    depth: u32,
}

impl Past {
    /// How many results there may be in a row that are each made of the one before, and can all be made again.
    pub const DEEPEST: u32 = 64;

    /// A graph that reads nothing that a store keeps, or whose tasks name it themselves.
    pub fn of(graph: Arc<Graph>) -> Self {
        Self { graph, origins: vec![], depth: 1 }
    }

    /// A graph of which those tasks, in order, give results that a store keeps or has kept.
    pub fn with_origins(graph: Arc<Graph>, origins: Vec<(TaskId, Origin)>) -> Self {
        let deepest = origins.iter().map(|(_, origin)| origin.lineage.depth()).max().unwrap_or(0);
        let is_too_deep = deepest >= Self::DEEPEST;
        let anchored = |(task, origin): (TaskId, Origin)| (task, if is_too_deep { origin.anchored() } else { origin });
        let depth = if is_too_deep { 1 } else { deepest + 1 };
        Self { graph, origins: origins.into_iter().map(anchored).collect(), depth }
    }

    /// How many results in a row, each made of the one before, it goes back over.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The graph. Tasks that have an origin may be hollow in it.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The kept result that `task` gave, if it gave one.
    pub fn origin(&self, task: TaskId) -> Option<&Origin> {
        let at = self.origins.binary_search_by_key(&task, |(task, _)| *task).ok()?;
        Some(&self.origins[at].1)
    }
}

/// A result that a store keeps or has kept.
pub struct Origin {
    shared: Weak<Shared>,
    id: SlotId,
    lineage: Lineage,
    /// There if it keeps the result.
    #[expect(dead_code, reason = "kept only to be dropped later")]
    anchor: Option<Anchor>,
}

/// Keeps a result in the store, and not what it is made of.
struct Anchor {
    shared: Arc<Shared>,
    id: SlotId,
}

impl Drop for Anchor {
    fn drop(&mut self) {
        let value = self.shared.change(|state| state.remove(self.id));
        drop(value);
    }
}

impl Origin {
    pub(crate) fn new(shared: &Arc<Shared>, id: SlotId, lineage: Lineage) -> Self {
        Self { shared: Arc::downgrade(shared), id, lineage, anchor: None }
    }

    /// The same, which keeps the result; what it is made of is forgotten.
    fn anchored(self) -> Self {
        let shared = self.shared.upgrade();
        let claimed = shared.filter(|shared| shared.change(|state| state.claim(self.id)).unwrap_or(false));
        let anchor = claimed.map(|shared| Anchor { shared, id: self.id });
        Self { lineage: Lineage::none(), anchor, ..self }
    }

    /// Whether it is in memory or on disk, as far as is known.
    pub fn is_there(&self) -> bool {
        let shared = self.shared.upgrade();
        shared.is_some_and(|shared| shared.change(|state| state.has(self.id)).unwrap_or(false))
    }

    /// The result; nothing if it is gone, or its file is lost. An error is why it couldn't be read this time.
    pub fn fetch(&self) -> Result<Option<Value>, TaskError> {
        self.shared.upgrade().map_or(Ok(None), |shared| shared.fetch(self.id))
    }

    /// The task that computes it again.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// Puts the result back after it was computed again, if somebody still has it; gives the one that everybody has then.
    pub fn restore(&self, value: Value) -> Result<Value, TaskError> {
        match self.shared.upgrade() {
            Some(shared) => shared.restore(self.id, value, None),
            None => Ok(value),
        }
    }
}
