//! Whose turn it is: the runs that may have something to start, in order.
//!
//! Higher priority goes first. Among equals the workers' time is shared by *families*: a run, and those that its tasks submit
//! (see [`crate::shares`]), or the oldest goes first, as [`Order`] has it. Within a family the deepest run goes first, since
//! a task that waits for it holds a thread; runs of the same depth share the time as families do. Within a run, whatever tasks
//! require, those go first that would if all stood in one queue ([`HeadTurn`]).

mod aside;
mod line;

pub(crate) use line::ClassTurn;

use crate::RunId;
use crate::collections::by_number::ByNumber;
use crate::needs::Need;
use crate::policy::Order;
use crate::queue::HeadTurn;
use crate::shares::Shares;
use aside::Aside;
use line::{FamilyTurn, InLine, Line, RunTurn};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// Classes of runs (see [`crate::run::Run`]) that may have something to start.
#[derive(Debug, Default)]
pub(crate) struct RunQueue {
    line: Line,
    /// Classes of runs that have something to start, and the turns of their heads.
    standing: BTreeMap<(RunId, u32), HeadTurn>,
    /// Those that stand aside until some worker has room that meets what they require, in the order in which they did.
    parked: BTreeSet<Parked>,
    parked_as: BTreeMap<(RunId, u32), Parked>,
    /// Their families, and those of their runs that tasks have submitted.
    aside: Aside<Reverse<i32>>,
    runs_aside: Aside<Group>,
    /// What those ask for who stand aside, and not for memory, the highest priority first.
    asked: BTreeSet<(Reverse<i32>, Need)>,
    /// How often somebody was held back, and those who were, are in line again, and haven't had their turn since: by priority.
    looks: u64,
    awake: BTreeSet<(i32, RunId, u32)>,
    /// The first of those that were woken since it was last asked.
    risen: Option<InLine>,
    runs: ByNumber<RunId, Place>,
    shares: Shares<Reverse<i32>>,
    /// What runs have had that tasks have submitted. The first of a family is alone at its depth.
    run_shares: Shares<Group>,
}

/// One who stands aside, as he did when he came to: what he requires, his family's turn, the depth of the run, run and class.
type Parked = (Need, FamilyTurn, (Reverse<u32>, RunId, u32));

const FIRST_TURN: FamilyTurn = (Reverse(i32::MAX), 0, RunId(0));
const FIRST_MEMBER: (Reverse<u32>, RunId, u32) = (Reverse(u32::MAX), RunId(0), 0);

/// Runs of a family and a depth that share the time of a priority.
type Group = (RunId, u32, Reverse<i32>);

/// Where a run stands among others.
#[derive(Clone, Copy, Debug)]
struct Place {
    family: RunId,
    depth: u32,
}

impl Place {
    /// Those whose time a run shares; nothing if it is the first of its family.
    fn group(self, priority: Reverse<i32>) -> Option<Group> {
        (self.depth > 0).then_some((self.family, self.depth, priority))
    }
}

impl RunQueue {
    pub fn new(order: Order) -> Self {
        Self { shares: Shares::new(order), run_shares: Shares::new(order), ..Self::default() }
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
        if place.depth > 0 {
            self.run_shares.add_run(run);
        }
    }

    /// A run goes.
    pub fn remove(&mut self, run: RunId) {
        let classes = self.standing.range((run, 0)..=(run, u32::MAX));
        for class in classes.map(|(&(_, class), _)| class).collect::<Vec<_>>() {
            self.stand(run, class, None);
        }
        if let Some(Place { family, .. }) = self.runs.remove(&run) {
            self.shares.remove_run(family);
            self.run_shares.remove_run(run);
        }
    }

