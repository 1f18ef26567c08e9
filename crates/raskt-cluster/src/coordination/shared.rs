//! What all that a process asks has in common: the way to the scheduler, and what is open.

use super::leases::Leases;
use super::locks::Locks;
use super::wire::{Ask, Packed, Told};
use bytes::Bytes as Memory;
use raskt_schedule::coordination::{CoordinationError, Name, Reply, Request, RequestId, TopicEvent};
use raskt_sync::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Carries what is asked to the scheduler, in order.
pub trait Carrier: Send + Sync {
    /// Sends a message; may wait until there is room, and says why it can't be sent at all.
    fn carry(&self, ask: Packed<Ask>, bulk: Vec<Memory>) -> Result<(), String>;

    /// How many connections there have been to the scheduler, and whether there is one: what is carried while there is none hasn't been
    /// heard before there is another.
    fn connections(&self) -> (u64, bool);
}

/// So long what is asked waits for a scheduler that has begun anew.
pub(super) const PAUSED_MOST: Duration = Duration::from_secs(60);

/// There is no scheduler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scheduler can't be asked: {0}")]
pub struct Disconnected(pub String);

/// What all that a process asks has in common.
pub(super) struct Shared {
    pub state: Mutex<State>,
    /// Told of every answer, and of ends.
    pub changed: Condvar,
    /// Told when there is a lease to refresh sooner, and at the end.
    pub leases_changed: Condvar,
}

pub(super) struct State {
    /// Nobody where the session is over.
    carrier: Result<Arc<dyn Carrier>, Disconnected>,
    /// Since when the scheduler has begun anew, and nobody carries what is asked of it.
    paused: Option<Instant>,
    next: u64,
    /// All and only the requests whose answers somebody waits for.
    pub open: BTreeMap<RequestId, Open>,
    pub leases: Leases,
    pub subscriptions: BTreeMap<Name, Listener>,
    /// Which session it is; what is still heard of earlier ones says nothing.
    session: u64,
    /// When the scheduler's time began.
    pub began_unix_nanoseconds: u64,
    /// The same of one that has begun in the place of another, until somebody has been told.
    pub begun_anew: Option<u64>,
    /// What locks are held here, by the request that they were the answer to.
    pub locks: Locks,
    /// Whether the last handle is gone.
    pub is_over: bool,
}

/// Who listens to a topic.
pub(super) struct Listener {
    /// The number of the subscription: another may have taken its place.
    pub subscription: u64,
    pub notices: Sender<Notice>,
    /// The number of the event after the last that was taken, if one was.
    pub next: Option<u64>,
}

/// Events of a topic, as they came.
pub(super) struct Notice {
    /// The session by number: what came in an earlier one of the same scheduler and wasn't taken comes again.
    pub session: u64,
    /// When the time of that scheduler began.
    pub began: u64,
    pub missed: u64,
    pub events: Vec<TopicEvent>,
}

/// A request that somebody waits for.
pub(super) struct Open {
    /// A lease that is to be refreshed from when it is there.
    lease: Option<(Name, u64, Duration)>,
    /// Who has locks when they are there.
    holder: Option<u64>,
    /// What the next scheduler is to be asked: what the last one hasn't been, and what can be asked again.
    again: Option<Request>,
    /// What was asked while there was no connection, and how many there had been.
    unheard: Option<(u64, Request)>,
    pub answer: Option<Result<Reply, Disconnected>>,
}

