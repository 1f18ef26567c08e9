//! Semaphores: so many leases each, which run out unless they are refreshed.
//!
//! How many there are is what whoever named the semaphore first has said, for as long as somebody who has named it is there or
//! it is in use. A lease that has run out is gone, whatever its holder says later: it is told so when it refreshes.

use super::bytes::{Name, RequestId, Session};
use super::desk::Desk;
use super::error::{CoordinationError, Kind};
use super::known::Known;
use super::reply::Reply;
use super::waiting::{Asker, Turn, Wish};
use crate::Time;
use std::collections::{BTreeMap, BTreeSet};

/// All semaphores.
#[derive(Debug, Default)]
pub(super) struct Semaphores {
    semaphores: BTreeMap<Name, Semaphore>,
    /// What was granted and is still held.
    granted: BTreeMap<Asker, (Name, u64)>,
    /// All and only the ends of leases that have one.
    ends: BTreeSet<(Time, Asker)>,
    known: Known,
    /// Those at which something has changed since all was settled.
    changed: BTreeSet<Name>,
}

#[derive(Debug)]
struct Semaphore {
    size: u64,
    leases: BTreeMap<(Session, u64), Lease>,
    line: BTreeSet<Turn>,
    /// The leases that those in the line ask for.
    asked: BTreeSet<(Session, u64)>,
}

/// Who waits, and the leases that they ask for.
type Line = (BTreeSet<Turn>, BTreeSet<(Session, u64)>);

#[derive(Debug)]
struct Lease {
    request: RequestId,
    lasts: Option<u64>,
    end: Option<Time>,
}

impl Semaphores {
    /// Makes it known how many leases there are.
    pub fn open(&mut self, desk: &Desk, owner: Session, name: &Name, size: u64) -> Result<(), CoordinationError> {
        let (kind, most) = (Kind::Semaphore, desk.limits.acquaintances);
        if let Some(fixed) = self.semaphores.get(name).map(|semaphore| semaphore.size)
            && fixed != size
        {
            return Err(CoordinationError::OtherSize { kind, name: name.clone(), fixed, asked: size });
        }
        if !self.semaphores.contains_key(name) {
            desk.check_names(kind, self.semaphores.len() + 1)?;
        }
        self.known.meet(owner, name, most)?;
        let (leases, line, asked) = Default::default();
        self.semaphores.entry(name.clone()).or_insert(Semaphore { size, leases, line, asked });
        Ok(())
    }

    pub fn acquire(
        &mut self,
        desk: &mut Desk,
        asker: Asker,
        (name, size, lease, lasts): (Name, u64, u64, Option<u64>),
        timeout: Option<u64>,
    ) -> Result<(), Reply> {
        self.open(desk, asker.owner, &name, size)?;
        let Some(semaphore) = self.semaphores.get_mut(&name) else { return Ok(()) };
        let key = (asker.owner, lease);
        if semaphore.leases.contains_key(&key) || semaphore.asked.contains(&key) {
            return Err(CoordinationError::LeaseTwice { name, lease }.into());
        }
        // Whenever a lease is free nobody waits, so that nobody is passed.
        if (semaphore.leases.len() as u64) < semaphore.size {
            self.give(desk, asker, &name, lease, lasts);
            desk.answer(asker, Reply::Done);
            return Ok(());
        }
        let turn = desk.wait(asker, timeout, Wish::Lease { name, lease, lasts })?;
        semaphore.line.insert(turn);
        semaphore.asked.insert(key);
        Ok(())
    }

    /// Leases are still in use; gives those that aren't there any more.
    pub fn refresh(&mut self, desk: &Desk, owner: Session, leases: Vec<(Name, u64)>) -> Vec<(Name, u64)> {
        leases.into_iter().filter(|(name, lease)| !self.refresh_one(desk, owner, name, *lease)).collect()
    }

    fn refresh_one(&mut self, desk: &Desk, owner: Session, name: &Name, lease: u64) -> bool {
        let semaphore = self.semaphores.get_mut(name);
        let Some(lease) = semaphore.and_then(|it| it.leases.get_mut(&(owner, lease))) else { return false };
        let asker = Asker { owner, request: lease.request };
        let end = lease.lasts.map(|lasts| desk.after(lasts));
        self.ends.extend(end.map(|end| (end, asker)));
        if let Some(before) = std::mem::replace(&mut lease.end, end).filter(|&before| Some(before) != end) {
            self.ends.remove(&(before, asker));
        }
        true
    }

    pub fn release(&mut self, owner: Session, name: Name, lease: u64) -> Result<(), Reply> {
        let held = self.semaphores.get(&name).and_then(|semaphore| semaphore.leases.get(&(owner, lease)));
        let Some(request) = held.map(|lease| lease.request) else {
            return Err(CoordinationError::NotHeld { kind: Kind::Semaphore, name }.into());
        };
        self.take_back(Asker { owner, request });
        Ok(())
    }

    pub fn count(&self, name: &Name) -> u64 {
        self.semaphores.get(name).map_or(0, |semaphore| semaphore.leases.len() as u64)
    }

