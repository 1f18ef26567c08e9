//! What was sent, until it is confirmed.

use super::batch::{self, MESSAGE_CONTROL_BYTES_MAX};
use super::{Payload, Violation};
use crate::frame::{CONTROL_BYTES_MAX, FRAME_BYTES_MAX, SEGMENTS_MAX};
use bytes::Bytes;
use std::collections::VecDeque;

/// Why a message wasn't taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The peer has as much under way as it may; some of it has to be taken first.
    #[error("the peer has {outstanding} bytes of messages that it has not taken, of at most {window}")]
    Full {
        /// Bytes under way.
        outstanding: u64,
        /// Bytes that may be.
        window: u64,
    },
    /// The session is over.
    #[error("the session is over")]
    Closed,
    /// It never fits.
    #[error("a message has {bytes} bytes of {part}; a frame takes {limit}: send large data as a transfer")]
    TooLarge {
        /// Which part of it.
        part: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It can't be written out.
    #[error("a message can't be written: {0}")]
    Encoding(String),
}

/// Messages out: the queue holds all and only those that aren't confirmed, oldest first.
#[derive(Debug)]
pub(super) struct Outgoing {
    queue: VecDeque<Payload>,
    /// The number of the next message.
    next: u64,
    /// How many of the queue went over the connection that there is.
    transmitted: usize,
    /// Bytes of all messages ever, and how many of these the peer has taken.
    sent_bytes: u64,
    taken_bytes: u64,
    /// Bytes of all messages before the next one for the connection.
    passed_bytes: u64,
    window_bytes: u64,
}

/// What a peer is owed beside its window, at most.
pub(super) const OWED_BYTES: u64 = 1 << 30;

impl Outgoing {
    pub fn new(window_bytes: u64) -> Self {
        Self {
            queue: VecDeque::new(),
            next: 0,
            transmitted: 0,
            sent_bytes: 0,
            taken_bytes: 0,
            passed_bytes: 0,
            window_bytes,
        }
    }

    pub fn push(&mut self, message: Payload) -> Result<(), SendError> {
        self.push_within(message, self.window_bytes)
    }

    /// The same of what the peer is owed: it waits here until the window lets it go.
    pub fn owe(&mut self, message: Payload) -> Result<(), SendError> {
        self.push_within(message, self.window_bytes.saturating_add(OWED_BYTES))
    }

    fn push_within(&mut self, message: Payload, most: u64) -> Result<(), SendError> {
        check(&message)?;
        let (outstanding, bytes) = (self.outstanding(), message.window_bytes());
        if outstanding > 0 && outstanding + bytes > most {
            return Err(SendError::Full { outstanding, window: self.window_bytes });
        }
        self.sent_bytes += bytes;
        self.next += 1;
        self.queue.push_back(message);
        Ok(())
    }

    /// Bytes that were sent and not taken.
    pub fn outstanding(&self) -> u64 {
        self.sent_bytes - self.taken_bytes
    }

    /// The peer lets no more than this be under way.
    pub fn narrow(&mut self, window_bytes: u64) {
        self.window_bytes = self.window_bytes.min(window_bytes);
    }

    /// How many messages are confirmed.
    pub fn confirmed(&self) -> u64 {
        self.first()
    }

    /// The oldest message that isn't confirmed.
    fn first(&self) -> u64 {
        self.next - self.queue.len() as u64
    }

    /// The number of the next message that goes over the connection.
    pub fn next_on_link(&self) -> u64 {
        self.first() + self.transmitted as u64
    }

    pub fn is_all_transmitted(&self) -> bool {
        self.transmitted == self.queue.len()
    }

    pub fn is_all_confirmed(&self) -> bool {
        self.queue.is_empty()
    }

    /// The peer has all before `expects`, and has taken so many bytes. What is older than what is known already says nothing.
    pub fn confirm(&mut self, expects: u64, taken: u64) -> Result<(), Violation> {
        if expects > self.next || taken > self.sent_bytes {
            return Err(self.unknown(expects));
        }
        let confirmed = expects.saturating_sub(self.first()) as usize;
        // Those that went over an earlier connection, and needn't go over this one.
        let skipped = self.queue.range(self.transmitted.min(confirmed)..confirmed);
        self.passed_bytes += skipped.map(Payload::window_bytes).sum::<u64>();
        self.queue.drain(..confirmed);
        self.transmitted = self.transmitted.saturating_sub(confirmed);
        self.taken_bytes = self.taken_bytes.max(taken);
        Ok(())
    }

    /// Another connection: the peer says what it expects, and all from there goes again.
    pub fn rewind(&mut self, expects: u64) -> Result<(), Violation> {
        if expects < self.first() || expects > self.next {
            return Err(self.unknown(expects));
        }
        self.confirm(expects, 0)?;
        self.passed_bytes -= self.queue.range(..self.transmitted).map(Payload::window_bytes).sum::<u64>();
        self.transmitted = 0;
        Ok(())
    }

    /// The next messages for the connection, as parts of one frame: no more than the peer has room for.
    pub fn batch(&mut self) -> Option<(u64, Bytes, Vec<Bytes>)> {
        let (first, mut passed) = (self.next_on_link(), self.passed_bytes);
        let fitting = self.queue.range(self.transmitted..).take_while(|message| {
            let fits = self.has_room_after(passed, message);
            passed += message.window_bytes();
            fits
        });
        let (count, control, bulk) = batch::pack(fitting);
        let sent = self.queue.range(self.transmitted..self.transmitted + count);
        self.passed_bytes += sent.map(Payload::window_bytes).sum::<u64>();
        self.transmitted += count;
        (count > 0).then_some((first, control, bulk))
    }

    /// Whether there is something for the connection, and the peer has room for it.
    pub fn may_transmit(&self) -> bool {
        self.queue.get(self.transmitted).is_some_and(|message| self.has_room_after(self.passed_bytes, message))
    }

    /// One message may always be under way, whatever it has.
    fn has_room_after(&self, passed: u64, message: &Payload) -> bool {
        let under_way = passed.saturating_sub(self.taken_bytes);
        under_way == 0 || under_way + message.window_bytes() <= self.window_bytes
    }

    /// Forgets what nobody will read.
    pub fn clear(&mut self) {
        self.queue.clear();
        (self.transmitted, self.passed_bytes) = (0, self.sent_bytes);
    }

    fn unknown(&self, said: u64) -> Violation {
        Violation::Unknown { said, first: self.first(), next: self.next }
    }
}

fn check(message: &Payload) -> Result<(), SendError> {
    let most =
        |part, bytes, limit| if bytes > limit { Err(SendError::TooLarge { part, bytes, limit }) } else { Ok(()) };
    most("control", message.control.len(), MESSAGE_CONTROL_BYTES_MAX)?;
    most("segments", message.bulk.len(), SEGMENTS_MAX)?;
    let bulk = message.bulk.iter().map(|part| part.len().next_multiple_of(64)).sum();
    most("bulk", bulk, FRAME_BYTES_MAX - CONTROL_BYTES_MAX)
}
