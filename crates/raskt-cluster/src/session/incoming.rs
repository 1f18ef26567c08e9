//! What has come, and what the peer was told of that.

use super::{Limits, Payload, Violation};
use crate::frame::FRAME_BYTES_MAX;

/// Messages in.
#[derive(Debug)]
pub(super) struct Incoming {
    /// The number of the next message.
    expects: u64,
    received_bytes: u64,
    taken_bytes: u64,
    window_bytes: u64,
    /// What the peer was told last.
    told_expects: u64,
    told_taken: u64,
    /// Since when it should be told more.
    owes_since: Option<u64>,
}

/// How long the peer is left without word of what came, unless it is much.
const CONFIRM_NANOSECONDS: u64 = 20_000_000;
/// So many messages are confirmed at once.
const CONFIRM_MESSAGES: u64 = 1024;
/// So many parts of a window are.
const CONFIRM_PARTS: u64 = 8;

impl Incoming {
    pub fn new(limits: &Limits) -> Self {
        Self {
            expects: 0,
            received_bytes: 0,
            taken_bytes: 0,
            window_bytes: limits.window_bytes,
            told_expects: 0,
            told_taken: 0,
            owes_since: None,
        }
    }

    pub fn expects(&self) -> u64 {
        self.expects
    }

    pub fn taken_bytes(&self) -> u64 {
        self.taken_bytes
    }

    /// Those of `messages`, of which the first has the number `first`, that are new.
    pub fn receive(&mut self, now: u64, first: u64, messages: Vec<Payload>) -> Result<Vec<Payload>, Violation> {
        if first > self.expects {
            return Err(Violation::Gap { expected: self.expects, came: first });
        }
        let repeated = (self.expects - first).min(messages.len() as u64) as usize;
        let new: Vec<_> = messages.into_iter().skip(repeated).collect();
        self.expects += new.len() as u64;
        self.received_bytes += new.iter().map(Payload::window_bytes).sum::<u64>();
        self.owes(now);
        let waiting = self.received_bytes - self.taken_bytes;
        // One message may always be under way, whatever it has.
        if waiting > self.window_bytes + FRAME_BYTES_MAX as u64 {
            return Err(Violation::Window { bytes: waiting, window: self.window_bytes });
        }
        Ok(new)
    }

    /// Whoever the messages are for has taken so many bytes of them.
    pub fn take(&mut self, now: u64, bytes: u64) {
        self.taken_bytes = (self.taken_bytes + bytes).min(self.received_bytes);
        self.owes(now);
    }

    /// When the peer should be told, at the latest.
    pub fn confirms_at(&self) -> Option<u64> {
        let since = self.owes_since?;
        let is_much = self.expects - self.told_expects >= CONFIRM_MESSAGES
            || self.taken_bytes - self.told_taken >= self.window_bytes / CONFIRM_PARTS;
        Some(if is_much { since } else { since.saturating_add(CONFIRM_NANOSECONDS) })
    }

    /// The peer is being told.
    pub fn told(&mut self) {
        (self.told_expects, self.told_taken, self.owes_since) = (self.expects, self.taken_bytes, None);
    }

    fn owes(&mut self, now: u64) {
        self.owes_since.get_or_insert(now);
    }
}
