//! Looks at a few of very many, again and again, so that each has its turn.

use crate::broker::Holder;
use crate::slot::SlotId;
use std::collections::BTreeSet;
use std::ops::Bound;

/// How many are looked at in one event, at most: those that would have to leave with them as well.
pub(crate) const LOOKS: usize = 1024;

/// The same of those of which only their own world can tell: that takes as long as to write them.
pub(crate) const TRIES: usize = 32;

/// How far looking again has come.
#[derive(Default)]
pub(crate) struct Round {
    /// The request for which it is made.
    of: Option<Holder>,
    pub shared: Cursor,
    pub elsewhere: Cursor,
    /// What was looked at beyond what one event may: those that hold the same memory are looked at together, however many they are.
    /// So much less is looked at in those that follow.
    debt: usize,
}

impl Round {
    /// Whether it is a new one, since the one before was for another request; there are so many to look at.
    pub fn begin(&mut self, of: Holder, shared: usize, elsewhere: usize) -> bool {
        let is_new = self.of.replace(of) != Some(of);
        if is_new {
            (self.shared.left, self.elsewhere.left) = (shared, elsewhere);
        }
        is_new
    }

    /// The next request begins anew, even if it is the same.
    pub fn forget(&mut self) {
        self.of = None;
    }

    /// How many are still to be looked at, of so many that there are by now.
    pub fn left(&self, shared: usize, elsewhere: usize) -> usize {
        self.shared.left.min(shared) + self.elsewhere.left.min(elsewhere)
    }

    /// How much of `most` is left when what was too much before is made up for.
    pub fn make_up(&mut self, most: usize) -> usize {
        let paid = self.debt.min(most);
        self.debt -= paid;
        most - paid
    }

    /// So much was looked at, of so much that could be.
    pub fn looked(&mut self, looked: usize, most: usize) {
        self.debt = self.debt.saturating_add(looked.saturating_sub(most));
    }
}

/// A place in a set.
#[derive(Default)]
pub(crate) struct Cursor {
    after: Option<SlotId>,
    /// How many are still to be looked at in this round.
    pub left: usize,
}

impl Cursor {
    /// The next one, so that each comes once before any comes again.
    pub fn next(&mut self, set: &BTreeSet<SlotId>) -> Option<SlotId> {
        let mut rest = set.range((self.after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        let next = rest.next().or(set.first()).copied()?;
        self.after = Some(next);
        self.left = self.left.min(set.len()).saturating_sub(1);
        Some(next)
    }

    /// The next ones, each of them once.
    pub fn next_some(&mut self, set: &BTreeSet<SlotId>, most: usize) -> Vec<SlotId> {
        (0..most.min(set.len())).filter_map(|_| self.next(set)).collect()
    }
}
