//! What assignments read from other workers: from the request until it is here.

use super::head::Word;
use super::{RunEntry, State};
use crate::execution::facts;
use crate::fetches::{FailedFetch, Named, Why};
use crate::uplink::{FetchAnswer, FetchId, TaskFailure, Unreachable};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Fetch, RunId, TaskRange, Ticket, WorkerEvent, WorkerId, WorkerTold};
use raskt_store::{Broken, Holder, Store, StoredRef};
use raskt_value::{TaskError, Value};
use std::sync::Arc;

/// An answer that somebody waits for, before the engine hears of it.
pub(crate) struct Awaited {
    graph: Arc<Graph>,
    run: RunId,
    engine: u32,
    /// The tasks, and what stands for them in the graph, if they are of another one that isn't here.
    tasks: Vec<(TaskId, Option<TaskId>)>,
    /// Whose promise the results take up.
    holder: Holder,
}

impl Awaited {
    /// Puts the large results into the store: without the lock of the engine. Where the store breaks, the engine is told of it.
    pub fn keep(&self, store: &Store, answer: FetchAnswer) -> FetchAnswer {
        let answers = answer?;
        if answers.len() != self.tasks.len() {
            return Ok(answers);
        }
        let answers = self.tasks.iter().zip(answers).map(|(&(task, stand_in), answer)| match answer {
            Ok(value) => Ok(Ok(self.kept(store, stand_in.unwrap_or(task), value)?)),
            Err(missing) => Ok(Err(missing)),
        });
        answers.collect::<Result<_, Broken>>().map_err(|_| Unreachable)
    }

    fn kept(&self, store: &Store, task: TaskId, value: Value) -> Result<Value, Broken> {
        if StoredRef::of(&value).is_some() || value.bytes() < Store::KEPT_BYTES {
            return Ok(value);
        }
        let info = facts(&self.graph, (self.run, self.engine), task, &value);
        Ok(Value::Stored(store.keep_fetched(value, info, self.holder)?))
    }
}

impl State {
    /// An assignment wants results of other workers, unless they are here.
    pub(super) fn fetch(&mut self, ticket: Ticket, run: RunId, fetches: &[Fetch]) {
        // One that fails in any case reads nothing.
        let is_doomed = self.asking.get(&ticket).is_some_and(|(execution, _)| execution.failure.is_some());
        let fetches = if is_doomed { &[] } else { fetches };
        let runs = &self.runs;
        let Some(elsewhere) = self.head.elsewhere_mut() else { return };
        let find = |(run, task): Named| runs.get(&run)?.results.get(task).cloned();
        let asked = elsewhere.fetches.begin(ticket, run, fetches, find);
        asked.into_iter().for_each(|request| elsewhere.put_out(Word::Fetch(request)));
        if elsewhere.fetches.is_gathered(ticket) {
            self.gathered(ticket);
        }
    }

    /// What is to be known to take in an answer; nothing if nobody waits for it.
    pub fn awaited(&self, id: FetchId) -> Option<Awaited> {
        let fetches = &self.head.elsewhere()?.fetches;
        let request = fetches.request(id)?;
        let (run, reader) = (request.run, request.reader()?);
        let (engine, holder) = (self.engine, self.holder(reader));
        let tasks = request.tasks.iter();
        // What a result is and when its turn comes is seen in its own graph, or else in that of whoever reads it.
        if let Ok(graph) = self.graph_of(run) {
            let tasks = tasks.map(|&task| (task, None)).collect();
            return Some(Awaited { graph, run, engine, tasks, holder });
        }
        let entry = self.runs.get(&fetches.run_of(reader)?)?;
        let tasks = tasks.map(|&task| Some((task, Some(entry.imports.stand_in(run, task)?)))).collect::<Option<_>>()?;
        Some(Awaited { graph: entry.graph.clone(), run, engine, tasks, holder })
    }

