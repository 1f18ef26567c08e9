//! What fails with a task, and is run again with it.
//!
//! A task that has failed for good isn't needed any more, and neither is what can't be computed without it: that goes as what a
//! client lets go of does, and is noted as failed ([`crate::failures`]). Whoever comes to need one of them later takes it up, and
//! it fails again with the same cause before anything is handed out. A failed task that a client wants stays wanted: it isn't
//! waited for, and is taken up when it is to be run again.

use crate::alone::failures::Root;
use crate::collections::worklist::Worklist;
use crate::pages::Pages;
use crate::planted::{self, Bug};
use crate::tasks::Tasks;
use crate::{Failure, RunId, TaskRange};
use raskt_graph::{BoxWalk, Graph, Shape, TaskId};
use std::collections::BTreeSet;
use std::ops::Range;

impl Tasks {
    /// Because of what `task` has failed, if it has.
    pub fn root_of(&self, task: TaskId) -> Option<Root> {
        self.failures.as_ref()?.root_of(task)
    }

    /// Why `task` has failed, if it has.
    pub fn failure_of(&self, task: TaskId) -> Option<&Failure> {
        let failures = self.failures.as_ref()?;
        failures.failure(failures.root_of(task)?)
    }

    /// Those of `tasks` that are needed and have still to be done have failed because of `failure`, and all that can't be computed
    /// without them.
    pub fn fail(&mut self, graph: &Graph, tasks: &[TaskRange], failure: Failure) {
        let mut pending = Worklist::default();
        tasks.iter().for_each(|&range| pending.insert(range));
        self.fail_among(graph, pending, failure);
    }

    /// The same.
    pub(super) fn fail_among(&mut self, graph: &Graph, tasks: Worklist, failure: Failure) {
        let root = self.failures.get_or_insert_default().add_root(failure);
        self.fail_of(graph, tasks, root);
        self.forget_unused(root);
    }

    /// Forgets why something has failed if nothing has.
    pub(super) fn forget_unused(&mut self, root: Root) {
        let Some(failures) = &mut self.failures else { return };
        failures.forget_unused(root);
        if failures.is_empty() {
            self.failures = None;
        }
    }

    /// Tasks that had failed have been taken up since: they fail again.
    pub fn fail_again(&mut self, graph: &Graph) {
        while let Some(task) = self.doomed.pop() {
            if let Some(root) = self.root_of(task) {
                let mut pending = Worklist::default();
                pending.insert(TaskRange::one(task));
                self.fail_of(graph, pending, root);
            }
        }
    }

    pub(super) fn fail_of(&mut self, graph: &Graph, tasks: Worklist, root: Root) {
        let failed = self.find_failing(graph, tasks);
        for &range in &failed {
            let layer = &self.layers[range.layer.0 as usize];
            let wanted = layer.wanted.ranges_in(range.start..range.end, layer.len).into_iter();
            let mut wanted: Vec<_> = wanted.map(|Range { start, end }| TaskRange { start, end, ..range }).collect();
            self.counts.unfinished_wanted -= TaskRange::count(&wanted);
            let (failures, mut new) = (self.failures.get_or_insert_default(), Vec::from([range]));
            // What had failed before, and was taken up, has the cause that it had: the client knows it, and isn't told again.
            for (known, _) in failures.within(range) {
                known.cut_out_of(&mut wanted);
                known.cut_out_of(&mut new);
            }
            new.iter().for_each(|&range| failures.insert(range, root));
            // Whoever has just come to need what had failed before looks at it himself, and others know it.
            new.into_iter().for_each(|range| self.tell_others(range));
            self.told.iter_mut().for_each(|told| told.failed.extend(wanted.iter().map(|&range| (root, range))));
        }
        // What reads a task comes after it, and goes before it.
        let mut unread = Worklist::default();
        failed.iter().rev().for_each(|&tasks| self.drop_failed(graph, tasks, &mut unread));
        // Most of what they read has failed as well.
        let mut needed = Worklist::default();
        unread.ranges().for_each(|range| self.add_needed(range, &mut needed));
        self.drop_unread(graph, needed);
    }

