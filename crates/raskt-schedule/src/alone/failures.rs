//! Which tasks of a run have failed, and because of which.

use crate::{Failure, RunId, TaskRange};
use raskt_graph::TaskId;
use std::collections::{BTreeMap, BTreeSet};

/// Tasks that have failed, by ranges. They aren't among the needed.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// By their first task; none touches the next of the same cause.
    ranges: BTreeMap<TaskId, Failed>,
    roots: BTreeMap<Root, Cause>,
    /// The same by the tasks that failed first.
    by_cause: BTreeSet<(RunId, TaskId, Root)>,
    next: u32,
}

/// The number of a task that failed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Root(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed {
    end: u64,
    root: Root,
}

#[derive(Debug)]
struct Cause {
    failure: Failure,
    /// Where the ranges of those begin that failed with it; never none.
    starts: BTreeSet<TaskId>,
}

impl Failures {
    /// A number for what has failed first.
    pub fn add_root(&mut self, failure: Failure) -> Root {
        let root = Root(self.next);
        self.next += 1;
        self.by_cause.insert((failure.run, failure.task, root));
        self.roots.insert(root, Cause { failure, starts: BTreeSet::new() });
        root
    }

    /// Those that are of these tasks.
    pub fn roots_of(&self, causes: &BTreeSet<(RunId, TaskId)>) -> Vec<Root> {
        let of = |&(run, task): &(RunId, TaskId)| {
            self.by_cause.range((run, task, Root(0))..=(run, task, Root(u32::MAX))).map(|&(_, _, root)| root)
        };
        causes.iter().flat_map(of).collect()
    }

    pub fn failure(&self, root: Root) -> Option<&Failure> {
        self.roots.get(&root).map(|cause| &cause.failure)
    }

    /// Because of what `task` has failed, if it has.
    pub fn root_of(&self, task: TaskId) -> Option<Root> {
        self.find(task).map(|(_, failed)| failed.root)
    }

    fn find(&self, task: TaskId) -> Option<(TaskId, Failed)> {
        let (&start, &failed) = self.ranges.range(..=task).next_back()?;
        (start.layer == task.layer && task.index < failed.end).then_some((start, failed))
    }

    /// The tasks of `tasks` that have failed, and because of what.
    pub fn within(&self, tasks: TaskRange) -> Vec<(TaskRange, Root)> {
        let TaskRange { layer, start, end } = tasks;
        let (from, to) = (TaskId::new(layer, start), TaskId::new(layer, end));
        let before = self.find(from).filter(|(first, _)| *first < from);
        let later = self.ranges.range(from..to.max(from)).map(|(&first, &failed)| (first, failed));
        let cut = |(first, failed): (TaskId, Failed)| {
            (TaskRange { layer, start: first.index.max(start), end: failed.end.min(end) }, failed.root)
        };
        before.into_iter().chain(later).map(cut).filter(|(range, _)| !range.is_empty()).collect()
    }

    /// `tasks` have failed because of `root`, whatever they had failed of before.
    pub fn insert(&mut self, tasks: TaskRange, root: Root) {
        self.remove(tasks);
        let TaskRange { layer, mut start, mut end } = tasks;
        let before = start.checked_sub(1).and_then(|last| self.find(TaskId::new(layer, last)));
        if let Some((first, _)) = before.filter(|(_, failed)| failed.root == root) {
            start = first.index;
        }
        let after =
            self.find(TaskId::new(layer, end)).filter(|(first, failed)| first.index == end && failed.root == root);
        if let Some((first, failed)) = after {
            self.ranges.remove(&first);
            self.unlist(first, root);
            end = failed.end;
        }
        self.put(TaskId::new(layer, start), Failed { end, root });
    }

    fn put(&mut self, start: TaskId, failed: Failed) {
        self.ranges.insert(start, failed);
        self.roots.get_mut(&failed.root).map(|cause| cause.starts.insert(start));
    }

    fn unlist(&mut self, start: TaskId, root: Root) {
        self.roots.get_mut(&root).map(|cause| cause.starts.remove(&start));
    }

