//! Who needs results in memory, and who has to do without while he waits.

use super::State;
use crate::slot::SlotId;

impl State {
    pub fn pin(&mut self, id: SlotId) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.pins += 1;
            self.pinned += if slot.pins == 1 { slot.bytes_in_memory() } else { 0 };
        }
        self.order.remove(id);
        self.stay_together(id);
    }

    pub fn unpin(&mut self, id: SlotId) {
        if let Some(slot) = self.slots.get_mut(&id) {
            if slot.loose_pins > 0 && slot.pins == 0 {
                slot.loose_pins -= 1;
                return;
            }
            slot.pins -= 1;
            self.pinned -= if slot.pins == 0 { slot.bytes_in_memory() } else { 0 };
        }
        self.used(id);
        if self.is_pending() {
            self.moved();
        }
    }

    /// How many have it pinned, or will.
    #[cfg(test)]
    pub fn pins(&self, id: SlotId) -> u32 {
        self.slots.get(&id).map_or(0, |slot| slot.pins + slot.loose_pins)
    }

    /// Whoever has pinned it waits, and others may need its memory before him: says whether it may leave from now on.
    pub(super) fn loosen(&mut self, id: SlotId) -> bool {
        let Some(slot) = self.slots.get_mut(&id).filter(|slot| slot.pins > 0) else { return false };
        (slot.pins, slot.loose_pins) = (slot.pins - 1, slot.loose_pins + 1);
        let may_leave = slot.pins == 0;
        self.pinned -= if may_leave { slot.bytes_in_memory() } else { 0 };
        if may_leave {
            self.update_rank(id);
        }
        may_leave
    }

    /// It is his turn, or he waits no longer.
    pub(super) fn fasten(&mut self, id: SlotId) {
        if let Some(slot) = self.slots.get_mut(&id).filter(|slot| slot.loose_pins > 0) {
            slot.loose_pins -= 1;
            self.pin(id);
        }
    }
}
