//! Runs of which nothing is wanted yet: data that they were given, or that a run which they read was given, hasn't come.
//!
//! The machine would have the tasks run that stand for such data, and nobody can run those.

use super::core::Core;
use super::gifts::Place;
use crate::ranges::RangeMap;
use raskt_schedule::{Event, Import, RunId, TaskRange};
use std::collections::BTreeSet;

impl Core {
    /// The runs among those that a graph reads of which nothing is wanted yet.
    pub fn held_back_among(&self, imports: &[Import]) -> BTreeSet<RunId> {
        let is_held_back = |run: &RunId| self.runs.get(run).is_some_and(|record| record.wanted_later.is_some());
        imports.iter().map(|import| import.run).filter(is_held_back).collect()
    }

    /// Wants of a run what is to be wanted of it, if nothing keeps it back any more, and so of those that read it.
    pub fn let_on(&mut self, run: RunId) {
        let mut next = vec![run];
        while let Some(run) = next.pop() {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            if !record.awaits.is_empty() || record.gifts.places.all().any(|(_, place)| *place != Place::There) {
                continue;
            }
            let Some(tasks) = record.wanted_later.take() else { continue };
            self.cancel_now(run);
            if !tasks.is_empty() {
                self.handle(Event::Wanted { run, tasks });
            }
            next.extend(self.no_longer_awaited(run));
        }
    }

    /// Nobody waits for this run any more; gives those that did, some of which may wait for others still.
    pub fn no_longer_awaited(&mut self, run: RunId) -> Vec<RunId> {
        self.cancelled_later.remove(&run);
        let readers = self.awaited_by.remove(&run).unwrap_or_default();
        readers.iter().for_each(|reader| {
            if let Some(record) = self.runs.get_mut(reader) {
                record.awaits.remove(&run);
            }
        });
        readers
    }

    /// Tasks of a run that is held back won't be wanted.
    pub fn want_less(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(later) = self.runs.get_mut(&run).and_then(|record| record.wanted_later.as_mut()) else { return };
        let mut left = RangeMap::default();
        later.iter().for_each(|&range| left.set(range, ()));
        tasks.iter().for_each(|&range| drop(left.cut(range)));
        *later = left.all().map(|(range, ())| range).collect();
    }
}
