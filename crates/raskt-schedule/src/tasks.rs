//! The tasks of a run, and what is counted of them.

use crate::alone::failures::Failures;
use crate::alone::told::Told;
use crate::copies::{Copies, Unreached};
use crate::estimate::LARGEST;
use crate::gates::{Gated, Gates, for_each_told};
use crate::holdings::Moves;
use crate::links::exports::Exports;
use crate::links::holds::Holds;
use crate::links::imports::Imports;
use crate::pages::Pages;
use crate::planted::{self, Bug};
use crate::queue::sources::Sources;
use crate::queues::Queues;
use crate::task::ELSEWHERE;
use crate::task::{Record, Tag};
use crate::task_set::TaskSet;
use crate::{Attempt, TaskRange, TaskState, WorkerId};
use raskt_graph::{Graph, LayerId, Shape, TaskId};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;

/// The tasks of one run: where each stands, and what is counted of them.
///
/// The ways from state to state are in `transitions` (forwards), `revival` (what is needed again) and `cancel` (what isn't
/// needed any more). All of them keep what [`crate::Scheduler::validate`] counts again.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub layers: Vec<LayerState>,
    /// By class of requirement.
    pub queues: Queues,
    pub counts: Counts,
    next_attempt: Attempt,
    /// Results that are to be dropped, and by whom.
    pub discards: Vec<(WorkerId, TaskRange)>,
    /// Who holds copies beside the worker in the record.
    pub replicas: BTreeMap<TaskId, Copies>,
    /// Copies that couldn't be fetched.
    pub unreached: Unreached,
    /// Results that will be read, and have come and gone since it was told to what is known of the workers.
    pub moves: Moves,
    /// Given data that is needed and gone.
    pub lost: Vec<TaskRange>,
    /// Tasks that have failed, if any have; and those of them that have been taken up since.
    pub failures: Option<Box<Failures>>,
    pub doomed: Vec<TaskId>,
    /// What the client knows, if it is told of each result.
    pub told: Option<Box<Told>>,
    /// What stands for tasks of other runs, if anything does; and who imports tasks of this one.
    pub imports: Option<Box<Imports>>,
    pub exports: Option<Box<Exports>>,
    /// Hand-outs whose tasks nobody needs any more.
    pub cancelled: Vec<((WorkerId, Attempt), TaskRange)>,
    /// Tasks that were ready and aren't any more though nobody has handed them out; not noted while nobody asks.
    pub unready: Option<Vec<TaskRange>>,
    /// Pages, and stretches of tasks that stand alike, that were looked at for what a client wants or what was lost.
    pub steps: u64,
}

/// Tasks of an explicit layer from which on those that are ready are bits: so many take half a kilobyte.
const SCATTERED: u64 = 4096;

/// What is known of one layer.
#[derive(Debug)]
pub(crate) struct LayerState {
    pub len: u64,
    pub priority: i32,
    /// Its edges are listed and it is large: what becomes ready of it does so in no order, and stands in the queue as bits.
    pub is_scattered: bool,
    /// Which queue its tasks stand in.
    pub class: u32,
    pub wanted: TaskSet,
    pub needed: TaskSet,
    /// Tasks whose results were put here by a client, and can't be made again.
    pub given: TaskSet,
    /// How many other runs need each of its tasks.
    pub holds: Holds,
    /// Its tasks stand for those of other runs.
    pub is_imported: bool,
    pub pages: Pages,
    /// Bytes of a result, as they were told last.
    pub result_bytes: u64,
    /// Only for layers of shape `Exchange`, whose edges are counted and not listed.
    pub exchange: Option<Exchange>,
    /// Layers of shape `Exchange` that read it.
    pub exchanges: Vec<LayerId>,
    /// Only for layers of which many tasks read the same.
    pub gates: Option<Box<Gates>>,
    /// Layers that read it through a gate.
    pub gated_readers: Vec<LayerId>,
}

/// All edges of an all-to-all layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Producers whose output is not in memory.
    pub producers_left: u64,
    /// Needed consumers that have not ended.
    pub consumers_left: u64,
}

/// What is kept as a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Needed tasks.
    pub total: u64,
    /// Needed tasks that are in memory or released.
    pub done: u64,
    /// Wanted tasks that are not in memory.
    pub unfinished_wanted: u64,
    /// Tasks that have a record that says so; those behind a cursor aren't counted.
    pub ready: u64,
    pub running: u64,
}

