//! Whose turn it is: the runs that may have something to start, in order.
//!
//! Higher priority goes first. Among equals the workers' time is shared by *families*: a run, and those that its tasks submit.
//! Each has a virtual time, which is what it was handed out so far, and the one with the least goes first. One that comes, or
//! comes back, begins at the virtual time that was served last, so that nobody saves up time (start-time fair queueing: Goyal,
//! Vin, Cheng 1996). Within a family the deepest run goes first, since a task that waits for it holds a thread; then the
//! oldest.

use crate::RunId;
use crate::by_run::ByRun;
use crate::needs::Need;
use crate::planted::{self, Bug};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// Classes of runs (see [`crate::run::Run`]) that may have something to start.
#[derive(Debug, Default)]
pub(crate) struct RunQueue {
    /// The families that have a member in line, once for each priority.
    turns: BTreeSet<Turn>,
    members: BTreeMap<(RunId, Reverse<i32>), BTreeSet<Member>>,
    /// The priority under which a class of a run stands in line.
    standing: BTreeMap<(RunId, u32), i32>,
    /// Those that stand aside until some worker has room that meets what they require, in the order in which they did.
    parked: BTreeSet<(Need, Turn, Member)>,
    parked_as: BTreeMap<(RunId, u32), (Need, Turn, Member)>,
    runs: ByRun<Place>,
    families: ByRun<Family>,
    /// By priority, the virtual time of the family that was served last, when it was.
    clocks: BTreeMap<Reverse<i32>, u64>,
}

/// A family, by the number of its oldest run, with its virtual time.
type Turn = (Reverse<i32>, u64, RunId);

/// A class of a run, with the depth of the run.
type Member = (Reverse<u32>, RunId, u32);

const FIRST_TURN: Turn = (Reverse(i32::MAX), 0, RunId(0));
const FIRST_MEMBER: Member = (Reverse(u32::MAX), RunId(0), 0);

/// Where a run stands among others.
#[derive(Clone, Copy, Debug)]
struct Place {
    family: RunId,
    depth: u32,
}

#[derive(Clone, Debug, Default)]
struct Family {
    /// By priority, nanoseconds that it was handed out, from where it began: what goes first is shared apart.
    times: BTreeMap<Reverse<i32>, u64>,
    /// Runs of it that are there.
    runs: u64,
}

/// Somebody in line, to go on from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InLine {
    turn: Turn,
    member: Member,
}

impl InLine {
    pub fn run(&self) -> RunId {
        self.member.1
    }

    pub fn class(&self) -> u32 {
        self.member.2
    }
}

impl RunQueue {
    /// A run comes; `parent` is the run whose task submitted it, if it is there.
    pub fn add(&mut self, run: RunId, parent: Option<RunId>) {
        let above = parent.and_then(|parent| self.runs.get(&parent)).copied();
        let place = above.map_or(Place { family: run, depth: 0 }, |above| Place {
            family: above.family,
            depth: above.depth.saturating_add(1),
        });
        self.runs.insert(run, place);
        match self.families.get_mut(&place.family) {
            Some(family) => family.runs += 1,
            None => self.families.insert(place.family, Family { runs: 1, ..Family::default() }),
        }
    }

    /// A run goes.
    pub fn remove(&mut self, run: RunId) {
        let classes = self.standing.range((run, 0)..=(run, u32::MAX));
        for class in classes.map(|(&(_, class), _)| class).collect::<Vec<_>>() {
            self.stand(run, class, None);
        }
        let Some(Place { family, .. }) = self.runs.remove(&run) else { return };
        if let Some(found) = self.families.get_mut(&family) {
            found.runs -= 1;
            if found.runs == 0 {
                self.families.remove(&family);
            }
        }
    }

    /// A class of a run stands in line under `priority`, or has nothing to start.
    pub fn stand(&mut self, run: RunId, class: u32, priority: Option<i32>) {
        let before = match priority {
            Some(priority) => self.standing.insert((run, class), priority),
            None => self.standing.remove(&(run, class)),
        };
        if before == priority {
            return;
        }
        if let Some(parked) = self.parked_as.remove(&(run, class)) {
            // It doesn't stand in line, but as it was.
            self.parked.remove(&parked);
        } else if let Some(before) = before {
            self.leave(run, class, before);
        }
        if let Some(priority) = priority {
            self.enter(run, class, priority);
        }
    }

    /// A class of a run stands aside: no worker has room that meets `need`.
    pub fn park(&mut self, run: RunId, class: u32, need: Need) {
        let Some(&priority) = self.standing.get(&(run, class)) else { return };
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        if self.parked_as.contains_key(&(run, class)) {
            return;
        }
        self.leave(run, class, priority);
        let turn = (Reverse(priority), self.time(family, Reverse(priority)), family);
        let parked = (need, turn, (Reverse(depth), run, class));
        self.parked.insert(parked);
        self.parked_as.insert((run, class), parked);
    }

