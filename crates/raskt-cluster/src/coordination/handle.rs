//! What a process asks by: requests, subscriptions, and leases that are refreshed.

use super::leases::LEASES_AT_ONCE;
use super::pending::Pending;
use super::shared::{Carrier, Disconnected, Listener, Shared};
use super::subscription::Subscription;
use super::wire::{Packed, Told};
use crate::session::Lost;
use bytes::Bytes as Memory;
use raskt_schedule::coordination::{CoordinationError, Name, Reply, Request, TopicEvent};
use raskt_sync::Mutex;
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

/// What a process shares with others by name. Clones ask in the same session.
#[derive(Clone)]
pub struct Coordination {
    shared: Arc<Shared>,
    refresher: Arc<Refresher>,
}

/// The thread that refreshes leases: it begins with the first that runs out, and ends with the last clone.
#[derive(Default)]
struct Refresher {
    is_begun: Mutex<bool>,
    /// Whether whoever has the handle refreshes leases.
    is_by_hand: bool,
    shared: Weak<Shared>,
}

impl Coordination {
    /// One that isn't connected yet: it asks in a [`session`](Self::session). A thread refreshes its leases.
    pub fn new() -> Self {
        Self::with(false)
    }

    /// One whose leases are refreshed only when somebody calls [`refresh`](Self::refresh).
    pub fn refreshed_by_hand() -> Self {
        Self::with(true)
    }

    fn with(is_by_hand: bool) -> Self {
        let shared = Arc::new(Shared::new());
        let refresher = Refresher { is_begun: Mutex::new(false), is_by_hand, shared: Arc::downgrade(&shared) };
        Self { shared, refresher: Arc::new(refresher) }
    }

    /// Asks something. Leases that run out are refreshed from when they are there until they are released.
    pub fn request(&self, request: Request) -> Result<Pending, Disconnected> {
        if matches!(request, Request::AcquireLease { lasts: Some(_), .. }) {
            self.refresher.begin()?;
        }
        let id = self.shared.ask(request)?;
        Ok(Pending::new(self.shared.clone(), id))
    }

    /// Asks something, and waits for the answer.
    pub fn ask(&self, request: Request) -> Result<Reply, Disconnected> {
        match self.request(request)?.wait(None) {
            Some(answer) => Ok(answer?.into_reply()),
            None => Err(Disconnected("its answer was given to somebody else".into())),
        }
    }

    /// Has something done without an answer: released, set, logged. Nothing that gives something is asked so.
    pub fn tell(&self, request: Request) -> Result<(), Disconnected> {
        self.shared.tell(request)
    }

    /// The events of a topic from here on. A process has one subscription to a topic.
    pub fn subscribe(&self, topic: Name) -> Result<Result<Subscription, CoordinationError>, Disconnected> {
        let (sender, notices) = channel();
        let number = {
            let mut state = self.shared.state.lock();
            if state.subscriptions.contains_key(&topic) {
                let why = format!("topic `{topic}` is subscribed to already");
                return Ok(Err(CoordinationError::Malformed(why)));
            }
            let subscription = state.number().0;
            state.subscriptions.insert(topic.clone(), Listener { subscription, notices: sender, next: None });
            subscription
        };
        let subscription = Subscription::new(self.shared.clone(), (topic.clone(), number), notices);
        match self.ask(Request::Subscribe { topic, from: None })? {
            Reply::Refused(error) => Ok(Err(error)),
            _ => Ok(Ok(subscription)),
        }
    }

    /// Ends the subscription to a topic, also while somebody waits for its events; says whether there was one.
    pub fn unsubscribe(&self, topic: &Name) -> bool {
        let gone = self.shared.state.lock().subscriptions.remove(topic);
        if gone.is_some() {
            // When this is answered nothing is on its way that another subscription would take for its own. Where there is no scheduler
            // any more, nothing comes.
            let _ = self.ask(Request::Unsubscribe { topic: topic.clone() });
        }
        gone.is_some()
    }

    /// Whether a lease that is refreshed is still held, as far as is known here.
    pub fn holds_lease(&self, name: &Name, lease: u64) -> bool {
        self.shared.state.lock().leases.contains(name, lease)
    }

