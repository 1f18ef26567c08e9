//! How runs end, and what is left of them.

use super::State;
use crate::RunError;
use crate::observer::{self, Freed, ResultId};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, StallCause, TaskRange, WorkerEvent};
use raskt_store::Holder;
use raskt_value::Value;
use std::collections::VecDeque;

impl State {
    /// Ends every run with `error`.
    pub fn end_all(&mut self, error: &RunError) {
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.end(run, error.clone());
        }
    }

    pub(super) fn end(&mut self, run: RunId, error: RunError) {
        if let Some(entry) = self.runs.get(&run) {
            entry.completion.complete(Err(error));
        }
        self.release(run);
    }

    pub(super) fn discard(&mut self, run: RunId, tasks: &[TaskRange]) {
        let tasks = tasks.iter().flat_map(|range| range.tasks());
        let values: Vec<(TaskId, Value)> =
            tasks.filter_map(|task| Some((task, self.results.take(run.0, task)?))).collect();
        if observer::is_watched() {
            let engine = self.engine;
            let id = |task| Freed::Result(ResultId { run: Some(run), task, engine });
            self.freed.extend(values.iter().map(|(task, _)| id(*task)));
        }
        self.let_go(values.into_iter().map(|(_, value)| value));
        self.worker.handle_event(WorkerEvent::MemoryFreed);
    }

    pub(super) fn finish(&mut self, run: RunId) {
        let Some(entry) = self.runs.get(&run) else { return };
        let wanted = entry.wanted.iter().flat_map(|range| range.tasks());
        let results = wanted.map(|task| {
            let value = self.results.get(run.0, task);
            value.expect("a run finishes when all that is wanted is in memory").clone()
        });
        entry.completion.complete(Ok(results.collect()));
        self.take_back_loans(run);
    }

    /// The one worker of this process is always there and takes every task: what can't go on now never will.
    pub(super) fn stall(&mut self, run: RunId, cause: &StallCause) {
        if let Some(entry) = self.runs.get(&run) {
            entry.completion.complete(Err(RunError::Stalled(cause.to_string())));
            self.take_back_loans(run);
        }
    }

    pub(super) fn fail(&mut self, run: RunId, task: TaskId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        if let Some((key, error)) = entry.errors.remove(&task) {
            entry.completion.complete(Err(RunError::Task { key, error }));
        }
        self.take_back_loans(run);
    }

    /// Nothing of a run remains; threads that still work for it don't count until they come back.
    pub(super) fn forget(&mut self, run: RunId) {
        self.take_back_loans(run);
        let Some(entry) = self.runs.remove(&run) else { return };
        entry.cancel.cancel();
        entry.completion.complete(Err(RunError::Cancelled));
        self.garbage.runs.push((entry.graph, entry.past));
        for ticket in self.worker.running_of(run).collect::<Vec<_>>() {
            self.store.give_back(self.holder(ticket));
            if let Some(thread) = self.picked.remove(&ticket) {
                self.lose_track(ticket, thread);
            }
            self.garbage.executions.extend(self.loading.remove(&ticket));
        }
        for (ticket, (execution, _)) in self.asking.extract_if(.., |_, (execution, _)| execution.run == run) {
            self.store.give_back(Holder { asker: self.number, ticket: ticket.0 });
            self.garbage.executions.push(execution);
        }
        let (gone, left) = self.executions.drain(..).partition(|execution| execution.run == run);
        self.executions = left;
        self.garbage.executions.extend::<VecDeque<_>>(gone);
        if observer::is_watched() {
            self.freed.push(Freed::Run { engine: self.engine, run });
        }
        let values = self.results.take_run(run.0);
        self.let_go(values);
        self.worker.handle_event(WorkerEvent::Forgotten(run));
        self.worker.handle_event(WorkerEvent::MemoryFreed);
        if self.runs.is_empty() {
            self.ask_in_turn();
        }
    }
}
