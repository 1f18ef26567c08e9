//! What assignments read from other workers: from the request until it is here.

use super::State;
use super::head::Word;
use crate::execution::facts;
use crate::uplink::{FetchAnswer, FetchId, Unreachable};
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Fetch, RunId, TaskRange, Ticket, WorkerEvent, WorkerTold};
use raskt_store::{Broken, Holder, Lineage, Store, StoredRef};
use raskt_value::Value;
use std::sync::Arc;

/// An answer that somebody waits for, before the engine hears of it.
pub(crate) struct Awaited {
    graph: Arc<Graph>,
    run: RunId,
    engine: u32,
    tasks: Vec<TaskId>,
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
        let answers = self.tasks.iter().zip(answers).map(|(&task, answer)| match answer {
            Ok(value) => Ok(Ok(self.kept(store, task, value)?)),
            Err(missing) => Ok(Err(missing)),
        });
        answers.collect::<Result<_, Broken>>().map_err(|_| Unreachable)
    }

    fn kept(&self, store: &Store, task: TaskId, value: Value) -> Result<Value, Broken> {
        if StoredRef::of(&value).is_some() || value.bytes() < Store::KEPT_BYTES {
            return Ok(value);
        }
        let info = facts(&self.graph, (self.run, self.engine), task, &value);
        Ok(Value::Stored(store.keep(value, Lineage::none(), info, self.holder)?))
    }
}

impl State {
    /// An assignment wants results of other workers, unless they are here.
    pub(super) fn fetch(&mut self, ticket: Ticket, run: RunId, fetches: &[Fetch]) {
        // One that fails in any case reads nothing.
        let is_doomed = self.asking.get(&ticket).is_some_and(|(execution, _)| execution.failure.is_some());
        let fetches = if is_doomed { &[] } else { fetches };
        let results = self.runs.get(&run).map(|entry| &entry.results);
        let Some(elsewhere) = self.head.elsewhere_mut() else { return };
        let asked = elsewhere.fetches.begin(ticket, run, fetches, |task| results?.get(task).cloned());
        asked.into_iter().for_each(|request| elsewhere.put_out(Word::Fetch(request)));
        if elsewhere.fetches.is_gathered(ticket) {
            self.gathered(ticket);
        }
    }

    /// What is to be known to take in an answer; nothing if nobody waits for it.
    pub fn awaited(&self, id: FetchId) -> Option<Awaited> {
        let request = self.head.elsewhere()?.fetches.request(id)?;
        let graph = self.runs.get(&request.run)?.graph.clone();
        let holder = self.holder(request.reader()?);
        Some(Awaited { graph, run: request.run, engine: self.engine, tasks: request.tasks.clone(), holder })
    }

    /// Another worker has answered.
    pub fn fetched(&mut self, id: FetchId, answer: FetchAnswer) {
        let Some(elsewhere) = self.head.elsewhere_mut() else { return };
        let answered = elsewhere.fetches.answered(id, answer);
        self.afterwards.values.extend(answered.values);
        for failed in answered.failed {
            let (ticket, input_run, task) = (failed.ticket, failed.run, failed.task);
            let (from, reached) = (failed.from, failed.reached);
            // What was fetched beside it is dropped with what was promised.
            self.worker.handle_event(WorkerEvent::FetchFailed { ticket, input_run, task, from, reached });
        }
        answered.gathered.into_iter().for_each(|ticket| self.gathered(ticket));
        self.act();
    }

    /// All that an assignment reads of others is here. Of what stays, what came otherwise meanwhile stays as it is.
    fn gathered(&mut self, ticket: Ticket) {
        let holder = self.holder(ticket);
        let kept = self.head.elsewhere().and_then(|elsewhere| elsewhere.fetches.kept(ticket));
        if let Some((run, kept)) = kept
            && let Some(entry) = self.runs.get_mut(&run)
        {
            let mut small = 0;
            for (task, value) in kept {
                if entry.results.get(task).is_none() {
                    small += if StoredRef::of(&value).is_none() { value.bytes() as u64 } else { 0 };
                    entry.results.put(task, value);
                }
            }
            entry.small += small;
            self.store.hold_small(small, holder);
        }
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
