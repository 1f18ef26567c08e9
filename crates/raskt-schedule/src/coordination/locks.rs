//! Locks: one holder each; several are had at once or not at all.
//!
//! Requests stand in the line of each lock that they want. One is granted as soon as it is the first in line at so many free locks
//! as it wants. So nobody holds some locks while it waits for others, which is what deadlocks are made of, and whoever came
//! first is passed by nobody at a lock that it wants.

use super::bytes::{Name, RequestId, Session};
use super::desk::Desk;
use super::error::{CoordinationError, Kind};
use super::reply::Reply;
use super::waiting::{Asker, Turn, Wish};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// All locks that are held or waited for.
#[derive(Debug, Default)]
pub(super) struct Locks {
    locks: BTreeMap<Name, Lock>,
    /// What was granted and is still held: none is empty.
    held: BTreeMap<Asker, Held>,
    /// Who has become first in the line of a free lock since all was settled.
    next: BTreeSet<Turn>,
}

#[derive(Debug, Default)]
struct Lock {
    holder: Option<Asker>,
    line: BTreeSet<Turn>,
}

#[derive(Debug)]
struct Held {
    holder: u64,
    names: BTreeSet<Name>,
}

impl Lock {
    /// Whether that request, or one that comes now, may have it.
    fn is_for(&self, turn: Option<Turn>) -> bool {
        self.holder.is_none() && self.line.first().copied() == turn
    }
}

impl Locks {
    pub fn acquire(
        &mut self,
        desk: &mut Desk,
        asker: Asker,
        (names, count, holder): (Vec<Name>, usize, u64),
        timeout: Option<u64>,
    ) -> Result<(), Reply> {
        let new = names.iter().filter(|name| !self.locks.contains_key(*name)).count();
        desk.check_names(Kind::Lock, self.locks.len() + new)?;
        if let Some(free) = self.free(&names, count, None) {
            self.give(asker, holder, &free);
            desk.answer(asker, Reply::Acquired(free));
            return Ok(());
        }
        let turn = desk.wait(asker, timeout, Wish::Locks { names: names.clone(), count, holder })?;
        for name in names {
            self.locks.entry(name).or_default().line.insert(turn);
        }
        Ok(())
    }

    pub fn release(&mut self, owner: Session, holder: u64, names: &[Name]) -> Result<(), Reply> {
        let mut askers = vec![];
        for name in names {
            let asker = self.locks.get(name).and_then(|lock| lock.holder).filter(|asker| asker.owner == owner);
            let asker = asker.filter(|asker| self.held.get(asker).is_some_and(|held| held.holder == holder));
            let not_held = || CoordinationError::NotHeld { kind: Kind::Lock, name: name.clone() };
            askers.push(asker.ok_or_else(not_held)?);
        }
        for (asker, name) in askers.into_iter().zip(names) {
            if let Entry::Occupied(mut held) = self.held.entry(asker) {
                held.get_mut().names.remove(name);
                if held.get().names.is_empty() {
                    held.remove();
                }
            }
        }
        self.free_all(names);
        Ok(())
    }

    pub fn is_locked(&self, name: &Name) -> bool {
        self.locks.get(name).is_some_and(|lock| lock.holder.is_some())
    }

    /// Takes back what a request was given.
    pub fn take_back(&mut self, asker: Asker) {
        if let Some(held) = self.held.remove(&asker) {
            self.free_all(&held.names);
        }
    }

    pub fn is_held(&self, asker: Asker) -> bool {
        self.held.contains_key(&asker)
    }

    /// What a session holds.
    pub fn held_by(&self, owner: Session) -> Vec<Asker> {
        let first = Asker { owner, request: RequestId(0) };
        self.held.range(first..).map(|(&asker, _)| asker).take_while(|asker| asker.owner == owner).collect()
    }

    /// A request waits no more: those behind it may have their turn.
    pub fn withdraw(&mut self, turn: Turn, names: &[Name]) {
        for name in names {
            if let Some(lock) = self.locks.get_mut(name) {
                lock.line.remove(&turn);
            }
            self.look_at(name);
        }
    }

    /// Grants what can be, of those who have become first in a line; whoever came first goes first.
    pub fn settle(&mut self, desk: &mut Desk) {
        while let Some(turn) = self.next.pop_first() {
            let Some(waiter) = desk.waiting.get(turn) else { continue };
            let Wish::Locks { names, count, holder } = waiter.wish.clone() else { continue };
            let Some(free) = self.free(&names, count, Some(turn)) else { continue };
            self.give(waiter.asker, holder, &free);
            self.withdraw(turn, &names);
            desk.grant(turn, Reply::Acquired(free));
        }
    }

    /// The first `count` of these locks that can be had, if there are so many.
    fn free(&self, names: &[Name], count: usize, turn: Option<Turn>) -> Option<Vec<Name>> {
        let is_free = |name: &&Name| self.locks.get(*name).map_or(turn.is_none(), |lock| lock.is_for(turn));
        let free: Vec<_> = names.iter().filter(is_free).take(count).cloned().collect();
        (free.len() == count).then_some(free)
    }

    fn give(&mut self, asker: Asker, holder: u64, names: &[Name]) {
        for name in names {
            self.locks.entry(name.clone()).or_default().holder = Some(asker);
        }
        self.held.insert(asker, Held { holder, names: names.iter().cloned().collect() });
    }

    fn free_all<'a>(&mut self, names: impl IntoIterator<Item = &'a Name>) {
        for name in names {
            if let Some(lock) = self.locks.get_mut(name) {
                lock.holder = None;
            }
            self.look_at(name);
        }
    }

    /// Notes who is first in line at a free lock; a lock that nobody wants goes.
    fn look_at(&mut self, name: &Name) {
        let Some(lock) = self.locks.get(name).filter(|lock| lock.holder.is_none()) else { return };
        match lock.line.first() {
            Some(&turn) => _ = self.next.insert(turn),
            None => _ = self.locks.remove(name),
        }
    }

    /// Counts again: nobody waits who could have what it wants.
    pub fn validate(&self, desk: &Desk) {
        assert!(self.next.is_empty());
        let mut lines: BTreeMap<Name, BTreeSet<Turn>> = BTreeMap::new();
        for (turn, waiter) in desk.waiting.iter() {
            if let Wish::Locks { names, count, .. } = &waiter.wish {
                for name in names {
                    lines.entry(name.clone()).or_default().insert(turn);
                }
                assert_eq!(self.free(names, *count, Some(turn)), None, "a lock is free and somebody waits for it");
            }
        }
        for (name, lock) in &self.locks {
            assert_eq!(lock.line, lines.remove(name).unwrap_or_default());
            let holder = lock.holder.map(|asker| self.held[&asker].names.contains(name));
            assert_ne!(holder, Some(false));
            assert!(holder.is_some() || !lock.line.is_empty());
        }
        assert!(lines.is_empty());
        for (asker, held) in &self.held {
            assert!(!held.names.is_empty() && held.names.iter().all(|name| self.locks[name].holder == Some(*asker)));
        }
    }
}
