//! Why tasks have failed, of whichever runs: each reason once, however much has failed with it.

use crate::failure::{ERRORS_BYTES_MAX, Root};
use crate::message::FailureForm;
use crate::ranges::RangeMap;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// By the task that failed first. Whoever lets the last go that refers to one has it forgotten.
#[derive(Clone, Debug)]
pub(super) struct Causes {
    by_root: BTreeMap<Root, Cause>,
    bytes: usize,
    /// Of more than these the beginning is written.
    bytes_max: usize,
}

impl Default for Causes {
    fn default() -> Self {
        Self { by_root: BTreeMap::new(), bytes: 0, bytes_max: ERRORS_BYTES_MAX }
    }
}

#[derive(Clone, Debug)]
struct Cause {
    failure: Arc<FailureForm>,
    /// What has failed because of it; no run without any.
    tasks: BTreeMap<RunId, RangeMap<()>>,
    /// Runs that have ended because of it.
    ended: BTreeSet<RunId>,
}

impl Causes {
    pub fn get(&self, root: Root) -> Option<&Arc<FailureForm>> {
        self.by_root.get(&root).map(|cause| &cause.failure)
    }

    /// What is to be written of a failure before it is referred to; nothing if that is known.
    pub fn unwritten(&self, failure: &FailureForm) -> Option<FailureForm> {
        let known = self.get(failure.root()).map(|known| &**known);
        if known == Some(failure) {
            return None;
        }
        if self.bytes + failure.bytes() <= self.bytes_max {
            return Some(failure.clone());
        }
        let short = shortened(failure);
        (known != Some(&short)).then_some(short)
    }

    /// This is why what is said to have failed because of this task from now on has.
    pub fn set(&mut self, failure: FailureForm) {
        let root = failure.root();
        self.bytes += failure.bytes();
        let (tasks, ended) = match self.by_root.remove(&root) {
            Some(before) => {
                self.bytes -= before.failure.bytes();
                (before.tasks, before.ended)
            }
            None => Default::default(),
        };
        self.by_root.insert(root, Cause { failure: Arc::new(failure), tasks, ended });
    }

    /// Tasks have failed because of it. Gives why.
    pub fn fail(&mut self, root: Root, run: RunId, tasks: &[TaskRange]) -> Option<Arc<FailureForm>> {
        let cause = self.by_root.get_mut(&root)?;
        for &range in tasks.iter().filter(|range| !range.is_empty()) {
            cause.tasks.entry(run).or_default().set(range, ());
        }
        Some(cause.failure.clone())
    }

    /// A run has ended because of it. Gives why.
    pub fn end(&mut self, root: Root, run: RunId) -> Option<Arc<FailureForm>> {
        let cause = self.by_root.get_mut(&root)?;
        cause.ended.insert(run);
        Some(cause.failure.clone())
    }

    /// What has failed because of it, by runs.
    pub fn failed_of(&self, root: Root) -> impl Iterator<Item = (RunId, Vec<TaskRange>)> {
        let tasks = self.by_root.get(&root).into_iter().flat_map(|cause| &cause.tasks);
        tasks.map(|(&run, tasks)| (run, tasks.all().map(|(range, ())| range).collect()))
    }

    /// Nothing may refer to it.
    pub fn forget_unused(&mut self, root: Root) {
        self.change(root, |_| {});
    }

    /// No task is failed because of it any more.
    pub fn forgive(&mut self, root: Root) {
        self.change(root, |cause| cause.tasks.clear());
    }

    /// These tasks aren't.
    pub fn let_tasks_go(&mut self, root: Root, run: RunId, tasks: TaskRange) {
        self.change(root, |cause| {
            let Some(of_run) = cause.tasks.get_mut(&run) else { return };
            of_run.cut(tasks);
            if of_run.is_empty() {
                cause.tasks.remove(&run);
            }
        });
    }

    /// The run hasn't ended because of it.
    pub fn let_end_go(&mut self, root: Root, run: RunId) {
        self.change(root, |cause| _ = cause.ended.remove(&run));
    }

    /// Nothing of the run refers to it any more.
    pub fn let_run_go(&mut self, root: Root, run: RunId) {
        self.change(root, |cause| {
            cause.tasks.remove(&run);
            cause.ended.remove(&run);
        });
    }

    fn change(&mut self, root: Root, change: impl FnOnce(&mut Cause)) {
        if let Some(cause) = self.by_root.get_mut(&root) {
            change(cause);
            if cause.tasks.is_empty() && cause.ended.is_empty() {
                self.bytes -= cause.failure.bytes();
                self.by_root.remove(&root);
            }
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<FailureForm>> {
        self.by_root.values().map(|cause| &cause.failure)
    }
}

/// Without what takes up room.
fn shortened(failure: &FailureForm) -> FailureForm {
    let mut short = failure.clone();
    if let Some(error) = &mut short.error {
        Arc::make_mut(error).shorten();
    }
    short
}

/// A task of a run that has failed, or the run itself that has ended, because of something.
#[cfg(test)]
pub(super) type Referred = (Root, RunId, Option<raskt_graph::TaskId>);

#[cfg(test)]
impl Causes {
    /// Which tasks of which runs have failed because of which, and which runs have ended.
    pub fn referred(&self) -> BTreeSet<Referred> {
        let of_cause = |(&root, cause): (&Root, &Cause)| {
            let ranges = cause.tasks.iter().flat_map(|(&run, tasks)| tasks.all().map(move |(range, ())| (run, range)));
            let tasks = ranges.flat_map(|(run, range)| range.tasks().map(move |task| (root, run, Some(task))));
            tasks.chain(cause.ended.iter().map(|&run| (root, run, None))).collect::<Vec<_>>()
        };
        self.by_root.iter().flat_map(of_cause).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ErrorForm;
    use raskt_graph::{LayerId, TaskId};
    use raskt_value::ErrorKind;

    fn failure(index: u64, bytes: usize) -> FailureForm {
        let (key, message, kind) = ("key".into(), "ä".repeat(600), ErrorKind::Value);
        let error = ErrorForm { key, kind, message, cause: Some(vec![1; bytes]) };
        let task = TaskId::new(LayerId(0), index);
        FailureForm { run: RunId(1), task, error: Some(error.into()), story: vec![], is_lost: false, killed: None }
    }

    #[test]
    fn errors_are_written_once_and_bounded() {
        let mut causes = Causes { bytes_max: 20_000, ..Causes::default() };
        let large = 8000;
        for index in 0..2 {
            let written = causes.unwritten(&failure(index, large)).unwrap();
            assert_eq!(written, failure(index, large));
            causes.set(written);
            assert_eq!(causes.unwritten(&failure(index, large)), None);
        }
        let short = causes.unwritten(&failure(2, large)).unwrap();
        let error = short.error.clone().unwrap();
        assert!(error.cause.is_none() && error.message.ends_with("too much has failed to keep it)"));
        causes.set(short);
        assert_eq!(causes.unwritten(&failure(2, large)), None);
        let (range, run) = (TaskRange { layer: LayerId(0), start: 0, end: 9 }, RunId(4));
        for index in 0..3 {
            let root = (RunId(1), TaskId::new(LayerId(0), index));
            causes.fail(root, run, &[range]).unwrap();
            causes.let_tasks_go(root, run, TaskRange { end: 8, ..range });
            assert!(causes.get(root).is_some());
            causes.let_tasks_go(root, run, range);
        }
        assert_eq!((causes.bytes, causes.by_root.len()), (0, 0));
    }
}