    /// Forgets a semaphore; gives those who waited.
    pub fn close(&mut self, name: &Name) -> BTreeSet<Turn> {
        self.known.forget(name);
        let Some(semaphore) = self.semaphores.remove(name) else { return BTreeSet::new() };
        for ((owner, _), lease) in semaphore.leases {
            self.forget_grant(Asker { owner, request: lease.request }, lease.end);
        }
        semaphore.line
    }

    /// Takes back what a request was given.
    pub fn take_back(&mut self, asker: Asker) {
        let Some((name, lease)) = self.granted.get(&asker).cloned() else { return };
        if let Some(semaphore) = self.semaphores.get_mut(&name) {
            let end = semaphore.leases.remove(&(asker.owner, lease)).and_then(|lease| lease.end);
            self.forget_grant(asker, end);
            self.changed.insert(name);
        }
    }

    pub fn is_held(&self, asker: Asker) -> bool {
        self.granted.contains_key(&asker)
    }

    /// What a session holds.
    pub fn held_by(&self, owner: Session) -> Vec<Asker> {
        let first = Asker { owner, request: RequestId(0) };
        self.granted.range(first..).map(|(&asker, _)| asker).take_while(|asker| asker.owner == owner).collect()
    }

    /// A request waits no more.
    pub fn withdraw(&mut self, turn: Turn, owner: Session, name: &Name, lease: u64) {
        if let Some(semaphore) = self.semaphores.get_mut(name) {
            semaphore.line.remove(&turn);
            semaphore.asked.remove(&(owner, lease));
            self.changed.insert(name.clone());
        }
    }

    /// A session is over: what only it knew goes, unless it is in use.
    pub fn leave(&mut self, owner: Session) {
        self.changed.extend(self.known.leave(owner));
    }

    /// The lease that runs out first.
    pub fn first_end(&self) -> Option<(Time, Asker)> {
        self.ends.first().copied()
    }

    fn give(&mut self, desk: &Desk, asker: Asker, name: &Name, lease: u64, lasts: Option<u64>) {
        let end = lasts.map(|lasts| desk.after(lasts));
        let Some(semaphore) = self.semaphores.get_mut(name) else { return };
        semaphore.leases.insert((asker.owner, lease), Lease { request: asker.request, lasts, end });
        self.ends.extend(end.map(|end| (end, asker)));
        self.granted.insert(asker, (name.clone(), lease));
    }

    fn forget_grant(&mut self, asker: Asker, end: Option<Time>) {
        self.granted.remove(&asker);
        if let Some(end) = end {
            self.ends.remove(&(end, asker));
        }
    }

    /// Gives what is free to those who wait, in order.
    pub fn settle(&mut self, desk: &mut Desk) {
        while let Some(name) = self.changed.pop_first() {
            self.settle_one(desk, &name);
        }
    }

    fn settle_one(&mut self, desk: &mut Desk, name: &Name) {
        while let Some(semaphore) = self.semaphores.get_mut(name)
            && (semaphore.leases.len() as u64) < semaphore.size
            && let Some(turn) = semaphore.line.pop_first()
        {
            let Some(waiter) = desk.grant(turn, Reply::Done) else { continue };
            let Wish::Lease { lease, lasts, .. } = waiter.wish else { continue };
            semaphore.asked.remove(&(waiter.asker.owner, lease));
            self.give(desk, waiter.asker, name, lease, lasts);
        }
        let is_idle = |semaphore: &Semaphore| semaphore.leases.is_empty() && semaphore.line.is_empty();
        if self.semaphores.get(name).is_some_and(is_idle) && !self.known.is_known(name) {
            self.semaphores.remove(name);
        }
    }

    /// Counts again: nobody waits for a lease that is free, and there are no more than there may be.
    pub fn validate(&self, desk: &Desk) {
        assert!(self.changed.is_empty());
        self.known.validate();
        let mut lines: BTreeMap<Name, Line> = BTreeMap::new();
        for (turn, waiter) in desk.waiting.iter() {
            if let Wish::Lease { name, lease, .. } = &waiter.wish {
                let (line, asked) = lines.entry(name.clone()).or_default();
                line.insert(turn);
                asked.insert((waiter.asker.owner, *lease));
            }
        }
        let (mut granted, mut ends) = (BTreeMap::new(), BTreeSet::new());
        for (name, semaphore) in &self.semaphores {
            let held = semaphore.leases.len() as u64;
            assert!(held <= semaphore.size, "more leases than there are");
            assert!(held == semaphore.size || semaphore.line.is_empty(), "a lease is free and somebody waits for it");
            let (line, asked) = lines.remove(name).unwrap_or_default();
            assert_eq!((&semaphore.line, &semaphore.asked), (&line, &asked));
            assert!(held > 0 || !line.is_empty() || self.known.is_known(name));
            for (&(owner, lease), entry) in &semaphore.leases {
                let asker = Asker { owner, request: entry.request };
                granted.insert(asker, (name.clone(), lease));
                ends.extend(entry.end.map(|end| (end, asker)));
                assert_eq!(entry.end.is_some(), entry.lasts.is_some());
            }
        }
        assert!(lines.is_empty());
        assert!(self.known.names().all(|name| self.semaphores.contains_key(name)));
        assert_eq!((&self.granted, &self.ends), (&granted, &ends));
    }
}