    /// `tasks` are failed no longer. What has failed nothing else is forgotten.
    pub fn remove(&mut self, tasks: TaskRange) {
        for (part, root) in self.within(tasks) {
            let Some((first, failed)) = self.find(TaskId::new(part.layer, part.start)) else { continue };
            self.ranges.remove(&first);
            self.unlist(first, root);
            if first.index < part.start {
                self.put(first, Failed { end: part.start, root });
            }
            if part.end < failed.end {
                self.put(TaskId::new(part.layer, part.end), failed);
            }
        }
    }

    /// Nothing has failed because of `root` any more. Gives what had.
    pub fn forget(&mut self, root: Root) -> Vec<TaskRange> {
        let Some(cause) = self.remove_root(root) else { return vec![] };
        let ranges = cause.starts.into_iter().filter_map(|start| {
            let Failed { end, .. } = self.ranges.remove(&start)?;
            Some(TaskRange { layer: start.layer, start: start.index, end })
        });
        ranges.collect()
    }

    /// Forgets what has failed nothing.
    pub fn forget_unused(&mut self, root: Root) {
        if self.roots.get(&root).is_some_and(|cause| cause.starts.is_empty()) {
            self.remove_root(root);
        }
    }

    fn remove_root(&mut self, root: Root) -> Option<Cause> {
        let cause = self.roots.remove(&root)?;
        self.by_cause.remove(&(cause.failure.run, cause.failure.task, root));
        Some(cause)
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// All tasks that have failed, from one on, and why.
    pub fn all_from(&self, task: TaskId) -> impl Iterator<Item = (TaskRange, &Failure)> {
        let range = |(start, failed): (&TaskId, &Failed)| {
            let range = TaskRange { layer: start.layer, start: start.index, end: failed.end };
            Some((range, self.failure(failed.root)?))
        };
        self.ranges.range(task..).filter_map(range)
    }

    /// All tasks that have failed.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = (TaskRange, Root)> {
        let range = |(start, failed): (&TaskId, &Failed)| {
            (TaskRange { layer: start.layer, start: start.index, end: failed.end }, failed.root)
        };
        self.ranges.iter().map(range)
    }

    /// How many tasks have failed.
    #[cfg(test)]
    pub fn count(&self) -> u64 {
        self.all().map(|(range, _)| range.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunId;
    use proptest::prelude::*;
    use raskt_graph::LayerId;

    proptest! {
        /// Each task has the cause that was given last, in as few ranges as can be.
        #[test]
        fn ranges_are_a_map(steps in prop::collection::vec((0..4_u32, 0..2_u32, 0..20_u64, 1..6_u64), 0..40)) {
            let (mut failures, mut reference) = (Failures::default(), BTreeMap::<TaskId, Root>::new());
            let failure = |index| Failure {
                run: RunId(0), task: TaskId::new(LayerId(0), index), worker: None, story: vec![]
            };
            let roots: Vec<_> = (0..3).map(|index| failures.add_root(failure(index))).collect();
            for (step, layer, start, len) in steps {
                let tasks = TaskRange { layer: LayerId(layer), start, end: start + len };
                match roots.get(step as usize) {
                    Some(&root) => {
                        failures.insert(tasks, root);
                        reference.extend(tasks.tasks().map(|task| (task, root)));
                    }
                    None => {
                        failures.remove(tasks);
                        tasks.tasks().for_each(|task| _ = reference.remove(&task));
                    }
                }
                for task in (0..2).flat_map(|layer| (0..30).map(move |index| TaskId::new(LayerId(layer), index))) {
                    prop_assert_eq!(failures.root_of(task), reference.get(&task).copied(), "{}", task);
                }
                let within: u64 = failures.within(tasks).iter().map(|(range, _)| range.len()).sum();
                prop_assert_eq!(within, tasks.tasks().filter(|task| reference.contains_key(task)).count() as u64);
                prop_assert_eq!(failures.count(), reference.len() as u64);
                let all: Vec<_> = failures.all().collect();
                let touches = |pair: &[(TaskRange, Root)]| {
                    pair[0].1 == pair[1].1 && pair[0].0.layer == pair[1].0.layer && pair[0].0.end == pair[1].0.start
                };
                prop_assert!(!all.windows(2).any(touches));
            }
            let of_first = failures.forget(roots[0]);
            prop_assert!(TaskRange::count(&of_first) == reference.values().filter(|root| **root == roots[0]).count() as u64);
            prop_assert_eq!(failures.count() + TaskRange::count(&of_first), reference.len() as u64);
        }
    }
}
