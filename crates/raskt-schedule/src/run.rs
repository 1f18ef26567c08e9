//! One submitted graph: the states of its tasks and the transitions between them.

use crate::estimate::Estimates;
use crate::pages::Pages;
use crate::queue::{Queue, Sources};
use crate::task::Record;
use crate::task_set::TaskSet;
use crate::{Attempt, TaskRange, TaskState, WorkerId};
use raskt_graph::{Graph, LayerId, Shape, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Run {
    pub graph: Arc<Graph>,
    pub wanted: TaskSet,
    pub needed: TaskSet,
    /// By layer.
    pub records: Vec<Pages>,
    /// By layer; only for layers of shape `Exchange`, whose edges are counted and not listed.
    pub exchanges: BTreeMap<LayerId, Exchange>,
    pub queue: Queue,
    /// Wanted tasks whose results are not in memory.
    pub unfinished_wanted: u64,
    /// Needed tasks that have ended, less those that were lost again.
    pub done: u64,
    pub total: u64,
    pub finished: bool,
    pub estimates: Estimates,
    /// How often tasks have failed; a loss of their worker is no failure of theirs.
    failures: BTreeMap<TaskId, u32>,
}

/// All edges of an all-to-all layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Producers whose output is not in memory.
    pub producers_left: u64,
    /// Needed consumers that have not ended.
    pub consumers_left: u64,
}

/// Results that nobody will read any more, and who holds them.
pub(crate) type Discards = BTreeMap<WorkerId, Vec<TaskRange>>;

/// Tasks that were taken from the queue to be run one after the other.
pub(crate) struct Batch {
    pub tasks: Vec<TaskRange>,
    pub attempt: Attempt,
    pub memory: u64,
}

impl Run {
    pub fn new(graph: Arc<Graph>, wanted: &[TaskId]) -> Self {
        let needed = TaskSet::needed_for(&graph, wanted);
        let wanted = TaskSet::of(&graph, wanted);
        let count = |set: &TaskSet| graph.layers().map(|(id, _)| set.count(&graph, id)).sum();
        let mut run = Self {
            unfinished_wanted: count(&wanted),
            total: count(&needed),
            done: 0,
            wanted,
            needed,
            records: graph.layers().map(|_| Pages::default()).collect(),
            exchanges: BTreeMap::new(),
            queue: Queue::default(),
            finished: false,
            estimates: Estimates::default(),
            failures: BTreeMap::new(),
            graph,
        };
        run.open_layers();
        run
    }

    fn open_layers(&mut self) {
        let graph = self.graph.clone();
        for (id, layer) in graph.layers() {
            let needed = self.needed.count(&graph, id);
            if needed == 0 {
                continue;
            }
            if let Shape::Exchange { producers, .. } = layer.shape {
                self.exchanges.insert(id, Exchange { producers_left: producers, consumers_left: needed });
            }
            if may_have_sources(&layer.shape) {
                self.open_sources(id);
            }
        }
    }

    fn open_sources(&mut self, layer: LayerId) {
        let found = self.graph.layer(layer);
        let (priority, end) = (found.annotations.priority, found.len());
        self.queue.add_sources(Sources { layer, priority, next: 0, end });
    }

    /// What is known of a needed task; a task without a record waits for all that it reads.
    pub fn record(&self, task: TaskId) -> Record {
        self.records[task.layer.0 as usize].get(task.index).unwrap_or_else(|| {
            let unfinished = self.graph.input_count(task) as u32;
            Record { state: TaskState::Waiting { unfinished }, attempt: Attempt::default() }
        })
    }

    fn set_state(&mut self, task: TaskId, state: TaskState) {
        let record = Record { state, ..self.record(task) };
        self.records[task.layer.0 as usize].set(task.index, record);
    }