    /// A class of a run stands in line, and its head has this turn; or it has nothing to start.
    pub fn stand(&mut self, run: RunId, class: u32, turn: Option<HeadTurn>) {
        let before = self.standing.get(&(run, class)).copied();
        if before.map(|before| before.priority) == turn.map(|turn| turn.priority) {
            self.change_head(run, class, before, turn);
            // What it waits for memory with may not be its head any more.
            return self.wake_one(run, class);
        }
        if let Some(Reverse(before)) = before.map(|before| before.priority) {
            self.awake.remove(&(before, run, class));
            match self.parked_as.contains_key(&(run, class)) {
                true => self.unpark(run, class),
                false => self.leave(run, class),
            }
            self.standing.remove(&(run, class));
        }
        if let Some(turn) = turn {
            self.standing.insert((run, class), turn);
            self.enter(run, class, false);
        }
    }

    /// A class of a run has another head, of the same priority.
    fn change_head(&mut self, run: RunId, class: u32, before: Option<HeadTurn>, turn: Option<HeadTurn>) {
        if let Some((before, turn)) = before.zip(turn).filter(|(before, turn)| before != turn) {
            self.standing.insert((run, class), turn);
            self.line.move_class(run, (before, class), (turn, class));
        }
    }

    /// Where a class of a run stands, or would, in line.
    fn member(&self, run: RunId, class: u32) -> Option<InLine> {
        let &turn = self.standing.get(&(run, class))?;
        let &place = self.runs.get(&run)?;
        let family_turn = self.family_turn(place.family, turn.priority);
        Some(InLine { family_turn, run_turn: self.run_turn(run, place, turn.priority), class_turn: (turn, class) })
    }

    fn family_turn(&self, family: RunId, priority: Reverse<i32>) -> FamilyTurn {
        (priority, self.shares.turn(family, priority), family)
    }

    fn run_turn(&self, run: RunId, place: Place, priority: Reverse<i32>) -> RunTurn {
        let turn = place.group(priority).map_or(0, |group| self.run_shares.turn(run, group));
        (Reverse(place.depth), turn, run)
    }

    /// A class of a run stands aside: no worker has room that meets `need`.
    pub fn park(&mut self, run: RunId, class: u32, need: Need) {
        let Some(HeadTurn { priority, .. }) = self.standing.get(&(run, class)).copied() else { return };
        let turn = self.shares.turn(self.family(run), priority);
        self.stand_aside(run, class, need, turn);
    }

    /// A class of a run stands aside: no worker has memory for it. Those of the highest priority are woken first, and of them
    /// those that were looked at longest ago.
    pub fn hold_back(&mut self, run: RunId, class: u32) {
        if self.standing.contains_key(&(run, class)) {
            self.looks += 1;
            self.stand_aside(run, class, Need::MEMORY, self.looks);
        }
    }

    fn stand_aside(&mut self, run: RunId, class: u32, need: Need, turn: u64) {
        let Some(HeadTurn { priority, .. }) = self.standing.get(&(run, class)).copied() else { return };
        let Some(&place) = self.runs.get(&run) else { return };
        if self.parked_as.contains_key(&(run, class)) {
            return;
        }
        self.leave(run, class);
        let parked = (need, (priority, turn, place.family), (Reverse(place.depth), run, class));
        self.parked.insert(parked);
        self.parked_as.insert((run, class), parked);
        self.aside.insert(need, priority, place.family);
        place.group(priority).into_iter().for_each(|group| self.runs_aside.insert(need, group, run));
        self.asked.extend(Some((priority, need)).filter(|_| need != Need::MEMORY));
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
        self.aside.first(need, Reverse(i32::MAX), Reverse(i32::MIN)).map(|Reverse(priority)| priority)
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
        if let Some(priority) = self.priority(run, class) {
            self.awake.remove(&(priority, run, class));
        }
    }

    fn rise(&mut self, run: RunId, class: u32) {
        let Some(priority) = self.priority(run, class) else { return };
        if self.parked_as.get(&(run, class)).is_some_and(|(need, ..)| *need == Need::MEMORY) {
            self.awake.insert((priority, run, class));
        }
        self.unpark(run, class);
        self.enter(run, class, true);
    }

