//! Which runs the graphs are of that are here, and which results go along with the word that they are there.

use super::fetching::Fetching;
use crate::ranges::RangeMap;
use crate::small::{SMALL_BYTES, Small};
use raskt_schedule::{Outcome, Report, RunId, TaskRange};
use raskt_sync::Mutex;
use std::collections::BTreeMap;

/// The runs.
#[derive(Default)]
pub(super) struct Along(Mutex<Runs>);

#[derive(Default)]
struct Runs {
    /// Those whose graphs are here, or were.
    known: BTreeMap<RunId, Known>,
    /// What tells those, of which these read, from others of their numbers: copies of their results may stay here.
    guests: BTreeMap<RunId, u64>,
}

/// What is known of a run.
#[derive(Default)]
struct Known {
    mark: u64,
    /// The tasks of whose results a client is told.
    told: RangeMap<()>,
}

/// Runs that others read of which the marks are kept, at most. Copies of others' results are worth nothing to a scheduler that begins anew.
const GUESTS_MOST: usize = 1 << 16;

/// The mark of a run of which nothing here is worth anything: of what there is it can't be said which of two runs it is of.
const NONE: u64 = 0;

impl Along {
    /// A graph comes. Gives the numbers under which other runs were known before, which are to be forgotten first.
    pub fn add(&self, run: RunId, mark: u64, read: &[(RunId, u64)]) -> Vec<RunId> {
        let mut runs = self.0.lock();
        let mut others = vec![];
        for &(run, mark) in read {
            if !runs.is_or_becomes(run, mark) {
                others.push(run);
            }
        }
        let known = runs.known.entry(run).or_insert_with(|| Known { mark, ..Known::default() });
        let is_same = known.mark == mark;
        let was_guest = runs.guests.remove(&run).is_some_and(|guest| guest != mark);
        if !is_same || was_guest {
            runs.known.entry(run).or_default().mark = NONE;
            others.push(run);
        }
        others
    }

    /// The tasks of a run of whose results a client is told.
    pub fn tell_of(&self, run: RunId, tasks: &[TaskRange]) {
        if !tasks.is_empty() {
            let mut runs = self.0.lock();
            let known = runs.known.entry(run).or_default();
            tasks.iter().for_each(|&range| known.told.set(range, ()));
        }
    }

    /// What tells a run from any other of its number.
    pub fn mark(&self, run: RunId) -> u64 {
        let runs = self.0.lock();
        runs.known.get(&run).map(|known| known.mark).or_else(|| runs.guests.get(&run).copied()).unwrap_or(NONE)
    }

    pub fn forget(&self, run: RunId) {
        let mut runs = self.0.lock();
        runs.known.remove(&run);
        runs.guests.remove(&run);
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
        let Some(Known { told, .. }) = runs.known.get(&report.run) else { return vec![] };
        let is_small = |(range, outcome): &&(TaskRange, Outcome)| match outcome {
            Outcome::Done { bytes } => *bytes <= range.len().saturating_mul(SMALL_BYTES as u64),
            _ => false,
        };
        let done = report.outcomes.iter().filter(is_small);
        done.flat_map(|(range, _)| told.within(*range)).map(|(range, ())| range).collect()
    }
}

impl Runs {
    /// Whether what is here under the number of a run that another one reads is that run, or nothing.
    fn is_or_becomes(&mut self, run: RunId, mark: u64) -> bool {
        if let Some(known) = self.known.get_mut(&run) {
            let is_same = known.mark == mark;
            known.mark = if is_same { mark } else { NONE };
            return is_same;
        }
        let is_same = *self.guests.entry(run).or_insert(mark) == mark;
        if !is_same {
            self.guests.insert(run, NONE);
        }
        if self.guests.len() > GUESTS_MOST {
            self.guests.pop_first();
        }
        is_same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks<const N: usize>(of: [(u64, u64); N]) -> [(RunId, u64); N] {
        of.map(|(run, mark)| (RunId(run), mark))
    }

    #[test]
    fn of_a_number_that_two_runs_had_nothing_counts() {
        let along = Along::default();
        assert!(along.add(RunId(1), 11, &marks([])).is_empty());
        assert!(along.add(RunId(2), 12, &marks([(1, 11), (3, 13)])).is_empty());
        assert_eq!([1, 2, 3, 4].map(|run| along.mark(RunId(run))), [11, 12, 13, NONE]);
        // The same once more, as it comes to a worker that is back.
        assert!(along.add(RunId(1), 11, &marks([])).is_empty());
        assert_eq!(along.add(RunId(1), 21, &marks([])), [RunId(1)]);
        assert_eq!(along.add(RunId(4), 14, &marks([(3, 23), (2, 12)])), [RunId(3)]);
        assert_eq!([1, 2, 3, 4].map(|run| along.mark(RunId(run))), [NONE, 12, NONE, 14]);
        // One that was read, and whose graph comes.
        assert_eq!(along.add(RunId(3), 23, &marks([])), [RunId(3)]);
        along.forget(RunId(1));
        assert!(along.add(RunId(1), 21, &marks([])).is_empty());
        assert_eq!(along.mark(RunId(1)), 21);
    }

    #[test]
    fn of_guests_there_is_a_bounded_number() {
        let along = Along::default();
        for run in 0..GUESTS_MOST as u64 + 10 {
            assert!(along.add(RunId(u64::MAX), 1, &marks([(run, 5)])).is_empty());
        }
        assert_eq!(along.0.lock().guests.len(), GUESTS_MOST);
        assert_eq!((along.mark(RunId(0)), along.mark(RunId(GUESTS_MOST as u64))), (NONE, 5));
    }
}
