//! Inputs that many tasks of a layer read.
//!
//! `x - x.mean(axis=0)` reads each mean in a whole column of blocks. To tell every reader would take a record for each. So an
//! input of a layer that is read by many stands behind a *gate*: one counter says how many of what is read through it is in
//! memory, and one for each input how many tasks will still read it. Tasks of such a layer have no record until they are
//! handed out, or until one of their other inputs comes while the gates are open. What an input that comes lets start is a box
//! of the layer's grid, and stands in the queue as that ([`crate::opened`]).

use crate::task_set::TaskSet;
use raskt_graph::{BoxWalk, Graph, LayerId, Shape, TaskId};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Readers of a task from which on they are behind a gate; up to there they may go along with it in one assignment, which
/// looks at so many. Tests are full of small layers.
const MANY_READERS: u64 = if cfg!(test) { 2 } else { 64 };

/// The ports of a layer that are gates, as bits. Ports beyond those that have a bit never are.
pub(crate) type Gated = u64;

/// The gates of one layer.
#[derive(Debug)]
pub(crate) struct Gates {
    gates: SmallVec<[Gate; 2]>,
    /// Tasks with a record that wait for nothing else, each under one of the inputs that it waits for.
    pub waiting: BTreeSet<(TaskId, u64)>,
}

/// A port through which many tasks read the same.
#[derive(Debug)]
pub(crate) struct Gate {
    pub port: usize,
    pub input: LayerId,
    /// Tasks of the input, and how many of them are in memory.
    inputs: u64,
    present: u64,
    /// For each of them, one more than the needed tasks that will read it and have not ended; nothing until that is asked.
    left: Vec<u64>,
}

impl Gates {
    pub fn of(graph: &Graph, shape: &Shape) -> Option<Box<Self>> {
        let ports =
            (0..shape.ports().min(Gated::BITS as usize)).filter(|&port| shape.most_readers(port) > MANY_READERS);
        let gate = |port| {
            let input = shape.read_through(port)?;
            Some(Gate { port, input, inputs: graph.layer(input).len(), present: 0, left: vec![] })
        };
        let gates: SmallVec<[Gate; 2]> = ports.filter_map(gate).collect();
        (!gates.is_empty()).then(|| Box::new(Self { gates, waiting: BTreeSet::new() }))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.gates.iter()
    }

    /// Those through which tasks of `input` are read.
    pub fn reading(&mut self, input: LayerId) -> impl Iterator<Item = &mut Gate> {
        self.gates.iter_mut().filter(move |gate| gate.input == input)
    }

    pub fn at(&mut self, port: usize) -> Option<&mut Gate> {
        self.gates.iter_mut().find(|gate| gate.port == port)
    }

    pub fn gated(&self) -> Gated {
        self.gates.iter().fold(0, |gated, gate| gated | 1 << gate.port)
    }

    /// Whether all that is read through them is in memory.
    pub fn are_open(&self) -> bool {
        self.gates.iter().all(|gate| gate.present == gate.inputs)
    }
}

impl Gate {
    pub fn present(&self) -> u64 {
        self.present
    }

    pub fn came(&mut self) {
        self.present += 1;
    }

    pub fn went(&mut self) {
        self.present -= 1;
    }

    /// How many tasks will read `index`, where that was counted.
    pub fn counted(&self, index: u64) -> Option<u64> {
        self.left.get(index as usize).copied().unwrap_or(0).checked_sub(1)
    }

    /// The same, counted by `count` if it wasn't yet. It has to be asked before a reader ends, or is needed or not any more.
    pub fn left(&mut self, index: u64, count: impl FnOnce() -> u64) -> u64 {
        if self.left.is_empty() {
            self.left = vec![0; self.inputs as usize];
        }
        let left = &mut self.left[index as usize];
        if *left == 0 {
            *left = 1 + count();
        }
        *left - 1
    }

    /// One more task will read `index`; says how many will.
    pub fn join(&mut self, index: u64) -> u64 {
        self.left[index as usize] += 1;
        self.left[index as usize] - 1
    }

    /// One that would have read `index` has ended or isn't needed any more; says how many are left.
    pub fn leave(&mut self, index: u64) -> u64 {
        let left = &mut self.left[index as usize];
        assert!(*left > 1, "more readers of task {index} of {:?} have ended than there were", self.input);
        *left -= 1;
        *left - 1
    }
}

/// How many of `needed` read task `index` through `port`.
pub(crate) fn count_readers(shape: &Shape, port: usize, index: u64, needed: &TaskSet) -> u64 {
    let readers = shape.readers_through(port, index);
    if *needed == TaskSet::Everything {
        return readers.len();
    }
    let (mut walk, mut count) = (BoxWalk::new(&shape.grid(), &readers), 0);
    while walk.left() > 0 {
        let run = walk.run();
        count += needed.count(run.clone());
        walk.advance(run.end - run.start);
    }
    count
}

/// Calls `visit` with each task of layer `id` that reads `input` otherwise than through a gate, once for each time it does.
pub(crate) fn for_each_told(graph: &Graph, id: LayerId, gated: Gated, input: TaskId, mut visit: impl FnMut(u64)) {
    let shape = &graph.layer(id).shape;
    if gated == 0 {
        return shape.for_each_dependent(id, input, visit);
    }
    let grid = shape.grid();
    let is_told = |&port: &usize| !is_gate(gated, port) && shape.read_through(port) == Some(input.layer);
    for port in (0..shape.ports()).filter(is_told) {
        shape.readers_through(port, input.index).for_each(&grid, &mut visit);
    }
}

pub(crate) fn is_gate(gated: Gated, port: usize) -> bool {
    port < Gated::BITS as usize && gated >> port & 1 == 1
}
