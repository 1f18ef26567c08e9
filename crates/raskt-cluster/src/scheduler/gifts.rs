//! What is known of data that clients give.

use super::asked::Asked;
use super::careful::next_part;
use crate::ranges::RangeMap;
use raskt_graph::TaskId;
use raskt_schedule::{Death, Failure, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many workers die that do nothing but fetch a datum, before that is taken for the reason; or more, where they did something that may be
/// the reason as well.
const DEATHS: usize = 3;

#[cfg(test)]
const DEATHS_BESIDE: usize = 9;

/// The data of a run.
#[derive(Default)]
pub(super) struct Gifts {
    /// Where its client gives it.
    pub at: Vec<String>,
    places: Places,
    /// Workers that couldn't have it: as long as there are others these aren't asked again.
    in_vain: RangeMap<BTreeSet<WorkerId>>,
    /// What of which runs has failed for want of it, and is to be run again; and the failure that nobody was told of.
    pub stopped: Vec<(RunId, Vec<TaskRange>, Failure)>,
    /// What workers were to fetch when they died, and what hasn't come since.
    fears: RangeMap<Fear>,
    why_not: RangeMap<Arc<WhyNot>>,
    /// What its client has let go of: where it comes all the same, it does so for others.
    let_go: RangeMap<()>,
}

/// Where it stands.
#[derive(Default)]
struct Places {
    known: RangeMap<Place>,
    /// Of how much nobody knows yet whether it can be had.
    awaited: u64,
    asked: Asked,
}

/// Data of which workers may die.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fear {
    /// The deaths of those that were at it, as they had said.
    deaths: Vec<Death>,
    /// In parts of which size it is fetched ([`careful`](super::careful)).
    size: usize,
    /// Who has it with care, and has said that it is there.
    begun: Option<WorkerId>,
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

impl Places {
    fn put(&mut self, range: TaskRange, place: Place) {
        for (part, before) in self.known.within(range) {
            self.leave(part, before);
        }
        self.awaited += if place.is_awaited() { range.len() } else { 0 };
        if let Place::Asked(worker) = place {
            self.asked.add(worker, range.len());
        }
        self.known.set(range, place);
    }

    fn leave(&mut self, part: TaskRange, before: Place) {
        self.awaited -= if before.is_awaited() { part.len() } else { 0 };
        if let Place::Asked(worker) = before {
            self.asked.take(worker, part.len());
        }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for (part, before) in std::mem::take(&mut self.known).all() {
            self.leave(part, *before);
        }
    }
}

impl Gifts {
    pub fn new(given: &[TaskRange], at: Vec<String>, asked: Asked) -> Self {
        let mut gifts = Self { at, ..Self::default() };
        gifts.places.asked = asked;
        given.iter().for_each(|&range| gifts.put(range, Place::Nowhere));
        gifts
    }

    /// Where a datum stands, if it is one.
    pub fn place(&self, task: TaskId) -> Option<Place> {
        self.places.known.get(task).copied()
    }

    /// The parts of a range that are data.
    pub fn within(&self, range: TaskRange) -> Vec<TaskRange> {
        self.places.known.within(range).into_iter().map(|(part, _)| part).collect()
    }

    /// Data stands there now.
    pub fn put(&mut self, range: TaskRange, place: Place) {
        self.places.put(range, place);
    }

    /// Its client has let go of these.
    pub fn let_go(&mut self, tasks: &[TaskRange]) {
        let data = tasks.iter().flat_map(|&range| self.within(range)).collect::<Vec<_>>();
        data.into_iter().for_each(|part| self.let_go.set(part, ()));
    }

    /// Those of these that its client has let go of.
    pub fn let_go_of(&self, tasks: &[TaskRange]) -> Vec<TaskRange> {
        tasks.iter().flat_map(|&range| self.let_go.within(range)).map(|(part, ())| part).collect()
    }

    /// Whether all of it is with workers, and all that had failed for want of it is run again.
    pub fn are_there(&self) -> bool {
        self.stopped.is_empty() && self.places.known.all().all(|(_, place)| *place == Place::There)
    }

    /// Whether nobody knows yet whether some of it can be had.
    pub fn are_awaited(&self) -> bool {
        self.places.awaited > 0
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
            let known = self.places.known.within(range);
            known.into_iter().for_each(|(part, _)| self.put(part, Place::There));
            self.fears.cut(range);
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
            self.begin_no_more(range);
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
        let asked = tasks.iter().flat_map(|&range| self.places.known.within(range));
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
            self.fears.cut(range);
            self.why_not.set(range, why.clone());
        }
    }

    /// What couldn't be had is tried once more, by everybody.
    pub fn try_again(&mut self) -> bool {
        self.in_vain = RangeMap::default();
        self.move_all(Place::Failed, Place::Nowhere)
    }

    /// Of these what workers may have died of, in order, and in parts of which size it is fetched; and the others.
    pub fn by_fear(&self, tasks: &[TaskRange]) -> (Vec<(TaskRange, usize)>, Vec<TaskRange>) {
        let mut others = tasks.to_vec();
        let mut feared: Vec<_> = tasks.iter().flat_map(|&range| self.fears.within(range)).collect();
        feared.iter().for_each(|(part, _)| part.cut_out_of(&mut others));
        feared.sort_by_key(|(part, _)| (part.layer, part.start));
        (feared.into_iter().map(|(part, fear)| (part, fear.size)).collect(), others)
    }

    /// `worker`, which was asked for these with care, is there to fetch them. Gives what of them it still is to.
    pub fn begin(&mut self, worker: WorkerId, tasks: &[TaskRange]) -> Vec<TaskRange> {
        let asked = self.asked_of(worker, tasks);
        for (part, fear) in asked.iter().flat_map(|&range| self.fears.within(range)).collect::<Vec<_>>() {
            self.fears.set(part, Fear { begun: Some(worker), ..fear });
        }
        asked
    }

    /// Whoever had begun with these is there, and hasn't got them.
    fn begin_no_more(&mut self, range: TaskRange) {
        for (part, fear) in self.fears.within(range) {
            self.fears.set(part, Fear { begun: None, ..fear });
        }
    }

    /// Whether `worker` is to fetch some that nobody has feared so far.
    pub fn has_without_fear(&self, worker: WorkerId) -> bool {
        !self.by_fear(&self.all_at(Place::Asked(worker))).1.is_empty()
    }

    /// How much `worker` is to fetch that it has begun with care.
    pub fn begun_by(&self, worker: WorkerId) -> u64 {
        let asked = self.all_at(Place::Asked(worker)).into_iter().flat_map(|range| self.fears.within(range));
        asked.filter(|(_, fear)| fear.begun == Some(worker)).map(|(part, _)| part.len()).sum()
    }

    /// A worker has died that was to fetch some, `begun` of all runs that it had begun with care; if `alone`, it did nothing else. What it
    /// had begun may be why, and so may what wasn't feared so far, but only the next time. Gives those of which too many have
    /// died, and their deaths; others are to fetch the rest.
    pub fn died(&mut self, worker: WorkerId, begun: u64, alone: bool) -> Vec<(TaskRange, Vec<Death>)> {
        let asked = self.all_at(Place::Asked(worker));
        let others = begun.saturating_sub(1).max(u64::from(!alone));
        let death = Death { worker, others, alone: others == 0, started: true, in_part: others > 0 };
        let mut deadly = vec![];
        let feared: Vec<_> = asked.iter().flat_map(|&range| self.fears.within(range)).collect();
        self.by_fear(&asked).1.into_iter().for_each(|part| self.fears.set(part, Fear::default()));
        for (part, Fear { mut deaths, mut size, begun: by }) in feared {
            if by == Some(worker) {
                deaths.push(death);
                size = size.max(next_part(begun));
            }
            match Death::count(deaths.iter().copied()) >= DEATHS {
                true => deadly.push((part, deaths)),
                false => self.fears.set(part, Fear { deaths, size, begun: None }),
            }
        }
        deadly
    }

    pub fn are_none(&self) -> bool {
        self.places.known.is_empty()
    }

    /// Those that stand somewhere.
    pub fn all_at(&self, wanted: Place) -> Vec<TaskRange> {
        self.all_that(|place| *place == wanted)
    }

    fn all_that(&self, stand: impl Fn(&Place) -> bool) -> Vec<TaskRange> {
        self.places.known.all().filter(|(_, place)| stand(place)).map(|(range, _)| range).collect()
    }

    pub fn move_all(&mut self, from: Place, to: Place) -> bool {
        let ranges = self.all_at(from);
        ranges.iter().for_each(|&range| self.put(range, to));
        !ranges.is_empty()
    }
}

