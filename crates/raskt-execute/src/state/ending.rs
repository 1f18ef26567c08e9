//! How runs end, and what is left of them.

use super::State;
use super::afterwards::Finished;
use crate::RunError;
use crate::observer::{self, Freed, ResultId};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, StallCause, TaskRange, WorkerEvent};
use raskt_store::Holder;
use raskt_value::Value;
use std::collections::VecDeque;
use std::mem;

impl State {
    /// Ends every run with `error`.
    pub fn end_all(&mut self, error: &RunError) {
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.end(run, error.clone());
        }
    }

    pub(super) fn end(&mut self, run: RunId, error: RunError) {
        if let Some(entry) = self.runs.get(&run) {
            self.afterwards.ended.push((entry.completion.clone(), error));
        }
        self.release(run);
    }

    pub(super) fn discard(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let tasks = tasks.iter().flat_map(|range| range.tasks());
        let values: Vec<(TaskId, Value)> = tasks.filter_map(|task| Some((task, entry.results.take(task)?))).collect();
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Discarding);
        if observer::is_watched() {
            let engine = self.engine;
            let id = |task| Freed::Result(ResultId { run: Some(run), task, engine });
            self.afterwards.freed.extend(values.iter().map(|(task, _)| id(*task)));
        }
        self.let_go(run, values.into_iter().map(|(_, value)| value));
        self.worker.handle_event(WorkerEvent::MemoryFreed);
    }

    pub(super) fn finish(&mut self, run: RunId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let completion = entry.completion.clone();
        // Nobody else reads them: whatever leads to a wanted result has run.
        let (wanted, results) = (mem::take(&mut entry.wanted), mem::take(&mut entry.results));
        self.afterwards.finished.push(Finished { completion, wanted, results });
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Finishing);
        self.take_back_loans(run);
    }

    /// The one worker of this process is always there and takes every task: what can't go on now never will.
    pub(super) fn stall(&mut self, run: RunId, cause: &StallCause) {
        if let Some(entry) = self.runs.get(&run) {
            self.afterwards.ended.push((entry.completion.clone(), RunError::Stalled(cause.to_string())));
            self.take_back_loans(run);
        }
    }

    pub(super) fn fail(&mut self, run: RunId, task: TaskId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        if let Some((key, error)) = entry.errors.remove(&task) {
            self.afterwards.ended.push((entry.completion.clone(), RunError::Task { key, error }));
        }
        self.take_back_loans(run);
    }

    /// Nothing of a run remains but what threads are at that can't be stopped, and the memory that was promised for it.
    pub(super) fn forget(&mut self, run: RunId) {
        self.take_back_loans(run);
        let Some(entry) = self.runs.remove(&run) else { return };
        entry.cancel.cancel();
        self.afterwards.ended.push((entry.completion.clone(), RunError::Cancelled));
        let mut unpicked = vec![];
        for ticket in self.worker.running_of(run).collect::<Vec<_>>() {
            match self.picked.remove(&ticket) {
                Some(thread) => self.lose_track(ticket, thread),
                None => unpicked.push(ticket),
            }
            self.afterwards.executions.extend(self.loading.remove(&ticket));
        }
        for (ticket, (execution, _)) in self.asking.extract_if(.., |_, (execution, _)| execution.run == run) {
            self.store.give_back(Holder { asker: self.number, ticket: ticket.0 });
            self.afterwards.executions.push(execution);
        }
        let (gone, left) = self.executions.drain(..).partition(|execution| execution.run == run);
        self.executions = left;
        self.afterwards.executions.extend::<VecDeque<_>>(gone);
        if observer::is_watched() {
            self.afterwards.freed.push(Freed::Run { engine: self.engine, run });
        }
        self.store.let_go_small(entry.small);
        self.afterwards.runs.push(entry);
        self.worker.handle_event(WorkerEvent::Forgotten(run));
        self.landed.retain(|(of, _)| *of != run);
        for ticket in unpicked {
            self.store.give_back(self.holder(ticket));
            if self.head.elsewhere().is_some() {
                // It had begun, as the scheduler was told.
                self.worker.handle_event(WorkerEvent::Executed { ticket, outcomes: vec![], nanoseconds: 0 });
            }
        }
        if let Some(elsewhere) = self.head.elsewhere_mut() {
            elsewhere.inventory.forget(run);
        }
        self.worker.handle_event(WorkerEvent::MemoryFreed);
        if self.runs.is_empty() {
            self.ask_in_turn();
        }
        self.heed_adrift();
    }
}
