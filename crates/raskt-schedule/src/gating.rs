//! How tasks whose inputs stand behind gates wait, become ready and end.
//!
//! A task of such a layer is kept where somebody finds it when it can start:
//! - untouched, while a gate is closed to it: the input that opens the last one puts the box of its readers into the queue;
//! - `Waiting` for inputs that it is told of, which are what its record counts: it is looked at when the last of them comes;
//! - `Waiting` for nothing but inputs behind gates: it is noted under one of them, and looked at when that comes.

use crate::Attempt;
use crate::gates::{Gates, count_readers, is_gate};
use crate::queue::opened::Opening;
use crate::task::{Record, Tag};
use crate::tasks::{LayerState, Tasks};
use raskt_graph::{BoxWalk, Graph, LayerId, TaskId};
use smallvec::SmallVec;

/// What a task misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Reads of inputs that it is told of.
    pub told: u64,
    /// The first input behind a gate.
    pub gated: Option<TaskId>,
}

impl Tasks {
    /// What `task`, whose layer has gates, misses.
    pub fn missing(&self, graph: &Graph, task: TaskId) -> Missing {
        let mut missing = Missing::default();
        let gated = self.layers[task.layer.0 as usize].gated();
        graph.layer(task.layer).shape.for_each_input_by_port(task.index, |port, input| {
            if self.is_in_memory(input) {
                return;
            }
            match is_gate(gated, port) {
                true => drop(missing.gated.get_or_insert(input)),
                false => missing.told += 1,
            }
        });
        missing
    }

    fn is_open_to(&self, graph: &Graph, task: TaskId) -> bool {
        let gates = self.layers[task.layer.0 as usize].gates.as_ref();
        gates.is_none_or(|gates| gates.are_open()) || self.missing(graph, task).gated.is_none()
    }

    /// Puts `task`, whose layer has gates, into `Waiting` or `Ready`; of the inputs that it is told of, it misses `told`.
    pub fn wait_at_gates(&mut self, graph: &Graph, task: TaskId, told: u64) {
        let gated = if told == 0 { self.missing(graph, task).gated } else { None };
        if told == 0 && gated.is_none() {
            return self.make_ready(task);
        }
        let layer = &mut self.layers[task.layer.0 as usize];
        let record = layer.open(task.index);
        *record = Record { count: told as u32, tag: Tag::Waiting, ..*record };
        if let (Some(input), Some(gates)) = (gated, &mut layer.gates) {
            gates.waiting.insert((input, task.index));
        }
    }

    /// An input that is told of comes for `reader`, which nothing has happened to. While a gate is closed nothing has to be
    /// written down: whoever opens it looks at all that the reader reads.
    pub fn tell_untouched(&mut self, graph: &Graph, reader: TaskId) {
        if !self.is_open_to(graph, reader) {
            return;
        }
        // The one that comes isn't in memory yet.
        let told = self.missing(graph, reader).told - 1;
        self.wait_at_gates(graph, reader, told);
    }

    /// `input` is in memory: what it lets start can.
    pub fn open_gates(&mut self, graph: &Graph, input: TaskId) {
        for at in 0..self.layers[input.layer.0 as usize].gated_readers.len() {
            let id = self.layers[input.layer.0 as usize].gated_readers[at];
            let Some(gates) = &mut self.layers[id.0 as usize].gates else { continue };
            gates.reading(input.layer).for_each(|gate| gate.came());
            // Each is looked at once: who misses another input by now is noted under that.
            let those = (input, 0)..=(input, u64::MAX);
            let waiting: Vec<_> = gates.waiting.range(those).map(|&(_, reader)| reader).collect();
            let ports: SmallVec<[usize; 4]> = gates.reading(input.layer).map(|gate| gate.port).collect();
            for reader in waiting {
                self.pass(graph, input, TaskId::new(id, reader));
            }
            ports.into_iter().for_each(|port| self.open_box(graph, id, port, input));
        }
    }

    /// `reader` was noted under `input`, which has come. What has happened to it since may have made that untrue.
    fn pass(&mut self, graph: &Graph, input: TaskId, reader: TaskId) {
        let layer = &mut self.layers[reader.layer.0 as usize];
        if let Some(gates) = &mut layer.gates {
            gates.waiting.remove(&(input, reader.index));
        }
        let record = layer.pages.get(reader.index);
        if layer.needed.contains(reader.index) && record.tag == Tag::Waiting && record.count == 0 {
            self.wait_at_gates(graph, reader, 0);
        }
    }

