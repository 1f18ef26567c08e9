//! Queues: items in order, and who waits to get some or for room to put one, in order.

use super::bytes::{Name, Session, Value};
use super::desk::Desk;
use super::entries::{Entry, size_bytes};
use super::error::{CoordinationError, Kind, Quantity};
use super::given::{Given, let_go_of};
use super::known::Known;
use super::queue::Queue;
use super::reply::Reply;
use super::waiting::{Asker, Turn, Waiter, Wish};
use std::collections::{BTreeMap, BTreeSet};

/// All queues.
#[derive(Debug, Default)]
pub(super) struct Queues {
    queues: BTreeMap<Name, Queue>,
    /// The number of the next item, of whatever queue: no two ever have the same.
    next: u64,
    known: Known,
    /// Those at which something has changed since all was settled.
    changed: BTreeSet<Name>,
}

impl Queues {
    /// Makes it known how many items there may be; who says nothing takes what others say.
    pub fn open(
        &mut self,
        desk: &mut Desk,
        owner: Session,
        name: &Name,
        size: Option<u64>,
    ) -> Result<(), CoordinationError> {
        let kind = Kind::Queue;
        if let (Some(fixed), Some(asked)) = (self.queues.get(name).and_then(|queue| queue.size), size)
            && fixed != asked
        {
            return Err(CoordinationError::OtherSize { kind, name: name.clone(), fixed, asked });
        }
        if !self.queues.contains_key(name) {
            desk.check_names(kind, self.queues.len() + 1)?;
        }
        self.known.meet(owner, name, desk.limits.acquaintances)?;
        let queue = self.queues.entry(name.clone()).or_insert_with(|| Queue::born_at(self.next));
        // From now on it stays as long as somebody knows it, as any other.
        queue.is_restored = false;
        if let (None, Some(size)) = (queue.size, size) {
            desk.write(|| vec![(Entry::QueueSize(name.clone()), Some(size_bytes(size)))])?;
            queue.size = Some(size);
        }
        Ok(())
    }

    /// How many items a queue may have that was there before this machine.
    pub fn restore_size(&mut self, desk: &Desk, name: Name, size: Option<u64>) -> Result<(), CoordinationError> {
        let queue = self.restored(desk, name)?;
        (queue.size, queue.is_restored) = (size, true);
        Ok(())
    }

    /// An item that a queue had before this machine.
    pub fn restore_item(
        &mut self,
        desk: &mut Desk,
        name: Name,
        number: u64,
        value: Value,
    ) -> Result<(), CoordinationError> {
        desk.keep(&value)?;
        self.next = self.next.max(number.saturating_add(1));
        self.restored(desk, name)?.put_back(vec![(number, value)]);
        Ok(())
    }

    fn restored(&mut self, desk: &Desk, name: Name) -> Result<&mut Queue, CoordinationError> {
        if !self.queues.contains_key(&name) {
            desk.check_names(Kind::Queue, self.queues.len() + 1)?;
        }
        self.changed.insert(name.clone());
        Ok(self.queues.entry(name).or_default())
    }

    pub fn put(
        &mut self,
        desk: &mut Desk,
        asker: Asker,
        (name, value): (Name, Value),
        timeout: Option<u64>,
    ) -> Result<(), Reply> {
        self.open(desk, asker.owner, &name, None)?;
        let Some(queue) = self.queues.get_mut(&name) else { return Ok(()) };
        if queue.len() >= desk.limits.queue_items {
            let what = Quantity::Items(Kind::Queue);
            return Err(CoordinationError::TooMany { what, most: desk.limits.queue_items }.into());
        }
        if !queue.has_turn_to_put(&desk.waiting) {
            desk.keep(&value)?;
            let wish = Wish::Put { name, value: value.clone() };
            match desk.wait(asker, timeout, wish) {
                Ok(turn) => drop(queue.putters.insert(turn)),
                Err(reply) => {
                    desk.let_go(&value);
                    return Err(reply);
                }
            }
            return Ok(());
        }
        desk.keep(&value)?;
        self.changed.insert(name.clone());
        queue.push(desk, &name, value, &mut self.next)?;
        desk.answer(asker, Reply::Done);
        Ok(())
    }

    /// The first `count` items, once they are there.
    pub fn get(
        &mut self,
        desk: &mut Desk,
        given: &mut Given,
        asker: Asker,
        (name, count): (Name, u64),
        timeout: Option<u64>,
    ) -> Result<(), Reply> {
        self.open(desk, asker.owner, &name, None)?;
        let Some(queue) = self.queues.get_mut(&name) else { return Ok(()) };
        if queue.getters.is_empty() && queue.can_give(count, &desk.limits) {
            queue.give(desk, given, asker, &name, count);
            self.changed.insert(name);
            return Ok(());
        }
        // Together with what others wait to put it is enough: this has it as soon as all is settled, and doesn't wait.
        let has_it_soon = queue.getters.is_empty() && queue.len() + queue.putters.len() as u64 >= count;
        let timeout = timeout.filter(|_| !has_it_soon);
        let turn = desk.wait(asker, timeout, Wish::Items { name: name.clone(), count })?;
        queue.getters.insert(turn);
        // One who wants more than there may be has room made for it.
        self.changed.insert(name);
        Ok(())
    }

