//! What the task of a session shares with those who send.

use super::direct::Direct;
use crate::session::{Event, Limits, Lost, Payload, SendError, Session};
use raskt_sync::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Who gets what comes in a session. It is called by the thread of the network, one call after the other, and must not
/// wait for anything.
pub trait Inbox: Send + Sync + 'static {
    /// A message. As long as the ticket is kept it counts as not taken, and keeps the peer from sending more than a window.
    /// An error ends the session.
    fn message(&self, message: Payload, ticket: Ticket) -> Result<(), String>;
    /// Something about the peer.
    fn event(&self, event: Event);
}

/// Stands for a message that was handed out and isn't taken yet.
pub struct Ticket {
    core: Arc<Core>,
    bytes: u64,
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Ticket({} bytes)", self.bytes)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.core.taken(self.bytes);
    }
}

/// A session and those around it.
#[derive(Debug)]
pub(crate) struct Core {
    state: Mutex<State>,
    /// For those who wait until they may send again.
    room: Condvar,
    /// Bytes that were taken and that the session hasn't been told of.
    taken: AtomicU64,
    /// The session has come to an end, or is to.
    changed: Notify,
    /// So many bytes that were taken are told to the peer at once.
    much_bytes: u64,
    inbox: OnceLock<Handler>,
    beginning: Instant,
}

/// As many are told at once of any window, and fewer of small ones.
const MUCH_BYTES: u64 = 64 << 10;
/// So many parts of a small one.
const MUCH_PARTS: u64 = 8;

/// For so long what came in one session is handed out before the others of the thread have their turn.
pub(super) const TURN: Duration = Duration::from_millis(10);

enum HandedOut {
    Event(Event),
    Message(Payload),
}

struct Handler(Arc<dyn Inbox>);

impl std::fmt::Debug for Handler {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Handler")
    }
}

#[derive(Debug)]
pub(super) struct State {
    pub session: Session,
    /// Wakes the pump, if it sleeps.
    pub waker: Option<Waker>,
    /// For those who write themselves while it sleeps.
    pub direct: Option<Direct>,
    /// The last connection ended, and the way to the peer was gone.
    pub is_cut_off: bool,
    /// So many connections have been there, the one that is included.
    pub connections: u64,
    waiting: usize,
}

impl Core {
    pub fn new(limits: Limits) -> Arc<Self> {
        let much_bytes = (limits.window_bytes / MUCH_PARTS).clamp(1, MUCH_BYTES);
        let session = Session::new(limits, 0);
        let state = State { session, waker: None, direct: None, is_cut_off: false, connections: 0, waiting: 0 };
        Arc::new(Self {
            state: Mutex::new(state),
            room: Condvar::new(),
            taken: AtomicU64::new(0),
            changed: Notify::new(),
            much_bytes,
            inbox: OnceLock::new(),
            beginning: Instant::now(),
        })
    }

    /// Says who gets what comes; once, before anything does.
    pub fn set_inbox(&self, inbox: Arc<dyn Inbox>) {
        let _ = self.inbox.set(Handler(inbox));
    }

    pub fn now(&self) -> u64 {
        self.beginning.elapsed().as_nanos() as u64
    }

