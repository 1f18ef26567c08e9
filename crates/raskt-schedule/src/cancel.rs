//! What isn't needed any more.
//!
//! A client lets go of whole collections at once. Where tasks stand alike, neighbours go together: results that nobody
//! reads, of one page and with one worker; and tasks of a page to which nothing has happened, and to what they read
//! neither. Others are looked at one by one: something was begun for each of them.

use crate::collections::worklist::Worklist;
use crate::queue::{push_all_for, push_for};
use crate::task::ELSEWHERE;
use crate::task::{Record, Tag};
use crate::tasks::Tasks;
use crate::{TaskRange, WorkerId};
use raskt_graph::{Graph, GridSet, Shape, TaskId};
use smallvec::SmallVec;
use std::ops::Range;

impl Tasks {
    /// No client wants `tasks` any more: results that nobody reads are let go, and what isn't done and nobody needs won't be.
    pub fn unwant(&mut self, graph: &Graph, tasks: &[TaskRange]) {
        let mut unread = Worklist::default();
        for &TaskRange { layer, start, end } in tasks {
            let state = &mut self.layers[layer.0 as usize];
            for wanted in state.wanted.ranges_in(start..end, state.len) {
                let state = &mut self.layers[layer.0 as usize];
                state.wanted.remove(wanted.clone(), state.len);
                if let Some(told) = &mut self.told {
                    told.known[layer.0 as usize].remove(wanted.clone(), state.len);
                }
                let mut unwanted = Vec::from([TaskRange { layer, start: wanted.start, end: wanted.end }]);
                // Nobody waits for those that have failed.
                let failed = self.failures.iter().flat_map(|failures| failures.within(unwanted[0]));
                for (failed, _) in failed.collect::<SmallVec<[_; 2]>>() {
                    failed.cut_out_of(&mut unwanted);
                }
                unwanted.into_iter().for_each(|range| self.let_go_of(range, &mut unread));
            }
        }
        self.drop_unread(graph, unread);
    }

    /// What isn't done of these tasks and nobody needs won't be, nor will what they read.
    pub fn drop_unread(&mut self, graph: &Graph, mut unread: Worklist) {
        // Within an explicit layer tasks read one another: what one doesn't read any more comes before what is left of
        // its page.
        let is_single = |task: TaskId| matches!(graph.layer(task.layer).shape, Shape::Explicit(_));
        while let Some(tasks) = unread.pop(is_single) {
            self.steps += 1 + 2 * graph.readers_within(tasks.layer, tasks.start..tasks.end).len() as u64;
            if !self.are_kept(graph, tasks) && !self.drop_untouched(graph, tasks, false, &mut unread) {
                tasks.tasks().rev().for_each(|task| self.drop_if_unread(graph, task, &mut unread));
            }
        }
    }

    /// `tasks` were wanted until now. Those that aren't done are put into `unread`.
    fn let_go_of(&mut self, tasks: TaskRange, unread: &mut Worklist) {
        let TaskRange { layer, mut start, end } = tasks;
        while start < end {
            self.steps += 1;
            let (record, next) = self.layers[layer.0 as usize].pages.alike(start..end);
            let alike = TaskRange { layer, start, end: next };
            start = next;
            match record.tag {
                Tag::InMemory if record.is_special => alike.tasks().for_each(|task| {
                    self.count_holders(task, true);
                    if record.count == 0 && !self.is_kept(task) {
                        self.release(task);
                    }
                }),
                Tag::InMemory => {
                    if record.worker != ELSEWHERE {
                        self.let_go(layer, record.worker, alike.len(), true);
                        self.hold(layer, record.worker, alike.len(), false);
                    }
                    if record.count == 0 {
                        for Range { start, end } in self.layers[layer.0 as usize].holds.gaps_in(alike.start..alike.end)
                        {
                            self.release_all(TaskRange { layer, start, end }, record.worker);
                        }
                    }
                }
                _ => {
                    self.counts.unfinished_wanted -= alike.len();
                    unread.insert(alike);
                }
            }
        }
    }

    /// `InMemory` → `Released` for neighbours on one page that stand as `record` does, and that nobody needs.
    pub fn release_alike(&mut self, tasks: TaskRange, record: &Record) {
        match record.is_special {
            true => tasks.tasks().for_each(|task| self.release(task)),
            false => self.release_all(tasks, record.worker),
        }
    }

    /// The same for what `worker` holds alone.
    fn release_all(&mut self, tasks: TaskRange, worker: WorkerId) {
        let layer = &mut self.layers[tasks.layer.0 as usize];
        if !layer.gated_readers.is_empty() {
            // Each closes what it had opened.
            return tasks.tasks().for_each(|task| self.release(task));
        }
        layer.pages.release_all(tasks.start..tasks.end);
        self.unreached.forget(tasks);
        self.count_out_of_exchanges(tasks.layer, tasks.len());
        if worker == ELSEWHERE {
            return self.leave(tasks);
        }
        self.let_go(tasks.layer, worker, tasks.len(), false);
        push_all_for(&mut self.discards, worker, tasks);
    }

