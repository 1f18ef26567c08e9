//! What is known of data that clients give.

use crate::ranges::RangeMap;
use crate::worker::FIRST_STEP;
use raskt_graph::TaskId;
use raskt_schedule::{Death, Failure, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many workers die that were to fetch the same, before that is taken for the reason.
const DEATHS: usize = 4;

/// And so many, where each of them ran something that may be the reason as well.
const DEATHS_BESIDE: usize = 16;

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
        let before = self.places.within(range).into_iter().filter(|(_, before)| before.is_awaited());
        self.awaited -= before.map(|(range, _)| range.len()).sum::<u64>();
        self.awaited += if place.is_awaited() { range.len() } else { 0 };
        self.places.set(range, place);
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
        let asked = tasks.iter().flat_map(|&range| self.places.within(range));
        let asked: Vec<_> = asked.filter(|(_, place)| *place == Place::Asked(worker)).map(|(range, _)| range).collect();
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
            self.why_not.set(range, why.clone());
        }
    }

    /// What couldn't be had is tried once more, by everybody.
    pub fn try_again(&mut self) -> bool {
        self.in_vain = RangeMap::default();
        self.move_all(Place::Failed, Place::Nowhere)
    }

    /// A worker has died that was to fetch these, in their order. Gives those of which too many have, and their deaths: of what it had not
    /// come to yet it can't have died. Those that kill come to be the first, as others come before them each time.
    pub fn died(&mut self, worker: WorkerId, alone: bool, asked: &[TaskRange]) -> Vec<(TaskRange, Vec<Death>)> {
        let others = u64::from(!alone);
        let (death, mut deadly) = (Death { worker, others, alone, started: true }, vec![]);
        for range in first_of(asked, FIRST_STEP) {
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

/// The first `most` of some tasks.
fn first_of(tasks: &[TaskRange], most: u64) -> Vec<TaskRange> {
    let mut left = most;
    let first = tasks.iter().map(|&range| {
        let taken = range.len().min(left);
        left -= taken;
        TaskRange { end: range.start + taken, ..range }
    });
    first.take_while(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;

    #[test]
    fn workers_die_of_what_they_have_come_to() {
        let of = |start, end| TaskRange { layer: LayerId(0), start, end };
        let mut gifts = Gifts::new(&[of(0, 100)], vec![]);
        for worker in 1..DEATHS as u32 {
            assert!(gifts.died(WorkerId(worker), true, &[of(3, 5), of(40, 100)]).is_empty());
        }
        let died = gifts.died(WorkerId(9), true, &[of(3, 5), of(40, 100)]);
        let parts: Vec<_> = died.iter().map(|(range, _)| *range).collect();
        assert_eq!(parts, [of(3, 5), of(40, 38 + FIRST_STEP)]);
        let mut gifts = Gifts::new(&[of(0, 100)], vec![]);
        let deaths = (1..).find(|&worker| !gifts.died(WorkerId(worker), false, &[of(0, 1)]).is_empty());
        assert_eq!(deaths, Some(DEATHS_BESIDE as u32));
    }
}