    /// Takes ready tasks of one layer off the queue and gives them to `worker`: about `credit` nanoseconds of work, one
    /// task if nothing is known about their time, and never more than a fair part of what is ready.
    pub fn take(&mut self, worker: WorkerId, credit: u64, share: u64) -> Option<Batch> {
        let first = self.next()?;
        let layer = first.layer;
        let attempt = self.record(first).attempt;
        let found = self.graph.layer(layer);
        let cost = found.cost;
        let one = self.estimates.task(found.op, layer, cost.nanoseconds);
        let limit = one.map_or(1, |one| credit / one.max(1)).min(BATCH_TASKS).min(share.max(1)).max(1);
        let mut tasks = vec![];
        let mut next = Some(first);
        let mut count = 0;
        while let Some(task) = next {
            if task.layer != layer || self.record(task).attempt != attempt {
                self.ready(task);
                break;
            }
            self.set_state(task, TaskState::Running { worker });
            TaskRange::push(&mut tasks, task);
            count += 1;
            next = if count < limit { self.next() } else { None };
        }
        Some(Batch { tasks, attempt, memory: count * (cost.output_bytes + cost.scratch_bytes) })
    }

    /// Ready tasks, as far as they are known without looking at each.
    pub fn ready_hint(&self) -> u64 {
        self.queue.hint()
    }

    fn next(&mut self) -> Option<TaskId> {
        loop {
            let ready = self.queue.peek_priority();
            let source = self.queue.next_sources().map(|sources| sources.priority);
            match (ready, source) {
                (Some(ready), source) if source.is_none_or(|source| ready >= source) => {
                    let task = self.queue.pop()?;
                    // A task that was made to wait again after it had been queued stands there in vain.
                    if self.record(task).state == TaskState::Ready {
                        return Some(task);
                    }
                }
                (_, Some(_)) => {
                    if let Some(task) = self.next_source() {
                        return Some(task);
                    }
                }
                _ => return None,
            }
        }
    }

    /// The next task of the source layer in turn, or nothing where that task isn't one to start.
    fn next_source(&mut self) -> Option<TaskId> {
        let sources = self.queue.next_sources()?;
        let task = TaskId::new(sources.layer, sources.next);
        sources.next += 1;
        let untouched = self.records[task.layer.0 as usize].get(task.index).is_none();
        let is_source = match self.exchanges.get(&task.layer) {
            Some(exchange) => exchange.producers_left == 0,
            None => self.graph.input_count(task) == 0,
        };
        (untouched && is_source && self.needed.contains(task)).then_some(task)
    }

    fn ready(&mut self, task: TaskId) {
        self.set_state(task, TaskState::Ready);
        self.queue.push(self.graph.layer(task.layer).annotations.priority, task);
    }

    /// Whether `worker` was given `task` on this attempt and nothing has happened to it since.
    pub fn is_current(&self, task: TaskId, worker: WorkerId, attempt: Attempt) -> bool {
        let record = self.record(task);
        record.state == TaskState::Running { worker } && record.attempt == attempt
    }

    /// `Running` → `InMemory`, or → `Released` at once where nobody reads it.
    pub fn finish(&mut self, task: TaskId, worker: WorkerId, discards: &mut Discards) {
        self.done += 1;
        let unread = self.count_unread(task);
        let wanted = self.wanted.contains(task);
        self.unfinished_wanted -= u64::from(wanted);
        if unread == 0 && !wanted {
            self.release(task, worker, discards);
        } else {
            self.set_state(task, TaskState::InMemory { worker, unread });
        }
        self.tell_dependents(task);
        self.read_inputs(task, discards);
    }

    /// Notes that `task` failed, and says how often it has.
    pub fn count_failure(&mut self, task: TaskId) -> u32 {
        let failures = self.failures.entry(task).or_default();
        *failures += 1;
        *failures
    }

    /// `Running` → `Ready`, on the next attempt; or → `Waiting`, where an input was lost meanwhile.
    pub fn try_again(&mut self, task: TaskId) {
        self.take_back(task);
        self.wait_again(vec![task]);
    }

