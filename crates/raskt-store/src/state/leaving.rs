//! What leaves memory, and how.

use super::{Garbage, Job, State, Written};
use crate::codec::is_sole;
use crate::file::SpillFile;
use crate::order::Standing;
use crate::slot::{SlotId, Where};
use std::sync::Arc;

impl State {
    /// A result was written, or couldn't be.
    pub fn wrote(&mut self, id: SlotId, bytes: u64, written: Written) {
        self.leaving -= bytes;
        self.disk.used -= reserved(bytes);
        match written {
            Written::To(file) => self.take_file(id, file),
            Written::Trouble(trouble) => self.disk.trouble = Some(trouble),
            Written::Shared => _ = self.slots.get_mut(&id).map(|slot| slot.is_shared = true),
            Written::Never => {
                self.counts.refused += 1;
                if let Some(slot) = self.slots.get_mut(&id) {
                    slot.codec = None;
                }
            }
        }
        self.leave(id);
        self.stand(id);
        self.moved();
    }

    /// A result is in this file: a new one, or the one that it has.
    fn take_file(&mut self, id: SlotId, file: Arc<SpillFile>) {
        let slot = self.slots.get_mut(&id);
        if slot.as_ref().is_some_and(|slot| slot.file.as_ref().is_some_and(|own| Arc::ptr_eq(own, &file))) {
            return;
        }
        self.disk.used += file.bytes();
        self.counts.written += 1;
        let old = match slot {
            Some(slot) => slot.file.replace(file),
            None => Some(file),
        };
        self.forget_file(old);
    }

    /// The end of writing a result: it goes if it has a file and nobody needs it.
    fn leave(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let goes = slot.file.is_some() && slot.pins == 0 && !slot.is_shared;
        match std::mem::replace(&mut slot.place, Where::Away) {
            Where::Leaving(value) if goes => {
                self.broker.let_go(slot.bytes);
                self.garbage.push(Garbage::Value(value, slot.codec.clone()));
            }
            Where::Leaving(value) => slot.place = Where::Here(value),
            other => slot.place = other,
        }
    }

    /// Lets results go until `lacking` bytes are free or about to be, and some more if that lets go of whole results.
    pub(super) fn evict(&mut self, lacking: u64, spare: u64) {
        let mut freed = 0;
        let mut looked_at = 0;
        while freed < lacking {
            // As many as would do, were all of them able to go.
            let mut likely = freed;
            let victims = self.order.victims().skip(looked_at).take_while(|id| {
                let goes_on = likely < lacking + spare;
                likely += self.slots.get(id).map_or(0, |slot| slot.bytes);
                goes_on
            });
            let victims: Vec<SlotId> = victims.collect();
            if victims.is_empty() {
                return;
            }
            for id in victims {
                let bytes = self.let_leave(id);
                freed += bytes;
                looked_at += usize::from(bytes == 0);
            }
        }
    }

    /// Lets one result leave, by the cheapest way there is; how many bytes that frees.
    pub(super) fn let_leave(&mut self, id: SlotId) -> u64 {
        let Some(slot) = self.slots.get_mut(&id) else { return 0 };
        let bytes = slot.bytes;
        if !slot.value().is_some_and(is_sole) {
            return 0;
        }
        let recompute = slot.facts.recompute_nanoseconds;
        let is_cheap = recompute.is_some_and(|time| self.speed.prefers_recomputing(bytes, time));
        let may_have_changed = slot.file.is_some() && slot.codec.as_ref().is_some_and(|codec| codec.may_change());
        let can_write = slot.codec.is_some() && (may_have_changed || self.disk.has_room(reserved(bytes)));
        if may_have_changed || (slot.file.is_none() && !is_cheap && can_write) {
            return self.write(id);
        }
        if slot.file.is_none() && recompute.is_none() {
            return 0;
        }
        if let Where::Here(value) = std::mem::replace(&mut slot.place, Where::Away) {
            self.garbage.push(Garbage::Value(value, slot.codec.clone()));
        }
        self.order.remove(id);
        self.broker.let_go(bytes);
        self.counts.dropped += 1;
        self.has_spilled = true;
        bytes
    }

    pub(super) fn write(&mut self, id: SlotId) -> u64 {
        self.order.remove(id);
        let Some(slot) = self.slots.get_mut(&id) else { return 0 };
        let Some((value, codec)) = slot.value().cloned().zip(slot.codec.clone()) else { return 0 };
        slot.place = Where::Leaving(value.clone());
        self.leaving += slot.bytes;
        self.disk.used += reserved(slot.bytes);
        self.has_spilled = true;
        let known = slot.file.clone();
        let bytes = slot.bytes;
        self.jobs.push_back(Job::Write { id, value, codec, known, bytes, epoch: self.epoch });
        bytes
    }

    pub(super) fn stand(&mut self, id: SlotId) {
        match self.slots.get(&id) {
            Some(slot) if slot.can_leave() => {
                let standing = match slot.facts.turn {
                    Some(turn) => Standing::Awaited { turn },
                    None => Standing::Unawaited { group: slot.facts.group, used: slot.used },
                };
                self.order.insert(id, standing);
            }
            _ => self.order.remove(id),
        }
    }

    pub(super) fn forget_file(&mut self, file: Option<Arc<SpillFile>>) {
        if let Some(file) = file {
            self.disk.used -= file.bytes();
            self.garbage.push(Garbage::File(file));
        }
    }
}

/// Bytes that are counted for a file until its size is known.
fn reserved(bytes: u64) -> u64 {
    bytes + crate::aligned::ALIGNMENT as u64
}