    /// Refreshes the leases that are due, and says when the next will be.
    pub fn refresh(&self, now: Instant) -> Option<Instant> {
        self.shared.refresh(now)
    }

    /// When something was logged, as time of day.
    pub fn time_of(&self, event: &TopicEvent) -> SystemTime {
        let began = self.shared.state.lock().began_unix_nanoseconds;
        SystemTime::UNIX_EPOCH + Duration::from_nanos(began.saturating_add(event.time.0))
    }

    /// When the scheduler has begun in the place of another one, of which it keeps no events of topics, as time of day: said once.
    pub fn begun_anew(&self) -> Option<SystemTime> {
        let began = self.shared.state.lock().begun_anew.take()?;
        Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(began))
    }

    /// Begins another session: an earlier one is over. Topics that are listened to are subscribed to again when it is carried, each
    /// from the event after the last that was taken. Where the scheduler has begun anew, what only looks is asked again, and what was
    /// asked meanwhile is asked then; everything else has to be asked anew.
    pub fn session(&self) -> Hearing {
        Hearing { session: self.shared.begin(), shared: self.shared.clone() }
    }
}

impl Coordination {
    /// No session follows.
    pub(crate) fn end(&self, why: &str) {
        self.shared.end(why);
    }
}

impl Default for Coordination {
    fn default() -> Self {
        Self::new()
    }
}

/// What comes in one session with the scheduler. What is heard in an earlier session changes nothing.
#[derive(Clone)]
pub struct Hearing {
    shared: Arc<Shared>,
    session: u64,
}

impl Hearing {
    /// Somebody carries what is asked from now on.
    pub fn carried_by(&self, carrier: Arc<dyn Carrier>) -> Result<(), Disconnected> {
        let (topics, waited) = self.shared.carried_by(self.session, carrier);
        waited.into_iter().for_each(|(id, request)| self.shared.ask_at_last(id, request));
        topics.into_iter().try_for_each(|topic| self.shared.tell(topic))
    }

    /// The scheduler says something. Never waits.
    pub fn hear(&self, told: Packed<Told>, bulk: &[Memory]) {
        self.shared.hear(self.session, told, bulk);
    }

    /// The session is over, for that reason.
    pub(crate) fn ended(&self, lost: &Lost) {
        match lost {
            Lost::Forgotten(_) => {
                let why = "it has begun anew, and nobody knows whether it was heard before: locks and leases are gone";
                self.shared.pause(self.session, why);
            }
            lost => self.lost(&format!("the session with it is over: {lost}")),
        }
    }

    /// The session is over: what waits for answers ends, and locks and leases aren't held any more.
    pub fn lost(&self, why: &str) {
        self.shared.lost(self.session, why);
    }
}

impl Shared {
    fn refresh(&self, now: Instant) -> Option<Instant> {
        let due = self.state.lock().leases.take_due(now);
        for leases in due.chunks(LEASES_AT_ONCE) {
            // Where there is no scheduler any more, there are no leases.
            let _ = self.tell(Request::RefreshLeases { leases: leases.to_vec() });
        }
        self.state.lock().leases.next_due()
    }
}

impl Refresher {
    fn begin(&self) -> Result<(), Disconnected> {
        let mut is_begun = self.is_begun.lock();
        if *is_begun || self.is_by_hand {
            return Ok(());
        }
        let shared = self.shared.clone();
        let thread = std::thread::Builder::new().name("raskt-leases".into());
        let begun = thread.spawn(move || keep_refreshing(&shared));
        begun.map_err(|error| Disconnected(format!("there is no thread to refresh leases: {error}")))?;
        *is_begun = true;
        Ok(())
    }
}

impl Drop for Refresher {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.state.lock().is_over = true;
            shared.leases_changed.notify_all();
        }
    }
}

/// How long the thread sleeps at most: it looks whether anybody is there.
const GLANCE: Duration = Duration::from_secs(1);

fn keep_refreshing(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        shared.refresh(Instant::now());
        let state = shared.state.lock();
        if state.is_over {
            return;
        }
        let next = state.leases.next_due();
        let left = next.map_or(GLANCE, |due| due.saturating_duration_since(Instant::now()).min(GLANCE));
        drop(shared.leases_changed.wait_for(state, left));
    }
}
