//! What is said of all tasks of a layer together.

use crate::{OpId, Shape};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tasks that run the same op, with a rule that says which task reads which.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What it is called in messages: `mean-1f3a`.
    pub name: Arc<str>,
    /// What its tasks do.
    pub op: OpId,
    /// Which task reads which.
    pub shape: Shape,
    /// What a task costs.
    pub cost: Cost,
    /// What the user asked for.
    pub annotations: Arc<Annotations>,
}

impl Layer {
    /// A layer without annotations whose cost is unknown.
    pub fn new(name: impl Into<Arc<str>>, op: OpId, shape: Shape) -> Self {
        Self { name: name.into(), op, shape, cost: Cost::default(), annotations: Arc::default() }
    }

    /// The same layer with a known cost.
    pub fn with_cost(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }

    /// How many tasks it has.
    pub fn len(&self) -> u64 {
        self.shape.len()
    }

    /// Whether it has no task.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of a task as people see it: `mean-1f3a[2, 0]`.
    pub fn key(&self, index: u64) -> String {
        match &self.shape {
            Shape::Map { grid, .. } => format!("{}{:?}", self.name, grid.coordinates(index).as_slice()),
            _ => format!("{}[{index}]", self.name),
        }
    }
}

/// What one task of a layer is expected to cost; the scheduler corrects the time by what it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Time on one thread; zero if unknown.
    pub nanoseconds: u64,
    /// Bytes of the result; zero if unknown.
    pub output_bytes: u64,
    /// Bytes that the task holds at its peak beside inputs and output.
    pub scratch_bytes: u64,
}

/// What the user asked for: `with raskt.annotate(priority=3): ...`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Annotations {
    /// Higher runs earlier; zero is usual.
    pub priority: i32,
    /// How often a failed task is tried again.
    pub retries: u32,
    /// What each task takes of its worker's resources while it runs, by name (`gpu`, or whatever the workers offer).
    pub resources: Resources,
    /// The workers that may run it, by name; none named means any.
    pub workers: Vec<String>,
    /// The named workers are only preferred: others may run it where none of them is there.
    pub allow_other_workers: bool,
    /// What else was said, by name.
    pub other: BTreeMap<String, String>,
}

/// Amounts by name, in thousandths, so that half a `gpu` can be said without rounding.
pub type Resources = BTreeMap<Arc<str>, u64>;
