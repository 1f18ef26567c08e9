//! From an assignment that wants memory to one that a thread may pick.

use super::{RunEntry, SLOTS_AHEAD, State, sound};
use crate::RunError;
use crate::execution::Execution;
use crate::reads::Reads;
use raskt_graph::TaskId;
use raskt_schedule::{Assignment, RunId, Ticket, WorkerEvent};
use raskt_store::{Answer, Extent, Holder, MemoryReport, Outputs, Reply};
use raskt_value::Value;
use std::sync::Arc;

/// The assignments that threads are at have so large a part of the memory, together, for what they are to read later.
const READ_AHEAD_PART: u64 = 2;

impl State {
    /// Takes in what became of a request for memory that had to wait.
    pub fn answered(&mut self, ticket: Ticket, reply: Reply) {
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Answered);
        match reply {
            Reply::Promised { is_loading } => self.promised(ticket, is_loading),
            Reply::Loaded => {
                if let Some(execution) = self.loading.remove(&ticket) {
                    self.start(execution);
                } else if let Some((_, is_loading)) = self.asking.get_mut(&ticket) {
                    // The worker has no slot for it yet: slots were lent when it asked, and have come back.
                    *is_loading = false;
                }
            }
            Reply::Exhausted(report) if self.head.elsewhere().is_some() => self.refused(ticket, report),
            Reply::Exhausted(report) => {
                if let Some((execution, _)) = self.asking.get(&ticket) {
                    self.end(execution.run, RunError::Memory(report));
                }
            }
        }
        self.act();
    }

    /// Asks the store for the memory of the assignment that the worker holds ready, and for its inputs.
    pub(super) fn reserve(&mut self, ticket: Ticket, bytes: u64) {
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Reserving);
        let asking = self.worker.asking().filter(|asking| *asking == ticket);
        let Some(assignment) = asking.and_then(|_| self.worker.queued().next()) else { return };
        let Some(entry) = self.runs.get(&assignment.run) else { return };
        let fetched = assignment.fetched;
        let is_unsized = bytes <= fetched;
        let outputs =
            if is_unsized { self.runners.outputs(&entry.graph, &assignment.tasks) } else { Outputs::default() };
        let extent = Extent { fetched, outputs };
        let (run, tasks, transient) = (assignment.run, assignment.tasks.clone(), assignment.transient.clone());
        let (graph, past, is_repeatable) = (entry.graph.clone(), entry.past.clone(), entry.is_repeatable);
        let cancel = entry.cancel.clone();
        let reads = Reads::of(&graph, &tasks, |task| self.input(entry, run, task));
        let holder = self.holder(ticket);
        let ahead = reads.ahead(self.bytes_ahead());
        let (answer, pins) =
            sound(self.store.ask_for(holder, bytes, extent, &reads.outside[..ahead]), &mut self.broke_for);
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Asked);
        let (engine, is_whole, failure) = (self.engine, true, None);
        let tells_losses = self.head.elsewhere().is_some();
        let execution = Execution {
            ticket,
            holder,
            run,
            engine,
            graph,
            is_repeatable,
            past,
            cancel,
            tasks,
            transient,
            reads,
            ahead,
            pins,
            is_whole,
            is_unsized,
            has_company: false,
            failure,
            tells_losses,
        };
        self.asking.insert(ticket, (execution, false));
        match answer {
            Answer::Promised { is_loading } => self.promised(ticket, is_loading),
            Answer::Pending => self.ask_ahead(),
        }
    }

    /// What a task of `run`, whose entry is given, reads of `task`, if it is here: where that stands for another one, the result of that.
    fn input<'a>(&'a self, entry: &'a RunEntry, run: RunId, task: TaskId) -> Option<&'a Value> {
        match entry.imports.source_of(run, task) {
            (owner, source) if owner == run => entry.results.get(source),
            (owner, source) => self.runs.get(&owner)?.results.get(source),
        }
    }

    /// There is no memory for an assignment, and never will be. A worker doesn't end runs: its tasks fail.
    fn refused(&mut self, ticket: Ticket, report: Arc<MemoryReport>) {
        if let Some((execution, _)) = self.asking.get_mut(&ticket) {
            execution.failure = Some(RunError::Memory(report).into_task_error());
        }
        self.promised(ticket, false);
    }

    /// The memory of an assignment is promised.
    pub(super) fn promised(&mut self, ticket: Ticket, is_loading: bool) {
        if let Some((_, loads)) = self.asking.get_mut(&ticket) {
            *loads = is_loading;
        }
        self.worker.handle_event(WorkerEvent::Promised(ticket));
    }

    /// Bytes of what a store keeps that one assignment has in memory before it starts, beyond what its first task reads.
    fn bytes_ahead(&self) -> u64 {
        self.memory / (READ_AHEAD_PART * u64::from(self.slots + self.slots_ahead))
    }

    /// An assignment begins as soon as its inputs are read.
    pub(super) fn execute(&mut self, ticket: Ticket, assignment: &Assignment) {
        let Some((mut execution, is_loading)) = self.asking.remove(&ticket) else { return };
        #[cfg(test)]
        self.pass(super::stumbling::Spot::Executing);
        let bytes_ahead = self.bytes_ahead();
        let fetched = self.head.elsewhere_mut().map(|elsewhere| elsewhere.fetches.take(ticket)).unwrap_or_default();
        if execution.tasks != assignment.tasks || !assignment.fetches.is_empty() {
            // Some were taken back while it waited, or some of what it reads has come.
            execution.tasks.clone_from(&assignment.tasks);
            execution.transient.clone_from(&assignment.transient);
            let entry = self.runs.get(&execution.run);
            let find = |task| {
                let (entry, run) = (entry?, execution.run);
                fetched.get(&entry.imports.source_of(run, task)).or_else(|| self.input(entry, run, task))
            };
            let reads = Reads::of(&execution.graph, &assignment.tasks, find);
            let before = std::mem::replace(&mut execution.reads, reads);
            self.afterwards.values.extend(before.outside);
            self.afterwards.values.extend(fetched.into_values());
            // Should it be another that is among them now, the thread reads it.
            execution.ahead = execution.reads.ahead(bytes_ahead);
        }
        if is_loading {
            self.loading.insert(ticket, execution);
        } else {
            self.start(execution);
        }
    }

    fn start(&mut self, mut execution: Execution) {
        execution.is_whole = execution.pins.put_in(&mut execution.reads.outside[..execution.ahead]);
        self.executions.push_back(execution);
    }

    /// Memory is short: until all runs have ended, it is asked for before a thread is free.
    fn ask_ahead(&mut self) {
        if self.slots_ahead == 0 && self.store.has_spilled() {
            self.slots_ahead = SLOTS_AHEAD;
            self.resize();
        }
    }

    /// The next run may find memory enough: what is begun ahead of its turn is held for longer.
    pub(super) fn ask_in_turn(&mut self) {
        if self.slots_ahead > 0 {
            self.slots_ahead = 0;
            self.resize();
        }
    }

    /// Those that have asked for memory and haven't begun.
    #[cfg(test)]
    pub fn asking(&self) -> Vec<Ticket> {
        self.asking.keys().copied().collect()
    }

    pub(super) fn holder(&self, ticket: Ticket) -> Holder {
        Holder { asker: self.number, ticket: ticket.0 }
    }
}
