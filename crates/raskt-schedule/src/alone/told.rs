//! What a client was told of single results, where it is told of each.

use crate::TaskRange;
use crate::alone::failures::Root;
use crate::task_set::TaskSet;

/// Which results a client knows to be there, and of which it isn't known whether that is still so.
#[derive(Debug)]
pub(crate) struct Told {
    /// By layer: wanted results that the client was told of.
    pub known: Vec<TaskSet>,
    /// Tasks that may stand otherwise than the client knows.
    pub changed: Vec<TaskRange>,
    /// Wanted tasks that have failed since the client was last told, and because of what.
    pub failed: Vec<(Root, TaskRange)>,
}

impl Told {
    /// Nothing yet, of a graph of so many layers.
    pub fn new(layers: usize) -> Self {
        Self { known: vec![TaskSet::Nothing; layers], changed: vec![], failed: vec![] }
    }
}
