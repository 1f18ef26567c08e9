//! Topics: events in order, of which the newest are kept, and who is told of them.
//!
//! A subscriber is told of events from the ring itself: nothing is kept for it beside where it stands. It is told of no more before
//! it has acknowledged what it was told; if the ring has gone on meanwhile, it is told how many it has missed.

use super::bytes::{Bytes, Name, Session, VALUE_COST_BYTES};
use super::datasets::{KeysAfter, page};
use super::desk::Desk;
use super::error::{CoordinationError, Kind, Quantity};
use super::limits::Limits;
use super::reply::{Action, Reply, TopicEvent};
use super::subscriptions::{Subscription, Subscriptions};
use std::collections::{BTreeMap, VecDeque};

/// All topics.
#[derive(Debug, Default)]
pub(super) struct Topics {
    topics: BTreeMap<Name, Topic>,
    subscriptions: Subscriptions,
}

/// The newest events of a topic.
#[derive(Debug, Default)]
struct Topic {
    events: VecDeque<TopicEvent>,
    /// The number of the next event.
    next: u64,
    bytes: u64,
}

impl Topic {
    /// The number of the oldest event that is kept, or of the next one.
    fn first(&self) -> u64 {
        self.next - self.events.len() as u64
    }

    fn pop(&mut self) -> u64 {
        let cost = self.events.pop_front().map_or(0, |event| cost(&event.bytes));
        self.bytes -= cost;
        cost
    }

    /// Events from a number on, as many as fit in a message.
    fn page(&self, from: u64, most: usize, limits: &Limits) -> Vec<TopicEvent> {
        let skipped = from.saturating_sub(self.first()).min(self.events.len() as u64) as usize;
        let mut bytes = 0;
        let fits = |event: &&TopicEvent| {
            bytes += cost(&event.bytes);
            bytes <= limits.reply_bytes
        };
        self.events.range(skipped..).take(most).take_while(fits).cloned().collect()
    }
}

/// What an event counts.
fn cost(bytes: &Bytes) -> u64 {
    bytes.len() as u64 + VALUE_COST_BYTES
}

impl Topics {
    pub fn log(&mut self, desk: &mut Desk, name: Name, bytes: Bytes) -> Result<(), CoordinationError> {
        let (limits, cost) = (desk.limits, cost(&bytes));
        if bytes.len() > limits.event_bytes {
            return Err(CoordinationError::TooMany { what: Quantity::EventBytes, most: limits.event_bytes as u64 });
        }
        self.check_new(desk, &name)?;
        let topic = self.topics.entry(name.clone()).or_default();
        while !topic.events.is_empty()
            && (topic.events.len() >= limits.topic_events
                || topic.bytes + cost > limits.topic_bytes
                || desk.bytes + cost > limits.all_bytes)
        {
            desk.bytes -= topic.pop();
        }
        let counted = desk.count(cost);
        if counted.is_ok() {
            topic.events.push_back(TopicEvent { number: topic.next, time: desk.day.unwrap_or(desk.now), bytes });
            (topic.bytes, topic.next) = (topic.bytes + cost, topic.next + 1);
            for owner in self.subscriptions.to(&name) {
                self.tell(desk, owner, &name);
            }
        }
        self.drop_idle(&name);
        counted
    }

    pub fn events(&self, name: &Name, from: u64, limits: &Limits) -> Reply {
        let Some(topic) = self.topics.get(name) else { return Reply::Events { events: vec![], more: false } };
        let events = topic.page(from, limits.reply_items, limits);
        let more = events.last().is_some_and(|event| event.number + 1 < topic.next);
        Reply::Events { events, more }
    }

    pub fn list(&self, after: Option<Name>, limits: &Limits) -> Reply {
        page(self.topics.keys_after(after), limits.reply_names)
    }

    pub fn subscribe(
        &mut self,
        desk: &mut Desk,
        owner: Session,
        name: Name,
        from: Option<u64>,
    ) -> Result<(), CoordinationError> {
        self.check_new(desk, &name)?;
        let most = desk.limits.subscriptions_of_a_session;
        let next = self.topics.get(&name).map_or(0, |topic| topic.next);
        let from = from.map_or(next, |from| from.min(next));
        self.subscriptions.add(owner, &name, Subscription { next: from, unacknowledged: None }, most)?;
        self.topics.entry(name.clone()).or_default();
        self.tell(desk, owner, &name);
        Ok(())
    }

    pub fn unsubscribe(&mut self, owner: Session, name: &Name) {
        self.subscriptions.remove(owner, name);
        self.drop_idle(name);
    }

    /// A subscriber has the events up to that number.
    pub fn acknowledge(&mut self, desk: &mut Desk, owner: Session, name: &Name, number: u64) {
        let Some(subscription) = self.subscriptions.get_mut(owner, name) else { return };
        if subscription.unacknowledged == Some(number) {
            subscription.unacknowledged = None;
            self.tell(desk, owner, name);
        }
    }

    /// A session is over.
    pub fn leave(&mut self, owner: Session) {
        for name in self.subscriptions.leave(owner) {
            self.drop_idle(&name);
        }
    }

    /// Tells a subscriber what it hasn't been told, if it has acknowledged the rest.
    fn tell(&mut self, desk: &mut Desk, owner: Session, name: &Name) {
        let Some(topic) = self.topics.get(name) else { return };
        let Some(subscription) = self.subscriptions.get_mut(owner, name) else { return };
        if subscription.unacknowledged.is_some() {
            return;
        }
        let events = topic.page(subscription.next, desk.limits.events_at_once, &desk.limits);
        let Some(last) = events.last().map(|event| event.number) else { return };
        let missed = topic.first().saturating_sub(subscription.next);
        *subscription = Subscription { next: last + 1, unacknowledged: Some(last) };
        desk.actions.push_back(Action::Notice { owner, topic: name.clone(), missed, events });
    }

    fn check_new(&self, desk: &Desk, name: &Name) -> Result<(), CoordinationError> {
        if self.topics.contains_key(name) { Ok(()) } else { desk.check_names(Kind::Topic, self.topics.len() + 1) }
    }

    /// A topic under which nothing was logged, and that nobody listens to, goes.
    fn drop_idle(&mut self, name: &Name) {
        if self.topics.get(name).is_some_and(|topic| topic.next == 0) && !self.subscriptions.has(name) {
            self.topics.remove(name);
        }
    }

    pub fn bytes(&self) -> u64 {
        self.topics.values().map(|topic| topic.bytes).sum()
    }

    /// Counts again: nobody who could be told of something isn't.
    pub fn validate(&self, desk: &Desk) {
        for (name, topic) in &self.topics {
            assert_eq!(topic.bytes, topic.events.iter().map(|event| cost(&event.bytes)).sum::<u64>());
            assert!(topic.bytes <= desk.limits.topic_bytes || topic.events.len() == 1);
            assert!(topic.events.len() <= desk.limits.topic_events);
            assert!(topic.events.iter().map(|event| event.number).eq(topic.first()..topic.next));
            assert!(topic.next > 0 || self.subscriptions.has(name));
        }
        for (name, subscription) in self.subscriptions.iter() {
            let topic = &self.topics[name];
            let is_told = subscription.unacknowledged.is_some() || subscription.next == topic.next;
            assert!(is_told && subscription.next <= topic.next, "a subscriber isn't told of an event");
        }
        self.subscriptions.validate();
    }
}
