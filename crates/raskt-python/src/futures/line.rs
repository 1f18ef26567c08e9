use super::Task;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};

/// The tasks of a pool whose inputs are there, and the threads that take them.
#[derive(Default)]
pub(crate) struct Line {
    waiting: BinaryHeap<Entry>,
    /// Threads that take tasks or were asked for, less those that wait for futures themselves. Other threads of the
    /// engine that wait for futures of this pool count too, so that it may be negative.
    pub threads: isize,
    /// No task starts any more.
    pub is_closed: bool,
}

/// Higher priority first, then in the order of submission.
struct Entry {
    rank: (i64, Reverse<u64>),
    /// Nobody may want the task any more when its turn comes.
    task: Weak<Task>,
}

impl Line {
    pub fn push(&mut self, task: &Arc<Task>) {
        self.waiting.push(Entry { rank: (task.priority, Reverse(task.id)), task: Arc::downgrade(task) });
    }

    /// The first task in line that somebody still wants.
    pub fn pop(&mut self) -> Option<Arc<Task>> {
        while let Some(entry) = self.waiting.pop() {
            if let Some(task) = entry.task.upgrade() {
                return Some(task);
            }
        }
        None
    }

    /// Whether one more thread is to be asked for; it is counted if so.
    pub fn wants_thread(&mut self, width: usize) -> bool {
        let wants = !self.is_closed && !self.waiting.is_empty() && self.threads < width as isize;
        self.threads += isize::from(wants);
        wants
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}