    pub fn instant(&self, nanoseconds: u64) -> tokio::time::Instant {
        (self.beginning + Duration::from_nanos(nanoseconds)).into()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub fn send(&self, message: Payload) -> Result<(), SendError> {
        self.push(|session| session.send(message))
    }

    /// The same of what the peer is owed.
    pub fn owe(&self, message: Payload) -> Result<(), SendError> {
        self.push(|session| session.owe(message))
    }

    fn push(&self, push: impl FnOnce(&mut Session) -> Result<(), SendError>) -> Result<(), SendError> {
        let mut state = self.lock();
        push(&mut state.session)?;
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Waits until there is room for the message, but no longer than `patience`.
    pub fn send_waiting(&self, message: Payload, patience: Duration) -> Result<(), SendError> {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            match state.session.send(message.clone()) {
                Err(full @ SendError::Full { .. }) => {
                    state.waiting += 1;
                    let (guard, is_over) = self.room.wait_until(state, deadline);
                    state = guard;
                    state.waiting -= 1;
                    if is_over {
                        return Err(full);
                    }
                }
                Ok(()) if self.is_sent_directly(&mut state) => return Ok(()),
                sent => {
                    let waker = state.waker.take();
                    drop(state);
                    waker.into_iter().for_each(Waker::wake);
                    return sent;
                }
            }
        }
    }

    /// Sends what there is to send without the pump, if that sleeps; whether nothing of it is left.
    fn is_sent_directly(&self, state: &mut State) -> bool {
        let State { session, waker: Some(_), direct: Some(direct), .. } = state else { return false };
        let now = self.now();
        session.handle_taken(now, self.newly_taken());
        direct.send(session, now)
    }

    /// Waits until the session is over; says whether it is.
    pub fn wait_for_end(&self, deadline: Instant) -> bool {
        let mut state = self.lock();
        while state.session.lost().is_none() {
            state.waiting += 1;
            let (guard, is_over) = self.room.wait_until(state, deadline);
            state = guard;
            state.waiting -= 1;
            if is_over {
                return state.session.lost().is_some();
            }
        }
        true
    }

    /// Tells those who wait that it may be different now.
    pub(super) fn tell_waiting(&self, state: &State) {
        if state.waiting > 0 {
            self.room.notify_all();
        }
    }

    pub fn close(&self) {
        let now = self.now();
        self.change(|session| session.close(now));
    }

    /// Changes the session, and has its task look at it.
    pub fn change(&self, change: impl FnOnce(&mut Session)) {
        let mut state = self.lock();
        change(&mut state.session);
        let waker = state.waker.take();
        self.tell_waiting(&state);
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        self.changed.notify_one();
    }

    pub fn lost(&self) -> Option<Lost> {
        self.lock().session.lost().cloned()
    }

    /// The pump is woken when what was taken comes to a good part of the window; less is told with the next frame.
    fn taken(&self, bytes: u64) {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        if before < self.much_bytes && before + bytes >= self.much_bytes {
            let waker = self.lock().waker.take();
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Whether so much was taken that the peer should be told.
    pub(super) fn is_much_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= self.much_bytes
    }

    /// Bytes that were taken since this was asked last.
    pub(super) fn newly_taken(&self) -> u64 {
        self.taken.swap(0, Ordering::Relaxed)
    }

    /// Hands out what came, on the thread of the network, as long as one session may keep that to itself; whether that was all.
    pub(super) fn deliver(self: &Arc<Self>) -> bool {
        let Some(Handler(inbox)) = self.inbox.get() else { return true };
        let began = Instant::now();
        while let Some(next) = self.next_handed_out() {
            let told = catch_unwind(AssertUnwindSafe(|| match next {
                HandedOut::Event(event) => {
                    inbox.event(event);
                    Ok(())
                }
                HandedOut::Message(message) => {
                    let ticket = Ticket { core: self.clone(), bytes: message.window_bytes() };
                    inbox.message(message, ticket)
                }
            }));
            let told = told.unwrap_or_else(|_| Err("whoever a message was for panicked".to_owned()));
            if let Err(sentence) = told {
                self.lock().session.handle_nonsense(&sentence);
            }
            if began.elapsed() >= TURN {
                return false;
            }
        }
        true
    }

    /// Hands out all of it.
    pub(super) fn deliver_all(self: &Arc<Self>) {
        while !self.deliver() {}
    }

    /// The same where others of the thread have their turns meanwhile.
    pub(super) async fn deliver_in_turns(self: &Arc<Self>) {
        while !self.deliver() {
            tokio::task::yield_now().await;
        }
    }

    /// What is told of the peer comes before what it has said, but for the end of the session.
    fn next_handed_out(&self) -> Option<HandedOut> {
        let mut state = self.lock();
        let session = &mut state.session;
        let event = if session.is_end_next() { None } else { session.poll_event() };
        let message = |session: &mut Session| session.poll_received().map(HandedOut::Message);
        event.map(HandedOut::Event).or_else(|| message(session)).or_else(|| session.poll_event().map(HandedOut::Event))
    }

    /// Gives a sign of life that is overdue, because the thread of the network is at something else.
    pub(super) fn beat(&self) {
        let mut state = self.lock();
        let State { session, direct: Some(direct), .. } = &mut *state else { return };
        let now = self.now();
        if session.is_overdue(now) {
            session.handle_taken(now, self.newly_taken());
            if !direct.send(session, now) {
                let waker = state.waker.take();
                drop(state);
                waker.into_iter().for_each(Waker::wake);
            }
        }
    }

    /// Keeps time while there is no connection; comes to its end with the session.
    pub(super) async fn watch(self: &Arc<Self>) {
        loop {
            let wakes_at = {
                let mut state = self.lock();
                let now = self.now();
                state.session.handle_time(now);
                self.tell_waiting(&state);
                state.session.lost().is_none().then(|| state.session.wakes_at())
            };
            self.deliver_in_turns().await;
            let Some(wakes_at) = wakes_at else { return };
            let passed = async {
                match wakes_at {
                    Some(at) => tokio::time::sleep_until(self.instant(at)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = passed => {}
                () = self.changed.notified() => {}
            }
        }
    }
}
