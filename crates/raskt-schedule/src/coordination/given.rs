//! What is on its way to those who asked: it is kept until they say that they have it.

use super::bytes::{Name, RequestId, Session, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::waiting::Asker;
use std::collections::BTreeMap;

/// Items of a queue are gone.
pub(super) fn let_go_of(desk: &mut Desk, queue: &Name, items: &[(u64, Value)]) {
    items.iter().for_each(|(_, value)| desk.let_go(value));
    let item = |&(number, _): &(u64, Value)| Entry::Item { queue: queue.clone(), number };
    desk.write_end(|| items.iter().map(item).collect());
}

/// What was given and may come back.
#[derive(Debug)]
pub(super) enum Gift {
    /// Items of a queue, with their numbers there.
    Items { queue: Name, items: Vec<(u64, Value)> },
    /// A value that stays where it is; what it refers to is held once more.
    Shown(Value),
}

/// What is on its way.
#[derive(Debug, Default)]
pub(super) struct Given {
    gifts: BTreeMap<Asker, Gift>,
}

impl Given {
    pub fn add(&mut self, asker: Asker, gift: Gift) {
        self.gifts.insert(asker, gift);
    }

    pub fn is_there(&self, asker: Asker) -> bool {
        self.gifts.contains_key(&asker)
    }

    /// It is on its way no more.
    pub fn remove(&mut self, asker: Asker) -> Option<Gift> {
        self.gifts.remove(&asker)
    }

    /// What is on its way to a session.
    pub fn of(&self, owner: Session) -> Vec<Asker> {
        let first = Asker { owner, request: RequestId(0) };
        self.gifts.range(first..).map(|(&asker, _)| asker).take_while(|asker| asker.owner == owner).collect()
    }

    /// Items of a queue that are on their way.
    pub fn items_of(&self, name: &Name) -> impl Iterator<Item = u64> {
        let items = self.gifts.values().filter_map(move |gift| match gift {
            Gift::Items { queue, items } if queue == name => Some(items),
            _ => None,
        });
        items.flatten().map(|(number, _)| *number)
    }

    pub fn gifts(&self) -> impl Iterator<Item = &Gift> {
        self.gifts.values()
    }
}

impl Gift {
    /// Who asked has it.
    pub fn let_go(self, desk: &mut Desk) {
        match self {
            Self::Items { queue, items } => let_go_of(desk, &queue, &items),
            Self::Shown(value) => desk.let_go_of_results(&value),
        }
    }
}
