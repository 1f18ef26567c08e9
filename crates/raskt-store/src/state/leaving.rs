//! What leaves memory, and how.

use super::leaving_together::Together;
use super::{Garbage, Job, State, Written};
use crate::file::SpillFile;
use crate::order::EvictionRank;
use crate::slot::{Residency, SlotId, Stays};
use std::path::PathBuf;
use std::sync::Arc;

impl State {
    /// A result was written, or couldn't be.
    pub fn wrote(&mut self, id: SlotId, bytes: u64, written: Written) {
        // As they were counted when it began: since then it may have been removed, or be of another size.
        self.leaving -= bytes;
        self.disk.release(id);
        match written {
            Written::To(file) => self.take_file(id, file),
            Written::Trouble(trouble) => {
                self.disk.trouble = Some(trouble);
                self.forget_old(id);
            }
            Written::NoRoom => {
                // Without the file that it has there may be room. Where it has none, it would be tried again and again.
                if self.slots.get(&id).is_some_and(|slot| slot.file.is_none()) {
                    let limit = self.disk.limit;
                    let trouble = || format!("spill files may have no more than {limit} bytes together");
                    self.disk.trouble.get_or_insert_with(trouble);
                }
                self.forget_old(id);
            }
            Written::Shared => self.set_stays(id, Some(Stays::SharedElsewhere)),
            Written::Never => {
                self.counts.refused += 1;
                if let Some(slot) = self.slots.get_mut(&id) {
                    slot.codec = None;
                }
                self.forget_old(id);
            }
        }
        // First out of `Leaving`, since only what is here or away has a place in the order.
        self.leave(id);
        self.update_rank(id);
        // Those who mustn't read it while it was written.
        let waiters = self.slots.get_mut(&id).map(|slot| std::mem::take(&mut slot.waiters));
        self.loaded(waiters.unwrap_or_default());
        self.moved();
    }

    /// A result is in this file: a new one, or the one that it has.
    fn take_file(&mut self, id: SlotId, file: Arc<SpillFile>) {
        let slot = self.slots.get_mut(&id);
        if slot.as_ref().is_some_and(|slot| slot.file.as_ref().is_some_and(|own| Arc::ptr_eq(own, &file))) {
            return;
        }
        self.disk.files += file.bytes();
        self.counts.written += 1;
        let old = match slot {
            Some(slot) => slot.file.replace(file),
            None => Some(file),
        };
        self.forget_file(old);
    }

    /// A result that has a file couldn't be written anew: what the file holds is what it was before somebody changed it.
    fn forget_old(&mut self, id: SlotId) {
        let old = self.slots.get_mut(&id).and_then(|slot| slot.file.take());
        self.forget_file(old);
    }

    /// The end of writing a result: it goes if it has a file and nobody needs it.
    fn leave(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let goes = slot.file.is_some() && slot.pins == 0 && slot.stays.is_none();
        match std::mem::replace(&mut slot.place, Residency::Out) {
            Residency::Writing(value) => slot.place = Residency::Memory(value),
            other => {
                slot.place = other;
                return;
            }
        }
        if goes && self.has_others(id) {
            self.leave_with_others(id);
        } else if goes {
            self.let_go(id);
        }
    }

    /// A result that can be had again leaves memory.
    pub(super) fn let_go(&mut self, id: SlotId) {
        self.set_stays(id, None);
        self.order.remove(id);
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let (bytes, codec) = (slot.bytes, slot.codec.clone());
        match std::mem::replace(&mut slot.place, Residency::Out) {
            Residency::Memory(value) => {
                self.gone(id, &value, bytes);
                self.garbage.push(Garbage::Value(value, codec));
            }
            other => slot.place = other,
        }
    }

    /// Lets results go until `lacking` bytes are free or about to be, and some more if that lets go of whole results.
    ///
    /// Each that turns out to stay is out of the order until it is used, or looked at again: it is met once, and not whenever
    /// memory is short.
    pub(super) fn evict(&mut self, lacking: u64, spare: u64) {
        let mut freed = 0;
        while freed < lacking.saturating_add(spare) {
            let Some(id) = self.next_victim() else { return };
            freed += self.let_leave(id);
        }
    }

    /// The result to go first; where all those stay that can leave, one that there was no room for on the disk, and is by now.
    fn next_victim(&mut self) -> Option<SlotId> {
        loop {
            self.counts.looked_at += 1;
            if let Some(id) = self.order.first() {
                return Some(id);
            }
            let (bytes, id) = *self.unwritable.first()?;
            if !self.disk.has_room(reserved(bytes)) {
                return None;
            }
            // One that is pinned doesn't stand in the order before it is let go.
            self.set_stays(id, None);
            self.update_rank(id);
        }
    }

