//! The session: one end of it.

use super::awake::Awake;
use super::health::{self, Health, Link};
use super::incoming::Incoming;
use super::outgoing::Outgoing;
use super::{Event, Limits, Lost, Payload, SendError, Violation, batch};
use crate::frame::{Frame, Kind};
use bytes::Bytes;
use std::collections::VecDeque;

/// One end of a session.
///
/// Tell it what happens ([`handle_up`](Self::handle_up), [`handle_frame`](Self::handle_frame), [`handle_down`](Self::handle_down), [`handle_time`](Self::handle_time)),
/// then ask what follows ([`poll_received`](Self::poll_received), [`poll_event`](Self::poll_event), [`poll_transmit`](Self::poll_transmit)) until there is no
/// more. [`wakes_at`](Self::wakes_at) says when time alone changes something.
#[derive(Debug)]
pub struct Session {
    limits: Limits,
    outgoing: Outgoing,
    incoming: Incoming,
    link: Link,
    health: Health,
    ending: Ending,
    lost: Option<Lost>,
    heard_at: u64,
    said_at: u64,
    awake: Awake,
    received: VecDeque<Payload>,
    events: VecDeque<Event>,
}

/// How far both sides are with coming to an end.
#[derive(Clone, Copy, Debug, Default)]
struct Ending {
    /// Since when this side has nothing more to say.
    wanted: Option<u64>,
    /// It has said so over the connection that there is.
    said: bool,
    /// The peer has said so.
    heard: bool,
}

