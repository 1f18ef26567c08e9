//! Results that come ahead of any task: what is set aside for them, and whether there is room for it.

use super::State;
use crate::broker::Holder;
use crate::slot::{ResultInfo, SlotId};
use raskt_value::Value;

impl State {
    /// So many bytes are on their way, for which others leave.
    pub fn arrives(&mut self, bytes: u64) {
        self.broker.arrives(bytes);
        self.make_room();
    }

    /// So many of them don't come.
    pub fn never_came(&mut self, bytes: u64) {
        self.broker.arrived(bytes);
        if bytes > 0 {
            self.moved();
        }
    }

    /// Takes in a result for which so many bytes had been set aside.
    pub fn keep_arrived(&mut self, value: Value, facts: ResultInfo, aside: u64, holder: Holder) -> SlotId {
        self.broker.arrived(aside);
        self.keep(value, facts, holder)
    }

    /// Whether so many bytes more, for which nobody was promised memory, are more than may be held in any case though all leave that can:
    /// where the disk is full, say, and not where something else than results has the memory. Of bytes that are `here` some may have
    /// been seen by now.
    pub fn lacks_room(&mut self, bytes: u64, here: bool) -> bool {
        let seen = if here { self.unseen.bytes.min(bytes) } else { 0 };
        if !self.are_many() || !self.broker.is_out_of_bounds(bytes, seen) {
            return false;
        }
        let missing = self.broker.missing(bytes).saturating_sub(seen);
        self.evict(missing.saturating_sub(self.leaving()), 0);
        self.broker.is_out_of_bounds(bytes, seen.saturating_add(self.surely_leaving()))
    }

    /// Whether so many bytes more are more than may be held in any case until what leaves has left: what can does from now on.
    pub fn waits_for_leaving(&mut self, bytes: u64) -> bool {
        if !self.are_many() || !self.broker.is_out_of_bounds(bytes, 0) {
            return false;
        }
        let missing = self.broker.missing(bytes);
        self.evict(missing.saturating_sub(self.leaving()), 0);
        self.leaving() > 0
    }

    /// What has come may leave again, for others or for who waits.
    pub fn has_come(&mut self) {
        self.make_room();
        self.moved();
    }

    /// Whether there will be room for so many bytes more when all that runs has ended, as far as can be told.
    pub fn may_have_room(&self, bytes: u64) -> bool {
        let runs = self.broker.promises() > self.lent;
        // Where the disk takes nothing, what they read may stay when they have.
        let read = if self.disk.trouble.is_none() { self.pinned } else { 0 };
        let freed = if runs { self.broker.promised().saturating_add(read) } else { 0 };
        !(self.are_many() && self.broker.is_out_of_bounds(bytes, freed.saturating_add(self.surely_leaving())))
    }

    /// What leaves makes room for what comes: not where the disk took nothing the last time, or what is let in for it, again and again, would
    /// be too much in the end.
    fn surely_leaving(&self) -> u64 {
        if self.disk.is_failing { 0 } else { self.leaving() }
    }

    /// Of so many bytes more, for which nobody was promised memory, as many as don't lack room.
    pub fn room_for(&mut self, bytes: u64) -> u64 {
        if self.lacks_room(bytes, false) { self.broker.room(self.surely_leaving()).min(bytes) } else { bytes }
    }
}