    /// The first that stands aside for `need` is in line again; whether there was one.
    pub fn wake(&mut self, need: Need) -> bool {
        let first = self.parked.range((need, FIRST_TURN, FIRST_MEMBER)..).next().copied();
        let Some(parked) = first.filter(|(other, ..)| *other == need) else { return false };
        let (_, (Reverse(priority), ..), (_, run, class)) = parked;
        self.parked.remove(&parked);
        self.parked_as.remove(&(run, class));
        self.enter(run, class, priority);
        true
    }

    fn enter(&mut self, run: RunId, class: u32, priority: i32) {
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        let (priority, member) = (Reverse(priority), (Reverse(depth), run, class));
        let members = self.members.entry((family, priority)).or_default();
        members.insert(member);
        if members.len() == 1 {
            let clock = self.clocks.get(&priority).copied().unwrap_or(0);
            let Some(found) = self.families.get_mut(&family) else { return };
            let time = found.times.entry(priority).or_default();
            *time = (*time).max(clock);
            self.turns.insert((priority, *time, family));
        }
    }

    fn leave(&mut self, run: RunId, class: u32, priority: i32) {
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        let (priority, member) = (Reverse(priority), (Reverse(depth), run, class));
        let Some(members) = self.members.get_mut(&(family, priority)) else { return };
        members.remove(&member);
        if members.is_empty() {
            self.members.remove(&(family, priority));
            self.turns.remove(&(priority, self.time(family, priority), family));
        }
    }

    /// Who has the turn after `passed`; with nothing, who is first.
    pub fn next(&self, passed: Option<InLine>) -> Option<InLine> {
        let first = |turn: Turn| {
            let members = self.members.get(&(turn.2, turn.0))?;
            members.first().map(|&member| InLine { turn, member })
        };
        let Some(InLine { turn, member }) = passed else { return self.turns.first().and_then(|&turn| first(turn)) };
        let others = self.members.get(&(turn.2, turn.0)).filter(|_| self.turns.contains(&turn));
        let sibling = others.and_then(|members| members.range((Bound::Excluded(member), Bound::Unbounded)).next());
        if let Some(&member) = sibling {
            return Some(InLine { turn, member });
        }
        self.turns.range((Bound::Excluded(turn), Bound::Unbounded)).next().and_then(|&turn| first(turn))
    }

    /// The family of `run`.
    pub fn family(&self, run: RunId) -> RunId {
        self.runs.get(&run).map_or(run, |place| place.family)
    }

    /// The family of `run` is handed out so much of this priority.
    pub fn charge(&mut self, run: RunId, priority: i32, nanoseconds: u64) {
        let Some(&Place { family, .. }) = self.runs.get(&run) else { return };
        let (priority, time) = (Reverse(priority), self.time(family, Reverse(priority)));
        let clock = self.clocks.entry(priority).or_default();
        *clock = (*clock).max(time);
        self.set_time(family, priority, time.saturating_add(nanoseconds));
    }

    /// What the family of `run` was charged for `expected` nanoseconds took so many.
    pub fn correct(&mut self, run: RunId, priority: i32, expected: u64, nanoseconds: u64) {
        let Some(&Place { family, .. }) = self.runs.get(&run) else { return };
        let time = self.time(family, Reverse(priority));
        self.set_time(family, Reverse(priority), time.saturating_sub(expected).saturating_add(nanoseconds));
    }

    fn time(&self, family: RunId, priority: Reverse<i32>) -> u64 {
        self.families.get(&family).and_then(|found| found.times.get(&priority)).copied().unwrap_or(0)
    }

    fn set_time(&mut self, family: RunId, priority: Reverse<i32>, time: u64) {
        if planted::has(Bug::FirstComeFirstServed) {
            return;
        }
        let Some(found) = self.families.get_mut(&family) else { return };
        let before = found.times.insert(priority, time).unwrap_or(0);
        if self.turns.remove(&(priority, before, family)) {
            self.turns.insert((priority, time, family));
        }
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.standing.is_empty() && self.runs.is_empty() && self.families.is_empty()
    }

    /// Whether nothing of `run` is in line.
    pub fn has_none_of(&self, run: RunId) -> bool {
        self.standing.range((run, 0)..=(run, u32::MAX)).next().is_none()
    }

    /// Whether a class of a run is in line.
    pub fn has(&self, run: RunId, class: u32) -> bool {
        self.standing.contains_key(&(run, class))
    }

