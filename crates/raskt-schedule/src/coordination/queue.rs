//! One queue: its items by number, so that what comes back is where it was.

use super::bytes::{Name, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::error::CoordinationError;
use super::given::{Gift, Given};
use super::limits::Limits;
use super::reply::Reply;
use super::waiting::{Asker, Turn, Waiting, Wish};
use std::collections::{BTreeMap, BTreeSet};

/// One queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// How many items there may be, if somebody has said.
    pub size: Option<u64>,
    /// A machine before this one said so: whoever has said it doesn't say it again.
    pub is_restored: bool,
    items: BTreeMap<u64, Value>,
    /// The number from which on items have been put here: those of a queue of this name before it have smaller ones.
    born: u64,
    /// What all items cost, and how many ranges of results they refer to.
    bytes: u64,
    results: usize,
    pub getters: BTreeSet<Turn>,
    pub putters: BTreeSet<Turn>,
}

impl Queue {
    /// One whose items will have that number, or greater ones.
    pub fn born_at(born: u64) -> Self {
        Self { born, ..Self::default() }
    }

    pub fn len(&self) -> u64 {
        self.items.len() as u64
    }

    pub fn items(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.items.iter().map(|(&number, value)| (number, value))
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.items.values()
    }

    /// Whether nothing is in it, nobody waits, and nobody counts on how many items it may have.
    pub fn is_idle(&self) -> bool {
        self.items.is_empty() && self.getters.is_empty() && self.putters.is_empty() && !self.is_restored
    }

    /// Whether one who comes now may put an item.
    pub fn has_turn_to_put(&self, waiting: &Waiting) -> bool {
        self.putters.is_empty() && self.has_room(waiting)
    }

    /// Whether there is room. Who is first in line for more items than there may be has room made for them.
    fn has_room(&self, waiting: &Waiting) -> bool {
        self.size.is_none_or(|size| self.len() < size) || self.len() < self.wanted(waiting).unwrap_or(0)
    }

    /// How many items the first in line wants.
    fn wanted(&self, waiting: &Waiting) -> Option<u64> {
        match waiting.get(*self.getters.first()?)?.wish {
            Wish::Items { count, .. } => Some(count),
            _ => None,
        }
    }

    /// Whether so many items are there, or more than fit in a reply.
    pub fn can_give(&self, count: u64, limits: &Limits) -> bool {
        let fills_a_reply = || {
            self.bytes >= limits.reply_bytes
                || self.results >= limits.reply_results
                || self.items.len() >= limits.reply_items
        };
        self.len() >= count || fills_a_reply()
    }

    /// Puts what is kept by now behind all others, if that can be written down; it isn't kept if it can't.
    pub fn push(
        &mut self,
        desk: &mut Desk,
        name: &Name,
        value: Value,
        next: &mut u64,
    ) -> Result<(), CoordinationError> {
        let item = || Entry::Item { queue: name.clone(), number: *next };
        if let Err(error) = desk.write(|| vec![(item(), Some(value.clone()))]) {
            desk.let_go(&value);
            return Err(error);
        }
        self.put_back(vec![(*next, value)]);
        *next += 1;
        Ok(())
    }

    fn count(&mut self, value: &Value) {
        self.bytes += value.cost_bytes();
        self.results += value.results.len();
    }

    /// Whether these are items that were here: a queue that was closed and begun again has had others.
    pub fn had(&self, items: &[(u64, Value)]) -> bool {
        items.iter().all(|(number, _)| *number >= self.born)
    }

    pub fn put_back(&mut self, items: Vec<(u64, Value)>) {
        for (number, value) in items {
            self.count(&value);
            self.items.insert(number, value);
        }
    }

    /// Gives the first `count` items, or as many of them as fit in a reply; one in any case.
    pub fn give(&mut self, desk: &mut Desk, given: &mut Given, asker: Asker, name: &Name, count: u64) {
        let (mut items, mut bytes, mut results) = (vec![], 0, 0);
        let limits = desk.limits;
        while (items.len() as u64) < count
            && items.len() < limits.reply_items
            && let Some(first) = self.items.first_entry()
        {
            bytes += first.get().cost_bytes();
            results += first.get().results.len();
            if !items.is_empty() && (bytes > limits.reply_bytes || results > limits.reply_results) {
                break;
            }
            let item = first.remove_entry();
            self.bytes -= item.1.cost_bytes();
            self.results -= item.1.results.len();
            items.push(item);
        }
        let values: Vec<Value> = items.iter().map(|(_, value)| value.clone()).collect();
        let awaits_taken = !items.is_empty();
        if awaits_taken {
            given.add(asker, Gift::Items { queue: name.clone(), items });
        }
        desk.answer(asker, Reply::Values { values, awaits_taken });
    }

    /// Gives the first in line what it wants, or takes in what the first wants to put; says whether something was to be done.
    pub fn settle_one(&mut self, desk: &mut Desk, given: &mut Given, name: &Name, next: &mut u64) -> bool {
        if let Some(&turn) = self.getters.first()
            && self.wanted(&desk.waiting).is_some_and(|count| self.can_give(count, &desk.limits))
        {
            self.getters.remove(&turn);
            if let Some(waiter) = desk.waiting.remove(turn)
                && let Wish::Items { count, .. } = waiter.wish
            {
                self.give(desk, given, waiter.asker, name, count);
            }
            return true;
        }
        if let Some(&turn) = self.putters.first().filter(|_| self.has_room(&desk.waiting)) {
            self.putters.remove(&turn);
            if let Some(waiter) = desk.waiting.remove(turn)
                && let Wish::Put { value, .. } = waiter.wish
            {
                let pushed = self.push(desk, name, value, next);
                desk.answer(waiter.asker, pushed.map_or_else(Reply::from, |()| Reply::Done));
            }
            return true;
        }
        false
    }

    /// Counts again: nobody waits who could have its turn.
    pub fn validate(&self, desk: &Desk, next: u64) {
        assert_eq!(self.bytes, self.values().map(Value::cost_bytes).sum::<u64>());
        assert_eq!(self.results, self.values().map(|value| value.results.len()).sum::<usize>());
        assert!(self.items.keys().all(|number| (self.born..next).contains(number)));
        assert!(self.putters.is_empty() || !self.has_room(&desk.waiting), "there is room and somebody waits for it");
        let wanted = self.wanted(&desk.waiting);
        assert!(wanted.is_none_or(|count| !self.can_give(count, &desk.limits)), "items are there and waited for");
    }
}
