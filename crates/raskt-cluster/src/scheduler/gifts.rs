//! What is known of data that clients give.

use crate::ranges::RangeMap;
use raskt_graph::TaskId;
use raskt_schedule::{Death, Failure, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many workers die that were to fetch the same, before that is taken for the reason.
const DEATHS: usize = 4;

/// And so many, where each of them ran something that may be the reason as well.
const DEATHS_BESIDE: usize = 16;

/// So many are fetched at a time of those at which one worker has died, two, and more.
const FEARED: [u64; 3] = [256, 16, 1];

/// The data of a run.
#[derive(Default)]
pub(super) struct Gifts {
    /// Where its client gives it.
    pub at: Vec<String>,
    places: RangeMap<Place>,
    /// Of how much nobody knows yet whether it can be had.
    awaited: u64,
    /// Workers that couldn't have it: as long as there are others these aren't asked again.
    in_vain: RangeMap<BTreeSet<WorkerId>>,
    /// What of which runs has failed for want of it, and is to be run again; and the failure that nobody was told of.
    pub stopped: Vec<(RunId, Vec<TaskRange>, Failure)>,
    /// The deaths of workers that were to fetch it, of what hasn't come since.
    deaths: RangeMap<Vec<Death>>,
    /// Some is to be spread when what was asked for before has come, or hasn't.
    pub is_held_back: bool,
    /// How much each worker is to fetch, and whether one has come to have nothing to fetch.
    asked: BTreeMap<WorkerId, u64>,
    pub is_one_free: bool,
    why_not: RangeMap<Arc<WhyNot>>,
}

/// Data, by the workers that couldn't have it.
pub(super) type ByTries = BTreeMap<BTreeSet<WorkerId>, Vec<TaskRange>>;

/// Why data can't be had.
#[derive(Debug, PartialEq)]
pub(super) enum WhyNot {
    /// As the last worker has said that tried, or whoever knows that nobody can.
    Told(String),
    /// Workers have died of it.
    Deaths(Vec<Death>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No worker was asked to fetch it.
    Nowhere,
    Asked(WorkerId),
    There,
    /// It can't be had: whatever reads it fails.
    Failed,
}

impl Place {
    fn is_awaited(&self) -> bool {
        matches!(self, Self::Nowhere | Self::Asked(_))
    }
}

impl Gifts {
    pub fn new(given: &[TaskRange], at: Vec<String>) -> Self {
        let mut gifts = Self { at, ..Self::default() };
        given.iter().for_each(|&range| gifts.put(range, Place::Nowhere));
        gifts
    }

    /// Where a datum stands, if it is one.
    pub fn place(&self, task: TaskId) -> Option<Place> {
        self.places.get(task).copied()
    }

    /// The parts of a range that are data.
    pub fn within(&self, range: TaskRange) -> Vec<TaskRange> {
        self.places.within(range).into_iter().map(|(part, _)| part).collect()
    }

    /// Data stands there now.
    pub fn put(&mut self, range: TaskRange, place: Place) {
        for (part, before) in self.places.within(range) {
            self.awaited -= if before.is_awaited() { part.len() } else { 0 };
            if let Place::Asked(worker) = before {
                self.is_asked_less(worker, part.len());
            }
        }
        self.awaited += if place.is_awaited() { range.len() } else { 0 };
        if let Place::Asked(worker) = place {
            *self.asked.entry(worker).or_default() += range.len();
        }
        self.places.set(range, place);
    }

    fn is_asked_less(&mut self, worker: WorkerId, count: u64) {
        if let Some(asked) = self.asked.get_mut(&worker) {
            *asked -= count;
            if *asked == 0 {
                self.asked.remove(&worker);
                self.is_one_free = true;
            }
        }
    }

    /// Whether all of it is with workers, and all that had failed for want of it is run again.
    pub fn are_there(&self) -> bool {
        self.stopped.is_empty() && self.places.all().all(|(_, place)| *place == Place::There)
    }

    /// Whether nobody knows yet whether some of it can be had.
    pub fn are_awaited(&self) -> bool {
        self.awaited > 0
    }

    /// That.
    pub fn awaited(&self) -> Vec<TaskRange> {
        self.all_that(Place::is_awaited)
    }

    /// Why the data that a task stands for can't be had, or couldn't be.
    pub fn why_not(&self, task: TaskId) -> Option<&WhyNot> {
        self.why_not.get(task).map(|why| &**why)
    }

    /// These have come.
    pub fn come(&mut self, tasks: &[TaskRange]) {
        for &range in tasks {
            let known = self.places.within(range);
            known.into_iter().for_each(|(part, _)| self.put(part, Place::There));
            self.deaths.cut(range);
            self.in_vain.cut(range);
        }
    }

    /// A worker couldn't have these, which it was asked for. Gives what `is_given_up`, since those have tried who have; and the rest, which
    /// others may have, by those who have tried.
    pub fn missed(
        &mut self,
        worker: WorkerId,
        tasks: &[TaskRange],
        is_given_up: impl Fn(&BTreeSet<WorkerId>) -> bool,
    ) -> (Vec<TaskRange>, ByTries) {
        let asked = self.asked_of(worker, tasks);
        let (mut given_up, mut rest) = (vec![], ByTries::new());
        for (range, mut tried) in asked.into_iter().flat_map(|range| self.tries(range)).collect::<Vec<_>>() {
            tried.insert(worker);
            if is_given_up(&tried) {
                given_up.push(range);
            } else {
                self.put(range, Place::Nowhere);
                rest.entry(tried.clone()).or_default().push(range);
            }
            self.in_vain.set(range, tried);
        }
        (given_up, rest)
    }

    /// What of these `worker` was asked to fetch.
    pub fn asked_of(&self, worker: WorkerId, tasks: &[TaskRange]) -> Vec<TaskRange> {
        let asked = tasks.iter().flat_map(|&range| self.places.within(range));
        asked.filter(|(_, place)| *place == Place::Asked(worker)).map(|(range, _)| range).collect()
    }

    /// What no worker was asked to fetch, by those that couldn't have it.
    pub fn nowhere(&self) -> ByTries {
        let mut by_tries = ByTries::new();
        for (range, tried) in self.all_at(Place::Nowhere).into_iter().flat_map(|range| self.tries(range)) {
            by_tries.entry(tried).or_default().push(range);
        }
        by_tries
    }

    /// Who couldn't have it, part by part.
    fn tries(&self, range: TaskRange) -> Vec<(TaskRange, BTreeSet<WorkerId>)> {
        parts(&self.in_vain, range)
    }

    /// These can't be had.
    pub fn fail(&mut self, tasks: &[TaskRange], why: WhyNot) {
        let why = Arc::new(why);
        for &range in tasks {
            self.put(range, Place::Failed);
            self.deaths.cut(range);
            self.why_not.set(range, why.clone());
        }
    }

    /// What couldn't be had is tried once more, by everybody.
    pub fn try_again(&mut self) -> bool {
        self.in_vain = RangeMap::default();
        self.move_all(Place::Failed, Place::Nowhere)
    }

    /// Whether some data isn't there of which workers may have died.
    pub fn are_feared(&self) -> bool {
        !self.deaths.is_empty()
    }

    /// Whether `worker` is to fetch some.
    pub fn is_asked(&self, worker: WorkerId) -> bool {
        self.asked.contains_key(&worker)
    }

    /// What of these workers may have died of, in order, and the others.
    pub fn by_fear(&self, tasks: &[TaskRange]) -> [Vec<TaskRange>; 2] {
        let all = tasks.iter().flat_map(|&range| parts(&self.deaths, range));
        let (feared, others): (Vec<_>, Vec<_>) = all.partition(|(_, deaths)| !deaths.is_empty());
        let mut parts = [feared, others].map(|parts| parts.into_iter().map(|(part, _)| part).collect::<Vec<_>>());
        parts.iter_mut().for_each(|parts| parts.sort_by_key(|part| (part.layer, part.start)));
        parts
    }

    /// The first few of these, and the rest: the fewer, the more workers have died that were to fetch them.
    pub fn few_of(&self, tasks: &[TaskRange]) -> (Vec<TaskRange>, Vec<TaskRange>) {
        let (mut few, mut rest, mut count, mut most) = (vec![], vec![], 0, u64::MAX);
        let mut all: Vec<_> = tasks.iter().flat_map(|&range| parts(&self.deaths, range)).collect();
        all.sort_by_key(|(part, _)| (part.layer, part.start));
        for (part, deaths) in all {
            most = most.min(deaths.len().checked_sub(1).map_or(u64::MAX, |more| FEARED[more.min(FEARED.len() - 1)]));
            let taken = part.start + part.len().min(most.saturating_sub(count));
            count += taken - part.start;
            few.push(TaskRange { end: taken, ..part });
            rest.push(TaskRange { start: taken, ..part });
        }
        [&mut few, &mut rest].into_iter().for_each(|ranges| ranges.retain(|range| !range.is_empty()));
        (few, rest)
    }

    /// A worker has died that was to fetch these. Gives those of which too many have, and their deaths: the first time that is all that it
    /// hadn't got yet, and few of these from then on.
    pub fn died(&mut self, worker: WorkerId, alone: bool, asked: &[TaskRange]) -> Vec<(TaskRange, Vec<Death>)> {
        let others = u64::from(!alone);
        let (death, mut deadly) = (Death { worker, others, alone, started: true }, vec![]);
        for &range in asked {
            for (part, mut deaths) in parts(&self.deaths, range) {
                deaths.push(death);
                self.deaths.cut(part);
                let alone = deaths.iter().filter(|death| death.alone).count();
                match alone >= DEATHS || deaths.len() >= DEATHS_BESIDE {
                    true => deadly.push((part, deaths)),
                    false => self.deaths.set(part, deaths),
                }
            }
        }
        deadly
    }

    pub fn are_none(&self) -> bool {
        self.places.is_empty()
    }

    /// Those that stand somewhere.
    pub fn all_at(&self, wanted: Place) -> Vec<TaskRange> {
        self.all_that(|place| *place == wanted)
    }

    fn all_that(&self, stand: impl Fn(&Place) -> bool) -> Vec<TaskRange> {
        self.places.all().filter(|(_, place)| stand(place)).map(|(range, _)| range).collect()
    }

    pub fn move_all(&mut self, from: Place, to: Place) -> bool {
        let ranges = self.all_at(from);
        ranges.iter().for_each(|&range| self.put(range, to));
        !ranges.is_empty()
    }
}

/// What is known of a range, and of the parts of it of which nothing is.
fn parts<T: Clone + Default + PartialEq>(known: &RangeMap<T>, range: TaskRange) -> Vec<(TaskRange, T)> {
    let (mut parts, mut others) = (known.within(range), vec![range]);
    parts.iter().for_each(|(part, _)| part.cut_out_of(&mut others));
    parts.extend(others.into_iter().map(|part| (part, T::default())));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;

    fn of(start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LayerId(0), start, end }
    }

    /// A worker has all that it may at a time, of which some comes before it dies; gives how often one died, and what was given up.
    fn fetched(count: u64, deadly: &[u64], alone: bool) -> (u32, Vec<u64>) {
        let mut gifts = Gifts::new(&[of(0, count)], vec![]);
        let (mut deaths, mut failed) = (0, vec![]);
        loop {
            let nowhere = gifts.all_at(Place::Nowhere);
            if nowhere.is_empty() {
                return (deaths, failed);
            }
            let (few, rest) = gifts.few_of(&nowhere);
            assert_eq!(TaskRange::count(&few) + TaskRange::count(&rest), TaskRange::count(&nowhere));
            let dies_of = few.iter().flat_map(|range| range.tasks()).find(|task| deadly.contains(&task.index));
            let Some(task) = dies_of else {
                gifts.come(&few);
                continue;
            };
            // What came before it, but for some that came in the same step.
            let come = task.index.saturating_sub(7);
            let before: Vec<_> = few.iter().map(|range| of(range.start, range.end.min(come))).collect();
            gifts.come(&before.into_iter().filter(|range| range.start < range.end).collect::<Vec<_>>());
            let asked: Vec<_> = few.iter().map(|range| of(range.start.max(come), range.end)).collect();
            deaths += 1;
            let asked: Vec<_> = asked.into_iter().filter(|range| range.start < range.end).collect();
            for (part, _) in gifts.died(WorkerId(deaths), alone, &asked) {
                gifts.fail(&[part], WhyNot::Deaths(vec![]));
                failed.extend(part.tasks().map(|task| task.index));
            }
        }
    }

    #[test]
    fn those_of_which_workers_die_fail_and_no_others() {
        for (count, deadly) in
            [(1, vec![0]), (200, vec![100]), (5_000, vec![0]), (5_000, vec![4_999]), (20, vec![3, 4])]
        {
            for (alone, most) in [(true, DEATHS), (false, DEATHS_BESIDE)] {
                let (deaths, failed) = fetched(count, &deadly, alone);
                assert_eq!(failed, deadly);
                assert!(deaths as usize <= most * deadly.len(), "{deaths} workers died of {deadly:?}");
            }
        }
        let mut gifts = Gifts::new(&[of(0, 10)], vec![]);
        assert!(gifts.died(WorkerId(1), true, &[of(3, 5)]).is_empty() && gifts.are_feared());
        assert_eq!(gifts.by_fear(&[of(0, 10)]), [vec![of(3, 5)], vec![of(0, 3), of(5, 10)]]);
        gifts.put(of(0, 4), Place::Asked(WorkerId(1)));
        gifts.put(of(2, 6), Place::Asked(WorkerId(2)));
        gifts.come(&[of(1, 2)]);
        assert!(gifts.is_asked(WorkerId(1)) && !gifts.is_one_free);
        gifts.come(&[of(0, 5)]);
        assert!(!gifts.is_asked(WorkerId(1)) && gifts.is_asked(WorkerId(2)) && gifts.is_one_free);
        assert!(!gifts.are_feared());
    }
}