    /// What those require that stand aside.
    pub fn parked_for(&self) -> impl Iterator<Item = Need> {
        self.parked.iter().map(|&(need, ..)| need)
    }

    /// Asserts that each fact is told once, and alike.
    pub fn validate(&self, runs: impl Iterator<Item = RunId>) {
        assert!(self.runs.keys().copied().eq(runs), "the runs that are there");
        let mut members = BTreeMap::<_, BTreeSet<Member>>::new();
        assert!(self.parked.iter().eq(self.parked_as.values().collect::<BTreeSet<_>>()), "those that stand aside");
        let is_in_line = |key: &(RunId, u32)| !self.parked_as.contains_key(key);
        assert!(
            self.parked_as.keys().all(|key| self.standing.contains_key(key)),
            "those that stand aside, as standing"
        );
        for (&(run, class), &priority) in self.standing.iter().filter(|(key, _)| is_in_line(key)) {
            let Place { family, depth } = self.runs[&run];
            members.entry((family, Reverse(priority))).or_default().insert((Reverse(depth), run, class));
        }
        assert_eq!(self.members, members, "those in line, by family");
        let turns = members.keys().map(|&(family, priority)| (priority, self.time(family, priority), family));
        assert_eq!(self.turns, turns.collect(), "the turns of families");
        let mut families = BTreeMap::<RunId, u64>::new();
        self.runs.values().for_each(|place| *families.entry(place.family).or_default() += 1);
        let counted = self.families.iter().map(|(&family, found)| (family, found.runs));
        assert!(counted.eq(families), "the runs of each family");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(queue: &RunQueue) -> Vec<u64> {
        let mut all = vec![];
        let mut passed = None;
        while let Some(next) = queue.next(passed) {
            all.push(next.run().0);
            passed = Some(next);
        }
        all
    }

    fn queue(runs: &[(u64, Option<u64>, i32)]) -> RunQueue {
        let mut queue = RunQueue::default();
        for &(run, parent, priority) in runs {
            queue.add(RunId(run), parent.map(RunId));
            queue.stand(RunId(run), 0, Some(priority));
        }
        queue
    }

    #[test]
    fn higher_priority_then_deeper_then_older() {
        let queue = queue(&[(1, None, 0), (2, Some(1), 0), (3, Some(2), 0), (4, Some(1), 0), (5, None, 1)]);
        assert_eq!(order(&queue), [5, 3, 2, 4, 1]);
    }

    #[test]
    fn families_share_time_and_nobody_saves_it_up() {
        let mut queue = queue(&[(1, None, 0), (2, None, 0), (3, Some(2), 0)]);
        queue.charge(RunId(1), 0, 1000);
        assert_eq!(order(&queue), [3, 2, 1]);
        // What one member is handed out counts for all.
        queue.charge(RunId(3), 0, 1500);
        assert_eq!(order(&queue), [1, 3, 2]);
        // It took less than was expected.
        queue.correct(RunId(3), 0, 1500, 500);
        assert_eq!(order(&queue), [3, 2, 1]);
        (0..10).for_each(|_| queue.charge(RunId(1), 0, 1000));
        queue.add(RunId(4), None);
        queue.stand(RunId(4), 0, Some(0));
        // It begins where the others are by now, and not at nothing.
        queue.charge(RunId(4), 0, 2000);
        assert_eq!(order(&queue), [3, 2, 1, 4]);
        (1..=4).for_each(|run| queue.remove(RunId(run)));
        queue.validate([].into_iter());
        assert!(order(&queue).is_empty());
    }

    #[test]
    fn what_goes_first_is_shared_apart() {
        let mut queue = queue(&[(1, None, 0), (2, None, 5)]);
        // Much was handed out of a higher priority, by families that came and went.
        queue.charge(RunId(2), 5, 1_000_000);
        queue.remove(RunId(2));
        queue.charge(RunId(1), 0, 10);
        queue.add(RunId(3), None);
        queue.stand(RunId(3), 0, Some(0));
        assert_eq!(order(&queue), [3, 1], "who comes begins where those of its priority are");
    }

    #[test]
    fn of_those_in_line_the_passed_are_passed_once_whatever_the_served_ones_become() {
        let mut queue = queue(&[(1, None, 0), (2, None, 0), (3, None, 0)]);
        let first = queue.next(None).unwrap();
        assert_eq!(first.run(), RunId(1));
        let second = queue.next(Some(first)).unwrap();
        queue.charge(second.run(), 0, 10);
        assert_eq!(queue.next(Some(first)).unwrap().run(), RunId(3));
        queue.charge(RunId(3), 0, 20);
        assert_eq!(queue.next(Some(first)).unwrap().run(), RunId(2));
    }
}
