//! What is needed again: wanted by a client, or lost while somebody needs it.

mod returned;

use crate::gates::for_each_told;
use crate::planted::{self, Bug};
use crate::queue::push_for;
use crate::task::{Record, Tag};
use crate::tasks::Tasks;
use crate::{TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, TaskId};
use smallvec::SmallVec;

impl Tasks {
    /// A client wants `tasks` from now on. Those that are needed anyway and stand alike are counted together; the
    /// others have to be run, and each is taken up.
    pub fn want(&mut self, graph: &Graph, tasks: TaskRange) {
        let layer = &mut self.layers[tasks.layer.0 as usize];
        for gap in layer.wanted.gaps_in(tasks.start..tasks.end, layer.len) {
            let layer = &mut self.layers[tasks.layer.0 as usize];
            layer.wanted.insert(gap.clone(), layer.len);
            for TaskRange { mut start, end, .. } in
                self.tell_failed(TaskRange { start: gap.start, end: gap.end, ..tasks })
            {
                while start < end {
                    start = self.want_alike(graph, TaskRange { start, end, ..tasks });
                }
            }
        }
    }

    /// The first of `tasks`, and those that stand like it, are wanted from now on. Says where they end.
    pub fn want_alike(&mut self, graph: &Graph, tasks: TaskRange) -> u64 {
        self.steps += 1;
        let (record, is_needed, end) = self.alike(tasks);
        let alike = TaskRange { end, ..tasks };
        match record.tag {
            Tag::InMemory if is_needed && record.is_special => {
                alike.tasks().for_each(|task| self.count_holders(task, false));
                self.note_changed(alike);
            }
            Tag::InMemory if is_needed && self.layers[tasks.layer.0 as usize].is_imported => {
                self.note_changed(alike);
            }
            Tag::InMemory if is_needed => {
                self.let_go(alike.layer, record.worker, alike.len(), false);
                self.hold(alike.layer, record.worker, alike.len(), true);
                self.note_changed(alike);
            }
            tag => {
                self.counts.unfinished_wanted += alike.len();
                if !is_needed || tag == Tag::Released {
                    alike.tasks().for_each(|task| self.take_up(graph, task));
                }
            }
        }
        end
    }

    /// The first of `tasks`, whether it is needed, and where its neighbours end that stand as it does.
    pub fn alike(&self, tasks: TaskRange) -> (Record, bool, u64) {
        let layer = &self.layers[tasks.layer.0 as usize];
        let (record, end) = layer.pages.alike(tasks.start..tasks.end);
        let is_needed = layer.needed.contains(tasks.start);
        // What isn't needed has a record like any other, that says nothing.
        let turns = match is_needed {
            true => layer.needed.next_gap(tasks.start, end),
            false => layer.needed.next(tasks.start, end),
        };
        (record, is_needed, turns.unwrap_or(end))
    }

    /// `worker` holds the result of `task`, which a client put there and wants from now on.
    pub fn give(&mut self, graph: &Graph, task: TaskId, worker: WorkerId) {
        let layer = &mut self.layers[task.layer.0 as usize];
        // If it was given before and is gone, it isn't lost any more.
        layer.given.remove(task.index..task.index + 1, layer.len);
        self.forgive(graph, task);
        self.want(graph, TaskRange::one(task));
        match self.record(task).tag {
            Tag::InMemory => self.add_copy(task, worker),
            tag => {
                if tag == Tag::Running {
                    self.end_hand_out(task);
                }
                let attempt = self.begin_attempt();
                self.hand_out(task, worker, attempt);
                self.finish(graph, task, worker);
            }
        }
        let layer = &mut self.layers[task.layer.0 as usize];
        layer.given.insert(task.index..task.index + 1, layer.len);
    }

    /// The last copies of results are gone: what is needed of them is recomputed, and what they are made of as well.
    pub fn lose(&mut self, graph: &Graph, task: TaskId) {
        let unread = self.record(task).count;
        let is_wanted = self.is_wanted(task);
        self.counts.unfinished_wanted += u64::from(is_wanted && !planted::has(Bug::LossIsNotCounted));
        if is_wanted {
            self.note_changed(TaskRange::one(task));
        }
        self.leave_memory(task);
        self.tell_others(TaskRange::one(task));
        for &id in graph.readers_of(task) {
            if let Some(exchange) = self.layers[id.0 as usize].exchange {
                if exchange.producers_left == 1 && !planted::has(Bug::ExchangeStaysOpen) {
                    self.close_exchange(id);
                }
                continue;
            }
            self.tell_of_loss_at_gates(graph, id, task);
            let gated = self.layers[id.0 as usize].gated();
            for_each_told(graph, id, gated, task, |index| self.tell_of_loss(TaskId::new(id, index)));
        }
        if unread > 0 || self.is_kept(task) {
            self.take_up(graph, task);
        }
    }

