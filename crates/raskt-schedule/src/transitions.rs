//! The way of a task from ready to released.

use crate::copies::Copies;
use crate::gates::for_each_told;
use crate::planted::{self, Bug};
use crate::queue::{push_all_for, push_for};
use crate::task::ELSEWHERE;
use crate::task::{Record, Tag};
use crate::tasks::Tasks;
use crate::{Attempt, TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, TaskId};
use smallvec::SmallVec;

impl Tasks {
    /// `Ready` → `Running`.
    pub fn hand_out(&mut self, task: TaskId, worker: WorkerId, attempt: Attempt) {
        let record = self.layers[task.layer.0 as usize].open(task.index);
        self.counts.ready -= u64::from(record.tag == Tag::Ready);
        self.counts.running += 1;
        *record = Record { attempt, worker, count: 0, tag: Tag::Running, ..*record };
    }

    /// `Running` → `InMemory`, or → `Released` at once where nobody reads it.
    pub fn finish(&mut self, graph: &Graph, task: TaskId, worker: WorkerId) {
        self.bring_in(graph, task, worker);
        self.read_inputs(graph, task, |tasks, input| tasks.read(input));
    }

    /// The result of `task`, which was running, is in memory: its readers hear of it. What it has read does elsewhere.
    pub fn bring_in(&mut self, graph: &Graph, task: TaskId, worker: WorkerId) {
        self.counts.done += 1;
        self.counts.running -= 1;
        // Its readers count it as the one that comes, and it isn't in memory before all have.
        let unread = self.tell_readers(graph, task);
        let unread = unread - u32::from(unread > 3 && planted::has(Bug::ReaderIsNotCounted));
        let layer = &mut self.layers[task.layer.0 as usize];
        let is_wanted = layer.wanted.contains(task.index);
        self.counts.unfinished_wanted -= u64::from(is_wanted);
        if is_wanted && let Some(told) = &mut self.told {
            TaskRange::push(&mut told.changed, task);
        }
        let record = layer.open(task.index);
        *record = Record { worker, count: unread, tag: Tag::InMemory, is_special: false, ..*record };
        layer.pages.held_by(task.index, worker);
        self.hold(task.layer, worker, 1, is_wanted);
        // Who looks at all that a task reads has to find it there.
        self.open_gates(graph, task);
        self.tell_others(TaskRange::one(task));
        if unread == 0 && !self.is_kept(task) {
            self.release(task);
        }
    }

    /// `Running` → `Released`: its result went with its readers.
    pub fn spend(&mut self, graph: &Graph, task: TaskId) {
        self.end_hand_out(task);
        self.counts.done += 1;
        let layer = &mut self.layers[task.layer.0 as usize];
        let record = layer.open(task.index);
        *record = Record { failures: record.failures, ..Record::RELEASED };
        layer.pages.released(task.index);
        self.read_inputs(graph, task, |tasks, input| tasks.read(input));
    }

    /// `Running` → `Ready`; or → `Waiting`, where an input was lost meanwhile.
    pub fn again(&mut self, graph: &Graph, task: TaskId) {
        self.end_hand_out(task);
        // What it reads may have been made by the same assignment, and not be there; or have been lost since.
        let missing = self.count_missing(graph, task);
        self.set_waiting_or_ready(graph, task, missing);
    }

    /// `task`, which is running, won't be done by the hand-out that it is on.
    pub fn end_hand_out(&mut self, task: TaskId) {
        self.counts.running -= 1;
        let record = self.layers[task.layer.0 as usize].open(task.index);
        if std::mem::take(&mut record.is_special) {
            push_for(&mut self.discards, record.worker, task);
        }
    }

    /// `worker` has a result of `task` that comes from an older hand-out: it is dropped, unless that would drop a newer one.
    pub fn take_old_result(&mut self, task: TaskId, worker: WorkerId) {
        let record = self.record(task);
        let is_needed = self.is_needed(task);
        if is_needed && record.tag == Tag::Running && record.worker == worker {
            // To drop it now might drop the one that is coming: that takes its place, or it is dropped when the
            // hand-out ends.
            self.layers[task.layer.0 as usize].open(task.index).is_special = true;
        } else if !(is_needed && self.holds(worker, task)) {
            push_for(&mut self.discards, worker, task);
        }
    }

