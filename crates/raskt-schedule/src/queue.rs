use raskt_graph::{LayerId, TaskId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Tasks that are ready, in the order in which they should start.
///
/// Higher priority first; then later layers (they are nearer to the end, and free what earlier ones made); then block
/// order. Tasks without inputs don't stand here one by one: each layer of them is a cursor.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    ready: BinaryHeap<(i32, LayerId, Reverse<u64>)>,
    sources: Vec<Sources>,
}

/// The tasks of a layer that nobody has looked at yet.
#[derive(Debug)]
pub(crate) struct Sources {
    pub layer: LayerId,
    pub priority: i32,
    pub next: u64,
    pub end: u64,
}

impl Queue {
    pub fn push(&mut self, priority: i32, task: TaskId) {
        self.ready.push((priority, task.layer, Reverse(task.index)));
    }

    pub fn pop(&mut self) -> Option<TaskId> {
        self.ready.pop().map(|(_, layer, Reverse(index))| TaskId::new(layer, index))
    }

    pub fn peek_priority(&self) -> Option<i32> {
        self.ready.peek().map(|&(priority, ..)| priority)
    }

    pub fn add_sources(&mut self, sources: Sources) {
        self.sources.push(sources);
    }

    /// How many tasks are ready at most: some sources may turn out not to be.
    pub fn hint(&self) -> u64 {
        self.ready.len() as u64 + self.sources.iter().map(|sources| sources.end - sources.next).sum::<u64>()
    }

    /// The layer whose untouched tasks are next: highest priority, then least advanced, so that layers that are read
    /// together advance together.
    pub fn next_sources(&mut self) -> Option<&mut Sources> {
        self.sources.retain(|sources| sources.next < sources.end);
        // next/end compared as fractions, by cross multiplication.
        self.sources.iter_mut().min_by(|a, b| {
            let (x, y) = (u128::from(a.next) * u128::from(b.end), u128::from(b.next) * u128::from(a.end));
            b.priority.cmp(&a.priority).then(x.cmp(&y)).then(a.layer.cmp(&b.layer))
        })
    }
}
