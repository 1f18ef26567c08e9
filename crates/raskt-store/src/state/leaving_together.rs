//! Results that hold the same memory, which is free when all of them have left: they leave in one step, or none of them does.

use super::State;
use crate::departures::Group;
use crate::slot::{Residency, Slot, SlotId};
use crate::sole::are_sole;
use raskt_value::Value;
use std::collections::BTreeSet;

/// A result, and those that hold memory that it holds, or that these hold.
pub(super) struct Together {
    /// Those of them that could leave, were there nobody else who refers to it.
    pub ids: BTreeSet<SlotId>,
    /// Whether these are all, and nobody else refers to that memory.
    pub is_free: bool,
    /// How much was looked at for that.
    pub looked: usize,
}

/// How many results are looked at for one that is to leave. What more of them hold stays.
const MOST: usize = 1024;

impl State {
    /// What would have to leave with a result for its memory to be free.
    pub(super) fn together(&self, id: SlotId) -> Together {
        let ids = BTreeSet::from([id]);
        let Some(value) = self.slots.get(&id).and_then(Slot::value) else {
            return Together { ids, is_free: false, looked: 1 };
        };
        if are_sole(&[value]) {
            return Together { ids, is_free: true, looked: weight(value) };
        }
        let all = self.holders_with(id);
        let members = || all.iter().filter_map(|each| Some((*each, self.slots.get(each)?)));
        let values: Vec<_> = members().filter_map(|(_, slot)| slot.value()).collect();
        let ids: BTreeSet<SlotId> =
            members().filter(|(_, slot)| slot.can_leave_with_others()).map(|(each, _)| each).collect();
        // Where not all were met, there are references to what they hold that weren't either.
        let is_free = ids.len() == all.len() && are_sole(&values);
        Together { ids, is_free, looked: values.into_iter().map(weight).sum() }
    }

    /// Those who hold the same memory as a result, and who hold the same as these: as many as are looked at, it among them.
    fn holders_with(&self, id: SlotId) -> BTreeSet<SlotId> {
        let (mut all, mut left, mut seen) = (BTreeSet::from([id]), vec![id], BTreeSet::new());
        while let Some(each) = left.pop() {
            let Some(value) = self.slots.get(&each).and_then(Slot::value) else { continue };
            for other in self.sharing.holders(each, value, (&mut seen, MOST)) {
                if all.len() == MOST {
                    return all;
                }
                if all.insert(other) {
                    left.push(other);
                }
            }
        }
        all
    }

    /// Whether an earlier one of those that hold memory that this one holds stays since somebody was seen to refer to it.
    pub(super) fn stays_with_earlier(&self, id: SlotId, value: &Value) -> bool {
        self.sharing.before(id, value).any(|other| self.shared.contains(&other))
    }

    /// Lets these go in one step. Where some have to be written first, all of them wait for that.
    pub(super) fn depart(&mut self, ids: BTreeSet<SlotId>, to_write: BTreeSet<SlotId>) {
        self.has_spilled = true;
        if to_write.is_empty() {
            self.counts.dropped += ids.len() as u64;
            ids.into_iter().for_each(|id| self.let_go(id));
            return;
        }
        ids.iter().for_each(|&id| self.begin_leaving(id));
        to_write.iter().for_each(|&id| self.write(id));
        self.departures.add(ids, to_write);
    }

    /// A result that was to be written is, or (`false`) couldn't be: those that leave with it do when it was the last, or stay.
    pub(super) fn has_been_written(&mut self, id: SlotId, can_leave: bool) {
        if !can_leave {
            self.stay_together(id);
        }
        if let Some(Group { members, .. }) = self.departures.wrote(id) {
            self.leave_together(members);
        } else if !self.departures.has(id) {
            // Some of those that were to leave with it stay, or it does.
            self.back_in_memory(id);
        }
    }

    /// All have been written that had to be. Meanwhile somebody may have come to refer to them, or a file have turned out to be bad.
    fn leave_together(&mut self, members: BTreeSet<SlotId>) {
        let slots = || members.iter().filter_map(|id| self.slots.get(id));
        let is_free =
            slots().all(Slot::can_be_had_again) && are_sole(&slots().filter_map(Slot::value).collect::<Vec<_>>());
        for id in members {
            self.set_leaving(id, false);
            self.back_in_memory(id);
            if is_free {
                self.let_go(id);
            }
        }
    }

    /// A result stays, and with it those that were to leave in one step with it.
    pub(super) fn stay_together(&mut self, id: SlotId) {
        let Some(Group { members, unwritten }) = self.departures.take(id) else { return };
        for &each in &members {
            self.set_leaving(each, false);
            // Nobody is to change what is being written.
            if !unwritten.contains(&each) {
                self.back_in_memory(each);
            }
        }
    }

    fn begin_leaving(&mut self, id: SlotId) {
        self.set_stays(id, None);
        self.order.remove(id);
        let Some(slot) = self.slots.get_mut(&id) else { return };
        match std::mem::replace(&mut slot.place, Residency::Out) {
            Residency::Memory(value) => slot.place = Residency::Writing(value),
            other => slot.place = other,
        }
        self.set_leaving(id, true);
    }

    /// A result goes that may be about to leave. Those that wait with it for others do so on; if it is being written, for that too.
    pub(super) fn removes(&mut self, id: SlotId) {
        if self.departures.remove(id) {
            self.set_leaving(id, false);
        }
    }

    /// It is about to leave, or (`false`) isn't any more: counted with what will be free.
    fn set_leaving(&mut self, id: SlotId, is_leaving: bool) {
        let Some(slot) = self.slots.get(&id) else { return };
        let Some(value) = slot.value() else { return };
        let own = slot.bytes.saturating_sub(self.sharing.held_of_pieces(id, value));
        self.leaving = if is_leaving { self.leaving + own } else { self.leaving - own };
        self.sharing.set_leaving(value, is_leaving);
    }

    /// It is where it was before it was to leave: whoever waited for that has it.
    fn back_in_memory(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        match std::mem::replace(&mut slot.place, Residency::Out) {
            Residency::Writing(value) => slot.place = Residency::Memory(value),
            other => {
                slot.place = other;
                return;
            }
        }
        let waiters = std::mem::take(&mut slot.waiters);
        // Only what is here or away has a place in the order.
        self.update_rank(id);
        self.loaded(waiters);
    }

    /// Bytes that are free when all has left that is about to: those that several results hold once, when the last of them leaves.
    pub(super) fn leaving(&self) -> u64 {
        self.leaving + self.sharing.sums().leaving
    }

    /// Bytes that results hold, and will when all has left that is about to.
    pub(super) fn staying(&self) -> u64 {
        self.broker.held().saturating_sub(self.leaving())
    }
}

/// What it takes to look at a value, of which each part counts.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Manifest(manifest) => manifest.parts.len().max(1),
        _ => 1,
    }
}
