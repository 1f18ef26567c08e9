//! Workers with room for an assignment: by how much they have to do, and by how much memory they have left.

use crate::WorkerId;
use std::collections::BTreeSet;

/// How a worker with room stands among others: those without memory for producers come last, then by load.
pub(crate) type Place = (bool, u64, WorkerId);

/// How many bytes of a worker's memory are left, in steps of an eighth at most: small results don't move a worker that has much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemoryLeft(u16);

impl MemoryLeft {
    pub fn of(bytes: u64) -> Self {
        // The highest four bits, and where they stand.
        let shift = (u64::BITS - bytes.leading_zeros()).saturating_sub(4);
        Self((shift as u16) << 4 | (bytes >> shift) as u16)
    }
}

/// Where a worker with room stands, and what it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seat {
    pub place: Place,
    pub left: MemoryLeft,
}

/// A set of such workers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenWorkers {
    places: BTreeSet<Place>,
    by_memory: BTreeSet<(MemoryLeft, WorkerId)>,
}

impl OpenWorkers {
    pub const NOBODY: Self = Self { places: BTreeSet::new(), by_memory: BTreeSet::new() };

    /// A worker sits there now, and before it did there; nothing if it has no room.
    pub fn change(&mut self, before: Option<Seat>, now: Option<Seat>) {
        if before == now {
            return;
        }
        let memory = |seat: Seat| (seat.left, seat.place.2);
        // The sets are ordered by what has changed: the old place goes, or the worker would stand in it twice.
        before.iter().for_each(|seat| _ = self.places.remove(&seat.place));
        self.places.extend(now.map(|seat| seat.place));
        if before.map(memory) != now.map(memory) {
            before.iter().for_each(|&seat| _ = self.by_memory.remove(&memory(seat)));
            self.by_memory.extend(now.map(memory));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Those with memory for producers first, the least loaded first.
    pub fn places(&self) -> &BTreeSet<Place> {
        &self.places
    }

    /// Those with the most memory left first.
    pub fn roomiest(&self) -> impl Iterator<Item = (MemoryLeft, WorkerId)> {
        self.by_memory.iter().rev().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_left_is_never_less_and_an_eighth_more_is_more() {
        let all =
            (0..64).flat_map(|bit| [0, 1, 3, 7, 8].map(|part| (1_u64 << bit).saturating_add((1 << bit) / 9 * part)));
        let mut all: Vec<u64> = [0, u64::MAX].into_iter().chain(all).collect();
        all.sort_unstable();
        assert!(all.is_sorted_by_key(|&bytes| MemoryLeft::of(bytes)));
        for bytes in all.into_iter().filter(|&bytes| bytes < u64::MAX / 2) {
            assert!(MemoryLeft::of(bytes + bytes / 8 + 1) > MemoryLeft::of(bytes), "{bytes}");
        }
    }
}
