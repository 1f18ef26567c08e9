//! Requests that can't be answered yet, in the order in which they came.

use super::bytes::{Name, RequestId, Session, Value};
use super::error::{CoordinationError, Quantity};
use super::limits::Limits;
use crate::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Who asked what: the name of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asker {
    pub owner: Session,
    pub request: RequestId,
}

/// Where a request stands in the order of all that ever waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(u64);

/// What a request waits for.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    Locks { names: Vec<Name>, count: usize, holder: u64 },
    Lease { name: Name, lease: u64, lasts: Option<u64> },
    Event { name: Name },
    Variable { name: Name },
    Put { name: Name, value: Value },
    Items { name: Name, count: u64 },
}

/// A request that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    pub asker: Asker,
    pub deadline: Option<Time>,
    pub wish: Wish,
}

/// All that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    waiters: BTreeMap<Turn, Waiter>,
    turns: BTreeMap<Asker, Turn>,
    /// All and only the deadlines of those that have one.
    deadlines: BTreeSet<(Time, Turn)>,
    /// How many each session has; none is left out.
    of_session: BTreeMap<Session, usize>,
    next: u64,
}

impl Waiting {
    /// Puts a request at the end.
    pub fn add(&mut self, waiter: Waiter, limits: &Limits) -> Result<Turn, CoordinationError> {
        let of_session = self.of_session.get(&waiter.asker.owner).copied().unwrap_or(0);
        let too_many = |what, most: usize| Err(CoordinationError::TooMany { what, most: most as u64 });
        if self.waiters.len() >= limits.waiting {
            return too_many(Quantity::Waiting, limits.waiting);
        }
        if of_session >= limits.waiting_of_a_session {
            return too_many(Quantity::WaitingOfASession, limits.waiting_of_a_session);
        }
        self.of_session.insert(waiter.asker.owner, of_session + 1);
        let turn = Turn(self.next);
        self.next += 1;
        self.turns.insert(waiter.asker, turn);
        self.deadlines.extend(waiter.deadline.map(|deadline| (deadline, turn)));
        self.waiters.insert(turn, waiter);
        Ok(turn)
    }

    /// It waits no more.
    pub fn remove(&mut self, turn: Turn) -> Option<Waiter> {
        let waiter = self.waiters.remove(&turn)?;
        self.turns.remove(&waiter.asker);
        if let Some(deadline) = waiter.deadline {
            self.deadlines.remove(&(deadline, turn));
        }
        if let Some(count) = self.of_session.get_mut(&waiter.asker.owner) {
            *count -= 1;
            if *count == 0 {
                self.of_session.remove(&waiter.asker.owner);
            }
        }
        Some(waiter)
    }

    pub fn get(&self, turn: Turn) -> Option<&Waiter> {
        self.waiters.get(&turn)
    }

    pub fn turn_of(&self, asker: Asker) -> Option<Turn> {
        self.turns.get(&asker).copied()
    }

    /// Those of a session, in order of their requests.
    pub fn of(&self, owner: Session) -> Vec<Turn> {
        let first = Asker { owner, request: RequestId(0) };
        self.turns.range(first..).take_while(|(asker, _)| asker.owner == owner).map(|(_, &turn)| turn).collect()
    }

    /// Whose time is over first.
    pub fn first_deadline(&self) -> Option<(Time, Turn)> {
        self.deadlines.first().copied()
    }

    pub fn len(&self) -> usize {
        self.waiters.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Turn, &Waiter)> {
        self.waiters.iter().map(|(&turn, waiter)| (turn, waiter))
    }

    /// Whether all that is said twice is the same.
    pub fn validate(&self) {
        assert_eq!(self.waiters.len(), self.turns.len());
        assert!(self.waiters.iter().all(|(turn, waiter)| self.turns.get(&waiter.asker) == Some(turn)));
        let deadlines = self.waiters.iter().filter_map(|(&turn, waiter)| Some((waiter.deadline?, turn)));
        assert_eq!(self.deadlines, deadlines.collect());
        let mut of_session = BTreeMap::new();
        self.waiters.values().for_each(|waiter| *of_session.entry(waiter.asker.owner).or_insert(0) += 1);
        assert_eq!(self.of_session, of_session);
    }
}