    /// Drops tasks to which nothing has happened, which nobody reads, or wants unless they `have_failed`, and what they read as
    /// little; whether they were such. What their inputs are is asked of all at once, and nothing is counted of them: so there
    /// mustn't be a gate or an all-to-all layer, which count.
    pub fn drop_untouched(
        &mut self,
        graph: &Graph,
        tasks: TaskRange,
        have_failed: bool,
        unread: &mut Worklist,
    ) -> bool {
        let (layer, range) = (&self.layers[tasks.layer.0 as usize], tasks.start..tasks.end);
        if matches!(graph.layer(tasks.layer).shape, Shape::Explicit(_)) {
            // What listed tasks read isn't asked of all at once.
            return false;
        }
        let is_counted = layer.gates.is_some() || layer.exchange.is_some();
        let is_held = layer.holds.any(range.clone());
        let is_unwanted = have_failed || layer.wanted.count(range.clone()) == 0 && !is_held;
        let is_alike = is_unwanted && layer.needed.count(range.clone()) == tasks.len();
        if is_counted || !is_alike || !layer.pages.are_untouched(range.clone()) || !self.are_unread(graph, tasks) {
            return false;
        }
        let Some(inputs) = self.untouched_inputs(graph, tasks) else { return false };
        let layer = &mut self.layers[tasks.layer.0 as usize];
        layer.needed.remove(range, layer.len);
        self.counts.total -= tasks.len();
        if layer.is_imported {
            self.unask(tasks);
        }
        inputs.into_iter().for_each(|input| unread.insert(input));
        true
    }

    /// Whether it can be told of all `tasks` at once that none of them will be read.
    fn are_unread(&self, graph: &Graph, tasks: TaskRange) -> bool {
        graph.readers_within(tasks.layer, tasks.start..tasks.end).iter().all(|reader| {
            let (layer, shape) = (&self.layers[reader.0 as usize], &graph.layer(*reader).shape);
            let is_same = |port| shape.read_through(port) != Some(tasks.layer) || shape.is_read_one_to_one(port);
            let read = match shape {
                Shape::Map { .. } if (0..shape.ports()).all(is_same) => tasks.start..tasks.end,
                _ => 0..layer.len,
            };
            layer.needed.count(read) == 0
        })
    }

    /// Whether it can be told of all `tasks` at once that each is read by a task to which nothing has happened.
    fn are_kept(&self, graph: &Graph, tasks: TaskRange) -> bool {
        let range = tasks.start..tasks.end;
        graph.readers_within(tasks.layer, range.clone()).iter().any(|reader| {
            let (layer, shape) = (&self.layers[reader.0 as usize], &graph.layer(*reader).shape);
            let is_same = |port| shape.read_through(port) == Some(tasks.layer) && shape.is_read_one_to_one(port);
            let reads_each = matches!(shape, Shape::Map { .. }) && (0..shape.ports()).any(is_same);
            reads_each && layer.needed.count(range.clone()) == tasks.len() && layer.pages.are_untouched(range.clone())
        })
    }

    /// What `tasks` read between them, if nothing has happened to any of it and it isn't listed.
    fn untouched_inputs(&self, graph: &Graph, tasks: TaskRange) -> Option<Vec<TaskRange>> {
        let shape = &graph.layer(tasks.layer).shape;
        if matches!(shape, Shape::Explicit(_)) {
            return None;
        }
        let mut inputs = vec![];
        for tasks in shape.grid().boxes(tasks.start..tasks.end) {
            shape.for_each_read(&GridSet::from(tasks), |layer, grid, read| {
                read.for_each_range(grid, |range| inputs.push(TaskRange { layer, start: range.start, end: range.end }));
            });
        }
        let are_untouched = |input: &TaskRange| {
            let layer = &self.layers[input.layer.0 as usize];
            layer.pages.are_untouched(input.start..input.end)
        };
        inputs.iter().all(are_untouched).then_some(inputs)
    }

    fn drop_if_unread(&mut self, graph: &Graph, task: TaskId, unread: &mut Worklist) {
        self.steps += 1;
        let is_kept = self.is_kept(task) || self.count_unread(graph, task) > 0;
        if !is_kept && self.is_needed(task) && self.record(task).tag.is_unfinished() {
            self.drop_task(graph, task, unread);
        }
    }

    /// `Waiting`, `Ready` or `Running` → not needed. Beside [`Self::drop_untouched`], this is the one way back from
    /// being needed.
    pub fn drop_task(&mut self, graph: &Graph, task: TaskId, unread: &mut Worklist) {
        // Gates count who will read what it reads, which can't be found out any more once it isn't among the needed.
        self.count_reads(graph, task);
        let layer = &mut self.layers[task.layer.0 as usize];
        self.counts.total -= 1;
        let record = layer.pages.get(task.index);
        match record.tag {
            // It stays in its queue, and is passed there: to find it would take a search.
            Tag::Ready => self.leave_ready(task),
            Tag::Running => {
                self.end_hand_out(task);
                push_for(&mut self.cancelled, (record.worker, record.attempt), task);
            }
            _ => {}
        }
        let layer = &mut self.layers[task.layer.0 as usize];
        // If it is needed again it begins anew: what is left in its record would be taken for its state. And as one
        // that isn't needed it doesn't keep its page: `left` counts the needed alone.
        if let Some(record) = layer.pages.get_mut(task.index) {
            *record = Record::default();
        }
        layer.pages.released(task.index);
        layer.needed.remove(task.index..task.index + 1, layer.len);
        if layer.is_imported {
            return self.unask(TaskRange::one(task));
        }
        if let Some(exchange) = &mut layer.exchange {
            exchange.consumers_left -= 1;
            // All consumers are one read of each producer: only the last of them leaves it.
            if exchange.consumers_left > 0 {
                return;
            }
            self.close_sources(task.layer);
        }
        self.leave_inputs(graph, task, |tasks, input| match tasks.record(input).tag {
            Tag::InMemory => tasks.read(input),
            Tag::Released => {}
            // What isn't there counts its readers when it is; until then it has to be looked for whether there is
            // another.
            _ => unread.insert(TaskRange::one(input)),
        });
    }
}
