//! What leaves memory, and how.

use super::leaving_together::{Together, weight};
use super::{Garbage, Job, State, Written};
use crate::file::SpillFile;
use crate::order::EvictionRank;
use crate::slot::{Residency, Slot, SlotId, Stays};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// How a result leaves memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// At once: it is in a file, or is computed again in less time than it takes to write it.
    Drop,
    /// It has a file, and may have been changed since.
    Compare,
    /// It can't be had again before it is written.
    Write,
    /// It is written where there is room for it; else it has to be computed again.
    Rather,
}

/// More parts than that are many to look at.
const MANY_PARTS: usize = 16;

/// There is no room on the disk for those that have to be written, which need so much.
pub(super) struct NoRoom {
    unwritable: BTreeSet<SlotId>,
    room: u64,
}

impl State {
    /// A result was written, or couldn't be.
    pub fn wrote(&mut self, id: SlotId, written: Written) {
        self.writing -= 1;
        self.disk.release(id);
        // Nobody stays for one that is gone.
        let can_leave = matches!(written, Written::To(_)) || !self.slots.contains_key(&id);
        self.disk.is_failing = match &written {
            Written::To(_) => false,
            Written::Trouble(_) | Written::NoRoom => true,
            _ => self.disk.is_failing,
        };
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
        self.has_been_written(id, can_leave);
        self.moved();
        // Of what stays against all hope others have to leave in its place.
        self.evict_excess();
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
        let before = self.staying();
        while before.saturating_sub(self.staying()) < lacking.saturating_add(spare) {
            let Some(id) = self.next_victim() else { return };
            self.let_leave(id);
        }
    }

    /// The result to go first; where all those stay that can leave, one that there was no room for on the disk, and is by now.
    fn next_victim(&mut self) -> Option<SlotId> {
        loop {
            self.counts.looked_at += 1;
            if let Some(id) = self.order.first() {
                return Some(id);
            }
            let (room, id) = *self.unwritable.first()?;
            if !self.disk.has_room(room) {
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
        match std::mem::replace(&mut slot.stays, stays) {
            Some(Stays::Shared) => _ = self.shared.remove(&id),
            Some(Stays::SharedElsewhere) => _ = self.shared_elsewhere.remove(&id),
            Some(Stays::Unwritable { room }) => _ = self.unwritable.remove(&(room, id)),
            None => {}
        }
        match stays {
            Some(Stays::Shared) => _ = self.shared.insert(id),
            Some(Stays::SharedElsewhere) => _ = self.shared_elsewhere.insert(id),
            Some(Stays::Unwritable { room }) => _ = self.unwritable.insert((room, id)),
            None => {}
        }
    }

    /// Lets a result leave, and with it those that hold the same memory; or notes why they stay.
    pub(super) fn let_leave(&mut self, id: SlotId) {
        // Of many that show parts of the same blocks each one is met as it comes, or is used, and to look at all takes long. Where an
        // earlier one stays, whatever that stays for, its turn to be looked at again is that of all.
        let many = self.slots.get(&id).and_then(Slot::value).filter(|value| weight(value) > MANY_PARTS);
        if many.is_some_and(|value| self.stays_with_earlier(id, value)) {
            return self.stay(BTreeSet::from([id]), Stays::Shared);
        }
        let Together { ids, is_free, looked } = self.together(id);
        self.counts.looked_at += looked as u64 - 1;
        if !is_free {
            return self.stay(ids, Stays::Shared);
        }
        match self.to_write(&ids) {
            Ok(to_write) => self.depart(ids, to_write),
            Err(NoRoom { unwritable, room }) => {
                // The others stay since these do. If these go, they may leave.
                self.stay(&ids - &unwritable, Stays::Shared);
                self.stay(unwritable, Stays::Unwritable { room });
            }
        }
    }

    /// Which of these are to be written for all of them to leave, if there is room for those that have to be.
    pub(super) fn to_write(&self, ids: &BTreeSet<SlotId>) -> Result<BTreeSet<SlotId>, NoRoom> {
        let slots = || ids.iter().filter_map(|id| Some((*id, self.slots.get(id)?)));
        let of_way = |way| slots().filter(move |(_, slot)| self.way(slot) == way);
        let must: BTreeSet<SlotId> = of_way(Way::Write).map(|(id, _)| id).collect();
        let needed = of_way(Way::Write).map(|(_, slot)| reserved(slot.bytes));
        let mut room = needed.fold(0, u64::saturating_add);
        if !(must.is_empty() || self.disk.has_room(room)) {
            return Err(NoRoom { unwritable: must, room });
        }
        let mut written = must;
        written.extend(of_way(Way::Compare).map(|(id, _)| id));
        for (id, slot) in of_way(Way::Rather) {
            let with_it = room.saturating_add(reserved(slot.bytes));
            if self.disk.has_room(with_it) {
                room = with_it;
                written.insert(id);
            }
        }
        Ok(written)
    }

    /// The cheapest way in which a result that can leave does.
    fn way(&self, slot: &Slot) -> Way {
        let Some(codec) = &slot.codec else { return Way::Drop };
        match slot.facts.recompute_nanoseconds {
            _ if slot.file.is_some() && codec.may_change() => Way::Compare,
            _ if slot.file.is_some() => Way::Drop,
            Some(time) if self.speed.prefers_recomputing(slot.bytes, time) => Way::Drop,
            Some(_) => Way::Rather,
            None => Way::Write,
        }
    }

    fn stay(&mut self, ids: BTreeSet<SlotId>, why: Stays) {
        for id in ids {
            self.set_stays(id, Some(why));
            self.order.remove(id);
        }
    }

    /// Has a result written that is about to leave.
    pub(super) fn write(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get(&id) else { return };
        let Some((value, codec)) = slot.value().cloned().zip(slot.codec.clone()) else { return };
        let (known, bytes) = (slot.file.clone(), slot.bytes);
        // One that has a file is written anew only if it was changed: that shows when it is compared, and room is asked for then.
        if known.is_none() {
            self.disk.reserve(id, reserved(bytes));
        }
        self.writing += 1;
        self.jobs.push_back(Job::Write { id, value, codec, known, bytes, epoch: self.epoch });
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
        self.evict_excess();
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