impl LayerState {
    /// The record of `index`, to be changed.
    pub fn open(&mut self, index: u64) -> &mut Record {
        let Self { pages, needed, .. } = self;
        pages.open(index, |range| needed.count(range))
    }

    /// Which of its inputs are behind gates.
    pub fn gated(&self) -> Gated {
        self.gates.as_ref().map_or(0, |gates| gates.gated())
    }

    /// Notes that an input of `index` is handed out by `attempt`: whether the task waits for nothing else any more. `inputs`
    /// says how many it has.
    pub fn waits_only_for(&mut self, attempt: Attempt, index: u64, inputs: impl FnOnce() -> u64) -> bool {
        if !self.needed.contains(index) {
            return false;
        }
        let record = self.open(index);
        if record.tag == Tag::Untouched {
            *record = Record { count: inputs() as u32, tag: Tag::Waiting, ..*record };
        }
        record.tag == Tag::Waiting && record.count_in(attempt)
    }
}

impl Tasks {
    pub fn new(
        graph: &Graph,
        wanted: Vec<TaskSet>,
        needed: Vec<TaskSet>,
        classes: Vec<u32>,
        imports: Option<Box<Imports>>,
    ) -> Self {
        let queues = classes.iter().max().map_or(1, |&last| last as usize + 1);
        let parts = graph.layers().zip(wanted).zip(needed).zip(classes);
        let layers = parts.map(|((((id, layer), wanted), needed), class)| {
            let len = layer.len();
            let exchange = match layer.shape {
                Shape::Exchange { producers, .. } => {
                    Some(Exchange { producers_left: producers, consumers_left: needed.count(0..len) })
                }
                _ => None,
            };
            LayerState {
                len,
                priority: layer.annotations.priority,
                class,
                is_scattered: len >= SCATTERED && matches!(layer.shape, Shape::Explicit(_)),
                wanted,
                needed,
                given: TaskSet::Nothing,
                holds: Holds::default(),
                is_imported: imports.as_ref().is_some_and(|imports| imports.has_layer(id)),
                pages: Pages::new(len),
                result_bytes: layer.cost.output_bytes.min(LARGEST),
                exchange,
                exchanges: vec![],
                gates: Gates::of(graph, &layer.shape),
                gated_readers: vec![],
            }
        });
        let layers = layers.collect();
        let mut tasks = Self {
            layers,
            queues: Queues::new(queues),
            counts: Counts::default(),
            next_attempt: Attempt::default(),
            discards: vec![],
            replicas: BTreeMap::new(),
            unreached: Unreached::default(),
            moves: Moves::default(),
            lost: vec![],
            failures: None,
            doomed: vec![],
            told: None,
            imports,
            exports: None,
            cancelled: vec![],
            unready: None,
            steps: 0,
        };
        for (id, _) in graph.layers() {
            tasks.open_layer(graph, id);
        }
        tasks
    }

    fn open_layer(&mut self, graph: &Graph, id: LayerId) {
        let shape = &graph.layer(id).shape;
        let layer = &self.layers[id.0 as usize];
        let needed = layer.needed.count(0..layer.len);
        if let Some(imports) = self.imports.as_mut().filter(|_| layer.is_imported) {
            let ranges = layer.needed.ranges(layer.len).into_iter();
            imports.asked.extend(ranges.map(|range| TaskRange { layer: id, start: range.start, end: range.end }));
            imports.awaited += needed;
        }
        let is_imported = layer.is_imported;
        self.counts.total += needed;
        self.counts.unfinished_wanted += layer.wanted.count(0..layer.len);
        if let Shape::Exchange { input, .. } = shape {
            self.layers[input.0 as usize].exchanges.push(id);
        }
        let gates = self.layers[id.0 as usize].gates.iter().flat_map(|gates| gates.iter());
        for input in gates.map(|gate| gate.input).collect::<SmallVec<[LayerId; 4]>>() {
            let readers = &mut self.layers[input.0 as usize].gated_readers;
            if readers.last() != Some(&id) {
                readers.push(id);
            }
        }
        let is_missed = planted::has(Bug::EmptyBoxesNeverStart) && shape.grid().axes() > 1;
        let sources = if is_missed && !shape.input_layers().is_empty() { 0 } else { shape.sources().min(needed) };
        if sources > 0 && !is_imported {
            self.open_sources(graph, id, sources);
        }
    }

    /// The number of the next hand-out.
    pub fn begin_attempt(&mut self) -> Attempt {
        let attempt = self.next_attempt;
        self.next_attempt = attempt.next();
        attempt
    }

