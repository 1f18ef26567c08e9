//! Whose turn it is: the runs that may have something to start, in order.
//!
//! Higher priority goes first. Among equals the workers' time is shared by *families*: a run, and those that its tasks submit
//! (see [`crate::shares`]), or the oldest goes first, as [`Order`] has it. Within a family the deepest run goes first, since
//! a task that waits for it holds a thread; then the oldest.

use crate::RunId;
use crate::by_number::ByNumber;
use crate::needs::Need;
use crate::policy::Order;
use crate::shares::Shares;
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
    /// By what they stand aside for, their families, and how many classes of each.
    aside: BTreeMap<(Need, Reverse<i32>), BTreeMap<RunId, u32>>,
    /// What those ask for who stand aside, and not for memory, the highest priority first.
    asked: BTreeSet<(Reverse<i32>, Need)>,
    /// How often somebody was held back, and those who were, are in line again, and haven't had their turn since: by priority.
    looks: u64,
    awake: BTreeSet<(i32, RunId, u32)>,
    /// The first of those that were woken since it was last asked.
    risen: Option<InLine>,
    runs: ByNumber<RunId, Place>,
    shares: Shares,
}

/// A family, by the number of its oldest run, and when its turn is.
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

/// Somebody in line, to go on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    pub fn new(order: Order) -> Self {
        Self { shares: Shares::new(order), ..Self::default() }
    }

    /// A run comes; `parent` is the run whose task submitted it, if it is there.
    pub fn add(&mut self, run: RunId, parent: Option<RunId>) {
        let above = parent.and_then(|parent| self.runs.get(&parent)).copied();
        let place = above.map_or(Place { family: run, depth: 0 }, |above| Place {
            family: above.family,
            depth: above.depth.saturating_add(1),
        });
        self.runs.insert(run, place);
        self.shares.add_run(place.family);
    }

    /// A run goes.
    pub fn remove(&mut self, run: RunId) {
        let classes = self.standing.range((run, 0)..=(run, u32::MAX));
        for class in classes.map(|(&(_, class), _)| class).collect::<Vec<_>>() {
            self.stand(run, class, None);
        }
        if let Some(Place { family, .. }) = self.runs.remove(&run) {
            self.shares.remove_run(family);
        }
    }

    /// A class of a run stands in line under `priority`, or has nothing to start.
    pub fn stand(&mut self, run: RunId, class: u32, priority: Option<i32>) {
        let before = match priority {
            Some(priority) => self.standing.insert((run, class), priority),
            None => self.standing.remove(&(run, class)),
        };
        if before == priority {
            // What it waits for memory with may not be its head any more.
            return self.wake_one(run, class);
        }
        if let Some(before) = before {
            self.awake.remove(&(before, run, class));
        }
        if self.parked_as.contains_key(&(run, class)) {
            // It doesn't stand in line, but as it was.
            self.unpark(run, class);
        } else if let Some(before) = before {
            self.leave(run, class, before);
        }
        if let Some(priority) = priority {
            self.enter(run, class, priority, false);
        }
    }

    /// A class of a run stands aside: no worker has room that meets `need`.
    pub fn park(&mut self, run: RunId, class: u32, need: Need) {
        let Some(&priority) = self.standing.get(&(run, class)) else { return };
        let turn = self.shares.turn(self.family(run), Reverse(priority));
        self.stand_aside(run, class, need, (priority, turn));
    }

    /// A class of a run stands aside: no worker has memory for it. Those of the highest priority are woken first, and of them
    /// those that were looked at longest ago.
    pub fn hold_back(&mut self, run: RunId, class: u32) {
        let Some(&priority) = self.standing.get(&(run, class)) else { return };
        self.looks += 1;
        self.stand_aside(run, class, Need::MEMORY, (priority, self.looks));
    }

    fn stand_aside(&mut self, run: RunId, class: u32, need: Need, (rank, turn): (i32, u64)) {
        let Some(&priority) = self.standing.get(&(run, class)) else { return };
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        if self.parked_as.contains_key(&(run, class)) {
            return;
        }
        self.leave(run, class, priority);
        let turn = (Reverse(rank), turn, family);
        let parked = (need, turn, (Reverse(depth), run, class));
        self.parked.insert(parked);
        self.parked_as.insert((run, class), parked);
        *self.aside.entry((need, turn.0)).or_default().entry(family).or_default() += 1;
        self.asked.extend(Some((turn.0, need)).filter(|_| need != Need::MEMORY));
    }

    /// The first that stands aside for `need` is in line again; whether there was one.
    pub fn wake(&mut self, need: Need) -> bool {
        let first = self.parked.range((need, FIRST_TURN, FIRST_MEMBER)..).next().copied();
        let Some((.., (_, run, class))) = first.filter(|(other, ..)| *other == need) else { return false };
        self.rise(run, class);
        true
    }

    /// Some of those that are held back are in line again: so many of them at a time, at most, and beside them the first of
    /// a higher priority than those have.
    pub fn wake_some(&mut self, most: u64) {
        while (self.awake.len() as u64) < most && self.wake(Need::MEMORY) {}
        if self.first_aside(Need::MEMORY) > self.awake.last().map(|&(priority, ..)| priority) {
            self.wake(Need::MEMORY);
        }
    }

    /// The highest priority of those that stand aside for `need`, if anybody does.
    pub fn first_aside(&self, need: Need) -> Option<i32> {
        let range = (need, Reverse(i32::MAX))..=(need, Reverse(i32::MIN));
        self.aside.range(range).next().map(|(&(_, Reverse(priority)), _)| priority)
    }

    /// What those ask for of a higher priority who stand aside, the highest first.
    pub fn asked_before(&self, priority: i32) -> impl Iterator<Item = Need> {
        self.asked.range(..(Reverse(priority), Need::NONE)).map(|&(_, need)| need)
    }

    /// A class of a run is in line again if it is held back.
    pub fn wake_one(&mut self, run: RunId, class: u32) {
        if self.parked_as.get(&(run, class)).is_some_and(|(need, ..)| *need == Need::MEMORY) {
            self.rise(run, class);
        }
    }

    /// A class of a run has its turn.
    pub fn look_at(&mut self, run: RunId, class: u32) {
        if let Some(&priority) = self.standing.get(&(run, class)) {
            self.awake.remove(&(priority, run, class));
        }
    }

    fn rise(&mut self, run: RunId, class: u32) {
        let Some(&priority) = self.standing.get(&(run, class)) else { return };
        if self.parked_as.get(&(run, class)).is_some_and(|(need, ..)| *need == Need::MEMORY) {
            self.awake.insert((priority, run, class));
        }
        self.unpark(run, class);
        self.enter(run, class, priority, true);
    }

    fn unpark(&mut self, run: RunId, class: u32) {
        let Some(parked) = self.parked_as.remove(&(run, class)) else { return };
        self.parked.remove(&parked);
        let (need, (priority, _, family), _) = parked;
        let Some(families) = self.aside.get_mut(&(need, priority)) else { return };
        if let Some(classes) = families.get_mut(&family) {
            *classes -= 1;
            if *classes == 0 {
                families.remove(&family);
            }
        }
        if families.is_empty() {
            self.aside.remove(&(need, priority));
            self.asked.remove(&(priority, need));
        }
    }

    fn enter(&mut self, run: RunId, class: u32, priority: i32, is_woken: bool) {
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        let (priority, member) = (Reverse(priority), (Reverse(depth), run, class));
        let members = self.members.entry((family, priority)).or_default();
        members.insert(member);
        if members.len() == 1 {
            self.shares.enter(family, priority, is_woken);
            self.turns.insert((priority, self.shares.turn(family, priority), family));
        }
        if is_woken {
            let turn = (priority, self.shares.turn(family, priority), family);
            let risen = InLine { turn, member };
            self.risen = Some(self.risen.map_or(risen, |first| first.min(risen)));
        }
    }

    /// Who was woken since this was last asked, the first in line.
    pub fn take_risen(&mut self) -> Option<InLine> {
        self.risen.take()
    }

    fn leave(&mut self, run: RunId, class: u32, priority: i32) {
        let Some(&Place { family, depth }) = self.runs.get(&run) else { return };
        let (priority, member) = (Reverse(priority), (Reverse(depth), run, class));
        let Some(members) = self.members.get_mut(&(family, priority)) else { return };
        members.remove(&member);
        if members.is_empty() {
            self.members.remove(&(family, priority));
            self.turns.remove(&(priority, self.shares.turn(family, priority), family));
            self.shares.leave(family, priority);
        }
    }

    /// Who has the turn from there on.
    pub fn next(&self, from: Bound<InLine>) -> Option<InLine> {
        let first = |turn: Turn| {
            let members = self.members.get(&(turn.2, turn.0))?;
            members.first().map(|&member| InLine { turn, member })
        };
        let (InLine { turn, .. }, members) = match from {
            Bound::Unbounded => return self.turns.first().and_then(|&turn| first(turn)),
            Bound::Included(from) => (from, Bound::Included(from.member)),
            Bound::Excluded(from) => (from, Bound::Excluded(from.member)),
        };
        let others = self.members.get(&(turn.2, turn.0)).filter(|_| self.turns.contains(&turn));
        let sibling = others.and_then(|others| others.range((members, Bound::Unbounded)).next());
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
    pub fn charge(&mut self, run: RunId, priority: i32, expected: u64) {
        let priority = Reverse(priority);
        let first = self.turns.range((priority, 0, RunId(0))..).next().filter(|(other, ..)| *other == priority);
        let first = first.map(|&(_, turn, _)| turn);
        self.change(run, priority, |shares, family| shares.charge(family, priority, expected, first));
    }

    /// Of what the family of `run` was charged for, so much comes to nothing.
    pub fn give_back(&mut self, run: RunId, priority: i32, expected: u64) {
        self.spend(run, priority, expected, 0, None);
    }

    /// Of what the family of `run` was charged for, so much has ended, and took `nanoseconds`. It counts as a part of what there is
    /// for all, unless nothing is said of what it requires.
    pub fn spend(&mut self, run: RunId, priority: i32, expected: u64, nanoseconds: u64, need: Option<Need>) {
        let (priority, family) = (Reverse(priority), self.family(run));
        let others = |need: Need| {
            let aside = self.aside.get(&(need, priority));
            aside.map_or(0, |families| families.len() as u64 - u64::from(families.contains_key(&family)))
        };
        let beside = need.map(others);
        self.change(run, priority, |shares, family| shares.account(family, priority, expected, nanoseconds, beside));
    }

    /// Changes what is known of the family of `run`, and with it its turn.
    fn change(&mut self, run: RunId, priority: Reverse<i32>, change: impl FnOnce(&mut Shares, RunId)) {
        let Some(&Place { family, .. }) = self.runs.get(&run) else { return };
        let before = self.shares.turn(family, priority);
        change(&mut self.shares, family);
        let turn = self.shares.turn(family, priority);
        if turn != before && self.turns.remove(&(priority, before, family)) {
            self.turns.insert((priority, turn, family));
        }
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        let has_none = self.turns.is_empty() && self.standing.is_empty() && self.parked.is_empty();
        has_none
            && self.awake.is_empty()
            && self.aside.is_empty()
            && self.asked.is_empty()
            && self.runs.is_empty()
            && self.shares.is_empty()
    }

    /// Whether nothing of `run` is in line.
    pub fn has_none_of(&self, run: RunId) -> bool {
        self.standing.range((run, 0)..=(run, u32::MAX)).next().is_none()
    }

    /// The classes of `run` that stand in line, or aside, and under which priority.
    pub fn standing_of(&self, run: RunId) -> impl Iterator<Item = (u32, i32)> {
        self.standing.range((run, 0)..=(run, u32::MAX)).map(|(&(_, class), &priority)| (class, priority))
    }

    /// The priority under which a class of a run stands in line, or aside.
    pub fn priority(&self, run: RunId, class: u32) -> Option<i32> {
        self.standing.get(&(run, class)).copied()
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
        let is_sound = |&(priority, run, class): &(i32, RunId, u32)| {
            self.standing.get(&(run, class)) == Some(&priority) && is_in_line(&(run, class))
        };
        assert!(self.awake.iter().all(is_sound), "those that were held back and are in line, by their priorities");
        assert!(
            self.parked_as.keys().all(|key| self.standing.contains_key(key)),
            "those that stand aside, as standing"
        );
        for (&(run, class), &priority) in self.standing.iter().filter(|(key, _)| is_in_line(key)) {
            let Place { family, depth } = self.runs[&run];
            members.entry((family, Reverse(priority))).or_default().insert((Reverse(depth), run, class));
        }
        assert_eq!(self.members, members, "those in line, by family");
        let turn = |&(family, priority): &_| (priority, self.shares.turn(family, priority), family);
        assert_eq!(self.turns, members.keys().map(turn).collect(), "the turns of families");
        let mut aside = BTreeMap::<_, BTreeMap<RunId, u32>>::new();
        for &(need, (priority, _, family), _) in &self.parked {
            *aside.entry((need, priority)).or_default().entry(family).or_default() += 1;
        }
        assert_eq!(self.aside, aside, "families that stand aside");
        let asked = aside.keys().filter(|(need, _)| *need != Need::MEMORY).map(|&(need, priority)| (priority, need));
        assert_eq!(self.asked, asked.collect(), "what is asked for aside");
        let mut families = BTreeMap::<RunId, u64>::new();
        self.runs.values().for_each(|place| *families.entry(place.family).or_default() += 1);
        self.shares.validate(&families, |family, priority| members.contains_key(&(family, priority)));
    }
}