    /// The same of `tasks` of which nothing runs and nothing is in memory.
    pub fn take_unknown_results(&mut self, tasks: TaskRange, worker: WorkerId) {
        push_all_for(&mut self.discards, worker, tasks);
    }

    /// `worker` has fetched copies of `tasks`.
    pub fn add_copies(&mut self, tasks: TaskRange, worker: WorkerId) {
        for (is_live, part) in self.stretches(tasks).collect::<SmallVec<[_; 4]>>() {
            match is_live {
                true => part.tasks().for_each(|task| self.add_copy(task, worker)),
                false => self.take_unknown_results(part, worker),
            }
        }
    }

    /// `worker` has fetched a copy of `task`. It is dropped if nobody needs it any more.
    pub fn add_copy(&mut self, task: TaskId, worker: WorkerId) {
        if !self.is_needed(task) || !self.is_in_memory(task) || self.holds(worker, task) {
            return self.take_old_result(task, worker);
        }
        self.unreached.forget(TaskRange::one(task));
        self.hold(task.layer, worker, 1, self.is_wanted(task));
        self.replicas.entry(task).or_default().insert(worker);
        let layer = &mut self.layers[task.layer.0 as usize];
        layer.open(task.index).is_special = true;
        layer.pages.held_by(task.index, worker);
    }

    /// Counts a failure of `task`, which is running, and says how many there have been.
    pub fn count_failure(&mut self, task: TaskId) -> u32 {
        let record = self.layers[task.layer.0 as usize].open(task.index);
        record.failures = record.failures.saturating_add(1);
        u32::from(record.failures)
    }

    /// Puts `task` into `Waiting` or `Ready`.
    pub fn set_waiting_or_ready(&mut self, graph: &Graph, task: TaskId, missing: u64) {
        if missing == 0 {
            return self.make_ready(task);
        }
        if self.layers[task.layer.0 as usize].gates.is_some() {
            let told = self.missing(graph, task).told;
            return self.wait_at_gates(graph, task, told);
        }
        let layer = &mut self.layers[task.layer.0 as usize];
        let count = if layer.exchange.is_some() { 0 } else { missing as u32 };
        let record = layer.open(task.index);
        *record = Record { count, tag: Tag::Waiting, ..*record };
    }

    pub fn make_ready(&mut self, task: TaskId) {
        let layer = &mut self.layers[task.layer.0 as usize];
        let (priority, len, is_scattered) = (layer.priority, layer.len, layer.is_scattered);
        let queue = &mut self.queues[layer.class as usize];
        let record = layer.open(task.index);
        *record = Record { count: 0, tag: Tag::Ready, ..*record };
        self.counts.ready += 1;
        match is_scattered {
            true => queue.push_scattered(priority, task.layer, task.index, len),
            false => queue.push(priority, task.layer, task.index),
        }
    }

    /// Tells the readers of `task` that it is in memory, and counts the reads that are to come.
    pub fn tell_readers(&mut self, graph: &Graph, task: TaskId) -> u32 {
        let mut unread = 0;
        let feeds_gates = self.feeds_gates(task.layer);
        for &id in graph.readers_of(task) {
            self.steps += 1;
            if let Some(exchange) = &mut self.layers[id.0 as usize].exchange {
                unread += u32::from(exchange.consumers_left > 0);
                exchange.producers_left -= 1;
                if exchange.producers_left == 0 && exchange.consumers_left > 0 {
                    self.open_exchange(graph, id);
                }
                continue;
            }
            if feeds_gates {
                unread += self.unread_at_gates(graph, id, task);
            }
            let gated = self.layers[id.0 as usize].gated();
            for_each_told(graph, id, gated, task, |index| unread += self.tell_reader(graph, TaskId::new(id, index)));
        }
        unread
    }

    /// One input of `reader` came into memory: 1 if it will read it.
    fn tell_reader(&mut self, graph: &Graph, reader: TaskId) -> u32 {
        let layer = &mut self.layers[reader.layer.0 as usize];
        if !layer.needed.contains(reader.index) {
            return 0;
        }
        let is_gated = layer.gates.is_some();
        // Opened, each of the many that read through a gate would have a record.
        if is_gated && layer.pages.get(reader.index).tag == Tag::Untouched {
            self.tell_untouched(graph, reader);
            return 1;
        }
        let record = layer.open(reader.index);
        match record.tag {
            Tag::Untouched => match graph.input_count(reader) {
                1 => self.make_ready(reader),
                inputs => *record = Record { count: inputs as u32 - 1, tag: Tag::Waiting, ..*record },
            },
            Tag::Waiting if record.count == 1 && is_gated => self.wait_at_gates(graph, reader, 0),
            Tag::Waiting if record.count == 1 => self.make_ready(reader),
            Tag::Waiting => record.count -= 1,
            // It runs, or may run, with the copy that was lost since; and will have read this one when it ends.
            Tag::Running => {}
            Tag::Ready => unreachable!("{reader} was ready before all its inputs were in memory"),
            Tag::InMemory | Tag::Released => return 0,
        }
        1
    }