    /// `Running` → `Ready` on the same attempt, since the worker never began it: retries are for tasks that failed.
    pub fn not_run(&mut self, task: TaskId) {
        self.set_state(task, TaskState::Waiting { unfinished: 0 });
        self.wait_again(vec![task]);
    }

    fn take_back(&mut self, task: TaskId) {
        let attempt = self.record(task).attempt.next();
        let state = TaskState::Waiting { unfinished: 0 };
        self.records[task.layer.0 as usize].set(task.index, Record { state, attempt });
    }

    fn release(&mut self, task: TaskId, worker: WorkerId, discards: &mut Discards) {
        self.set_state(task, TaskState::Released);
        TaskRange::push(discards.entry(worker).or_default(), task);
    }

    /// Reads of `task`'s result that are still to come.
    pub fn count_unread(&self, task: TaskId) -> u32 {
        let mut unread = 0;
        for &layer in self.graph.readers(task.layer) {
            if let Some(exchange) = self.exchanges.get(&layer) {
                unread += u32::from(exchange.consumers_left > 0);
                continue;
            }
            self.graph.layer(layer).shape.for_each_dependent(layer, task, |index| {
                let reader = TaskId::new(layer, index);
                unread += u32::from(self.needed.contains(reader) && self.is_unfinished(reader));
            });
        }
        unread
    }

    fn is_unfinished(&self, task: TaskId) -> bool {
        let record = self.records[task.layer.0 as usize].get(task.index);
        record.is_none_or(|record| !matches!(record.state, TaskState::InMemory { .. } | TaskState::Released))
    }

    fn tell_dependents(&mut self, task: TaskId) {
        let graph = self.graph.clone();
        for &layer in graph.readers(task.layer) {
            if let Some(exchange) = self.exchanges.get_mut(&layer) {
                exchange.producers_left -= 1;
                if exchange.producers_left == 0 {
                    self.open_exchange(layer);
                }
                continue;
            }
            graph.layer(layer).shape.for_each_dependent(layer, task, |index| {
                let reader = TaskId::new(layer, index);
                if !self.needed.contains(reader) {
                    return;
                }
                match self.record(reader).state {
                    TaskState::Waiting { unfinished: 1 } => self.ready(reader),
                    TaskState::Waiting { unfinished } => {
                        self.set_state(reader, TaskState::Waiting { unfinished: unfinished - 1 });
                    }
                    _ => {}
                }
            });
        }
    }

    /// Everything that an all-to-all layer reads is there: its untouched tasks start from a cursor, and those that an
    /// earlier loss had made to wait are queued.
    fn open_exchange(&mut self, layer: LayerId) {
        self.open_sources(layer);
        let waits = |(index, record): (u64, Record)| {
            matches!(record.state, TaskState::Waiting { .. }).then_some(TaskId::new(layer, index))
        };
        let waiting: Vec<_> = self.records[layer.0 as usize].records().filter_map(waits).collect();
        waiting.into_iter().for_each(|task| self.ready(task));
    }

    fn read_inputs(&mut self, task: TaskId, discards: &mut Discards) {
        let graph = self.graph.clone();
        if let Some(exchange) = self.exchanges.get_mut(&task.layer) {
            exchange.consumers_left -= 1;
            if exchange.consumers_left > 0 {
                return;
            }
        }
        graph.for_each_input(task, |input| self.read(input, discards));
    }

    fn read(&mut self, input: TaskId, discards: &mut Discards) {
        if let TaskState::InMemory { worker, unread } = self.record(input).state {
            // A result that was lost and recomputed may be read by a task that had it before: that read isn't counted.
            let unread = unread.saturating_sub(1);
            if unread == 0 && !self.wanted.contains(input) {
                self.release(input, worker, discards);
            } else {
                self.set_state(input, TaskState::InMemory { worker, unread });
            }
        }
    }

