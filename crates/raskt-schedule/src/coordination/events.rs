//! Events: set or not, and who waits for that.

use super::bytes::{Name, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::error::{CoordinationError, Kind};
use super::reply::Reply;
use super::waiting::{Asker, Turn, Wish};
use std::collections::{BTreeMap, BTreeSet};

/// All events that are set or waited for; nobody waits for one that is set.
#[derive(Debug, Default)]
pub(super) struct Events {
    set: BTreeSet<Name>,
    waiting: BTreeMap<Name, BTreeSet<Turn>>,
}

impl Events {
    pub fn set(&mut self, desk: &mut Desk, name: &Name) -> Result<(), CoordinationError> {
        if !self.set.contains(name) {
            desk.check_names(Kind::Event, self.set.len() + 1)?;
            desk.write(|| vec![(Entry::Event(name.clone()), Some(Value::default()))])?;
            self.set.insert(name.clone());
        }
        for turn in self.waiting.remove(name).unwrap_or_default() {
            desk.grant(turn, Reply::Done);
        }
        Ok(())
    }

    pub fn clear(&mut self, desk: &mut Desk, name: &Name) -> Result<(), CoordinationError> {
        if self.set.contains(name) {
            desk.write(|| vec![(Entry::Event(name.clone()), None)])?;
            self.set.remove(name);
        }
        Ok(())
    }

    pub fn is_set(&self, name: &Name) -> bool {
        self.set.contains(name)
    }

    pub fn wait(&mut self, desk: &mut Desk, asker: Asker, name: Name, timeout: Option<u64>) -> Result<(), Reply> {
        if self.is_set(&name) {
            desk.answer(asker, Reply::Done);
            return Ok(());
        }
        let turn = desk.wait(asker, timeout, Wish::Event { name: name.clone() })?;
        self.waiting.entry(name).or_default().insert(turn);
        Ok(())
    }

    /// A request waits no more.
    pub fn withdraw(&mut self, turn: Turn, name: &Name) {
        leave(&mut self.waiting, name, turn);
    }

    /// Counts again: nobody waits for an event that is set.
    pub fn validate(&self, desk: &Desk) {
        let wished = desk.waiting.iter().filter_map(|(turn, waiter)| match &waiter.wish {
            Wish::Event { name } => Some((name, turn)),
            _ => None,
        });
        validate_lines(&self.waiting, wished);
        assert!(self.set.iter().all(|name| !self.waiting.contains_key(name)), "an event is set and waited for");
    }
}

/// Takes a request out of the line of a name, and the line away if it was the last.
pub(super) fn leave(lines: &mut BTreeMap<Name, BTreeSet<Turn>>, name: &Name, turn: Turn) {
    if let Some(line) = lines.get_mut(name) {
        line.remove(&turn);
        if line.is_empty() {
            lines.remove(name);
        }
    }
}

/// Whether the lines are those of the requests that wait.
pub(super) fn validate_lines<'a>(
    lines: &BTreeMap<Name, BTreeSet<Turn>>,
    wished: impl Iterator<Item = (&'a Name, Turn)>,
) {
    let mut expected: BTreeMap<Name, BTreeSet<Turn>> = BTreeMap::new();
    for (name, turn) in wished {
        expected.entry(name.clone()).or_default().insert(turn);
    }
    assert_eq!(*lines, expected);
}