    /// Nothing needs `tasks` any more, which have failed: they go together as far as they can.
    fn drop_failed(&mut self, graph: &Graph, tasks: TaskRange, unread: &mut Worklist) {
        if self.drop_untouched(graph, tasks, true, unread) {
            return;
        }
        if Pages::first_page(tasks.start..tasks.end).end < tasks.end {
            let middle = Pages::first_page(tasks.start..tasks.start + tasks.len().div_ceil(2)).end;
            let middle = middle.max(Pages::last_page(tasks.start..tasks.start + tasks.len() / 2).start);
            self.drop_failed(graph, TaskRange { start: middle, ..tasks }, unread);
            return self.drop_failed(graph, TaskRange { end: middle, ..tasks }, unread);
        }
        tasks.tasks().rev().for_each(|task| self.drop_task(graph, task, unread));
    }

    /// Those of `tasks` that have still to be done, and all such tasks that read them, or what reads them: in order.
    fn find_failing(&mut self, graph: &Graph, mut pending: Worklist) -> Vec<TaskRange> {
        let mut found = vec![];
        while let Some(tasks) = pending.pop_first(|tasks| self.end_of_first(graph, tasks)) {
            self.steps += 1 + graph.readers_within(tasks.layer, tasks.start..tasks.end).len() as u64;
            let tasks = if planted::has(Bug::InnocentFails) { self.with_neighbour(tasks) } else { tasks };
            for part in self.unfinished_in(tasks) {
                found.push(part);
                self.add_readers(graph, part, &mut pending);
            }
        }
        found
    }

    /// Up to where `tasks` can be looked at together: listed ones may read one another.
    fn end_of_first(&self, graph: &Graph, tasks: TaskRange) -> u64 {
        match graph.layer(tasks.layer).shape {
            Shape::Explicit(_) => tasks.start + 1,
            _ => self.layers[tasks.layer.0 as usize].pages.end_of_first(tasks.start..tasks.end),
        }
    }

    fn with_neighbour(&self, tasks: TaskRange) -> TaskRange {
        let is_one =
            tasks.len() == 1 && !tasks.end.is_multiple_of(512) && tasks.end < self.layers[tasks.layer.0 as usize].len;
        TaskRange { end: tasks.end + u64::from(is_one), ..tasks }
    }

    /// The parts of `tasks`, which are of one page or untouched, that are needed and have still to be done.
    pub(super) fn unfinished_in(&self, tasks: TaskRange) -> Vec<TaskRange> {
        let (layer, within) = (&self.layers[tasks.layer.0 as usize], tasks.start..tasks.end);
        if layer.pages.are_untouched(within.clone()) {
            return layer
                .needed
                .stretches(within)
                .map(|Range { start, end }| TaskRange { start, end, ..tasks })
                .collect();
        }
        TaskRange::of(tasks.tasks().filter(|&task| self.is_needed(task) && self.record(task).tag.is_unfinished()))
    }

    /// Adds those of `tasks` that are needed, however many more they are.
    pub(super) fn add_needed(&self, tasks: TaskRange, pending: &mut Worklist) {
        let needed = self.layers[tasks.layer.0 as usize].needed.stretches(tasks.start..tasks.end);
        needed.for_each(|Range { start, end }| pending.insert(TaskRange { start, end, ..tasks }));
    }

    /// Adds what reads `tasks`, as far as it is needed.
    pub(super) fn add_readers(&self, graph: &Graph, tasks: TaskRange, pending: &mut Worklist) {
        for &reader in graph.readers_within(tasks.layer, tasks.start..tasks.end).iter() {
            let (shape, layer) = (&graph.layer(reader).shape, &self.layers[reader.0 as usize]);
            if layer.needed.next(0, layer.len).is_none() {
                continue;
            }
            let of_reader = |range: Range<u64>| TaskRange { layer: reader, start: range.start, end: range.end };
            if matches!(shape, Shape::Exchange { .. }) {
                self.add_needed(of_reader(0..layer.len), pending);
            }
            for port in (0..shape.ports()).filter(|&port| shape.read_through(port) == Some(tasks.layer)) {
                if shape.is_read_one_to_one(port) {
                    self.add_needed(of_reader(tasks.start..tasks.end), pending);
                    continue;
                }
                for index in tasks.start..tasks.end {
                    for_each_run(shape, port, index, |run| self.add_needed(of_reader(run), pending));
                }
            }
            if shape.ports() == 0 && !matches!(shape, Shape::Exchange { .. }) {
                for task in tasks.tasks() {
                    shape.for_each_dependent(reader, task, |index| {
                        self.add_needed(TaskRange::one(TaskId::new(reader, index)), pending);
                    });
                }
            }
        }
    }