    /// A worker is gone: what it ran is queued again, and what it held and somebody needs is recomputed.
    pub fn lose(&mut self, worker: WorkerId) {
        let graph = self.graph.clone();
        let (mut work, mut lost) = (vec![], vec![]);
        for (layer, _) in graph.layers() {
            for (index, record) in self.records[layer.0 as usize].records().collect::<Vec<_>>() {
                let task = TaskId::new(layer, index);
                match record.state {
                    TaskState::InMemory { worker: holder, .. } if holder == worker => {
                        self.set_state(task, TaskState::Released);
                        lost.push(task);
                    }
                    TaskState::Running { worker: runner } if runner == worker => {
                        self.take_back(task);
                        work.push(task);
                    }
                    TaskState::Waiting { .. } | TaskState::Ready => work.push(task),
                    _ => {}
                }
            }
        }
        for task in lost {
            let is_wanted = self.wanted.contains(task);
            self.finished &= !is_wanted;
            self.unfinished_wanted += u64::from(is_wanted);
            if is_wanted || self.count_unread(task) > 0 {
                work.push(task);
            }
        }
        self.wait_again(work);
        self.recount();
    }

    /// Puts each of `work`, and what has to be recomputed for it, into `Waiting` or `Ready` by what is in memory.
    fn wait_again(&mut self, mut work: Vec<TaskId>) {
        let graph = self.graph.clone();
        let mut revived = false;
        while let Some(task) = work.pop() {
            if self.record(task).state == TaskState::Released {
                self.done -= 1;
                revived = true;
                if let Some(exchange) = self.exchanges.get_mut(&task.layer) {
                    exchange.consumers_left += 1;
                }
                self.set_state(task, TaskState::Waiting { unfinished: 0 });
            }
            let mut missing = 0;
            graph.for_each_input(task, |input| match self.record(input).state {
                TaskState::InMemory { .. } => {}
                TaskState::Released => {
                    missing += 1;
                    // The planted bug: what was released before a loss isn't computed again for those who need it now.
                    if cfg!(not(feature = "planted-bug")) {
                        work.push(input);
                    }
                }
                _ => missing += 1,
            });
            match missing {
                0 if self.record(task).state == TaskState::Ready => {}
                0 => self.ready(task),
                unfinished => self.set_state(task, TaskState::Waiting { unfinished }),
            }
        }
        if revived {
            self.recount();
        }
    }

    /// Counts again what is kept as a count; only losses need it.
    fn recount(&mut self) {
        self.recount_exchanges();
        self.recount_unread();
    }

    fn recount_exchanges(&mut self) {
        let mut exchanges = std::mem::take(&mut self.exchanges);
        for (&layer, exchange) in &mut exchanges {
            let Shape::Exchange { input, producers, .. } = self.graph.layer(layer).shape else { continue };
            let is_there =
                |&index: &u64| matches!(self.record(TaskId::new(input, index)).state, TaskState::InMemory { .. });
            exchange.producers_left = producers - (0..producers).filter(is_there).count() as u64;
        }
        self.exchanges = exchanges;
    }

    fn recount_unread(&mut self) {
        let graph = self.graph.clone();
        for (layer, _) in graph.layers() {
            for (index, record) in self.records[layer.0 as usize].records().collect::<Vec<_>>() {
                if let TaskState::InMemory { worker, .. } = record.state {
                    let task = TaskId::new(layer, index);
                    let unread = self.count_unread(task);
                    self.set_state(task, TaskState::InMemory { worker, unread });
                }
            }
        }
    }
}

/// The most tasks that are handed out in one assignment.
const BATCH_TASKS: u64 = 1024;

/// Whether tasks of the layer may read nothing, so that they have to be looked for one by one.
fn may_have_sources(shape: &Shape) -> bool {
    match shape {
        Shape::Map { inputs, .. } => inputs.is_empty(),
        Shape::Explicit(_) | Shape::Overlap { .. } => true,
        Shape::Exchange { producers, .. } => *producers == 0,
        Shape::Reduce { .. } => false,
    }
}
