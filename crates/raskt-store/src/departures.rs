//! Results that leave memory in one step, when all of them are written that have to be.

use crate::slot::SlotId;
use std::collections::{BTreeMap, BTreeSet};

/// The groups that are about to leave.
#[derive(Default)]
pub(crate) struct Departures {
    groups: BTreeMap<SlotId, Group>,
    /// By which group those are found that belong to it: its first member, whether or not that is still there.
    group_of: BTreeMap<SlotId, SlotId>,
}

/// Results of which none leaves before the others can.
#[derive(Default)]
pub(crate) struct Group {
    pub members: BTreeSet<SlotId>,
    /// Those that are being written. Also one that is no member any more: as long as it is written its memory is there.
    pub unwritten: BTreeSet<SlotId>,
}

impl Departures {
    /// These are about to leave, and some of them are written before.
    pub fn add(&mut self, members: BTreeSet<SlotId>, unwritten: BTreeSet<SlotId>) {
        let Some(&first) = members.first() else { return };
        self.group_of.extend(members.iter().map(|&id| (id, first)));
        self.groups.insert(first, Group { members, unwritten });
    }

    /// One was written: gives its group if that was the last of it.
    pub fn wrote(&mut self, id: SlotId) -> Option<Group> {
        let group = self.groups.get_mut(self.group_of.get(&id)?)?;
        group.unwritten.remove(&id);
        if group.unwritten.is_empty() { self.take(id) } else { None }
    }

    /// Whether one belongs to a group.
    pub fn has(&self, id: SlotId) -> bool {
        self.group_of.contains_key(&id)
    }

    /// One is there no more; says whether it was about to leave.
    pub fn remove(&mut self, id: SlotId) -> bool {
        let Some(group) = self.group_of.get(&id).and_then(|first| self.groups.get_mut(first)) else { return false };
        if !group.unwritten.contains(&id) {
            self.group_of.remove(&id);
        }
        group.members.remove(&id)
    }

    /// The group of a result, which doesn't leave, or does now.
    pub fn take(&mut self, id: SlotId) -> Option<Group> {
        let group = self.groups.remove(self.group_of.get(&id)?)?;
        self.group_of.remove(&id);
        group.members.iter().chain(&group.unwritten).for_each(|each| _ = self.group_of.remove(each));
        Some(group)
    }

    /// All that are about to leave.
    #[cfg(test)]
    pub fn members(&self) -> impl Iterator<Item = SlotId> {
        assert!(self.groups.values().all(|group| !group.unwritten.is_empty()), "somebody is awaited");
        self.groups.values().flat_map(|group| group.members.iter().copied())
    }
}