    /// Everything that an all-to-all layer reads is there: its untouched tasks start from a cursor, and those that are known
    /// to wait are queued.
    fn open_exchange(&mut self, graph: &Graph, layer: LayerId) {
        let live = self.layers[layer.0 as usize].pages.live();
        let waiting: Vec<_> = live.filter(|(_, record)| record.tag == Tag::Waiting).map(|(index, _)| index).collect();
        waiting.into_iter().for_each(|index| self.make_ready(TaskId::new(layer, index)));
        let left = self.layers[layer.0 as usize].len;
        self.open_sources(graph, layer, left);
    }

    /// `task` is done: `read` is called with each input that it was the last to read, of those that it was told of one by one.
    pub fn read_inputs(&mut self, graph: &Graph, task: TaskId, read: impl FnMut(&mut Self, TaskId)) {
        if let Some(exchange) = &mut self.layers[task.layer.0 as usize].exchange {
            exchange.consumers_left -= 1;
            // All consumers are one read of each producer: only the last of them leaves it.
            if exchange.consumers_left > 0 {
                return;
            }
            self.close_sources(task.layer);
        }
        self.leave_inputs(graph, task, read);
    }

    /// One of the reads to come of `input` won't be, since its reader is done or not needed. An input that isn't there is
    /// being recomputed, and will count its readers when it is.
    pub fn read(&mut self, input: TaskId) {
        let layer = &mut self.layers[input.layer.0 as usize];
        if let Some(record) = layer.pages.get_mut(input.index).filter(|record| record.tag == Tag::InMemory) {
            record.count -= 1;
            if record.count == 0 && !self.is_kept(input) {
                self.release(input);
            }
        }
    }

    /// `InMemory` → `Released`, where nobody needs it: all copies are dropped.
    pub fn release(&mut self, task: TaskId) {
        if self.record(task).is_special {
            for worker in self.replicas.remove(&task).iter().flat_map(Copies::iter) {
                self.let_go(task.layer, worker, 1, false);
                push_for(&mut self.discards, worker, task);
            }
        }
        let worker = self.leave_memory(task);
        if worker != ELSEWHERE {
            push_for(&mut self.discards, worker, task);
        }
    }

    /// The result of `task`, which a client wants, counts for nothing: whoever holds it discards it, and it would have to be made again.
    pub fn forsake(&mut self, graph: &Graph, task: TaskId) {
        let (record, is_wanted) = (self.record(task), self.is_wanted(task));
        for worker in self.replicas.remove(&task).iter().filter(|_| record.is_special).flat_map(Copies::iter) {
            self.let_go(task.layer, worker, 1, is_wanted);
            push_for(&mut self.discards, worker, task);
        }
        if record.worker != ELSEWHERE {
            push_for(&mut self.discards, record.worker, task);
        }
        self.lose(graph, task);
    }

    /// `InMemory` → `Released`. Says who held it.
    pub fn leave_memory(&mut self, task: TaskId) -> WorkerId {
        let layer = &mut self.layers[task.layer.0 as usize];
        let (is_wanted, feeds_gates) = (layer.wanted.contains(task.index), !layer.gated_readers.is_empty());
        let record = layer.open(task.index);
        let worker = record.worker;
        // If it is made again, its failures still count.
        *record = Record { failures: record.failures, ..Record::RELEASED };
        layer.pages.released(task.index);
        self.unreached.forget(TaskRange::one(task));
        match worker {
            ELSEWHERE => self.leave(TaskRange::one(task)),
            _ => self.let_go(task.layer, worker, 1, is_wanted),
        }
        self.count_out_of_exchanges(task.layer, 1);
        if feeds_gates {
            self.close_gates(task);
        }
        worker
    }
}