    /// Another worker has answered.
    pub fn fetched(&mut self, id: FetchId, answer: FetchAnswer) {
        let Some(elsewhere) = self.head.elsewhere_mut() else { return };
        let answered = elsewhere.fetches.answered(id, answer);
        self.afterwards.values.extend(answered.values);
        for failed in answered.failed {
            let FailedFetch { ticket, run: input_run, task, from, why } = failed;
            let reached = match why {
                Why::Unsendable { error, is_deadly } => {
                    self.unsendable(ticket, (input_run, task), (from, is_deadly), error);
                    continue;
                }
                why => matches!(why, Why::NotThere),
            };
            // What was fetched beside it is dropped with what was promised.
            self.worker.handle_event(WorkerEvent::FetchFailed { ticket, input_run, task, from, reached });
        }
        answered.gathered.into_iter().for_each(|ticket| self.gathered(ticket));
        self.act();
    }

    /// What an assignment reads won't come here: it is for whoever holds that. Should that be nobody who can run it, the task that reads it
    /// fails with the reason, which the scheduler hears of before.
    fn unsendable(
        &mut self,
        ticket: Ticket,
        (input_run, input): (RunId, TaskId),
        (from, is_deadly): (WorkerId, bool),
        error: TaskError,
    ) {
        let Some((execution, _)) = self.asking.get(&ticket) else { return };
        let (run, graph) = (execution.run, &execution.graph);
        let stand_in = || self.runs.get(&run).and_then(|entry| entry.imports.stand_in(input_run, input));
        let input = if input_run == run { Some(input) } else { stand_in() };
        let reads = |reader: &TaskId| {
            let mut reads = false;
            graph.for_each_input(*reader, |read| reads |= Some(read) == input);
            reads
        };
        let tasks = || execution.tasks.iter().flat_map(|range| range.tasks());
        let Some(reader) = tasks().find(reads).or_else(|| tasks().next()) else { return };
        let failure = TaskFailure { run, task: reader, key: graph.key(reader), error };
        if let Some(elsewhere) = self.head.elsewhere_mut() {
            elsewhere.put_out(Word::Failed(failure));
        }
        self.worker.handle_event(WorkerEvent::Unsendable { ticket, reader, from, is_deadly });
    }

    /// All that an assignment reads of others is here. Of what stays, what came otherwise meanwhile stays as it is. What is of a run of
    /// which nothing was known is kept until the scheduler has it discarded or forgotten, as it does with whatever it is told of.
    fn gathered(&mut self, ticket: Ticket) {
        let holder = self.holder(ticket);
        let kept = self.head.elsewhere().map(|elsewhere| elsewhere.fetches.kept(ticket)).unwrap_or_default();
        let mut all_small = 0;
        for ((run, task), value) in kept {
            let entry = self.runs.entry(run).or_insert_with(RunEntry::of_guests);
            if entry.results.get(task).is_none() {
                let small = if StoredRef::of(&value).is_none() { value.bytes() as u64 } else { 0 };
                entry.small += small;
                all_small += small;
                entry.results.put(task, value);
            }
        }
        self.store.hold_small(all_small, holder);
        self.worker.handle_event(WorkerEvent::Fetched(ticket));
    }

    /// Tells the scheduler of copies, as far as they are here.
    pub(super) fn tell_of_copies(&mut self, run: RunId, tasks: &[TaskRange]) {
        let Some(entry) = self.runs.get(&run) else { return };
        let copies = tasks.iter().flat_map(|range| range.tasks());
        let tasks = TaskRange::of(copies.filter(|&task| entry.results.get(task).is_some()));
        if !tasks.is_empty() {
            self.head.tell(WorkerTold::Fetched { run, tasks });
        }
    }

    /// Nobody waits for what is fetched for an assignment.
    pub(super) fn drop_fetches(&mut self, ticket: Ticket) {
        let Some(elsewhere) = self.head.elsewhere_mut() else { return };
        let (given_up, values) = elsewhere.fetches.drop_ticket(ticket);
        given_up.into_iter().for_each(|id| elsewhere.put_out(Word::GiveUp(id)));
        self.afterwards.values.extend(values);
    }
}
