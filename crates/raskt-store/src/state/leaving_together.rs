//! Results that hold the same memory, which is free when all of them have left.

use super::State;
use crate::slot::{Slot, SlotId};
use crate::sole::are_sole;
use std::collections::BTreeSet;

/// A result, and those that hold memory that it holds, or that these hold.
pub(super) enum Together {
    /// All of them, which can leave: nobody else refers to that memory.
    Free(Vec<SlotId>),
    /// Those that could leave, were there nobody else who refers to it.
    Held(Vec<SlotId>),
}

/// How many results are looked at for one that is to leave. What more of them hold stays.
const MOST: usize = 1024;

impl State {
    /// What would have to leave with a result for its memory to be free.
    pub(super) fn together(&self, id: SlotId) -> Together {
        let Some(value) = self.slots.get(&id).and_then(Slot::value) else { return Together::Held(vec![id]) };
        if are_sole(&[value]) {
            return Together::Free(vec![id]);
        }
        let all = self.holders_with(id);
        let members: Vec<(SlotId, &Slot)> =
            all.iter().filter_map(|each| Some((*each, self.slots.get(each)?))).collect();
        let can_leave = |(_, slot): &(SlotId, &Slot)| slot.can_leave_with_others();
        let values: Vec<_> = members.iter().filter_map(|(_, slot)| slot.value()).collect();
        // Where not all were met, there are references to what they hold that weren't either.
        if members.iter().all(can_leave) && are_sole(&values) {
            return Together::Free(all.into_iter().collect());
        }
        Together::Held(members.into_iter().filter(can_leave).map(|(each, _)| each).collect())
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

    /// A result has been written that holds the same memory as others. It leaves with the last of them that is written: as long as
    /// one stays, letting go of it would free nothing.
    pub(super) fn leave_with_others(&mut self, id: SlotId) {
        let all = self.holders_with(id);
        let has_been_written = |each: &SlotId| {
            self.slots.get(each).is_some_and(|slot| {
                let may_change = slot.codec.as_ref().is_none_or(|codec| codec.may_change());
                slot.can_leave_with_others() && slot.file.is_some() && !may_change
            })
        };
        if all.iter().all(has_been_written) {
            all.into_iter().for_each(|each| self.let_go(each));
        }
    }

    /// Bytes that are free when all of these have left.
    pub(super) fn bytes_together(&self, ids: &[SlotId]) -> u64 {
        match ids {
            [one] => self.slots.get(one).map_or(0, |slot| slot.bytes),
            _ => self.sharing.bytes(ids.iter().filter_map(|each| self.slots.get(each)?.value())),
        }
    }

    /// Whether others hold memory that a result in memory holds.
    pub(super) fn has_others(&self, id: SlotId) -> bool {
        let value = self.slots.get(&id).and_then(Slot::value);
        value.is_some_and(|value| self.sharing.holders(id, value, (&mut BTreeSet::new(), 2)).next().is_some())
    }
}