/// Those that haven't tried in vain.
pub(super) fn untried(workers: &[WorkerId], in_vain: &BTreeSet<WorkerId>) -> Vec<WorkerId> {
    workers.iter().filter(|worker| !in_vain.contains(worker)).copied().collect()
}

/// Those of `all` that may have what these have tried in vain; nobody yet, if some are `known` that haven't tried and aren't there now.
pub(super) fn able(all: &[WorkerId], known: &[WorkerId], in_vain: &BTreeSet<WorkerId>) -> Option<Vec<WorkerId>> {
    let left = untried(all, in_vain);
    // Who couldn't have it may by now, if all of it is to be had once more.
    let are_all = || untried(known, in_vain).is_empty().then(|| all.to_vec());
    if left.is_empty() { are_all() } else { Some(left) }
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

    const WORKER: WorkerId = WorkerId(1);

    fn of(start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LayerId(0), start, end }
    }

    fn given(count: u64) -> (Gifts, Asked) {
        let asked = Asked::default();
        (Gifts::new(&[of(0, count)], vec![], asked.clone()), asked)
    }

    fn dies(gifts: &mut Gifts, has: TaskRange, begins: bool, alone: bool) -> Vec<TaskRange> {
        gifts.put(has, Place::Asked(WORKER));
        if begins {
            assert_eq!(gifts.begin(WORKER, &[has]), [has]);
        }
        let begun = gifts.begun_by(WORKER);
        let deadly = gifts.died(WORKER, begun, alone);
        gifts.move_all(Place::Asked(WORKER), Place::Nowhere);
        deadly.into_iter().map(|(part, _)| part).collect()
    }

    #[test]
    fn only_who_was_there_to_fetch_dies_of_data() {
        let (mut gifts, _) = given(300);
        for _ in 0..100 {
            assert!(dies(&mut gifts, of(3, 5), false, true).is_empty());
        }
        assert_eq!(gifts.by_fear(&[of(0, 10)]), (vec![(of(3, 5), 0)], vec![of(0, 3), of(5, 10)]));
        for (alone, most) in [(true, DEATHS), (false, DEATHS_BESIDE)] {
            let (mut gifts, _) = given(300);
            assert!(dies(&mut gifts, of(0, 300), true, true).is_empty(), "nobody had feared it");
            for _ in 1..most {
                assert!(dies(&mut gifts, of(4, 5), true, alone).is_empty());
                assert_eq!(gifts.by_fear(&[of(4, 6)]), (vec![(of(4, 5), 2), (of(5, 6), 0)], vec![]));
            }
            // Of one of two that may be why it has died.
            let both = dies(&mut gifts, of(4, 6), true, alone);
            assert_eq!(both, if alone { vec![] } else { vec![of(4, 5)] });
            assert!(!alone || dies(&mut gifts, of(4, 5), true, alone) == [of(4, 5)]);
            gifts.come(&[of(0, 300)]);
            assert_eq!(gifts.by_fear(&[of(0, 10)]), (vec![], vec![of(0, 10)]));
        }
        let (mut gifts, _) = given(300);
        for size in [0, 1, 1] {
            dies(&mut gifts, of(0, 300), true, true);
            assert_eq!(gifts.by_fear(&[of(0, 1)]).0, [(of(0, 1), size)]);
        }
        dies(&mut gifts, of(0, 16), true, true);
        assert_eq!(gifts.by_fear(&[of(0, 17)]).0, [(of(0, 16), 2), (of(16, 17), 1)]);
    }

    #[test]
    fn who_has_nothing_to_fetch_of_any_run_is_free() {
        let (mut one, asked) = given(10);
        let mut other = Gifts::new(&[of(0, 2)], vec![], asked.of(RunId(1)));
        one.put(of(0, 4), Place::Asked(WORKER));
        other.put(of(0, 2), Place::Asked(WORKER));
        one.put(of(2, 6), Place::Asked(WorkerId(2)));
        one.come(&[of(0, 2)]);
        assert!(!asked.is_free(WORKER) && !asked.is_one_free());
        assert_eq!(asked.runs(WORKER), [RunId(1)]);
        drop(other);
        assert!(asked.is_free(WORKER) && asked.is_one_free() && !asked.is_one_free());
        assert!(!asked.is_free(WorkerId(2)) && one.has_without_fear(WorkerId(2)));
        one.fail(&[of(0, 10)], WhyNot::Told(String::new()));
        assert!(asked.is_free(WorkerId(2)) && !one.are_awaited());
    }
}