    /// Notes why a result stays in memory, or that it needn't.
    pub(super) fn set_stays(&mut self, id: SlotId, stays: Option<Stays>) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let bytes = slot.bytes;
        match std::mem::replace(&mut slot.stays, stays) {
            Some(Stays::Shared) => _ = self.shared.remove(&id),
            Some(Stays::SharedElsewhere) => _ = self.shared_elsewhere.remove(&id),
            Some(Stays::Unwritable) => _ = self.unwritable.remove(&(bytes, id)),
            None => {}
        }
        match stays {
            Some(Stays::Shared) => _ = self.shared.insert(id),
            Some(Stays::SharedElsewhere) => _ = self.shared_elsewhere.insert(id),
            Some(Stays::Unwritable) => _ = self.unwritable.insert((bytes, id)),
            None => {}
        }
    }

    /// Lets a result leave, and with it those that hold the same memory; how many bytes they have.
    pub(super) fn let_leave(&mut self, id: SlotId) -> u64 {
        match self.together(id) {
            Together::Free(together) => {
                self.counts.looked_at += together.len() as u64 - 1;
                let bytes = self.bytes_together(&together);
                let leaving = together.into_iter().filter(|&each| self.let_one_leave(each)).count();
                if leaving > 0 { bytes } else { 0 }
            }
            Together::Held(together) => {
                self.counts.looked_at += together.len() as u64 - 1;
                together.into_iter().for_each(|each| _ = self.stay(each, Stays::Shared));
                0
            }
        }
    }

    /// Lets one result leave, by the cheapest way there is; whether it does.
    fn let_one_leave(&mut self, id: SlotId) -> bool {
        self.set_stays(id, None);
        let Some(slot) = self.slots.get_mut(&id) else { return false };
        let bytes = slot.bytes;
        let recompute = slot.facts.recompute_nanoseconds;
        let is_cheap = recompute.is_some_and(|time| self.speed.prefers_recomputing(bytes, time));
        let may_have_changed = slot.file.is_some() && slot.codec.as_ref().is_some_and(|codec| codec.may_change());
        let can_write = slot.codec.is_some() && (may_have_changed || self.disk.has_room(reserved(bytes)));
        if may_have_changed || (slot.file.is_none() && !is_cheap && can_write) {
            return self.write(id) > 0;
        }
        if slot.file.is_none() && recompute.is_none() {
            self.stay(id, Stays::Unwritable);
            return false;
        }
        self.let_go(id);
        self.counts.dropped += 1;
        self.has_spilled = true;
        true
    }

    fn stay(&mut self, id: SlotId, why: Stays) -> u64 {
        self.set_stays(id, Some(why));
        self.order.remove(id);
        0
    }

    pub(super) fn write(&mut self, id: SlotId) -> u64 {
        self.order.remove(id);
        let Some(slot) = self.slots.get_mut(&id) else { return 0 };
        let Some((value, codec)) = slot.value().cloned().zip(slot.codec.clone()) else { return 0 };
        slot.place = Residency::Writing(value.clone());
        self.leaving += slot.bytes;
        self.has_spilled = true;
        let known = slot.file.clone();
        // One that has a file is written anew only if it was changed: that shows when it is compared, and room is asked for then.
        if known.is_none() {
            self.disk.reserve(id, reserved(slot.bytes));
        }
        let bytes = slot.bytes;
        self.jobs.push_back(Job::Write { id, value, codec, known, bytes, epoch: self.epoch });
        bytes
    }

    /// What dead processes left in `place` is to be removed.
    pub fn sweep(&mut self, place: PathBuf) {
        self.is_sweeping = true;
        self.jobs.push_back(Job::Sweep { place, epoch: self.epoch });
    }

    /// It has been removed: where there was no room, there may be.
    pub fn swept(&mut self) {
        self.is_sweeping = false;
        self.disk.trouble = None;
        self.moved();
    }

    pub(super) fn update_rank(&mut self, id: SlotId) {
        match self.slots.get(&id) {
            Some(slot) if slot.can_leave() => {
                let standing = match slot.facts.turn {
                    Some(turn) => EvictionRank::Awaited { turn },
                    None => EvictionRank::Unawaited { group: slot.facts.group, used: slot.used },
                };
                self.order.insert(id, standing);
            }
            _ => self.order.remove(id),
        }
    }

    pub(super) fn forget_file(&mut self, file: Option<Arc<SpillFile>>) {
        if let Some(file) = file {
            self.disk.files -= file.bytes();
            self.garbage.push(Garbage::File(file));
        }
    }
}

/// Bytes that are counted for a file until its size is known.
fn reserved(bytes: u64) -> u64 {
    bytes.saturating_add(crate::aligned::ALIGNMENT as u64)
}