    /// The result of `task` went with its readers: if somebody has come to need it meanwhile, it is made again.
    pub fn take_up_spent(&mut self, graph: &Graph, task: TaskId) {
        let is_gone = self.is_needed(task) && self.record(task).tag == Tag::Released;
        if is_gone && (self.is_kept(task) || self.count_unread(graph, task) > 0) {
            self.take_up(graph, task);
        }
    }

    /// All copies that `worker` holds are gone: so many of each layer. Looked at are only pages in which there may be
    /// one, until all are found.
    pub fn lose_all_of(&mut self, graph: &Graph, worker: WorkerId, held: &[(LayerId, u64)]) {
        let mut lost = vec![];
        for &(layer, count) in held {
            let mut left = count;
            for (start, records) in self.layers[layer.0 as usize].pages.maybe_with(worker) {
                self.steps += 1;
                for (task, record) in (start..).map(|index| TaskId::new(layer, index)).zip(records) {
                    let has_it = record.worker == worker || record.is_special && self.holds(worker, task);
                    if record.tag == Tag::InMemory && has_it {
                        TaskRange::push(&mut lost, task);
                        left -= 1;
                    }
                }
                if left == 0 {
                    break;
                }
            }
            debug_assert_eq!(left, 0, "results of {layer:?} that {worker:?} holds aren't found");
        }
        self.lose_those_of(graph, worker, &lost);
    }

    /// Of `tasks`, the copies that `worker` holds are gone.
    pub fn lose_those_of(&mut self, graph: &Graph, worker: WorkerId, tasks: &[TaskRange]) {
        // Which of them there are is asked before pages come and go.
        let parts = tasks.iter().flat_map(|&range| self.live_parts(range)).collect::<SmallVec<[_; 4]>>();
        for task in parts.into_iter().flat_map(TaskRange::tasks) {
            if self.is_needed(task) && self.holds(worker, task) && !self.lose_copy(task, worker) {
                self.lose(graph, task);
            }
        }
    }

    /// Of `tasks`, `worker` discards those that others hold as well, and that nothing of the run is about to read.
    pub fn drop_copies(&mut self, graph: &Graph, worker: WorkerId, tasks: &[TaskRange]) {
        let parts = tasks.iter().flat_map(|&range| self.live_parts(range)).collect::<SmallVec<[_; 4]>>();
        let may_go = |task: &TaskId| {
            let record = self.record(*task);
            let is_one_of_several = record.is_special && self.replicas.contains_key(task);
            self.is_needed(*task)
                && record.tag == Tag::InMemory
                && record.count == 0
                && is_one_of_several
                && self.holds(worker, *task)
        };
        let going: Vec<_> = parts.into_iter().flat_map(TaskRange::tasks).filter(may_go).collect();
        going.iter().for_each(|&task| push_for(&mut self.discards, worker, task));
        self.lose_those_of(graph, worker, &TaskRange::of(going));
    }

    /// Takes `worker` from those that hold `task`; whether anybody is left.
    fn lose_copy(&mut self, task: TaskId, worker: WorkerId) -> bool {
        self.unreached.forget_copy(task, worker);
        let record = self.layers[task.layer.0 as usize].open(task.index);
        let Some(others) = self.replicas.get_mut(&task).filter(|_| record.is_special) else { return false };
        if let Some(first) = others.first().filter(|_| !others.contains(worker)) {
            record.worker = first;
            others.remove(first);
        } else {
            others.remove(worker);
        }
        if others.is_empty() {
            self.replicas.remove(&task);
            record.is_special = false;
        }
        self.let_go(task.layer, worker, 1, self.is_wanted(task));
        true
    }

