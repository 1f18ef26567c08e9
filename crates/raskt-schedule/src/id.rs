//! Names of runs, workers and hand-outs, ranges of tasks, and time: plain numbers.

use raskt_graph::{LayerId, TaskId};
use serde::{Deserialize, Serialize};

/// A graph that a client submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub u64);

/// A worker of the scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WorkerId(pub u32);

/// An assignment that a worker has accepted, numbered by the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// A hand-out of tasks to a worker, by number within the run. Each has its own, so that a report of an older one is known
/// for what it is, whatever has happened to its tasks since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attempt(pub u32);

impl Attempt {
    /// The hand-out after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Nanoseconds since the driver started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time(pub u64);

/// Neighbouring tasks of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskRange {
    /// The layer.
    pub layer: LayerId,
    /// The first task.
    pub start: u64,
    /// One past the last task.
    pub end: u64,
}

impl TaskRange {
    /// The range of one task.
    pub fn one(task: TaskId) -> Self {
        // No layer has a task of the last number, whoever may ask for it.
        Self { layer: task.layer, start: task.index, end: task.index.saturating_add(1) }
    }

    /// How many tasks are in it.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Whether `task` is in it.
    pub fn contains(&self, task: TaskId) -> bool {
        self.layer == task.layer && (self.start..self.end).contains(&task.index)
    }

    /// Whether it has a task in common with `other`.
    pub fn meets(&self, other: Self) -> bool {
        self.layer == other.layer && self.start < other.end && other.start < self.end
    }

    /// Its tasks.
    pub fn tasks(self) -> impl ExactSizeIterator<Item = TaskId> + DoubleEndedIterator {
        (0..(self.end - self.start) as usize).map(move |at| TaskId::new(self.layer, self.start + at as u64))
    }

    /// These tasks, as ranges: neighbours that stand one after the other are put together.
    pub fn of(tasks: impl IntoIterator<Item = TaskId>) -> Vec<Self> {
        let mut ranges = vec![];
        tasks.into_iter().for_each(|task| Self::push(&mut ranges, task));
        ranges
    }

    /// How many tasks are in `ranges`.
    pub fn count(ranges: &[Self]) -> u64 {
        ranges.iter().map(Self::len).sum()
    }

    /// `ranges` in order, in parts of so many tasks each, and the last of the rest.
    pub fn parts(ranges: &[Self], each: u64) -> Vec<Vec<Self>> {
        let each = each.max(1);
        let (mut parts, mut room) = (vec![], 0);
        for &(mut rest) in ranges {
            while !rest.is_empty() {
                if room == 0 {
                    parts.push(vec![]);
                    room = each;
                }
                let end = rest.end.min(rest.start.saturating_add(room));
                let piece = Self { end, ..rest };
                parts.last_mut().into_iter().for_each(|part| part.push(piece));
                (rest.start, room) = (end, room - piece.len());
            }
        }
        parts
    }

    /// Adds `task` to the last of `ranges` if it follows there, else a range of its own.
    pub fn push(ranges: &mut Vec<Self>, task: TaskId) {
        match ranges.last_mut() {
            Some(last) if last.layer == task.layer && last.end == task.index => last.end += 1,
            _ => ranges.push(Self::one(task)),
        }
    }
}

impl TaskRange {
    /// Takes its tasks out of `ranges`.
    pub fn cut_out_of(&self, ranges: &mut Vec<Self>) {
        if ranges.iter().all(|range| range.layer != self.layer || range.end <= self.start || self.end <= range.start) {
            return;
        }
        let parts = std::mem::take(ranges).into_iter().flat_map(|range| {
            if range.layer != self.layer {
                return [range, Self { end: range.start, ..range }];
            }
            let before = Self { end: range.end.min(self.start), ..range };
            [before, Self { start: range.start.max(self.end), ..range }]
        });
        *ranges = parts.filter(|range| !range.is_empty()).collect();
    }
}