    fn unpark(&mut self, run: RunId, class: u32) {
        let Some(parked) = self.parked_as.remove(&(run, class)) else { return };
        self.parked.remove(&parked);
        let (need, (priority, _, family), (Reverse(depth), ..)) = parked;
        self.aside.remove(need, priority, family);
        let group = Place { family, depth }.group(priority);
        group.into_iter().for_each(|group| self.runs_aside.remove(need, group, run));
        if self.aside.first(need, priority, priority).is_none() {
            self.asked.remove(&(priority, need));
        }
    }

    fn enter(&mut self, run: RunId, class: u32, is_woken: bool) {
        let Some(HeadTurn { priority, .. }) = self.standing.get(&(run, class)).copied() else { return };
        let Some(&place) = self.runs.get(&run) else { return };
        if !self.line.has_run(run, priority) {
            place.group(priority).into_iter().for_each(|group| self.run_shares.enter(run, group, is_woken));
        }
        if !self.line.has_family(place.family, priority) {
            self.shares.enter(place.family, priority, is_woken);
        }
        let Some(member) = self.member(run, class) else { return };
        self.line.insert(member);
        if is_woken {
            self.risen = Some(self.risen.map_or(member, |first| first.min(member)));
        }
    }

    /// Who was woken since this was last asked, the first in line.
    pub fn take_risen(&mut self) -> Option<InLine> {
        self.risen.take()
    }

    fn leave(&mut self, run: RunId, class: u32) {
        let Some((member, &place)) = self.member(run, class).zip(self.runs.get(&run)) else { return };
        let priority = member.family_turn.0;
        self.line.remove(member);
        if !self.line.has_run(run, priority) {
            place.group(priority).into_iter().for_each(|group| self.run_shares.leave(run, group));
        }
        if !self.line.has_family(place.family, priority) {
            self.shares.leave(place.family, priority);
        }
    }

    /// Who has the turn from there on.
    pub fn next(&self, from: Bound<InLine>) -> Option<InLine> {
        self.line.next(from)
    }

    /// The family of `run`.
    pub fn family(&self, run: RunId) -> RunId {
        self.runs.get(&run).map_or(run, |place| place.family)
    }

    /// What to expect of an assignment of this priority of which so much is expected; if that isn't known, no less than of others.
    pub fn expect(&mut self, priority: i32, expected: u64, is_known: bool) -> u64 {
        self.shares.expect(Reverse(priority), expected, is_known)
    }

    /// `run` is handed out so much of this priority.
    pub fn charge(&mut self, run: RunId, priority: i32, expected: u64) {
        let Some(&place) = self.runs.get(&run) else { return };
        let priority = Reverse(priority);
        let first = self.line.first_family(priority);
        self.change(place.family, priority, |shares, family| shares.charge(family, priority, expected, first));
        if let Some(group) = place.group(priority) {
            let first = self.line.first_run(place.family, priority, place.depth);
            self.change_run(run, place, priority, |shares| shares.charge(run, group, expected, first));
        }
    }

    /// Of what `run` was charged for, so much comes to nothing.
    pub fn give_back(&mut self, run: RunId, priority: i32, expected: u64) {
        self.spend(run, priority, expected, 0, None);
    }

    /// Of what `run` was charged for, so much has ended, and took `nanoseconds`. It counts as a part of what there is for all, unless
    /// nothing is said of what it requires.
    pub fn spend(&mut self, run: RunId, priority: i32, expected: u64, nanoseconds: u64, need: Option<Need>) {
        let Some(&place) = self.runs.get(&run) else { return };
        let priority = Reverse(priority);
        let beside = need.map(|need| self.aside.beside(need, priority, place.family));
        self.change(place.family, priority, |shares, family| {
            shares.account(family, priority, expected, nanoseconds, beside);
        });
        if let Some(group) = place.group(priority) {
            let beside = need.map(|need| self.runs_aside.beside(need, group, run));
            let account = |shares: &mut Shares<Group>| shares.account(run, group, expected, nanoseconds, beside);
            self.change_run(run, place, priority, account);
        }
    }

