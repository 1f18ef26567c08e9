//! What is known of data that clients give.

use crate::ranges::RangeMap;
use raskt_schedule::{Failure, RunId, TaskRange, WorkerId};
use std::collections::BTreeSet;

/// The data of a run.
#[derive(Default)]
pub(super) struct Gifts {
    /// Where its client gives it.
    pub at: Vec<String>,
    pub places: RangeMap<Place>,
    /// Workers that couldn't have it: as long as there are others these aren't asked again.
    pub in_vain: BTreeSet<WorkerId>,
    /// What of which runs has failed for want of it, and is to be run again; and the failure that nobody was told of.
    pub stopped: Vec<(RunId, Vec<TaskRange>, Failure)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No worker was asked to fetch it.
    Nowhere,
    Asked(WorkerId),
    There,
}

impl Gifts {
    pub fn new(given: &[TaskRange], at: Vec<String>) -> Self {
        let mut places = RangeMap::default();
        given.iter().for_each(|&range| places.set(range, Place::Nowhere));
        Self { at, places, in_vain: BTreeSet::new(), stopped: vec![] }
    }

    /// Whether all of it is with workers, and all that had failed for want of it is run again.
    pub fn are_there(&self) -> bool {
        self.stopped.is_empty() && self.places.all().all(|(_, place)| *place == Place::There)
    }

    pub fn are_none(&self) -> bool {
        self.places.is_empty()
    }

    /// Those that stand somewhere.
    pub fn all_at(&self, wanted: Place) -> Vec<TaskRange> {
        self.places.all().filter(|(_, place)| **place == wanted).map(|(range, _)| range).collect()
    }

    pub fn move_all(&mut self, from: Place, to: Place) -> bool {
        let ranges = self.all_at(from);
        ranges.iter().for_each(|&range| self.places.set(range, to));
        !ranges.is_empty()
    }
}
