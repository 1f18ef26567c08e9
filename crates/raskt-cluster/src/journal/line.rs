//! A run in a ledger.

use super::record::{Ended, EndedForm, Record};
use crate::failure::Root;
use crate::message::{FailureForm, Submission};
use crate::ranges::RangeMap;
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A run of which somebody needs something.
#[derive(Clone, Debug)]
pub(crate) struct RunLine {
    pub(super) order: u64,
    pub client: u32,
    pub submission: Submission,
    pub graph: Bytes,
    pub(super) released: RangeMap<()>,
    pub(super) failed: RangeMap<Arc<FailureForm>>,
    /// How often tasks have failed that are tried again.
    pub(super) tried: BTreeMap<TaskId, u32>,
    /// Its client wants nothing of it any more.
    pub is_released: bool,
    pub ended: Option<Ended>,
}

impl RunLine {
    /// What is wanted of it and hasn't failed.
    pub fn still_wanted(&self) -> Vec<TaskRange> {
        self.less(|line, range| {
            let released = line.released.within(range).into_iter().map(|(part, ())| part);
            released.chain(line.failed.within(range).into_iter().map(|(part, _)| part)).collect()
        })
    }

    /// What its client has let go of.
    pub fn released(&self) -> Vec<TaskRange> {
        self.released.all().map(|(range, ())| range).collect()
    }

    /// How often tasks have failed that are tried again.
    pub fn tried(&self) -> impl Iterator<Item = (TaskId, u32)> {
        self.tried.iter().map(|(&task, &times)| (task, times))
    }

    /// How often this one has.
    pub fn times_tried(&self, task: TaskId) -> u32 {
        self.tried.get(&task).copied().unwrap_or_default()
    }

    /// Tasks have failed; gives what of them had before, and why.
    pub(super) fn fail(&mut self, range: TaskRange, why: &Arc<FailureForm>) -> Vec<(TaskRange, Arc<FailureForm>)> {
        let before = self.failed.cut(range);
        self.failed.set(range, why.clone());
        // It is over; should it be run again it begins anew.
        let (start, end) = (TaskId::new(range.layer, range.start), TaskId::new(range.layer, range.end));
        let tried: Vec<_> = self.tried.range(start..end.max(start)).map(|(&task, _)| task).collect();
        tried.iter().for_each(|task| _ = self.tried.remove(task));
        before
    }

    /// What of it has failed and is wanted all the same.
    pub fn failures(&self) -> Vec<(TaskRange, Arc<FailureForm>)> {
        let failed = self.failed.all().flat_map(|(range, failure)| {
            let mut left = RangeMap::default();
            left.set(range, ());
            self.released.within(range).into_iter().for_each(|(part, ())| drop(left.cut(part)));
            left.all().map(|(part, ())| (part, failure.clone())).collect::<Vec<_>>()
        });
        failed.collect()
    }

    /// What of it has failed, whether it is wanted or not.
    pub fn all_failed(&self) -> impl Iterator<Item = (TaskRange, &FailureForm)> {
        self.failed.all().map(|(range, failure)| (range, &**failure))
    }

    /// Those of `tasks` that its client hasn't let go of.
    pub fn unreleased(&self, tasks: &[TaskRange]) -> Vec<TaskRange> {
        let mut left = RangeMap::default();
        tasks.iter().for_each(|&range| left.set(range, ()));
        tasks.iter().flat_map(|&range| self.released.within(range)).for_each(|(part, ())| drop(left.cut(part)));
        left.all().map(|(part, ())| part).collect()
    }

    fn less(&self, less: impl Fn(&Self, TaskRange) -> Vec<TaskRange>) -> Vec<TaskRange> {
        let parts = self.submission.wanted.iter().flat_map(|&range| {
            let mut left = RangeMap::default();
            left.set(range, ());
            less(self, range).into_iter().for_each(|part| drop(left.cut(part)));
            left.all().map(|(part, ())| part).collect::<Vec<_>>()
        });
        parts.collect()
    }
}

/// What was written last of why something has failed.
pub(super) type Written = BTreeMap<Root, Arc<FailureForm>>;

/// Why something has failed that refers to it, unless that is what was written of it last.
pub(super) fn cause(failure: &Arc<FailureForm>, written: &mut Written) -> Option<(Record, Bytes)> {
    let before = written.insert(failure.root(), failure.clone());
    let is_new = before.is_none_or(|before| before != *failure);
    is_new.then(|| (Record::Cause { failure: FailureForm::clone(failure) }, Bytes::new()))
}

impl RunLine {
    /// What of `ranges` has failed because of `root`.
    pub(super) fn failed_of(&self, root: Root, ranges: &[TaskRange]) -> Vec<TaskRange> {
        let failed = ranges.iter().flat_map(|&range| self.failed.within(range));
        failed.filter(|(_, failure)| failure.root() == root).map(|(range, _)| range).collect()
    }

    /// Whether all of these have failed because of it.
    pub fn has_failed(&self, root: Root, tasks: &[TaskRange]) -> bool {
        TaskRange::count(&self.failed_of(root, tasks)) == TaskRange::count(tasks)
    }

    pub(super) fn has_ended_of(&self, root: Root) -> bool {
        matches!(&self.ended, Some(Ended::Failed(failure)) if failure.root() == root)
    }

    pub(super) fn roots(&self) -> BTreeSet<Root> {
        let ended = self.ended.iter().filter_map(|ended| match ended {
            Ended::Failed(failure) => Some(failure),
            Ended::Lost | Ended::Refused(_) => None,
        });
        self.failed.all().map(|(_, failure)| failure).chain(ended).map(|failure| failure.root()).collect()
    }

    pub(super) fn records(&self, run: RunId, written: &mut Written) -> Vec<(Record, Bytes)> {
        let submission = self.submission.clone();
        let mut records = vec![];
        let released: Vec<_> = self.released.all().map(|(range, ())| range).collect();
        if !released.is_empty() {
            records.push(Record::Released { run, tasks: released }.alone());
        }
        for (range, failure) in self.failed.all() {
            records.extend(cause(failure, written));
            records.push(Record::Failed { run, tasks: vec![range], root: failure.root() }.alone());
        }
        // What fails is tried anew: so this is said behind it.
        records.extend(self.tried().map(|(task, times)| Record::Tried { run, task, times }.alone()));
        if self.is_released {
            records.push(Record::RunsReleased { runs: vec![run] }.alone());
        }
        if let Some(ended) = &self.ended {
            let ended = match ended {
                Ended::Failed(failure) => {
                    records.extend(cause(failure, written));
                    EndedForm::Failed(failure.root())
                }
                Ended::Lost => EndedForm::Lost,
                Ended::Refused(why) => EndedForm::Refused(why.clone()),
            };
            records.push(Record::Ended { run, ended }.alone());
        }
        let first = (Record::Submitted { client: self.client, submission }, self.graph.clone());
        std::iter::once(first).chain(records).collect()
    }
}
