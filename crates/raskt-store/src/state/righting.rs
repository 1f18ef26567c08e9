//! What is left when threads are gone, or a change panicked half way: the results, from which all else is told anew.

use super::{Job, State};
use crate::order::Order;
use crate::sharing::Sharing;
#[cfg(test)]
use crate::slot::Stays;
use crate::slot::{Residency, Slot, SlotId};
use std::collections::BTreeMap;
#[cfg(test)]
use std::collections::BTreeSet;

impl State {
    /// Nobody is at the jobs any more, and nobody waits for what they would bring.
    pub fn lose_threads(&mut self) {
        self.pending.clear();
        self.loose.clear();
        (self.round, self.wants_look) = Default::default();
        self.loading.clear();
        self.replies.clear();
        let jobs = std::mem::take(&mut self.jobs);
        // What only they hold goes without the lock.
        self.garbage.extend(jobs.into_iter().flat_map(Job::into_garbage));
        (self.writing, self.coming, self.lent, self.is_sweeping) = (0, 0, 0, false);
        (self.departures, self.leaving) = Default::default();
        self.sharing.forget_leaving();
        let ids: Vec<SlotId> = self.slots.keys().copied().collect();
        for id in ids {
            let Some(slot) = self.slots.get_mut(&id) else { continue };
            slot.waiters.clear();
            slot.place = match std::mem::replace(&mut slot.place, Residency::Out) {
                Residency::Writing(value) => Residency::Memory(value),
                Residency::Reading => Residency::Out,
                other => other,
            };
            self.update_rank(id);
        }
        let files = self.slots.values().filter_map(|slot| slot.file.as_ref());
        self.disk.recount(files.map(|file| file.bytes()).sum());
    }

    /// After a panic half way through a change: all that follows from the results that are there is told from them anew, and
    /// nobody waits for anything.
    pub fn put_right(&mut self) {
        self.epoch += 1;
        let in_memory = |slots: &BTreeMap<SlotId, Slot>| {
            slots.values().filter(|slot| slot.value().is_some()).map(|slot| slot.bytes).sum::<u64>()
        };
        let small = self.broker.held_by_each().saturating_sub(in_memory(&self.slots));
        self.order = Order::default();
        let lent = self.lent;
        self.slots.values_mut().for_each(|slot| (slot.pins, slot.loose_pins, slot.stays) = (0, 0, None));
        self.pinned = 0;
        (self.shared, self.shared_elsewhere, self.unwritable) = Default::default();
        self.lose_threads();
        self.lent = lent;
        self.broker.recount(small + in_memory(&self.slots));
        self.sharing = Sharing::default();
        let in_memory = self.slots.iter().filter_map(|(&id, slot)| Some((id, slot.value()?)));
        in_memory.for_each(|(id, value)| self.sharing.enter(id, value));
        self.broker.set_pieces(self.sharing.sums());
    }

    /// One like it that has nothing.
    pub fn emptied(&self) -> Self {
        let mut empty = Self::new(self.broker.limit());
        empty.broker.set_bound(self.broker.bound());
        // Who waits for it says when it doesn't come.
        empty.broker.arrives(self.broker.arriving());
        empty.disk.limit = self.disk.limit;
        (empty.next_slot, empty.epoch, empty.lent) = (self.next_slot, self.epoch + 1, self.lent);
        empty
    }

    /// Leaves things as a panic half way through a change might.
    #[cfg(test)]
    pub fn confuse(&mut self, at: usize) {
        match at % 5 {
            0 => self.order = Order::default(),
            1 => self.leaving += 1,
            2 => self.disk.files += 1,
            3 => self.coming += 1,
            _ => self.loading.clear(),
        }
    }

    /// What is kept twice is counted again.
    #[cfg(test)]
    pub fn validate(&self) {
        let held: u64 = self.slots.values().filter(|slot| slot.value().is_some()).map(|slot| slot.bytes).sum();
        assert_eq!(self.broker.held_by_each(), held, "held bytes (tests hold nothing small)");
        let leaving: BTreeSet<SlotId> = self.departures.members().collect();
        let own = |id: &SlotId| {
            let slot = &self.slots[id];
            assert!(matches!(slot.place, Residency::Writing(_)) && slot.pins == 0, "what leaves is needed by nobody");
            slot.bytes - self.sharing.held_of_pieces(*id, slot.value().unwrap())
        };
        assert_eq!(self.leaving, leaving.iter().map(own).sum::<u64>(), "bytes of what leaves");
        self.sharing.validate(&leaving);
        let pinned = self.slots.values().filter(|slot| slot.pins > 0).map(Slot::bytes_in_memory);
        assert_eq!(self.pinned, pinned.sum::<u64>(), "pinned bytes");
        let staying = |why| self.slots.iter().filter(move |(_, slot)| slot.stays == Some(why));
        let ids = |why| staying(why).map(|(&id, _)| id).collect::<BTreeSet<_>>();
        assert!(ids(Stays::Shared) == self.shared && ids(Stays::SharedElsewhere) == self.shared_elsewhere);
        let room = |(&id, slot): (&SlotId, &Slot)| match slot.stays {
            Some(Stays::Unwritable { room }) => Some((room, id)),
            _ => None,
        };
        assert!(self.slots.iter().filter_map(room).collect::<BTreeSet<_>>() == self.unwritable);
        let mut standing: Vec<_> = self.order.victims().collect();
        standing.sort_unstable();
        let can_leave = self.slots.iter().filter(|(_, slot)| slot.can_leave()).map(|(&id, _)| id);
        assert_eq!(standing, can_leave.collect::<Vec<_>>(), "the order holds what can leave");
        let files: u64 = self.slots.values().filter_map(|slot| slot.file.as_ref()).map(|file| file.bytes()).sum();
        assert_eq!(self.disk.files, files, "bytes of files");
    }
}
