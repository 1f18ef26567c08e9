use raskt_graph::{LayerId, TaskId};

/// A graph that a client submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// A worker of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub u32);

/// An assignment that a worker has accepted, numbered by the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// How often a task has been assigned or taken back. A report of an older attempt counts for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attempt(pub u32);

impl Attempt {
    /// The attempt after this one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Nanoseconds since the driver started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub u64);

/// Neighbouring tasks of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
        Self { layer: task.layer, start: task.index, end: task.index + 1 }
    }

    /// How many tasks are in it.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Its tasks.
    pub fn tasks(self) -> impl ExactSizeIterator<Item = TaskId> {
        (0..(self.end - self.start) as usize).map(move |at| TaskId::new(self.layer, self.start + at as u64))
    }

    /// Adds `task` to the last of `ranges` if it follows there, else a range of its own.
    pub(crate) fn push(ranges: &mut Vec<Self>, task: TaskId) {
        match ranges.last_mut() {
            Some(last) if last.layer == task.layer && last.end == task.index => last.end += 1,
            _ => ranges.push(Self::one(task)),
        }
    }
}
