//! Messages in order and once, over packets that come in any order, twice, or not at all.

use super::{Body, Message, Packet};
use crate::check::Sometimes;
use crate::context::{Address, Context, Happening};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// One end of a session: messages arrive at the other end once and in order.
#[derive(Debug)]
pub(crate) struct Session {
    own: Address,
    peer: Address,
    /// The number of the next message out.
    next_out: u64,
    /// Sent and not confirmed, oldest first.
    unconfirmed: VecDeque<Sent>,
    /// The number of the next message in.
    expects: u64,
    /// Messages that overtook that one.
    early: BTreeMap<u64, Rc<Message>>,
    is_timer_set: bool,
    /// How often in a row nothing had been confirmed when the timer rang.
    backoff: u32,
}

#[derive(Debug)]
struct Sent {
    sequence: u64,
    message: Rc<Message>,
    at: u64,
}

/// Until what isn't confirmed is sent again; doubled each time, up to `RESEND_DOUBLINGS`.
const RESEND_NANOSECONDS: u64 = 15_000_000;
const RESEND_DOUBLINGS: u32 = 3;
/// Messages that are sent again at one time.
const RESEND_MESSAGES: usize = 64;

impl Session {
    pub fn new(own: Address, peer: Address) -> Self {
        Self {
            own,
            peer,
            next_out: 0,
            unconfirmed: VecDeque::new(),
            expects: 0,
            early: BTreeMap::new(),
            is_timer_set: false,
            backoff: 0,
        }
    }

    pub fn send(&mut self, context: &mut Context, message: Message) {
        let message = Rc::new(message);
        let sequence = self.next_out;
        self.next_out += 1;
        self.transmit(context, sequence, message.clone());
        self.unconfirmed.push_back(Sent { sequence, message, at: context.now() });
        self.set_timer(context);
    }

    /// Takes a message in and confirms it; gives what may be read now, in order.
    pub fn receive(&mut self, context: &mut Context, sequence: u64, message: Rc<Message>) -> Vec<Rc<Message>> {
        let mut readable = vec![];
        if sequence < self.expects {
            context.tally.saw(Sometimes::MessageRepeated);
        } else if sequence > self.expects {
            context.tally.saw(Sometimes::MessageOvertook);
            self.early.insert(sequence, message);
        } else {
            readable.push(message);
            self.expects += 1;
            while let Some(next) = self.early.remove(&self.expects) {
                readable.push(next);
                self.expects += 1;
            }
        }
        context.transmit(self.packet(Body::Ack { expects: self.expects }));
        readable
    }

    /// The other side has everything before `expects`.
    pub fn confirm(&mut self, expects: u64) {
        while self.unconfirmed.front().is_some_and(|sent| sent.sequence < expects) {
            self.unconfirmed.pop_front();
            self.backoff = 0;
        }
    }

    /// The timer rang.
    pub fn resend(&mut self, context: &mut Context) {
        self.is_timer_set = false;
        if self.unconfirmed.is_empty() {
            return;
        }
        let patience = RESEND_NANOSECONDS << self.backoff;
        let due = context.now().saturating_sub(patience);
        let late = self.unconfirmed.iter().take(RESEND_MESSAGES).filter(|sent| sent.at <= due);
        let late: Vec<_> = late.map(|sent| (sent.sequence, sent.message.clone())).collect();
        if !late.is_empty() {
            self.backoff = (self.backoff + 1).min(RESEND_DOUBLINGS);
            context.tally.saw(Sometimes::MessageResent);
        }
        for (sequence, message) in late {
            self.transmit(context, sequence, message);
        }
        self.set_timer(context);
    }

    /// When the oldest message that isn't confirmed was sent first.
    pub fn waits_since(&self) -> Option<u64> {
        self.unconfirmed.front().map(|sent| sent.at)
    }

    fn set_timer(&mut self, context: &mut Context) {
        if !std::mem::replace(&mut self.is_timer_set, true) {
            let (own, peer) = (self.own, self.peer);
            context.agenda.after(RESEND_NANOSECONDS << self.backoff, Happening::Resend { own, peer });
        }
    }

    fn transmit(&self, context: &mut Context, sequence: u64, message: Rc<Message>) {
        context.transmit(self.packet(Body::Data { sequence, message }));
    }

    fn packet(&self, body: Body) -> Packet {
        Packet { from: self.own, to: self.peer, body }
    }
}