    /// An input of `reader` is in memory no longer.
    fn tell_of_loss(&mut self, reader: TaskId) {
        let layer = &mut self.layers[reader.layer.0 as usize];
        if !layer.needed.contains(reader.index) {
            return;
        }
        if layer.gates.is_some() && layer.pages.get(reader.index).tag == Tag::Untouched {
            return;
        }
        let record = layer.open(reader.index);
        match record.tag {
            Tag::Waiting => record.count += 1,
            Tag::Ready => {
                *record = Record { count: 1, tag: Tag::Waiting, ..*record };
                self.leave_ready(reader);
            }
            Tag::Untouched => unreachable!("{reader} wasn't told of an input that was in memory"),
            // What runs has its inputs, or will say that it misses one.
            Tag::Running | Tag::InMemory | Tag::Released => {}
        }
    }

    /// A producer of an all-to-all layer is lost: none of its tasks can start.
    fn close_exchange(&mut self, layer: LayerId) {
        self.close_sources(layer);
        let state = &mut self.layers[layer.0 as usize];
        let ready: Vec<_> =
            state.pages.live().filter(|(_, record)| record.tag == Tag::Ready).map(|(index, _)| index).collect();
        for index in ready {
            let record = self.layers[layer.0 as usize].open(index);
            *record = Record { count: 0, tag: Tag::Waiting, ..*record };
            self.leave_ready(TaskId::new(layer, index));
        }
    }

    /// Not needed, or `Released` → `Waiting` or `Ready`; and the same for all that it reads and isn't there.
    ///
    /// This is the one way by which a task becomes needed once a run has begun.
    pub fn take_up(&mut self, graph: &Graph, task: TaskId) {
        self.mark_needed(graph, task);
        // A chain of lost results may be as long as the graph: it is walked by a list and not by calls. Each comes into
        // the list once, since it is marked before.
        let mut work = Vec::from([task]);
        while let Some(task) = work.pop() {
            let missing = self.need_inputs(graph, task, &mut work);
            self.set_waiting_or_ready(graph, task, missing);
        }
    }

    fn need_inputs(&mut self, graph: &Graph, task: TaskId, work: &mut Vec<TaskId>) -> u64 {
        if let Some(exchange) = &mut self.layers[task.layer.0 as usize].exchange {
            exchange.consumers_left += 1;
            // All consumers are one read of each producer, which the first of them makes.
            if exchange.consumers_left == 1 {
                graph.for_each_input(task, |input| {
                    self.need(graph, input, work);
                });
            }
            return self.count_missing(graph, task);
        }
        if self.is_imported(task) {
            return 1;
        }
        let mut missing = 0;
        self.join_inputs(graph, task, |tasks, input, is_new| {
            let is_missing = if is_new { tasks.need(graph, input, work) } else { !tasks.is_in_memory(input) };
            missing += u64::from(is_missing);
        });
        missing
    }

    /// Somebody will read `input` who was not counted before: whether it isn't in memory. Puts it into `work` if it has to be
    /// taken up.
    fn need(&mut self, graph: &Graph, input: TaskId, work: &mut Vec<TaskId>) -> bool {
        let layer = &mut self.layers[input.layer.0 as usize];
        let tag = layer.pages.get(input.index).tag;
        match layer.needed.contains(input.index) {
            true if tag == Tag::InMemory => {
                layer.open(input.index).count += 1;
                return false;
            }
            // It will run, and counts its readers when it has: this one then as well.
            true if tag != Tag::Released => {}
            _ => {
                self.mark_needed(graph, input);
                work.push(input);
            }
        }
        true
    }

    /// Puts a task that was released or not needed into `Waiting`; what it waits for is counted by the caller.
    fn mark_needed(&mut self, graph: &Graph, task: TaskId) {
        // Gates count who will read what it reads, while it isn't among the needed yet.
        self.count_reads(graph, task);
        let layer = &mut self.layers[task.layer.0 as usize];
        // A page that is opened counts its needed tasks: it is before this one is needed, which is added.
        let record = layer.open(task.index);
        *record = Record { count: 0, tag: Tag::Waiting, ..*record };
        layer.pages.revived(task.index);
        // What has failed does so again before anything is handed out. And what nobody can make ends the run, or itself.
        if self.failures.as_ref().is_some_and(|failures| failures.root_of(task).is_some()) {
            self.doomed.push(task);
            self.counts.unfinished_wanted += u64::from(layer.wanted.contains(task.index));
        } else if layer.given.contains(task.index) {
            TaskRange::push(&mut self.lost, task);
        }
        if layer.needed.contains(task.index) {
            self.counts.done -= 1;
        } else {
            layer.needed.insert(task.index..task.index + 1, layer.len);
            self.counts.total += 1;
        }
        if layer.is_imported {
            self.ask(task);
        }
    }
}
