//! Tasks of a box of a grid, in the order of their numbers.

use crate::{Grid, GridBox};
use smallvec::SmallVec;
use std::ops::Range;

/// A walk through a box of a grid in C order, by runs of neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxWalk {
    /// The innermost axis first. Axes that are in the box as a whole are one with the next.
    axes: SmallVec<[Axis; 2]>,
    /// Tasks that are to come.
    left: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Axis {
    stride: u64,
    length: u64,
    range: Range<u64>,
    at: u64,
}

impl BoxWalk {
    /// From the first task of the box on.
    pub fn new(grid: &Grid, within: &GridBox) -> Self {
        let mut axes = SmallVec::<[Axis; 2]>::from_elem(Axis { stride: 1, length: 1, range: 0..1, at: 0 }, 1);
        let mut stride = 1;
        for (&length, range) in grid.lengths().iter().zip(&within.0).rev() {
            let (length, range) = (u64::from(length), u64::from(range.start)..u64::from(range.end));
            match axes.last_mut() {
                Some(inner) if inner.range == (0..inner.length) => {
                    inner.range = range.start * inner.length..range.end * inner.length;
                    inner.length *= length;
                }
                _ => axes.push(Axis { stride, length, range, at: 0 }),
            }
            stride *= length;
        }
        axes.iter_mut().for_each(|axis| axis.at = axis.range.start);
        Self { axes, left: within.len() }
    }

    /// The neighbours that are next; nothing at the end.
    pub fn run(&self) -> Range<u64> {
        if self.left == 0 {
            return 0..0;
        }
        let start = self.axes.iter().map(|axis| axis.at * axis.stride).sum();
        start..start + (self.axes[0].range.end - self.axes[0].at)
    }

    /// Tasks that are to come.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Goes on by `count` tasks of the run.
    pub fn advance(&mut self, count: u64) {
        self.left = self.left.saturating_sub(count);
        self.axes[0].at += count;
        for axis in 0..self.axes.len() - 1 {
            if self.axes[axis].at < self.axes[axis].range.end {
                return;
            }
            self.axes[axis].at = self.axes[axis].range.start;
            self.axes[axis + 1].at += 1;
        }
    }

    /// One past the last neighbour of `index`, a task of the box, that is in the box as well.
    pub fn end_of_run(&self, index: u64) -> u64 {
        index + (self.axes[0].range.end.saturating_sub(index % self.axes[0].length)).max(1)
    }
}