    /// A result of `layer` has turned out to take so much: from now on those that come count for it.
    pub fn learn_size(&mut self, layer: LayerId, bytes: u64) {
        self.layers[layer.0 as usize].result_bytes = bytes.min(LARGEST);
    }

    /// Whether `tasks`, which are wanted, are there may be otherwise than the client was told.
    pub fn note_changed(&mut self, tasks: TaskRange) {
        self.told.iter_mut().for_each(|told| told.changed.push(tasks));
    }

    /// `task` was ready and isn't any more, though nobody has handed it out.
    pub fn leave_ready(&mut self, task: TaskId) {
        self.counts.ready -= 1;
        self.unready.iter_mut().for_each(|unready| TaskRange::push(unready, task));
    }

    /// What a client has put into a worker is gone, and can't be made again.
    pub fn lose_given(&mut self, tasks: &[TaskRange]) {
        self.lost.extend_from_slice(tasks);
    }

    /// Lets the untouched tasks of `layer` start, of which `left` may be ready.
    pub fn open_sources(&mut self, graph: &Graph, layer: LayerId, left: u64) {
        let LayerState { priority, len, class, .. } = self.layers[layer.0 as usize];
        let Range { start, end } = graph.turn(layer);
        let sources = Sources { layer, priority, next: 0, end: len, left, turn: (start, end) };
        self.queues[class as usize].add_sources(sources);
    }

    /// The untouched tasks of `layer` aren't to start now.
    pub fn close_sources(&mut self, layer: LayerId) {
        let class = self.layers[layer.0 as usize].class;
        self.queues[class as usize].close_sources(layer);
    }

    /// What is known of a needed task.
    pub fn record(&self, task: TaskId) -> Record {
        self.layers[task.layer.0 as usize].pages.get(task.index)
    }

    pub fn is_needed(&self, task: TaskId) -> bool {
        self.layers[task.layer.0 as usize].needed.contains(task.index)
    }

    pub fn is_wanted(&self, task: TaskId) -> bool {
        self.layers[task.layer.0 as usize].wanted.contains(task.index)
    }

    /// Whether a client wants `task`, or other runs need it.
    pub fn is_kept(&self, task: TaskId) -> bool {
        let layer = &self.layers[task.layer.0 as usize];
        let is_held = || layer.holds.count(task.index) > 0 && !planted::has(Bug::ImportIsReleased);
        layer.wanted.contains(task.index) || is_held()
    }

    pub fn is_in_memory(&self, task: TaskId) -> bool {
        self.record(task).tag == Tag::InMemory
    }

    pub fn state(&self, graph: &Graph, task: TaskId) -> TaskState {
        let is_gated = self.layers[task.layer.0 as usize].gates.is_some();
        let inputs = || if self.is_imported(task) { 1 } else { graph.input_count(task) as u32 };
        match self.record(task).state(inputs) {
            // Its record doesn't know of what is behind gates.
            TaskState::Waiting { .. } if is_gated => {
                TaskState::Waiting { unfinished: self.count_missing(graph, task) as u32 }
            }
            state => state,
        }
    }

    /// Whether `worker` holds `task`.
    pub fn holds(&self, worker: WorkerId, task: TaskId) -> bool {
        let record = self.record(task);
        record.tag == Tag::InMemory
            && worker != ELSEWHERE
            && (record.worker == worker || (record.is_special && self.replicas[&task].contains(worker)))
    }

    /// Everybody who holds `task`, which is in memory.
    pub fn holders(&self, task: TaskId) -> impl Iterator<Item = WorkerId> {
        let record = self.record(task);
        let others = self.replicas.get(&task).filter(|_| record.is_special);
        std::iter::once(record.worker).chain(others.into_iter().flat_map(Copies::iter))
    }

    /// A result that counts to what its holders hold counts no longer, or the other way round.
    pub fn count_holders(&mut self, task: TaskId, counts: bool) {
        for worker in self.holders(task).collect::<SmallVec<[WorkerId; 4]>>() {
            self.let_go(task.layer, worker, 1, counts);
            self.hold(task.layer, worker, 1, !counts);
        }
    }

    /// `worker` has come to hold so many results of a layer, which a client wants or nobody does.
    pub fn hold(&mut self, layer: LayerId, worker: WorkerId, count: u64, are_wanted: bool) {
        match are_wanted {
            true => self.moves.change_wanted(layer, worker, count, true),
            false => self.moves.add(layer, worker, count, self.layers[layer.0 as usize].result_bytes),
        }
    }

