//! Runs of which nothing is wanted yet: data that they were given, or that a run which they read was given, hasn't come.
//!
//! The machine would have the tasks run that stand for such data, and nobody can run those. So it doesn't know yet what they need of
//! others, and would let that go with whoever has wanted it: until they are let on, what they read stays as if it were wanted.

use super::core::Core;
use super::graphs::RunRecord;
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
            if !record.awaits.is_empty() || record.gifts.are_awaited() {
                continue;
            }
            let Some(tasks) = record.wanted_later.take() else { continue };
            self.cancel_now(run);
            if !tasks.is_empty() {
                self.handle(Event::Wanted { run, tasks });
            }
            self.unpin_sources(run);
            next.extend(self.no_longer_awaited(run));
        }
    }

    /// A run that is forgotten waits for this one no longer.
    pub fn awaits_no_more(&mut self, run: RunId, source: RunId) {
        if let Some(readers) = self.awaited_by.get_mut(&source) {
            readers.remove(&run);
            if readers.is_empty() {
                self.awaited_by.remove(&source);
            }
        }
    }

    /// Nobody waits for this run any more; gives those that did, some of which may wait for others still.
    pub fn no_longer_awaited(&mut self, run: RunId) -> BTreeSet<RunId> {
        self.cancelled_later.remove(&run);
        let readers = self.awaited_by.remove(&run).unwrap_or_default();
        readers.iter().for_each(|reader| {
            if let Some(record) = self.runs.get_mut(reader) {
                record.awaits.remove(&run);
            }
        });
        readers
    }

    /// A run that is held back reads these: nothing of them goes before it is let on.
    pub fn pin(&mut self, run: RunId, sources: BTreeSet<RunId>) {
        for source in &sources {
            if let Some(source) = self.runs.get_mut(source) {
                source.pinned += 1;
            }
        }
        if let Some(record) = self.runs.get_mut(&run) {
            record.pins = sources;
        }
    }

    /// A run is let on: by now the machine keeps what it needs. What others need of it that are still held back isn't known yet.
    fn unpin_sources(&mut self, run: RunId) {
        let is_let_on = |record: &&mut RunRecord| record.pinned == 0 && record.wanted_later.is_none();
        let Some(record) = self.runs.get_mut(&run).filter(is_let_on) else { return };
        let pins = std::mem::take(&mut record.pins);
        self.unpin(pins);
    }

    /// A run that was held back read these: what isn't wanted of them goes, if nobody else is held back that reads it.
    pub fn unpin(&mut self, sources: BTreeSet<RunId>) {
        // What goes may have been held back itself, and so on: a chain of these is gone through here, and not by as many calls.
        if let Some(others) = &mut self.unpinning {
            return others.extend(sources);
        }
        self.unpinning = Some(sources.into_iter().collect());
        while let Some(source) = self.unpinning.as_mut().and_then(Vec::pop) {
            self.unpin_one(source);
        }
        self.unpinning = None;
    }

    fn unpin_one(&mut self, source: RunId) {
        let Some(record) = self.runs.get_mut(&source) else { return };
        record.pinned = record.pinned.saturating_sub(1);
        if record.pinned > 0 {
            return;
        }
        let (tasks, is_released) = (std::mem::take(&mut record.unpinned_later), record.is_released);
        if is_released {
            self.run_released(source);
        } else if let Err(reason) = self.tasks_released(source, tasks) {
            tracing::warn!("what isn't wanted any more can't be let go: {reason}");
        }
        self.unpin_sources(source);
    }

    /// Tasks of a run aren't wanted any more; who is held back may need them.
    pub fn tasks_released(&mut self, run: RunId, tasks: Vec<TaskRange>) -> Result<(), String> {
        let Some(record) = self.runs.get_mut(&run) else { return Ok(()) };
        if record.pinned > 0 {
            record.unpinned_later.extend(tasks);
            return Ok(());
        }
        // A run that ended otherwise meanwhile has nothing to release.
        if tasks.is_empty() || self.machine.progress(run).is_none() {
            return Ok(());
        }
        self.try_event(Event::Released { run, tasks })
    }

    /// Nothing of a run is wanted any more; who is held back may need it.
    pub fn run_released(&mut self, run: RunId) {
        let Some(record) = self.runs.get_mut(&run) else { return };
        if record.pinned > 0 {
            record.wanted_later.iter_mut().for_each(Vec::clear);
            return;
        }
        self.handle(Event::RunReleased { run });
        if self.machine.progress(run).is_none() {
            self.forget(run);
        }
    }

    /// Its client wants these tasks of a run no more: if it is held back they won't be wanted.
    pub fn want_less(&mut self, run: RunId, tasks: &[TaskRange]) {
        if let Some(record) = self.runs.get_mut(&run).filter(|record| !record.gifts.are_none()) {
            record.gifts.let_go(tasks);
        }
        let Some(later) = self.runs.get_mut(&run).and_then(|record| record.wanted_later.as_mut()) else { return };
        let mut left = RangeMap::default();
        later.iter().for_each(|&range| left.set(range, ()));
        tasks.iter().for_each(|&range| drop(left.cut(range)));
        *later = left.all().map(|(range, ())| range).collect();
    }
}
