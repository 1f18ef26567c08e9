//! What is read of layers, gathered before it is added to what is needed of them.
//!
//! A layer may be read in very many sets: a diagonal is one for each of its blocks. Each that is added by itself is put among all that
//! are there, so that all of them would take the square of their number.

use crate::task_set::TaskSet;
use raskt_graph::{AxisSet, Grid, GridSet, LayerId};
use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges along one axis that are gathered before they become one set.
const MANY_ALONG: usize = 1 << 16;
/// Ranges of tasks that are gathered before they are added, where fewer are there.
const MANY_LISTED: usize = 1 << 10;

/// What was found to be read of each layer, and isn't added yet.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    layers: BTreeMap<LayerId, Reads>,
    /// Ranges that were looked at: those that were added, and those that they were put among.
    steps: u64,
}

/// What is read of one layer.
#[derive(Debug)]
struct Reads {
    grid: Grid,
    row: Row,
    /// What is no boxes.
    ranges: Vec<Range<u64>>,
}

/// Sets that differ along one axis and no other.
#[derive(Debug)]
struct Row {
    first: GridSet,
    axis: Option<usize>,
    /// What they have along that axis, in any order.
    along: Vec<Range<u32>>,
}

impl Gathered {
    /// Blocks of `grid`, which numbers the `len` tasks of `layer`, are read: to be added to its `members` now or at the end.
    pub fn add(&mut self, layer: LayerId, grid: &Grid, set: GridSet, members: &mut TaskSet, len: u64) {
        if set.is_empty() || *members == TaskSet::Everything {
            return;
        }
        let Some(reads) = self.layers.get_mut(&layer) else {
            let reads = Reads { grid: grid.clone(), row: Row::new(set), ranges: vec![] };
            self.layers.insert(layer, reads);
            return;
        };
        if reads.grid == *grid && reads.row.add(&set) {
            return;
        }
        self.steps += reads.insert_row(members, len);
        (reads.grid, reads.row) = (grid.clone(), Row::new(set));
        // Those that are there are looked at again when as many have come: on average, twice.
        if reads.ranges.len() > members.listed().max(MANY_LISTED) {
            self.steps += reads.insert_listed(members, len);
        }
    }

    /// Nothing more is read of `layer`: adds what is left to its `members`.
    pub fn finish(&mut self, layer: LayerId, members: &mut TaskSet, len: u64) {
        if let Some(mut reads) = self.layers.remove(&layer) {
            self.steps += reads.insert_row(members, len);
            self.steps += reads.insert_listed(members, len);
        }
    }

    /// How many ranges were looked at so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl Reads {
    /// Adds the row to `members`, or to what is listed. Says how many ranges were looked at.
    fn insert_row(&mut self, members: &mut TaskSet, len: u64) -> u64 {
        let boxed = if matches!(members, TaskSet::Boxes(_)) { members.listed() } else { 0 };
        let set = self.row.set();
        members.insert_set(&self.grid, &set, len, &mut self.ranges);
        let own = set.axes().iter().map(|axis| axis.ranges().len()).sum::<usize>();
        (boxed + own) as u64
    }

    /// Adds what is listed to `members`. Says how many ranges were looked at.
    fn insert_listed(&mut self, members: &mut TaskSet, len: u64) -> u64 {
        let looked_at = self.ranges.len() + members.listed();
        members.insert_all(std::mem::take(&mut self.ranges), len);
        looked_at as u64
    }
}

impl Row {
    fn new(first: GridSet) -> Self {
        Self { first, axis: None, along: vec![] }
    }

    /// Adds `set` if it differs from the others along no other axis than they do; whether it does.
    fn add(&mut self, set: &GridSet) -> bool {
        let Some(axis) = self.axis.or_else(|| self.first.only_difference(set)) else { return self.first == *set };
        let is_alike = |at| at == axis || self.first.axes()[at] == set.axes()[at];
        if self.along.len() >= MANY_ALONG || !(0..set.axes().len()).all(is_alike) {
            return false;
        }
        if self.axis.is_none() {
            self.along.extend(self.first.axes()[axis].ranges());
        }
        self.axis = Some(axis);
        self.along.extend(set.axes()[axis].ranges());
        true
    }

    /// All of them as one.
    fn set(&self) -> GridSet {
        let Some(axis) = self.axis else { return self.first.clone() };
        let mut along = self.along.clone();
        along.sort_unstable_by_key(|range| range.start);
        self.first.with_axis(axis, along.into_iter().collect::<AxisSet>())
    }
}
