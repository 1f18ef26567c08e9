//! Tasks that may start since something that many of them read has come into memory.

use raskt_graph::{BoxWalk, LayerId, TaskId};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

/// Boxes of tasks, in the order in which the first of each should start. That one stands in a box doesn't say that it is ready:
/// it may miss something else, or have run.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// By priority and layer; never empty. The first of each heap is open; behind it may be some that have been closed.
    boxes: BTreeMap<(i32, LayerId), BinaryHeap<Opening>>,
    /// Those that are open.
    openers: BTreeMap<(LayerId, usize, TaskId), Opener>,
    /// The number of the last one.
    last: u64,
    /// Tasks in them.
    untouched: u64,
}

/// A box that is open.
#[derive(Clone, Copy, Debug)]
struct Opener {
    number: u64,
    priority: i32,
    /// Tasks that are left in it.
    left: u64,
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
    /// What tells it from one that was opened by the same input before.
    number: u64,
}

type Turn = (i32, LayerId, Reverse<u64>, usize, TaskId);

impl Opening {
    pub fn new(priority: i32, layer: LayerId, port: usize, input: TaskId, tasks: BoxWalk) -> Self {
        Self { priority, layer, port, input, start: tasks.run().start, tasks, number: 0 }
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
    pub fn insert(&mut self, mut opening: Opening) {
        self.remove(opening.layer, opening.port, opening.input);
        let left = opening.tasks.left();
        if left > 0 {
            self.untouched = self.untouched.saturating_add(left);
            self.last += 1;
            opening.number = self.last;
            let opener = Opener { number: opening.number, priority: opening.priority, left };
            self.openers.insert((opening.layer, opening.port, opening.input), opener);
            self.boxes.entry((opening.priority, opening.layer)).or_default().push(opening);
        }
    }

    /// What `input` let start is not to start now. It goes from its heap when it would be the first.
    pub fn remove(&mut self, layer: LayerId, port: usize, input: TaskId) {
        let Some(Opener { priority, left, .. }) = self.openers.remove(&(layer, port, input)) else { return };
        self.untouched = self.untouched.saturating_sub(left);
        self.drop_closed(priority, layer);
    }

    /// Takes what is closed from the front of a heap.
    fn drop_closed(&mut self, priority: i32, layer: LayerId) {
        let Self { boxes, openers, .. } = self;
        let Some(heap) = boxes.get_mut(&(priority, layer)) else { return };
        while let Some(first) = heap.peek_mut().filter(|first| !is_open(openers, first)) {
            PeekMut::pop(first);
        }
        if heap.is_empty() {
            boxes.remove(&(priority, layer));
        }
    }

    /// The neighbours that are next, but for those of some layers.
    pub fn first_past(&self, passed: &[LayerId]) -> Option<(i32, LayerId, Range<u64>)> {
        let mut layers = self.boxes.iter().rev().filter(|((_, layer), _)| !passed.contains(layer));
        let (&(priority, layer), boxes) = layers.next()?;
        boxes.peek().map(|first| (priority, layer, first.tasks.run()))
    }

    /// Takes the first `count` tasks of a layer.
    pub fn advance(&mut self, priority: i32, layer: LayerId, count: u64) {
        let Some(mut first) = self.boxes.get_mut(&(priority, layer)).and_then(BinaryHeap::peek_mut) else { return };
        first.tasks.advance(count);
        first.start = first.tasks.run().start;
        let (key, left) = ((layer, first.port, first.input), first.tasks.left());
        drop(first);
        self.untouched = self.untouched.saturating_sub(count);
        match self.openers.get_mut(&key) {
            Some(opener) if left > 0 => opener.left = left,
            _ => _ = self.openers.remove(&key),
        }
        // Another one may be first by now.
        self.drop_closed(priority, layer);
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
        let mut open = self.boxes.values().flatten().filter(|opening| is_open(&self.openers, opening));
        open.any(|opening| opening.layer == layer && has(opening))
    }
}

fn is_open(openers: &BTreeMap<(LayerId, usize, TaskId), Opener>, opening: &Opening) -> bool {
    let known = openers.get(&(opening.layer, opening.port, opening.input));
    known.is_some_and(|opener| opener.number == opening.number)
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

    #[test]
    fn who_opens_again_has_what_is_left_of_nothing_else() {
        let grid = Grid::new([2, 3]);
        let input = |at| TaskId::new(LayerId(0), at);
        let mut opened = Opened::default();
        [0, 1, 2].into_iter().for_each(|at| opened.insert(column(&grid, at)));
        // Closed behind the first, and opened again: the one that was closed mustn't come back with it.
        opened.remove(LayerId(1), 0, input(2));
        opened.insert(column(&grid, 2));
        opened.remove(LayerId(1), 0, input(0));
        opened.remove(LayerId(1), 0, input(1));
        let mut found = vec![];
        while let Some((_, _, run)) = opened.first_past(&[]) {
            found.push(run.start);
            opened.advance(0, LayerId(1), 1);
        }
        assert_eq!((found, opened.untouched()), (vec![2, 5], 0));
        assert!(opened.boxes.is_empty() && opened.openers.is_empty());
    }
}
