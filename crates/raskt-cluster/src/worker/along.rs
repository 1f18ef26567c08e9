//! Which results go along with the word that they are there.

use super::fetching::Fetching;
use crate::ranges::RangeMap;
use crate::small::{SMALL_BYTES, Small};
use raskt_schedule::{Outcome, Report, RunId, TaskRange};
use raskt_sync::Mutex;
use std::collections::BTreeMap;

/// By run, the tasks of whose results a client is told.
#[derive(Default)]
pub(super) struct Along(Mutex<BTreeMap<RunId, RangeMap<()>>>);

impl Along {
    pub fn add(&self, run: RunId, tasks: &[TaskRange]) {
        if !tasks.is_empty() {
            let mut runs = self.0.lock();
            let told = runs.entry(run).or_default();
            tasks.iter().for_each(|&range| told.set(range, ()));
        }
    }

    pub fn forget(&self, run: RunId) {
        self.0.lock().remove(&run);
    }

    /// The small results that a report tells of.
    pub fn small(&self, report: &Report, fetching: &Fetching) -> Vec<Small> {
        let tasks = self.told(report);
        match fetching.engine() {
            Some(engine) if !tasks.is_empty() => Small::of(engine.small_values(report.run, &tasks)),
            _ => vec![],
        }
    }

    fn told(&self, report: &Report) -> Vec<TaskRange> {
        let runs = self.0.lock();
        let Some(told) = runs.get(&report.run) else { return vec![] };
        let is_small = |(range, outcome): &&(TaskRange, Outcome)| match outcome {
            Outcome::Done { bytes } => *bytes <= range.len().saturating_mul(SMALL_BYTES as u64),
            _ => false,
        };
        let done = report.outcomes.iter().filter(is_small);
        done.flat_map(|(range, _)| told.within(*range)).map(|(range, ())| range).collect()
    }
}