    fn open_box(&mut self, graph: &Graph, id: LayerId, port: usize, input: TaskId) {
        let is_read = self.reads_left(graph, id, port, input.index) > 0;
        let layer = &self.layers[id.0 as usize];
        // Where nothing has come through another gate, what comes first there opens it all. Without this, a layer with
        // two gates would walk each box of one in vain.
        let is_closed = layer.gates.iter().flat_map(|gates| gates.iter()).any(|gate| gate.present() == 0);
        if !is_read || is_closed {
            return;
        }
        let shape = &graph.layer(id).shape;
        let tasks = BoxWalk::new(&shape.grid(), &shape.readers_through(port, input.index));
        let opening = Opening::new(layer.priority, id, port, input, tasks);
        self.queues[layer.class as usize].open_box(opening);
    }

    /// `input` has left memory: no untouched task that reads it starts.
    pub fn close_gates(&mut self, input: TaskId) {
        for at in 0..self.layers[input.layer.0 as usize].gated_readers.len() {
            let id = self.layers[input.layer.0 as usize].gated_readers[at];
            let LayerState { gates: Some(gates), class, .. } = &mut self.layers[id.0 as usize] else { continue };
            for gate in gates.reading(input.layer) {
                gate.went();
                self.queues[*class as usize].close_box(id, gate.port, input);
            }
        }
    }

    /// `input` is lost, and so are the tasks of `id` not ready any more that read it through a gate.
    pub fn tell_of_loss_at_gates(&mut self, graph: &Graph, id: LayerId, input: TaskId) {
        let LayerState { gates, pages, .. } = &self.layers[id.0 as usize];
        let gates = gates.iter().flat_map(|gates| gates.iter()).filter(|gate| gate.input == input.layer);
        let shape = &graph.layer(id).shape;
        let mut ready = vec![];
        for gate in gates {
            // Those that read it, and no others: of a large layer, many more have records.
            let readers = shape.readers_through(gate.port, input.index);
            let mut walk = BoxWalk::new(&shape.grid(), &readers);
            while walk.left() > 0 {
                let run = walk.run();
                ready.extend(pages.live_in(run.clone()).filter(|(_, tag)| *tag == Tag::Ready).map(|(index, _)| index));
                walk.advance(run.end - run.start);
            }
        }
        for task in ready.into_iter().map(|index| TaskId::new(id, index)) {
            // Through two gates one task may be found twice.
            if self.record(task).tag == Tag::Ready && self.missing(graph, task).gated == Some(input) {
                self.leave_ready(task);
                self.wait_at_gates(graph, task, 0);
            }
        }
    }

    /// How many tasks of `id` will read task `index` through `port`, which is a gate.
    pub fn reads_left(&mut self, graph: &Graph, id: LayerId, port: usize, index: u64) -> u64 {
        let LayerState { gates, needed, .. } = &mut self.layers[id.0 as usize];
        let gate = gates.as_mut().and_then(|gates| gates.at(port));
        gate.map_or(0, |gate| gate.left(index, || count_readers(&graph.layer(id).shape, port, index, needed)))
    }

    /// The gates of `id` behind which somebody will read `input`, which comes into memory: each is a read to come.
    pub fn unread_at_gates(&mut self, graph: &Graph, id: LayerId, input: TaskId) -> u32 {
        let gates = self.layers[id.0 as usize].gates.iter().flat_map(|gates| gates.iter());
        let ports: SmallVec<[usize; 4]> =
            gates.filter(|gate| gate.input == input.layer).map(|gate| gate.port).collect();
        ports.into_iter().map(|port| u32::from(self.reads_left(graph, id, port, input.index) > 0)).sum()
    }

    /// Of tasks of `id`, how many will read `input` through gates, gate by gate.
    pub fn reads_at_gates(&self, graph: &Graph, id: LayerId, input: TaskId) -> impl Iterator<Item = u64> {
        let layer = &self.layers[id.0 as usize];
        let gates = layer.gates.iter().flat_map(|gates| gates.iter()).filter(move |gate| gate.input == input.layer);
        gates.map(move |gate| {
            let count = || count_readers(&graph.layer(id).shape, gate.port, input.index, &layer.needed);
            gate.counted(input.index).unwrap_or_else(count)
        })
    }

    /// All reads to come of `input`, which is in memory: for its holder, those through one gate are one.
    pub fn all_unread(&self, graph: &Graph, input: TaskId, record: Record) -> u64 {
        let gated = self.layers[input.layer.0 as usize].gated_readers.iter();
        let more = gated.flat_map(|&id| self.reads_at_gates(graph, id, input)).map(|left| left.saturating_sub(1));
        u64::from(record.count) + more.sum::<u64>()
    }

