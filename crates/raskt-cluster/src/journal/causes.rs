//! Why tasks have failed, of whichever runs: each reason once, however much has failed with it.

use super::record::Root;
use crate::message::FailureForm;
use crate::ranges::RangeMap;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many bytes of errors are written at most; of more there is a sentence each.
const ERRORS_BYTES_MAX: usize = 256 << 20;

/// Of an error for which there is no room, so much of what it says is kept.
const SENTENCE_BYTES: usize = 512;

/// By the task that failed first.
#[derive(Clone, Debug)]
pub(super) struct Causes {
    by_root: BTreeMap<Root, Cause>,
    bytes: usize,
    /// How many there may be.
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
    /// What has failed because of it, and perhaps of something else since.
    tasks: BTreeMap<RunId, RangeMap<()>>,
    /// Runs that have ended because of it.
    ended: BTreeSet<RunId>,
}

pub(super) fn root_of(failure: &FailureForm) -> Root {
    (failure.run, failure.task)
}

fn bytes_of(failure: &FailureForm) -> usize {
    let error = failure.error.as_ref();
    let cause = failure.cause.as_ref().map_or(0, String::len);
    cause + error.map_or(0, |error| error.message.len() + error.key.len() + error.cause.as_ref().map_or(0, Vec::len))
}

impl Causes {
    pub fn get(&self, root: Root) -> Option<&Arc<FailureForm>> {
        self.by_root.get(&root).map(|cause| &cause.failure)
    }

    /// What is to be written of a failure before it is referred to; nothing if that is known.
    pub fn unwritten(&self, failure: &FailureForm) -> Option<FailureForm> {
        let known = self.get(root_of(failure)).map(|known| &**known);
        if known == Some(failure) {
            return None;
        }
        if self.bytes + bytes_of(failure) <= self.bytes_max {
            return Some(failure.clone());
        }
        let short = shortened(failure);
        (known != Some(&short)).then_some(short)
    }

    /// This is why what is said to have failed because of this task from now on has.
    pub fn set(&mut self, failure: FailureForm) {
        let root = root_of(&failure);
        self.bytes += bytes_of(&failure);
        let (tasks, ended) = match self.by_root.remove(&root) {
            Some(before) => {
                self.bytes -= bytes_of(&before.failure);
                (before.tasks, before.ended)
            }
            None => Default::default(),
        };
        self.by_root.insert(root, Cause { failure: Arc::new(failure), tasks, ended });
    }

    /// Tasks have failed because of it. Gives why.
    pub fn fail(&mut self, root: Root, run: RunId, tasks: &[TaskRange]) -> Option<Arc<FailureForm>> {
        let cause = self.by_root.get_mut(&root)?;
        let of_run = cause.tasks.entry(run).or_default();
        tasks.iter().for_each(|&range| of_run.set(range, ()));
        Some(cause.failure.clone())
    }

    /// A run has ended because of it. Gives why.
    pub fn end(&mut self, root: Root, run: RunId) -> Option<Arc<FailureForm>> {
        let cause = self.by_root.get_mut(&root)?;
        cause.ended.insert(run);
        Some(cause.failure.clone())
    }

    /// What may have failed because of it, by runs.
    pub fn failed_of(&self, root: Root) -> impl Iterator<Item = (RunId, Vec<TaskRange>)> {
        let tasks = self.by_root.get(&root).into_iter().flat_map(|cause| &cause.tasks);
        tasks.map(|(&run, tasks)| (run, tasks.all().map(|(range, ())| range).collect()))
    }

    /// What may have ended because of it.
    pub fn ended_of(&self, root: Root) -> impl Iterator<Item = RunId> {
        self.by_root.get(&root).into_iter().flat_map(|cause| &cause.ended).copied()
    }

    /// No task is failed because of it any more.
    pub fn forgive(&mut self, root: Root) {
        if let Some(cause) = self.by_root.get_mut(&root) {
            cause.tasks.clear();
        }
    }

    /// Nothing refers to it any more.
    pub fn forget(&mut self, root: Root) {
        if let Some(cause) = self.by_root.remove(&root) {
            self.bytes -= bytes_of(&cause.failure);
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
        let error = Arc::make_mut(error);
        error.cause = None;
        let mut end = SENTENCE_BYTES.min(error.message.len());
        while !error.message.is_char_boundary(end) {
            end -= 1;
        }
        error.message.truncate(end);
        error.message.push_str(" (the journal had no room for the rest of the error)");
    }
    short
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
        FailureForm { run: RunId(1), task, error: Some(error.into()), story: vec![], is_lost: false, cause: None }
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
        assert!(error.cause.is_none() && error.message.len() < 600 && error.message.contains("no room"));
        causes.set(short);
        assert_eq!(causes.unwritten(&failure(2, large)), None);
        let (range, run) = (TaskRange { layer: LayerId(0), start: 0, end: 9 }, RunId(4));
        for index in 0..3 {
            causes.fail((RunId(1), TaskId::new(LayerId(0), index)), run, &[range]).unwrap();
            causes.forget((RunId(1), TaskId::new(LayerId(0), index)));
        }
        assert_eq!((causes.bytes, causes.by_root.len()), (0, 0));
    }
}
