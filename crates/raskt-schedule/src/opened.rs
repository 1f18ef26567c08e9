//! Tasks that may start since something that many of them read has come into memory.

use raskt_graph::{BoxWalk, LayerId, TaskId};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

/// Boxes of tasks, in the order in which the first of each should start. That one stands in a box doesn't say that it is ready:
/// it may miss something else, or have run.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// By priority and layer; never empty.
    boxes: BTreeMap<(i32, LayerId), BinaryHeap<Opening>>,
    /// Those that there are.
    openers: BTreeSet<(LayerId, usize, TaskId)>,
    /// Tasks in them.
    untouched: u64,
}

/// What one input lets start. First comes what is first, whoever lets it: so boxes that lie beside each other are walked row by
/// row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub priority: i32,
    pub layer: LayerId,
    /// The way in which the input is read.
    pub port: usize,
    pub input: TaskId,
    pub tasks: BoxWalk,
    /// The first of them.
    start: u64,
}

type Turn = (i32, LayerId, Reverse<u64>, usize, TaskId);

impl Opening {
    pub fn new(priority: i32, layer: LayerId, port: usize, input: TaskId, tasks: BoxWalk) -> Self {
        Self { priority, layer, port, input, start: tasks.run().start, tasks }
    }

    fn turn(&self) -> Turn {
        (self.priority, self.layer, Reverse(self.start), self.port, self.input)
    }
}

impl Ord for Opening {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.turn().cmp(&other.turn())
    }
}

impl PartialOrd for Opening {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Opened {
    pub fn insert(&mut self, opening: Opening) {
        self.remove(opening.layer, opening.port, opening.input);
        if opening.tasks.left() > 0 {
            self.untouched = self.untouched.saturating_add(opening.tasks.left());
            self.openers.insert((opening.layer, opening.port, opening.input));
            self.boxes.entry((opening.priority, opening.layer)).or_default().push(opening);
        }
    }

    /// What `input` let start is not to start now.
    pub fn remove(&mut self, layer: LayerId, port: usize, input: TaskId) {
        if !self.openers.remove(&(layer, port, input)) {
            return;
        }
        let untouched = &mut self.untouched;
        self.boxes.retain(|&(_, other), boxes| {
            if other == layer {
                boxes.retain(|opening| {
                    let is_other = (opening.port, opening.input) != (port, input);
                    *untouched = untouched.saturating_sub(if is_other { 0 } else { opening.tasks.left() });
                    is_other
                });
            }
            !boxes.is_empty()
        });
    }

    /// The neighbours that are next, but for those of some layers.
    pub fn first_past(&self, passed: &[LayerId]) -> Option<(i32, LayerId, Range<u64>)> {
        let mut layers = self.boxes.iter().rev().filter(|((_, layer), _)| !passed.contains(layer));
        let (&(priority, layer), boxes) = layers.next()?;
        boxes.peek().map(|first| (priority, layer, first.tasks.run()))
    }

    /// Takes the first `count` tasks of a layer.
    pub fn advance(&mut self, priority: i32, layer: LayerId, count: u64) {
        let Some(boxes) = self.boxes.get_mut(&(priority, layer)) else { return };
        let Some(mut first) = boxes.peek_mut() else { return };
        first.tasks.advance(count);
        first.start = first.tasks.run().start;
        self.untouched = self.untouched.saturating_sub(count);
        if first.tasks.left() == 0 {
            let Opening { port, input, .. } = PeekMut::pop(first);
            self.openers.remove(&(layer, port, input));
            if boxes.is_empty() {
                self.boxes.remove(&(priority, layer));
            }
        }
    }

    /// Tasks that may be ready, at most; those that stand in two boxes count twice.
    pub fn untouched(&self) -> u64 {
        self.untouched
    }

    /// Whether task `index` of `layer` stands in one of them: for tests, linear in the boxes.
    pub fn has(&self, layer: LayerId, index: u64) -> bool {
        let has = |opening: &Opening| {
            let mut tasks = opening.tasks.clone();
            while tasks.left() > 0 && !tasks.run().contains(&index) {
                tasks.advance(tasks.run().count() as u64);
            }
            tasks.left() > 0
        };
        self.boxes.values().flatten().any(|opening| opening.layer == layer && has(opening))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::{Grid, GridBox};

    fn column(grid: &Grid, column: u32) -> Opening {
        let rows = 0..grid.lengths()[0];
        let tasks = BoxWalk::new(grid, &GridBox([rows, column..column + 1].into_iter().collect()));
        Opening::new(0, LayerId(1), 0, TaskId::new(LayerId(0), u64::from(column)), tasks)
    }

    #[test]
    fn columns_are_walked_row_by_row() {
        let grid = Grid::new([2, 3]);
        let mut opened = Opened::default();
        [2, 0, 1].into_iter().for_each(|at| opened.insert(column(&grid, at)));
        let mut found = vec![];
        while let Some((_, _, run)) = opened.first_past(&[]) {
            found.push(run.start);
            opened.advance(0, LayerId(1), 1);
        }
        assert_eq!((found, opened.untouched()), (vec![0, 1, 2, 3, 4, 5], 0));
    }

    #[test]
    fn what_is_closed_is_gone_and_counts_no_longer() {
        let grid = Grid::new([2, 3]);
        let mut opened = Opened::default();
        [0, 1].into_iter().for_each(|at| opened.insert(column(&grid, at)));
        opened.advance(0, LayerId(1), 1);
        opened.remove(LayerId(1), 0, TaskId::new(LayerId(0), 0));
        assert_eq!((opened.first_past(&[]), opened.untouched()), (Some((0, LayerId(1), 1..2)), 2));
        assert!(opened.has(LayerId(1), 4) && !opened.has(LayerId(1), 3));
    }
}