    /// Changes what is known of a family, and with it its turn.
    fn change(&mut self, family: RunId, priority: Reverse<i32>, change: impl FnOnce(&mut Shares<Reverse<i32>>, RunId)) {
        let before = self.family_turn(family, priority);
        change(&mut self.shares, family);
        self.line.move_family(before, self.family_turn(family, priority));
    }

    /// The same of a run.
    fn change_run(
        &mut self,
        run: RunId,
        place: Place,
        priority: Reverse<i32>,
        change: impl FnOnce(&mut Shares<Group>),
    ) {
        let before = self.run_turn(run, place, priority);
        change(&mut self.run_shares);
        self.line.move_run(place.family, priority, before, self.run_turn(run, place, priority));
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        let has_none = self.line.is_empty() && self.standing.is_empty() && self.parked.is_empty();
        let is_aside =
            !self.aside.is_empty() || !self.asked.is_empty() || !self.runs_aside.is_empty() || !self.awake.is_empty();
        has_none && !is_aside && self.runs.is_empty() && self.shares.is_empty() && self.run_shares.is_empty()
    }

    /// Whether nothing of `run` is in line.
    pub fn has_none_of(&self, run: RunId) -> bool {
        self.standing.range((run, 0)..=(run, u32::MAX)).next().is_none()
    }

    /// The classes of `run` that stand in line, or aside, and the turns of their heads.
    pub fn standing_of(&self, run: RunId) -> impl Iterator<Item = (u32, HeadTurn)> {
        self.standing.range((run, 0)..=(run, u32::MAX)).map(|(&(_, class), &turn)| (class, turn))
    }

    /// The turn of the head of a class of a run that stands in line, or aside.
    pub fn turn(&self, run: RunId, class: u32) -> Option<HeadTurn> {
        self.standing.get(&(run, class)).copied()
    }

    fn priority(&self, run: RunId, class: u32) -> Option<i32> {
        self.turn(run, class).map(|turn| turn.priority.0)
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
        assert!(self.parked.iter().eq(self.parked_as.values().collect::<BTreeSet<_>>()), "those that stand aside");
        let is_in_line = |key: &(RunId, u32)| !self.parked_as.contains_key(key);
        let is_sound = |&(priority, run, class): &(i32, RunId, u32)| {
            self.priority(run, class) == Some(priority) && is_in_line(&(run, class))
        };
        assert!(self.awake.iter().all(is_sound), "those that were held back and are in line, by their priorities");
        assert!(
            self.parked_as.keys().all(|key| self.standing.contains_key(key)),
            "those that stand aside, as standing"
        );
        let mut line = Line::default();
        let in_line = self.standing.keys().filter(|key| is_in_line(key));
        in_line.filter_map(|&(run, class)| self.member(run, class)).for_each(|member| line.insert(member));
        assert_eq!(self.line, line, "those in line, in their turns");
        let (mut aside, mut runs_aside) = (Aside::default(), Aside::default());
        for &(need, (priority, _, family), (Reverse(depth), run, _)) in &self.parked {
            aside.insert(need, priority, family);
            Place { family, depth }.group(priority).into_iter().for_each(|group| runs_aside.insert(need, group, run));
        }
        assert_eq!((&self.aside, &self.runs_aside), (&aside, &runs_aside), "families and runs that stand aside");
        let asked = self.parked.iter().map(|&(need, (priority, ..), _)| (priority, need));
        assert_eq!(self.asked, asked.filter(|(_, need)| *need != Need::MEMORY).collect(), "what is asked for aside");
        let mut families = BTreeMap::<RunId, u64>::new();
        self.runs.values().for_each(|place| *families.entry(place.family).or_default() += 1);
        self.shares.validate(&families, |family, priority| line.has_family(family, priority));
        let nested = self.runs.iter().filter(|(_, place)| place.depth > 0).map(|(&run, _)| (run, 1)).collect();
        self.run_shares.validate(&nested, |run, (.., priority)| line.has_run(run, priority));
    }
}