    /// What is there now.
    pub fn get_all(
        &mut self,
        desk: &mut Desk,
        given: &mut Given,
        asker: Asker,
        name: &Name,
    ) -> Result<(), CoordinationError> {
        self.open(desk, asker.owner, name, None)?;
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        // Items that are there beside somebody who waits for more of them are for whoever came first.
        let count = if queue.getters.is_empty() { queue.len() } else { 0 };
        queue.give(desk, given, asker, name, count);
        self.changed.insert(name.clone());
        Ok(())
    }

    pub fn len(&self, name: &Name) -> u64 {
        self.queues.get(name).map_or(0, Queue::len)
    }

    /// Forgets a queue with what is in it; gives those who waited.
    pub fn close(&mut self, desk: &mut Desk, given: &Given, name: &Name) -> Result<BTreeSet<Turn>, CoordinationError> {
        if let Some(queue) = self.queues.get(name) {
            // Items that are on their way won't come back to it.
            let items = queue.items().map(|(number, _)| number).chain(given.items_of(name));
            let items = items.map(|number| Entry::Item { queue: name.clone(), number });
            let size = queue.size.map(|_| Entry::QueueSize(name.clone()));
            desk.write(|| items.chain(size).map(|gone| (gone, None)).collect())?;
        }
        self.known.forget(name);
        let Some(queue) = self.queues.remove(name) else { return Ok(BTreeSet::new()) };
        queue.values().for_each(|value| desk.let_go(value));
        Ok(queue.getters.into_iter().chain(queue.putters).collect())
    }

    /// What was given comes back, to where it was.
    pub fn put_back(&mut self, desk: &mut Desk, name: &Name, items: Vec<(u64, Value)>) {
        let Some(queue) = self.queues.get_mut(name).filter(|queue| queue.had(&items)) else {
            return let_go_of(desk, name, &items);
        };
        queue.put_back(items);
        self.changed.insert(name.clone());
    }

    /// A request waits no more: those behind it may have their turn.
    pub fn withdraw(&mut self, desk: &mut Desk, turn: Turn, waiter: &Waiter) {
        if let Wish::Put { value, .. } = &waiter.wish {
            desk.let_go(value);
        }
        let (Wish::Put { name, .. } | Wish::Items { name, .. }) = &waiter.wish else { return };
        if let Some(queue) = self.queues.get_mut(name) {
            queue.getters.remove(&turn);
            queue.putters.remove(&turn);
            self.changed.insert(name.clone());
        }
    }

    /// A session is over: what only it knew goes, unless something is in it or it is waited for.
    pub fn leave(&mut self, owner: Session) {
        self.changed.extend(self.known.leave(owner));
    }

    /// Gives and takes in, in order, as long as it can be.
    pub fn settle(&mut self, desk: &mut Desk, given: &mut Given) {
        while let Some(name) = self.changed.pop_first() {
            let Some(queue) = self.queues.get_mut(&name) else { continue };
            while queue.settle_one(desk, given, &name, &mut self.next) {}
            if queue.is_idle() && !self.known.is_known(&name) {
                forget_size(desk, &name, queue);
                self.queues.remove(&name);
            }
        }
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.queues.values().flat_map(Queue::values)
    }

    /// Counts again: nobody waits who could have its turn.
    pub fn validate(&self, desk: &Desk) {
        assert!(self.changed.is_empty());
        self.known.validate();
        let mut lines: BTreeMap<Name, (BTreeSet<Turn>, BTreeSet<Turn>)> = BTreeMap::new();
        for (turn, waiter) in desk.waiting.iter() {
            match &waiter.wish {
                Wish::Items { name, .. } => drop(lines.entry(name.clone()).or_default().0.insert(turn)),
                Wish::Put { name, .. } => drop(lines.entry(name.clone()).or_default().1.insert(turn)),
                _ => {}
            }
        }
        for (name, queue) in &self.queues {
            let (getters, putters) = lines.remove(name).unwrap_or_default();
            assert_eq!((&queue.getters, &queue.putters), (&getters, &putters));
            assert!(!queue.is_idle() || self.known.is_known(name));
            queue.validate(desk, self.next);
        }
        assert!(lines.is_empty());
        assert!(self.known.names().all(|name| self.queues.contains_key(name)));
    }
}

/// Nobody knows a queue any more.
fn forget_size(desk: &mut Desk, name: &Name, queue: &Queue) {
    if queue.size.is_some() {
        desk.write_end(|| vec![Entry::QueueSize(name.clone())]);
    }
}
