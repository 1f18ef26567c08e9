//! What the process was seen to have beside what is known of.

use super::State;
use crate::broker::{Holder, Unpromised};
use crate::unseen::{Look, Unseen};

impl State {
    /// At this time, in milliseconds, the process has `taken` bytes beside what it had before there were results.
    pub fn saw_process(&mut self, at: u64, taken: u64) {
        let before = self.unseen.bytes;
        let running = self.broker.promises().saturating_sub(self.lent);
        self.unseen.saw(Look { at, excess: self.excess(taken), running }, self.broker.little());
        self.tell_broker();
        if self.unseen.bytes > before {
            self.make_room();
        } else if self.unseen.bytes < before {
            self.serve_pending();
        }
    }

    /// A request is withdrawn, or its promise given back by a task that has let go of all that it had. The process had so much then,
    /// at that time, if somebody looked.
    pub fn ended(&mut self, holder: Holder, seen: Option<(u64, u64)>) {
        let has_ended = self.broker.give_back(holder);
        // Before others begin.
        if let Some((at, taken)) = seen.filter(|_| has_ended) {
            self.unseen.ended(at, self.excess(taken), self.broker.little());
            self.tell_broker();
        }
        self.gave_back(holder, has_ended);
    }

    /// Whether memory seems to stay though tasks end: some of it may be what allocators keep of what was freed.
    pub fn may_be_freed(&self, taken: u64) -> bool {
        self.unseen.each > 0 && self.is_much(taken)
    }

    /// Whether the process has so much that nobody knows of that it counts.
    pub fn is_much(&self, taken: u64) -> bool {
        self.excess(taken) >= self.broker.little()
    }

    /// What it has beyond that.
    pub fn excess(&self, taken: u64) -> u64 {
        taken.saturating_sub(self.broker.known())
    }

    fn tell_broker(&mut self) {
        let Unseen { bytes, lasting, each, .. } = self.unseen;
        self.broker.set_unpromised(Unpromised { seen: bytes, lasting, each });
    }
}
