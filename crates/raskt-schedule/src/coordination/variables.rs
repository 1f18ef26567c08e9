//! Variables: one value each, and who waits for the first.

use super::bytes::{Name, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::error::{CoordinationError, Kind};
use super::events::{leave, validate_lines};
use super::given::{Gift, Given};
use super::reply::Reply;
use super::waiting::{Asker, Turn, Wish};
use std::collections::{BTreeMap, BTreeSet};

/// All variables that have a value or are waited for.
#[derive(Debug, Default)]
pub(super) struct Variables {
    values: BTreeMap<Name, Value>,
    waiting: BTreeMap<Name, BTreeSet<Turn>>,
}

impl Variables {
    pub fn set(
        &mut self,
        desk: &mut Desk,
        given: &mut Given,
        name: &Name,
        value: Value,
    ) -> Result<(), CoordinationError> {
        if !self.values.contains_key(name) {
            desk.check_names(Kind::Variable, self.values.len() + 1)?;
        }
        // What both the old and the new value refer to is held all the time.
        desk.keep_under(|| Entry::Variable(name.clone()), &value)?;
        for turn in self.waiting.remove(name).unwrap_or_default() {
            if let Some(waiter) = desk.waiting.remove(turn) {
                show(desk, given, waiter.asker, &value);
            }
        }
        if let Some(old) = self.values.insert(name.clone(), value) {
            desk.let_go(&old);
        }
        Ok(())
    }

    pub fn get(
        &mut self,
        desk: &mut Desk,
        given: &mut Given,
        asker: Asker,
        name: Name,
        timeout: Option<u64>,
    ) -> Result<(), Reply> {
        if let Some(value) = self.values.get(&name) {
            show(desk, given, asker, value);
            return Ok(());
        }
        let turn = desk.wait(asker, timeout, Wish::Variable { name: name.clone() })?;
        self.waiting.entry(name).or_default().insert(turn);
        Ok(())
    }

    /// Forgets a variable; gives those who waited.
    pub fn delete(&mut self, desk: &mut Desk, name: &Name) -> Result<BTreeSet<Turn>, CoordinationError> {
        if self.values.contains_key(name) {
            desk.write(|| vec![(Entry::Variable(name.clone()), None)])?;
        }
        self.values.remove(name).iter().for_each(|value| desk.let_go(value));
        Ok(self.waiting.remove(name).unwrap_or_default())
    }

    /// A request waits no more.
    pub fn withdraw(&mut self, turn: Turn, name: &Name) {
        leave(&mut self.waiting, name, turn);
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.values.values()
    }

    /// Counts again: nobody waits for a variable that has a value.
    pub fn validate(&self, desk: &Desk) {
        let wished = desk.waiting.iter().filter_map(|(turn, waiter)| match &waiter.wish {
            Wish::Variable { name } => Some((name, turn)),
            _ => None,
        });
        validate_lines(&self.waiting, wished);
        let is_there = |name| self.values.contains_key(name);
        assert!(!self.waiting.keys().any(is_there), "a variable has a value and is waited for");
    }
}

/// Gives somebody a value that stays where it is; what it refers to is kept until it has arrived.
pub(super) fn show(desk: &mut Desk, given: &mut Given, asker: Asker, value: &Value) {
    let awaits_taken = !value.results.is_empty();
    if awaits_taken {
        desk.keep_results(value);
        // Of the value only what it refers to matters here.
        let results = value.results.clone();
        given.add(asker, Gift::Shown(Value { results, ..Value::default() }));
    }
    desk.answer(asker, Reply::Values { values: vec![value.clone()], awaits_taken });
}