impl Shared {
    pub fn new() -> Self {
        let carrier = Err(Disconnected("it isn't connected yet".into()));
        let (open, leases, subscriptions) = Default::default();
        let state = State {
            carrier,
            paused: None,
            next: 0,
            open,
            leases,
            subscriptions,
            session: 0,
            began_unix_nanoseconds: 0,
            begun_anew: None,
            locks: Locks::default(),
            is_over: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), leases_changed: Condvar::new() }
    }

    /// Asks something, and expects an answer: of the next scheduler, where the last has gone and the next isn't there yet.
    pub fn ask(&self, request: Request) -> Result<RequestId, Disconnected> {
        let (id, session, may_be_asked_again) = {
            let mut state = self.state.lock();
            let id = state.number();
            let session = state.session;
            let waits = state.is_paused() && request.can_wait();
            let again = (waits || request.can_be_repeated()).then(|| request.clone());
            let unheard = state.unheard(&request);
            let may_be_asked_again = again.is_some() || unheard.is_some();
            let holder = match &request {
                Request::AcquireLocks { holder, .. } => Some(*holder),
                _ => None,
            };
            let lease = match &request {
                Request::AcquireLease { name, lease, lasts: Some(lasts), .. } => {
                    Some((name.clone(), *lease, Duration::from_nanos(*lasts)))
                }
                _ => None,
            };
            if let Request::ReleaseLease { name, lease } = &request {
                state.leases.remove(name, *lease);
            }
            let refused = state.released(&request).map(|error| Ok(error.into()));
            let is_answered = refused.is_some();
            state.open.insert(id, Open { lease, holder, again, unheard, answer: refused });
            if is_answered || waits {
                return Ok(id);
            }
            (id, session, may_be_asked_again)
        };
        // Not under the lock: the way may be full for a while.
        let sent = self.send(Ask::Request { id, request });
        if sent.is_err() {
            let mut state = self.state.lock();
            // The scheduler may have gone meanwhile, and then it is the next one that is asked, or was.
            let is_another = state.is_paused() || state.session != session;
            let is_open = state.open.get(&id).is_some_and(|open| !matches!(open.answer, Some(Err(_))));
            if may_be_asked_again && is_another && is_open {
                return Ok(id);
            }
            state.open.remove(&id);
        }
        sent.map(|()| id)
    }

    /// Asks something whose answer nobody waits for.
    pub fn tell(&self, request: Request) -> Result<(), Disconnected> {
        let id = {
            let mut state = self.state.lock();
            if state.released(&request).is_some() {
                return Ok(());
            }
            state.number()
        };
        self.send(Ask::Request { id, request })
    }

    /// What was given by the answer to a request is given back.
    pub fn given_back(&self, id: RequestId) {
        self.state.lock().locks.give_back(id);
    }

    pub fn send(&self, ask: Ask) -> Result<(), Disconnected> {
        let carrier = self.state.lock().carrier.clone()?;
        let (packed, bulk) = Packed::pack(ask);
        carrier.carry(packed, bulk).map_err(Disconnected)
    }

    /// The scheduler says something in a session.
    pub fn hear(&self, session: u64, told: Packed<Told>, bulk: &[Memory]) {
        let told = match told.unpack(bulk) {
            Ok(told) => told,
            Err(error) => return tracing::warn!("what is said of what is shared by name can't be read: {error}"),
        };
        let mut state = self.state.lock();
        if state.session != session {
            return;
        }
        match told {
            Told::Began { unix_nanoseconds, is_another } => state.began(unix_nanoseconds, is_another),
            Told::Reply { id, reply } => self.answered(&mut state, id, reply),
            Told::Notice { topic, missed, events } => {
                let began = state.began_unix_nanoseconds;
                // Whoever has left has unsubscribed, or is about to.
                if let Some(listener) = state.subscriptions.get(&topic) {
                    let _ = listener.notices.send(Notice { session, began, missed, events });
                }
            }
        }
    }

    fn answered(&self, state: &mut State, id: RequestId, reply: Reply) {
        if let Reply::RunOut(leases) = &reply {
            leases.iter().for_each(|(name, lease)| state.leases.remove(name, *lease));
        }
        // One that nobody waits for was cancelled, or asked only to be done.
        let Some(open) = state.open.get_mut(&id) else { return };
        if let (Some(holder), Reply::Acquired(names)) = (open.holder, &reply) {
            state.locks.add(id, holder, names.clone());
        }
        let lease = open.lease.take().filter(|_| reply == Reply::Done);
        open.answer = Some(Ok(reply));
        if let Some((name, lease, lasts)) = lease {
            state.leases.add(name, lease, lasts, Instant::now());
            self.leases_changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Another session begins, by number; nothing can be asked before somebody carries it.
    pub fn begin(&self) -> u64 {
        let mut state = self.state.lock();
        // Until then whoever asks hears why the last session is over.
        if state.carrier.is_ok() {
            state.end("it isn't connected yet");
        }
        state.session += 1;
        self.changed.notify_all();
        state.session
    }

    /// A session is over: nothing that was asked will be answered, and nothing is held.
    pub fn lost(&self, session: u64, why: &str) {
        let mut state = self.state.lock();
        if state.session == session {
            state.end(why);
            self.changed.notify_all();
        }
    }

    /// The scheduler of a session has begun anew: nothing is held, and what can wait for the next session does.
    pub fn pause(&self, session: u64, why: &str) {
        let mut state = self.state.lock();
        if state.session == session {
            let now = Instant::now();
            state.paused.get_or_insert(now);
            state.ask_again_what_is_unheard();
            state.end_all_but(why, |open| open.again.is_some());
            self.changed.notify_all();
        }
    }

    /// Nothing is to come any more, in whatever session.
    pub fn end(&self, why: &str) {
        let mut state = self.state.lock();
        state.session += 1;
        state.end(why);
        self.changed.notify_all();
    }

    /// Somebody carries what is asked in a session. Gives what it begins with: the topics that are listened to, each from the event that
    /// it goes on with, and what has waited for it.
    pub fn carried_by(&self, session: u64, carrier: Arc<dyn Carrier>) -> (Vec<Request>, Vec<(RequestId, Request)>) {
        let mut state = self.state.lock();
        if state.session != session {
            return Default::default();
        }
        state.carrier = Ok(carrier);
        state.paused = None;
        let subscriptions = state.subscriptions.iter();
        let topics =
            subscriptions.map(|(topic, listener)| Request::Subscribe { topic: topic.clone(), from: listener.next });
        let topics = topics.collect();
        let open = state.open.iter_mut().filter(|(_, open)| open.answer.is_none());
        let waited = open.filter_map(|(&id, open)| {
            let request = open.again.take()?;
            open.again = request.can_be_repeated().then(|| request.clone());
            open.unheard = None;
            Some((id, request))
        });
        (topics, waited.collect())
    }

    /// Asks what has waited for the session.
    pub fn ask_at_last(&self, id: RequestId, request: Request) {
        let sent = self.send(Ask::Request { id, request });
        let mut state = self.state.lock();
        match (sent, state.open.get_mut(&id)) {
            (Ok(()), Some(_)) => {}
            (Err(error), Some(open)) => {
                open.answer.get_or_insert(Err(error));
                self.changed.notify_all();
            }
            // It was given up before it was asked.
            (_, None) => {
                drop(state);
                let _ = self.send(Ask::Cancel { id });
            }
        }
    }

    /// Keeps of a notice the events that are to be taken; whether there are any. What comes in another session goes on after them.
    pub fn takes(&self, topic: &Name, notice: &mut Notice) -> bool {
        let mut state = self.state.lock();
        if notice.began != state.began_unix_nanoseconds {
            // Of a scheduler before this one, of which nothing comes again.
            return !notice.events.is_empty();
        }
        // Before somebody carries the next session it isn't said from where on events are to come in it.
        if notice.session != state.session && state.carrier.is_ok() {
            return false;
        }
        let Some(listener) = state.subscriptions.get_mut(topic) else { return false };
        notice.events.retain(|event| listener.next.is_none_or(|next| event.number >= next));
        let Some(last) = notice.events.last() else { return false };
        listener.next = Some(last.number + 1);
        true
    }
}

impl State {
    /// What is open ends with the session.
    fn end(&mut self, why: &str) {
        self.paused = None;
        self.end_all_but(why, |_| false);
    }

    fn end_all_but(&mut self, why: &str, waits: impl Fn(&Open) -> bool) {
        let why = Disconnected(why.into());
        self.carrier = Err(why.clone());
        self.leases = Leases::default();
        self.locks.lose(&why.0);
        for open in self.open.values_mut().filter(|open| !waits(open)) {
            open.answer.get_or_insert(Err(why.clone()));
        }
    }

    /// What to ask the next scheduler, if there is no connection to this one, and none follows.
    fn unheard(&self, request: &Request) -> Option<(u64, Request)> {
        let (count, is_there) = self.carrier.as_ref().ok()?.connections();
        (!is_there && request.can_wait()).then(|| (count, request.clone()))
    }

    /// This scheduler is gone. What was asked when there was no connection to it any more can't have been heard.
    fn ask_again_what_is_unheard(&mut self) {
        let Ok(carrier) = &self.carrier else { return };
        let (last, _) = carrier.connections();
        for open in self.open.values_mut() {
            if let Some((_, request)) = open.unheard.take().filter(|(count, _)| *count == last) {
                open.again.get_or_insert(request);
            }
        }
    }

    /// Whether the scheduler has begun anew, and nobody carries yet what is asked of it. Whoever was to see to that may be gone.
    pub fn is_paused(&mut self) -> bool {
        if self.paused.is_some_and(|since| since.elapsed() >= PAUSED_MOST) {
            self.end("it has begun anew, and nobody has come back to it");
        }
        self.paused.is_some()
    }

    /// The scheduler's time has begun then. If that is another than before, so are the numbers of events.
    fn began(&mut self, unix_nanoseconds: u64, is_another: bool) {
        let before = std::mem::replace(&mut self.began_unix_nanoseconds, unix_nanoseconds);
        if before != unix_nanoseconds && is_another {
            self.begun_anew = Some(unix_nanoseconds);
        }
        if before != 0 && before != unix_nanoseconds {
            self.subscriptions.values_mut().for_each(|listener| listener.next = Some(0));
        }
    }

    /// Locks are released, if that is what is asked: why they can't be, if they were lost with an earlier session.
    fn released(&mut self, request: &Request) -> Option<CoordinationError> {
        match request {
            Request::ReleaseLocks { names, holder } => self.locks.release(*holder, names),
            _ => None,
        }
    }

    pub fn number(&mut self) -> RequestId {
        self.next += 1;
        RequestId(self.next)
    }
}
