//! Who is told of the events of which topic, and up to where.

use super::bytes::{Name, Session};
use super::error::{CoordinationError, Quantity};
use std::collections::{BTreeMap, BTreeSet};

/// How far a subscriber is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subscription {
    /// The number of the first event that it wasn't told of.
    pub next: u64,
    /// The last event that it was told of, as long as it hasn't said that it has it.
    pub unacknowledged: Option<u64>,
}

/// All subscriptions.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    by_session: BTreeMap<Session, BTreeMap<Name, Subscription>>,
    by_topic: BTreeMap<Name, BTreeSet<Session>>,
}

impl Subscriptions {
    pub fn add(
        &mut self,
        owner: Session,
        topic: &Name,
        subscription: Subscription,
        most: usize,
    ) -> Result<(), CoordinationError> {
        let own = self.by_session.get(&owner);
        let (count, is_new) = own.map_or((0, true), |own| (own.len(), !own.contains_key(topic)));
        if is_new && count >= most {
            return Err(CoordinationError::TooMany { what: Quantity::Subscriptions, most: most as u64 });
        }
        self.by_session.entry(owner).or_default().insert(topic.clone(), subscription);
        self.by_topic.entry(topic.clone()).or_default().insert(owner);
        Ok(())
    }

    pub fn remove(&mut self, owner: Session, topic: &Name) {
        if let Some(own) = self.by_session.get_mut(&owner) {
            own.remove(topic);
            if own.is_empty() {
                self.by_session.remove(&owner);
            }
        }
        self.remove_from_topic(owner, topic);
    }

    /// A session is over; gives what it had subscribed to.
    pub fn leave(&mut self, owner: Session) -> Vec<Name> {
        let topics: Vec<Name> = self.by_session.remove(&owner).unwrap_or_default().into_keys().collect();
        topics.iter().for_each(|topic| self.remove_from_topic(owner, topic));
        topics
    }

    pub fn get_mut(&mut self, owner: Session, topic: &Name) -> Option<&mut Subscription> {
        self.by_session.get_mut(&owner)?.get_mut(topic)
    }

    /// Who has subscribed to a topic, in order.
    pub fn to(&self, topic: &Name) -> Vec<Session> {
        self.by_topic.get(topic).into_iter().flatten().copied().collect()
    }

    pub fn has(&self, topic: &Name) -> bool {
        self.by_topic.contains_key(topic)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Subscription)> {
        self.by_session.values().flatten()
    }

    fn remove_from_topic(&mut self, owner: Session, topic: &Name) {
        if let Some(owners) = self.by_topic.get_mut(topic) {
            owners.remove(&owner);
            if owners.is_empty() {
                self.by_topic.remove(topic);
            }
        }
    }

    pub fn validate(&self) {
        let pairs = self.by_session.iter().flat_map(|(&owner, own)| own.keys().map(move |name| (name, owner)));
        let turned = self.by_topic.iter().flat_map(|(name, owners)| owners.iter().map(move |&owner| (name, owner)));
        assert_eq!(pairs.collect::<BTreeSet<_>>(), turned.collect());
        assert!(self.by_session.values().all(|own| !own.is_empty()));
    }
}
