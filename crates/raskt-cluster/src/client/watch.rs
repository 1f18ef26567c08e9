//! Waiting for tasks of runs whose tasks stand alone.

use super::known::State;
use super::shared::Shared;
use super::table::{TaskTable, WatchId};
use super::watching::{Callback, Watching};
use crate::pool::waits_here;
use crate::ranges::RangeMap;
use raskt_schedule::{RunId, TaskRange};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All have settled: are available, have failed, or were released.
    All,
    /// At least one has.
    First,
    /// One has failed or was released; or all have settled.
    FirstFailure,
}

/// Tasks that are watched, each once, however often it was named. What settles costs those who watch it, and nobody else.
pub struct Watch {
    id: WatchId,
    shared: Arc<Shared>,
}

impl Watch {
    /// How many are still to come.
    pub fn pending(&self) -> u64 {
        self.look(|watching| watching.pending)
    }

    /// How many have failed or were released.
    pub fn failed(&self) -> u64 {
        self.look(|watching| watching.failed)
    }

    /// Waits for it, up to `deadline` if there is one; says whether it is so. Of nothing, all of it has settled.
    pub fn wait(&self, until: Until, deadline: Option<Instant>) -> bool {
        let is_met = |watching: &Watching| match until {
            Until::All => watching.pending == 0,
            Until::First => watching.pending < watching.total || watching.total == 0,
            Until::FirstFailure => watching.failed > 0 || watching.pending == 0,
        };
        self.wait_for(deadline, until == Until::First, |watching| is_met(watching).then_some(())).is_some()
    }

    /// The next tasks that have settled, in the order in which they do; each comes once, also if it settles again. Waits for them up
    /// to `deadline` if there is one; nothing comes after the last.
    pub fn next_settled(&self, deadline: Option<Instant>) -> Option<(RunId, TaskRange)> {
        let next = |watching: &mut Watching| match watching.settled.as_mut().and_then(|settled| settled.pop_front()) {
            Some(settled) => Some(Some(settled)),
            None => watching.is_drained().then_some(None),
        };
        self.wait_for(deadline, true, next).flatten()
    }

    fn look<T>(&self, look: impl FnOnce(&Watching) -> T) -> T {
        let state = self.shared.state.lock();
        look(state.watches.get(&self.id).expect("a watch is there until it is dropped"))
    }

    fn wait_for<T>(
        &self,
        deadline: Option<Instant>,
        looks_at_each: bool,
        mut find: impl FnMut(&mut Watching) -> Option<T>,
    ) -> Option<T> {
        let _waits = waits_here();
        // Of many that settle one by one each would come in a moment, while those who make them need the processors.
        let (mut state, mut may_be_soon) = (self.shared.state.lock(), !looks_at_each);
        loop {
            let watching = state.watches.get_mut(&self.id)?;
            if let Some(found) = find(watching) {
                return Some(found);
            }
            watching.looks_at_each |= looks_at_each;
            let changed = watching.changed.clone();
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return None;
            }
            if std::mem::take(&mut may_be_soon) {
                let given = changed.given();
                drop(state);
                changed.watch(given, deadline);
                state = self.shared.state.lock();
            } else {
                state = changed.wait(state, deadline);
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.state.lock().end_watch(self.id);
    }
}

impl Shared {
    /// Watches tasks, in the order in which they settle.
    pub fn watch(self: &Arc<Self>, tasks: &[(RunId, Vec<TaskRange>)]) -> Watch {
        let id = self.state.lock().begin_watch(tasks, true, None).0;
        Watch { id, shared: self.clone() }
    }

    /// The same where nobody asks for the order.
    pub fn watch_count(self: &Arc<Self>, tasks: &[(RunId, Vec<TaskRange>)]) -> Watch {
        let id = self.state.lock().begin_watch(tasks, false, None).0;
        Watch { id, shared: self.clone() }
    }

    /// Has `call` called when all of these have settled.
    pub fn on_settled(&self, tasks: &[(RunId, Vec<TaskRange>)], call: Callback) {
        let call = self.state.lock().begin_watch(tasks, false, Some(call)).1;
        call.into_iter().for_each(|call| self.errands.call(call));
    }
}

impl State {
    fn begin_watch(
        &mut self,
        wanted: &[(RunId, Vec<TaskRange>)],
        keeps_order: bool,
        call: Option<Callback>,
    ) -> (WatchId, Option<Callback>) {
        let id = WatchId(self.next_watch);
        self.next_watch += 1;
        let mut tasks: BTreeMap<RunId, RangeMap<()>> = BTreeMap::new();
        for (run, ranges) in wanted {
            let of_run = tasks.entry(*run).or_default();
            ranges.iter().for_each(|&range| of_run.set(range, ()));
        }
        let mut watching = Watching::new(tasks.clone(), call);
        if keeps_order {
            watching.keep_order();
        }
        let nothing = TaskTable::default();
        for (run, range) in tasks.iter().flat_map(|(&run, ranges)| ranges.all().map(move |(range, ())| (run, range))) {
            for (part, place) in self.tables.get(&run).unwrap_or(&nothing).within(range) {
                watching.begin(run, part, &place);
            }
            if let Some(table) = self.tables.get_mut(&run) {
                table.add_watcher(range, id);
            }
        }
        let call = if watching.pending == 0 { watching.call.take() } else { None };
        self.watches.insert(id, watching);
        if call.is_some() {
            self.end_watch(id);
        }
        (id, call)
    }

    /// Nobody watches under this number any more.
    pub(super) fn end_watch(&mut self, id: WatchId) {
        let Some(watching) = self.watches.remove(&id) else { return };
        for (run, ranges) in watching.tasks {
            if let Some(table) = self.tables.get_mut(&run) {
                ranges.all().for_each(|(range, ())| table.remove_watcher(range, id));
            }
        }
    }
}