    /// Whatever has failed because of what `tasks` have is to be run again, as far as it is wanted. Gives what had failed first, and all
    /// that had with it.
    pub fn retry(&mut self, graph: &Graph, tasks: &[TaskRange]) -> (Vec<Failure>, Vec<TaskRange>) {
        let Some(failures) = &mut self.failures else { return (vec![], vec![]) };
        let mut roots: Vec<_> = tasks.iter().flat_map(|&range| failures.within(range)).map(|(_, root)| root).collect();
        roots.sort_unstable();
        roots.dedup();
        let causes = roots.iter().filter_map(|&root| failures.failure(root).cloned()).collect();
        (causes, self.retry_roots(graph, roots))
    }

    /// The same of what has failed because of these tasks. Gives that.
    pub fn retry_causes(&mut self, graph: &Graph, causes: &BTreeSet<(RunId, TaskId)>) -> Vec<TaskRange> {
        let roots = self.failures.as_ref().map(|failures| failures.roots_of(causes)).unwrap_or_default();
        self.steps += (causes.len() + roots.len()) as u64;
        self.retry_roots(graph, roots)
    }

    fn retry_roots(&mut self, graph: &Graph, roots: Vec<Root>) -> Vec<TaskRange> {
        let Some(failures) = &mut self.failures else { return vec![] };
        let mut ranges: Vec<_> = roots.into_iter().flat_map(|root| failures.forget(root)).collect();
        if failures.is_empty() {
            self.failures = None;
        }
        if planted::has(Bug::RetryForgetsReaders) {
            ranges.truncate(1);
        }
        ranges.iter().for_each(|&range| self.want_again(graph, range));
        ranges
    }

    /// Takes those out of `tasks`, which a client has come to want, that have failed: that is what he is told.
    pub fn tell_failed(&mut self, tasks: TaskRange) -> Vec<TaskRange> {
        let mut left = Vec::from([tasks]);
        for (failed, root) in self.failures.iter().flat_map(|failures| failures.within(tasks)) {
            failed.cut_out_of(&mut left);
            self.told.iter_mut().for_each(|told| told.failed.push((root, failed)));
        }
        left
    }

    /// `tasks` are failed no longer: those that are wanted are waited for again.
    fn want_again(&mut self, graph: &Graph, tasks: TaskRange) {
        let layer = &self.layers[tasks.layer.0 as usize];
        for Range { mut start, end } in layer.wanted.ranges_in(tasks.start..tasks.end, layer.len) {
            while start < end {
                start = self.want_alike(graph, TaskRange { start, end, ..tasks });
            }
        }
    }

    /// `task` is given anew, which had failed.
    pub fn forgive(&mut self, graph: &Graph, task: TaskId) {
        let Some(root) = self.root_of(task) else { return };
        if let Some(failures) = &mut self.failures {
            failures.remove(TaskRange::one(task));
            failures.forget_unused(root);
        }
        self.want_again(graph, TaskRange::one(task));
    }
}

/// Calls `visit` with the neighbours among those that read task `index` through `port`.
fn for_each_run(shape: &Shape, port: usize, index: u64, mut visit: impl FnMut(Range<u64>)) {
    let mut walk = BoxWalk::new(&shape.grid(), &shape.readers_through(port, index));
    while walk.left() > 0 {
        let run = walk.run();
        visit(run.clone());
        walk.advance(run.end - run.start);
    }
}
