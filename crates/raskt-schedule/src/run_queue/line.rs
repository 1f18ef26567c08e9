//! Who stands in line: families of runs in their turns, the runs of each in theirs, and the classes of these in theirs.

use crate::RunId;
use crate::queue::HeadTurn;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// A family, by the number of its oldest run, and when its turn is.
pub(crate) type FamilyTurn = (Reverse<i32>, u64, RunId);

/// A run, and when its turn is among those of its family: the deepest first.
pub(crate) type RunTurn = (Reverse<u32>, u64, RunId);

/// A class of a run, and when its turn is among those of the run.
pub(crate) type ClassTurn = (HeadTurn, u32);

/// Somebody in line, to go on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InLine {
    pub family_turn: FamilyTurn,
    pub run_turn: RunTurn,
    pub class_turn: ClassTurn,
}

impl InLine {
    pub fn run(&self) -> RunId {
        self.run_turn.2
    }

    pub fn class(&self) -> u32 {
        self.class_turn.1
    }

    fn priority(&self) -> Reverse<i32> {
        self.family_turn.0
    }

    fn family(&self) -> RunId {
        self.family_turn.2
    }
}

/// Each family stands there once for each priority, each of its runs once among those of the family, and so on: whose turn changes
/// is moved alone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    families: BTreeSet<FamilyTurn>,
    /// The runs of a family that have a class in line of a priority, and these classes; never none.
    runs: BTreeMap<(RunId, Reverse<i32>), BTreeSet<RunTurn>>,
    classes: BTreeMap<(RunId, Reverse<i32>), BTreeSet<ClassTurn>>,
}

impl Line {
    pub fn has_family(&self, family: RunId, priority: Reverse<i32>) -> bool {
        self.runs.contains_key(&(family, priority))
    }

    pub fn has_run(&self, run: RunId, priority: Reverse<i32>) -> bool {
        self.classes.contains_key(&(run, priority))
    }

    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && self.runs.is_empty() && self.classes.is_empty()
    }

    pub fn insert(&mut self, member: InLine) {
        let priority = member.priority();
        self.families.insert(member.family_turn);
        self.runs.entry((member.family(), priority)).or_default().insert(member.run_turn);
        self.classes.entry((member.run(), priority)).or_default().insert(member.class_turn);
    }

    /// Takes a class out, and with the last of a run the run, and with that of a family the family.
    pub fn remove(&mut self, member: InLine) {
        let (run, family) = ((member.run(), member.priority()), (member.family(), member.priority()));
        if remove_from(&mut self.classes, run, &member.class_turn)
            && remove_from(&mut self.runs, family, &member.run_turn)
        {
            self.families.remove(&member.family_turn);
        }
    }

    /// The turn of a class is another one, if it is in line.
    pub fn move_class(&mut self, run: RunId, before: ClassTurn, now: ClassTurn) {
        let Some(classes) = self.classes.get_mut(&(run, now.0.priority)) else { return };
        if classes.remove(&before) {
            classes.insert(now);
        }
    }

    /// The turn of a family is another one, if it is in line.
    pub fn move_family(&mut self, before: FamilyTurn, now: FamilyTurn) {
        if before != now && self.families.remove(&before) {
            self.families.insert(now);
        }
    }

    /// The same of a run of `family`.
    pub fn move_run(&mut self, family: RunId, priority: Reverse<i32>, before: RunTurn, now: RunTurn) {
        let Some(runs) = self.runs.get_mut(&(family, priority)).filter(|_| before != now) else { return };
        if runs.remove(&before) {
            runs.insert(now);
        }
    }

    /// The first turn of a priority.
    pub fn first_family(&self, priority: Reverse<i32>) -> Option<u64> {
        let first = self.families.range((priority, 0, RunId(0))..).next();
        first.filter(|(other, ..)| *other == priority).map(|&(_, turn, _)| turn)
    }

    /// The first turn of runs of this depth in a family.
    pub fn first_run(&self, family: RunId, priority: Reverse<i32>, depth: u32) -> Option<u64> {
        let first = self.runs.get(&(family, priority))?.range((Reverse(depth), 0, RunId(0))..).next();
        first.filter(|(other, ..)| other.0 == depth).map(|&(_, turn, _)| turn)
    }

    /// Who has the turn from there on.
    pub fn next(&self, from: Bound<InLine>) -> Option<InLine> {
        let (from, from_class) = match from {
            Bound::Unbounded => return self.families.first().and_then(|&turn| self.first_of_family(turn)),
            Bound::Included(from) => (from, Bound::Included(from.class_turn)),
            Bound::Excluded(from) => (from, Bound::Excluded(from.class_turn)),
        };
        let InLine { family_turn, run_turn, .. } = from;
        let is_there = self.families.contains(&family_turn);
        let runs = self.runs.get(&(from.family(), from.priority())).filter(|_| is_there);
        let classes = self.classes.get(&(from.run(), from.priority()));
        let classes = classes.filter(|_| runs.is_some_and(|runs| runs.contains(&run_turn)));
        if let Some(&class_turn) = classes.and_then(|classes| classes.range((from_class, Bound::Unbounded)).next()) {
            return Some(InLine { family_turn, run_turn, class_turn });
        }
        let sibling = runs.and_then(|runs| runs.range((Bound::Excluded(run_turn), Bound::Unbounded)).next());
        if let Some(&run_turn) = sibling {
            return self.first_of_run(family_turn, run_turn);
        }
        let other = self.families.range((Bound::Excluded(family_turn), Bound::Unbounded)).next();
        other.and_then(|&turn| self.first_of_family(turn))
    }

    fn first_of_family(&self, family_turn: FamilyTurn) -> Option<InLine> {
        let &run_turn = self.runs.get(&(family_turn.2, family_turn.0))?.first()?;
        self.first_of_run(family_turn, run_turn)
    }

    fn first_of_run(&self, family_turn: FamilyTurn, run_turn: RunTurn) -> Option<InLine> {
        let &class_turn = self.classes.get(&(run_turn.2, family_turn.0))?.first()?;
        Some(InLine { family_turn, run_turn, class_turn })
    }
}

/// Takes something out of a set; whether nothing is left of that.
fn remove_from<K: Ord, T: Ord>(sets: &mut BTreeMap<K, BTreeSet<T>>, key: K, member: &T) -> bool {
    let Some(set) = sets.get_mut(&key) else { return false };
    set.remove(member);
    let is_over = set.is_empty();
    if is_over {
        sets.remove(&key);
    }
    is_over
}