    /// Has it counted who reads what `task` reads through gates, before that changes.
    pub fn count_reads(&mut self, graph: &Graph, task: TaskId) {
        let gated = self.layers[task.layer.0 as usize].gated();
        if gated == 0 {
            return;
        }
        graph.layer(task.layer).shape.for_each_input_by_port(task.index, |port, input| {
            if is_gate(gated, port) {
                self.reads_left(graph, task.layer, port, input.index);
            }
        });
    }

    /// `task` won't read its inputs, or not any more: calls `visit` with those that it was told of, and those behind gates that
    /// nobody else will read.
    pub fn leave_inputs(&mut self, graph: &Graph, task: TaskId, mut visit: impl FnMut(&mut Self, TaskId)) {
        let gated = self.layers[task.layer.0 as usize].gated();
        if gated == 0 {
            return graph.for_each_input(task, |input| visit(self, input));
        }
        let shape = &graph.layer(task.layer).shape;
        shape.for_each_input_by_port(task.index, |port, input| {
            let LayerState { gates, class, needed, .. } = &mut self.layers[task.layer.0 as usize];
            let gate = gates.as_mut().and_then(|gates| gates.at(port));
            // What comes through a gate is one read for all: its holder hears of the last who would have read it.
            // Counted first, if nobody did: it is still among those who will.
            let is_last = gate.is_none_or(|gate| {
                gate.left(input.index, || count_readers(shape, port, input.index, needed));
                gate.leave(input.index) == 0
            });
            if is_last && is_gate(gated, port) {
                self.queues[*class as usize].close_box(task.layer, port, input);
            }
            if is_last {
                visit(self, input);
            }
        });
    }

    /// `task` will read its inputs: calls `visit` with each, and whether it counts as a read that its holder doesn't know of.
    pub fn join_inputs(&mut self, graph: &Graph, task: TaskId, mut visit: impl FnMut(&mut Self, TaskId, bool)) {
        let gated = self.layers[task.layer.0 as usize].gated();
        if gated == 0 {
            return graph.for_each_input(task, |input| visit(self, input, true));
        }
        graph.layer(task.layer).shape.for_each_input_by_port(task.index, |port, input| {
            let gates = self.layers[task.layer.0 as usize].gates.as_mut();
            let gate = gates.and_then(|gates| gates.at(port));
            // For its holder, all who read it through the gate are one: the first of them.
            let is_new = gate.is_none_or(|gate| gate.join(input.index) == 1);
            visit(self, input, is_new);
        });
    }

    /// Notes that an input of `reader` that it is told of is handed out by `attempt`: whether it waits for nothing else any more.
    pub fn waits_only_for(&mut self, graph: &Graph, attempt: Attempt, reader: TaskId) -> bool {
        let layer = &mut self.layers[reader.layer.0 as usize];
        if layer.gates.is_none() {
            return layer.waits_only_for(attempt, reader.index, || graph.input_count(reader));
        }
        // What is handed out now opens no gate.
        if !layer.needed.contains(reader.index) || !self.is_open_to(graph, reader) {
            return false;
        }
        let told = self.missing(graph, reader).told;
        self.layers[reader.layer.0 as usize].waits_only_for(attempt, reader.index, || told)
    }

    /// After `task`, which can't start now, the next of its neighbours that might.
    pub fn next_in_vain(&self, graph: &Graph, task: TaskId) -> u64 {
        let layer = &self.layers[task.layer.0 as usize];
        if let Some(end) = layer.pages.end_of_released(task.index) {
            return end;
        }
        if layer.pages.get(task.index).tag != Tag::Untouched {
            return task.index + 1;
        }
        let shape = &graph.layer(task.layer).shape;
        let (mut missing, gated) = (None, layer.gated());
        shape.for_each_input_by_port(task.index, |port, input| {
            if !self.is_in_memory(input) {
                missing.get_or_insert((port, input));
            }
        });
        match missing {
            // All that read it, one after the other, miss it.
            Some((port, input)) if is_gate(gated, port) => {
                let readers = shape.readers_through(port, input.index);
                BoxWalk::new(&shape.grid(), &readers).end_of_run(task.index)
            }
            // Block reads block: of those that nothing has happened to, all are missed.
            Some((port, input)) if shape.is_read_one_to_one(port) => {
                self.layers[input.layer.0 as usize].pages.next_live(input.index + 1)
            }
            _ => task.index + 1,
        }
    }
}

impl Gates {
    /// Whether `reader` is noted under one of the inputs that `is_missing` tells of.
    pub fn has_waiting(&self, reader: u64, is_missing: impl Fn(TaskId) -> bool) -> bool {
        self.waiting.iter().any(|&(input, other)| other == reader && is_missing(input))
    }
}