impl Session {
    /// One that has no connection yet.
    pub fn new(limits: Limits, now: u64) -> Self {
        Self {
            outgoing: Outgoing::new(limits.window_bytes),
            incoming: Incoming::new(&limits),
            awake: Awake::new(now),
            limits,
            link: Link::Never,
            health: Health::Well,
            ending: Ending::default(),
            lost: None,
            heard_at: now,
            said_at: now,
            received: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Sends a message, now or over the next connection.
    pub fn send(&mut self, message: Payload) -> Result<(), SendError> {
        if self.lost.is_some() || self.ending.wanted.is_some() || self.ending.heard {
            return Err(SendError::Closed);
        }
        self.outgoing.push(message)
    }

    /// The same of what the peer is owed: beyond the window it waits on this side, up to another bound, and goes as the peer takes
    /// what it has.
    pub fn owe(&mut self, message: Payload) -> Result<(), SendError> {
        if self.lost.is_some() || self.ending.wanted.is_some() || self.ending.heard {
            return Err(SendError::Closed);
        }
        self.outgoing.owe(message)
    }

    /// The peer's window is this large; this side sends no more than either allows.
    pub fn narrow(&mut self, window_bytes: u64) {
        self.outgoing.narrow(window_bytes);
    }

    /// Sends nothing more; the session is over when what was sent has gone out and the peer has said the same.
    pub fn close(&mut self, now: u64) {
        self.ending.wanted.get_or_insert(now);
        if self.link == Link::Never {
            self.end(Lost::Closed);
        }
    }

    /// The same for a session whose first connection is about to be there.
    pub fn close_when_up(&mut self, now: u64) {
        self.ending.wanted.get_or_insert(now);
    }

    /// The number that a peer has to be told when a connection begins: it sends from there.
    pub fn expects(&self) -> u64 {
        self.incoming.expects()
    }

    /// There is a connection, which takes the place of any other, and the peer expects the message of this number.
    pub fn handle_up(&mut self, now: u64, peer_expects: u64) -> Result<(), Violation> {
        if self.lost.is_some() {
            return Ok(());
        }
        let rewound = self.outgoing.rewind(peer_expects);
        if let Err(violation) = &rewound {
            self.end(Lost::Violation(violation.to_string()));
            return rewound;
        }
        self.ending.said = false;
        if std::mem::replace(&mut self.link, Link::Up) == Link::Never {
            self.events.push_back(Event::Connected);
        }
        self.handle_heard(now);
        self.said_at = now;
        Ok(())
    }

    /// The connection broke; `was_closed` if it was by the peer's process or system, and not because nothing came.
    pub fn handle_down(&mut self, now: u64, was_closed: bool) {
        if self.link != Link::Up {
            return;
        }
        self.look(now);
        // Whoever got no answer because this side stood still has hung up, and calls again when he has waited a while.
        let was_closed = was_closed && !self.awake.has_just_woken(&self.limits, now);
        self.link = Link::Down { since: now, was_closed };
        if self.ending.heard {
            self.end(Lost::Closed);
        }
        self.judge(now);
    }

    /// The peer doesn't let this side in.
    pub fn handle_refused(&mut self, sentence: &str) {
        self.end(if self.ending.wanted.is_some() { Lost::Closed } else { Lost::Refused(sentence.to_owned()) });
    }

    /// The peer lets this side in, and doesn't have the session.
    pub fn handle_forgotten(&mut self, sentence: &str) {
        self.end(if self.ending.wanted.is_some() { Lost::Closed } else { Lost::Forgotten(sentence.to_owned()) });
    }

    /// The peer's process has ended: it won't come back.
    pub fn handle_died(&mut self) {
        self.end(if self.ending.heard { Lost::Closed } else { Lost::Died });
    }

    /// It is over for this side, without a word to the other.
    pub fn abandon(&mut self) {
        self.end(Lost::Closed);
    }

    /// What the peer sent can't be what it should be; whoever it was for says so.
    pub fn handle_nonsense(&mut self, sentence: &str) {
        self.received.clear();
        self.end(Lost::Violation(sentence.to_owned()));
    }

    /// Time has passed while this side stood still, or its thread was at something else: nobody can be blamed for that.
    fn look(&mut self, now: u64) {
        let missed = self.awake.missed(&self.limits, now);
        if missed > 0 {
            self.heard_at = self.heard_at.saturating_add(missed).min(now);
            if let Link::Down { since, .. } = &mut self.link {
                *since = since.saturating_add(missed).min(now);
            }
        }
    }

    /// Some bytes came from the peer, be they a whole frame or not.
    pub fn handle_heard(&mut self, now: u64) {
        self.look(now);
        self.heard_at = self.heard_at.max(now);
        if self.link == Link::Up && self.health != Health::Well {
            self.health = Health::Well;
            self.events.push_back(Event::Resumed);
        }
    }

    /// A frame came over the connection that there is. After a violation the connection has to be given up.
    pub fn handle_frame(&mut self, now: u64, frame: Frame) -> Result<(), Violation> {
        if self.link != Link::Up || self.lost.is_some() {
            return Ok(());
        }
        self.handle_heard(now);
        let handled = self.read(now, frame);
        if let Err(violation) = &handled {
            if !violation.is_mended_by_another_connection() {
                self.end(Lost::Violation(violation.to_string()));
            }
            self.handle_down(now, false);
        }
        handled
    }

    fn read(&mut self, now: u64, frame: Frame) -> Result<(), Violation> {
        self.outgoing.confirm(frame.acknowledged, frame.taken)?;
        match frame.kind {
            Kind::Messages => {
                let messages = batch::unpack(frame.control, frame.bulk)?;
                self.received.extend(self.incoming.receive(now, frame.sequence, messages)?);
            }
            // The sender says what it has sent, so that it comes out if the last of that was lost.
            Kind::Heartbeat => drop(self.incoming.receive(now, frame.sequence, vec![])?),
            Kind::Close => {
                self.incoming.receive(now, frame.sequence, vec![])?;
                self.ending.heard = true;
                self.outgoing.clear();
                self.end_if_both_said();
            }
            kind @ (Kind::Introduction | Kind::Transfer) => return Err(Violation::Kind(kind)),
        }
        Ok(())
    }

    /// Whoever received messages are for has taken them, or so many bytes of them.
    pub fn handle_taken(&mut self, now: u64, bytes: u64) {
        self.incoming.take(now, bytes);
    }

    /// Time has passed.
    pub fn handle_time(&mut self, now: u64) {
        if self.lost.is_some() {
            return;
        }
        self.look(now);
        if now >= self.expires_at() {
            return self.end(Lost::Expired(self.limits.resume_nanoseconds / 1_000_000_000));
        }
        if self.closes_at().is_some_and(|at| now >= at) {
            return self.end(Lost::Closed);
        }
        self.judge(now);
        if self.health == Health::Unreachable && self.link == Link::Up {
            self.link = Link::Down { since: self.heard_at, was_closed: false };
        }
    }

    fn judge(&mut self, now: u64) {
        let health = health::judge(&self.limits, self.link, self.heard_at, now);
        if self.lost.is_some() || health <= self.health {
            return;
        }
        if self.health == Health::Well {
            self.events.push_back(Event::Suspect);
        }
        if health == Health::Unreachable {
            self.events.push_back(Event::Unreachable);
        }
        self.health = health;
    }

    fn expires_at(&self) -> u64 {
        self.heard_at.saturating_add(self.limits.resume_nanoseconds)
    }

    /// When this side no longer waits for what it has sent last.
    fn closes_at(&self) -> Option<u64> {
        Some(self.ending.wanted?.saturating_add(self.limits.close_nanoseconds))
    }

    /// When [`handle_time`](Self::handle_time) or [`poll_transmit`](Self::poll_transmit) will have something to do, if nothing happens before.
    pub fn wakes_at(&self) -> Option<u64> {
        if self.lost.is_some() {
            return None;
        }
        let changes_at = health::changes_at(&self.limits, self.link, self.heard_at, self.health);
        let speaks_at = (self.link == Link::Up).then(|| self.speaks_at());
        let looks_at = Some(self.awake.looks_at(&self.limits));
        [Some(self.expires_at()), self.closes_at(), changes_at, speaks_at, looks_at].into_iter().flatten().min()
    }

    /// When this side has to say something though it has nothing to say.
    fn speaks_at(&self) -> u64 {
        let beats_at = self.said_at.saturating_add(self.limits.heartbeat_nanoseconds);
        self.incoming.confirms_at().map_or(beats_at, |at| at.min(beats_at))
    }

    /// The next frame for the connection.
    pub fn poll_transmit(&mut self, now: u64) -> Option<Frame> {
        if self.link != Link::Up || self.lost.is_some() {
            return None;
        }
        let (kind, sequence, control, bulk) = self.next_frame(now)?;
        self.said_at = now;
        self.incoming.told();
        let (acknowledged, taken) = (self.incoming.expects(), self.incoming.taken_bytes());
        if kind == Kind::Close {
            self.ending.said = true;
            self.end_if_both_said();
        }
        Some(Frame { kind, sequence, acknowledged, taken, control, bulk })
    }

    fn next_frame(&mut self, now: u64) -> Option<(Kind, u64, Bytes, Vec<Bytes>)> {
        let bare = |kind, sequence| Some((kind, sequence, Bytes::new(), vec![]));
        if let Some((first, control, bulk)) = self.outgoing.batch() {
            return Some((Kind::Messages, first, control, bulk));
        }
        if self.has_to_say_close() {
            return bare(Kind::Close, self.outgoing.next_on_link());
        }
        if now >= self.speaks_at() { bare(Kind::Heartbeat, self.outgoing.next_on_link()) } else { None }
    }

    /// Whether there is something to say that hasn't gone over the connection that there is.
    pub fn has_something_to_send(&self) -> bool {
        self.outgoing.may_transmit() || self.has_to_say_close()
    }

    fn has_to_say_close(&self) -> bool {
        (self.ending.wanted.is_some() || self.ending.heard) && !self.ending.said && self.outgoing.is_all_transmitted()
    }

    /// Whether a sign of life is overdue that whoever looks after the session would have given, if he weren't kept from it.
    pub fn is_overdue(&self, now: u64) -> bool {
        let is_due = now >= self.said_at.saturating_add(self.limits.heartbeat_nanoseconds.saturating_mul(3) / 2);
        // One that doesn't come back at all isn't alive.
        self.is_up() && is_due && now < self.awake.looked_at().saturating_add(self.limits.resume_nanoseconds)
    }

    /// The next message that came.
    pub fn poll_received(&mut self) -> Option<Payload> {
        self.received.pop_front()
    }

    /// Whether the end of the session is the next thing that is told.
    pub fn is_end_next(&self) -> bool {
        matches!(self.events.front(), Some(Event::Lost(_)))
    }

    /// The next thing that is told of the peer.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Whether there is a connection that is to be used. One that was up and isn't any more has to be closed.
    pub fn is_up(&self) -> bool {
        self.link == Link::Up && self.lost.is_none()
    }

    /// Why the session is over, if it is.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Bytes that were sent and that nobody has taken yet.
    pub fn outstanding_bytes(&self) -> u64 {
        self.outgoing.outstanding()
    }

    /// Whether the peer has all that was sent.
    pub fn is_all_confirmed(&self) -> bool {
        self.outgoing.is_all_confirmed()
    }

    /// How many messages have arrived, here, or there as far as that is known.
    pub fn arrived(&self) -> u64 {
        self.incoming.expects() + self.outgoing.confirmed()
    }

    /// What it is held to.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    fn end_if_both_said(&mut self) {
        if self.ending.said && self.ending.heard {
            self.end(Lost::Closed);
        }
    }

    fn end(&mut self, why: Lost) {
        if self.lost.is_none() {
            self.outgoing.clear();
            self.events.push_back(Event::Lost(why.clone()));
            self.lost = Some(why);
        }
    }
}