    /// `worker` holds so many less.
    pub fn let_go(&mut self, layer: LayerId, worker: WorkerId, count: u64, are_wanted: bool) {
        match are_wanted {
            true => self.moves.change_wanted(layer, worker, count, false),
            false => self.moves.remove(layer, worker, count),
        }
    }

    /// So many results of `layer` have left memory, as all-to-all layers that read it count.
    pub fn count_out_of_exchanges(&mut self, layer: LayerId, count: u64) {
        for at in 0..self.layers[layer.0 as usize].exchanges.len() {
            let reader = self.layers[layer.0 as usize].exchanges[at];
            if let Some(exchange) = &mut self.layers[reader.0 as usize].exchange {
                exchange.producers_left += count;
            }
        }
    }

    /// Whether something of `layer` is read through a gate.
    pub fn feeds_gates(&self, layer: LayerId) -> bool {
        !self.layers[layer.0 as usize].gated_readers.is_empty()
    }

    /// The parts of `tasks` that a live page has: of all others nothing runs, and nothing is in memory. Whoever says something
    /// of very many is told by no more than there is.
    pub fn live_parts(&self, tasks: TaskRange) -> impl Iterator<Item = TaskRange> {
        self.stretches(tasks).filter(|(is_live, _)| *is_live).map(|(_, part)| part)
    }

    /// All of `tasks`, cut where pages that are live begin and end; and whether a part is of such a page.
    pub fn stretches(&self, tasks: TaskRange) -> impl Iterator<Item = (bool, TaskRange)> {
        let (pages, mut left) = (&self.layers[tasks.layer.0 as usize].pages, tasks);
        std::iter::from_fn(move || {
            let (is_live, end) = (!left.is_empty()).then(|| pages.stretch(left.start..left.end))?;
            let part = TaskRange { end, ..left };
            left.start = end;
            Some((is_live, part))
        })
    }

    /// Those of `tasks` that are still on the hand-out `attempt`.
    pub fn current(&self, tasks: TaskRange, attempt: Attempt) -> impl Iterator<Item = TaskId> {
        let live = self.live_parts(tasks).flat_map(TaskRange::tasks);
        live.filter(move |&task| self.is_current(task, attempt))
    }

    /// Whether `task` is still on the hand-out `attempt`.
    pub fn is_current(&self, task: TaskId, attempt: Attempt) -> bool {
        let record = self.record(task);
        let is_believed = planted::has(Bug::OldReportIsBelieved);
        record.tag == Tag::Running && (record.attempt == attempt || is_believed)
    }

    /// Reads of `task`'s result that are still to come.
    pub fn count_unread(&self, graph: &Graph, task: TaskId) -> u32 {
        let mut unread = 0;
        for &layer in graph.readers_of(task) {
            let state = &self.layers[layer.0 as usize];
            if let Some(exchange) = state.exchange {
                unread += u32::from(exchange.consumers_left > 0);
                continue;
            }
            unread += self.reads_at_gates(graph, layer, task).map(|left| u32::from(left > 0)).sum::<u32>();
            for_each_told(graph, layer, state.gated(), task, |index| {
                unread += u32::from(state.needed.contains(index) && state.pages.get(index).tag.is_unfinished());
            });
        }
        unread
    }

    /// Reads of `task` whose input is not in memory.
    pub fn count_missing(&self, graph: &Graph, task: TaskId) -> u64 {
        if let Some(exchange) = self.layers[task.layer.0 as usize].exchange {
            return exchange.producers_left;
        }
        if self.is_imported(task) {
            return u64::from(!self.is_in_memory(task));
        }
        let mut missing = 0;
        graph.for_each_input(task, |input| missing += u64::from(!self.is_in_memory(input)));
        missing
    }

    /// The first task of a layer behind a cursor, from `index` on, that somebody needs and that may start. Not for listed edges.
    pub fn next_source(&self, shape: &Shape, layer: LayerId, mut index: u64) -> Option<u64> {
        let LayerState { needed, exchange, len, .. } = &self.layers[layer.0 as usize];
        loop {
            let next = needed.next(index, *len)?;
            // All of an all-to-all layer can start once its cursor is there.
            if exchange.is_some() {
                return Some(next);
            }
            index = shape.next_source(next)?;
            if index == next {
                return Some(next);
            }
        }
    }

    /// Tasks that could start now, at most.
    pub fn ready_hint(&self) -> u64 {
        self.counts.ready + self.queues.untouched()
    }
}
