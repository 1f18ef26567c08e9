//! The events of a topic, for one who listens.

use super::shared::{Notice, Shared};
use super::wire::Ask;
use raskt_schedule::coordination::{Name, Request, TopicEvent};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The events of a topic, from when it was subscribed to. It ends when this goes. No more is kept here than what one message brings:
/// who takes them too slowly misses the oldest, and is told how many.
pub struct Subscription {
    shared: Arc<Shared>,
    topic: Name,
    number: u64,
    notices: Receiver<Notice>,
    events: VecDeque<TopicEvent>,
}

/// An event, and how many were missed before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// How many.
    pub missed: u64,
    /// The event.
    pub event: TopicEvent,
}

impl Subscription {
    pub(super) fn new(shared: Arc<Shared>, (topic, number): (Name, u64), notices: Receiver<Notice>) -> Self {
        Self { shared, topic, number, notices, events: VecDeque::new() }
    }

    /// The next event, if one comes within that time.
    pub fn next(&mut self, patience: Duration) -> Option<Delivery> {
        if let Some(event) = self.events.pop_front() {
            return Some(Delivery { missed: 0, event });
        }
        let deadline = Instant::now() + patience;
        loop {
            let mut notice = self.notices.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
            if let Some(last) = notice.events.last().map(|event| event.number)
                && self.shared.takes(&self.topic, &mut notice)
            {
                // Said only now: what isn't taken keeps more from coming. Where there is no scheduler any more, nothing comes.
                let _ = self.shared.send(Ask::Acknowledged { topic: self.topic.clone(), number: last });
                self.events = notice.events.into();
                return self.events.pop_front().map(|event| Delivery { missed: notice.missed, event });
            }
        }
    }
}

impl Subscription {
    /// Whether it was ended elsewhere: no more events come.
    pub fn is_over(&self) -> bool {
        let state = self.shared.state.lock();
        state.subscriptions.get(&self.topic).is_none_or(|listener| listener.subscription != self.number)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        {
            let subscriptions = &mut self.shared.state.lock().subscriptions;
            // Another may have taken its place.
            if subscriptions.get(&self.topic).is_none_or(|listener| listener.subscription != self.number) {
                return;
            }
            subscriptions.remove(&self.topic);
        }
        let _ = self.shared.tell(Request::Unsubscribe { topic: self.topic.clone() });
    }
}
