//! What runs that import from one another tell each other.
//!
//! Those that import say what they have come to need, and what they don't need any more; those that own it, what has come, gone
//! and failed. Each is written down where it happens, and told when the event at hand is taken in, before anything is handed out,
//! until there is nothing more to tell: so chains of runs may be as long as they like. Who is told looks at what is, and not at what
//! was when it was written down.

use crate::scheduler::Scheduler;
use crate::{Failure, Import, RunId, TaskRange};
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// For each of several runs, tasks of it.
type ByRun = BTreeMap<RunId, Vec<TaskRange>>;

impl Scheduler {
    /// `id` is new: those that it imports from know of it from now on.
    pub(crate) fn link(&mut self, id: RunId) {
        let Some(parts) =
            self.runs.get(&id).and_then(|run| run.tasks.imports.as_ref()).map(|imports| self.follow(imports.parts()))
        else {
            return;
        };
        for part in &parts {
            if let Some(owner) = self.runs.get_mut(&part.run) {
                owner.tasks.exports.get_or_insert_default().add(id, part);
            }
        }
        if let Some(imports) = self.runs.get_mut(&id).and_then(|run| run.tasks.imports.as_mut()) {
            imports.set_parts(parts);
        }
    }

    /// The same imports, where what they are of stands for nothing else: what stands in between needn't be kept for them.
    pub fn follow(&self, parts: &[Import]) -> Vec<Import> {
        let mut followed = Vec::with_capacity(parts.len());
        for part in parts {
            let owner = self.runs.get(&part.run).and_then(|owner| owner.tasks.imports.as_ref());
            let Some(imports) = owner.filter(|imports| imports.has_layer(part.from.layer)) else {
                followed.push(*part);
                continue;
            };
            followed.extend(imports.within(part.source()).into_iter().map(|beyond| {
                let start = part.tasks.start + (beyond.tasks.start - part.from.index);
                Import { tasks: TaskRange { start, end: start + beyond.tasks.len(), ..part.tasks }, ..beyond }
            }));
        }
        followed
    }

    /// `id` is about to be forgotten: those that it imports from need no longer keep anything for it. Those that were kept for it
    /// alone are over.
    pub(crate) fn unlink(&mut self, id: RunId) {
        _ = self.tell_owners(id);
        let Some(run) = self.runs.get(&id) else { return };
        let Some(imports) = &run.tasks.imports else { return };
        let (parts, mut held) = (imports.parts().to_vec(), ByRun::new());
        for part in &parts {
            held.entry(part.run).or_default().extend(run.tasks.held_elsewhere(part));
        }
        for part in &parts {
            if let Some(exports) = self.runs.get_mut(&part.run).and_then(|owner| owner.tasks.exports.as_mut()) {
                exports.remove(id, part);
            }
        }
        for (owner, tasks) in held {
            if self.runs.get(&owner).is_some_and(|owner| owner.is_released && !owner.has_importers()) {
                self.over.push(owner);
                continue;
            }
            self.change(owner, |owner| {
                tasks.iter().for_each(|&range| owner.tasks.let_go_for_others(&owner.graph, range));
            });
        }
        self.unsettled.remove(&id);
    }

    /// Something has happened to `id`: others may have to be told.
    pub(crate) fn note_links(&mut self, id: RunId) {
        let Some(tasks) = self.runs.get(&id).map(|run| &run.tasks) else { return };
        let asks = tasks.imports.as_ref().is_some_and(|imports| imports.have_changed());
        if asks || tasks.exports.as_ref().is_some_and(|exports| !exports.changed.is_empty()) {
            self.unsettled.insert(id);
        }
    }

    /// Has runs tell each other what there is to tell, and forgets those that are over.
    pub(crate) fn settle(&mut self) {
        loop {
            if let Some(id) = self.over.pop() {
                self.forget(id);
            } else if let Some(id) = self.unsettled.pop_first() {
                let asked = self.tell_owners(id);
                self.look_at_imports(id, &asked);
                self.tell_importers(id);
            } else if let Some(&id) = self.finishing.first() {
                self.finish(id);
            } else {
                return;
            }
        }
    }

    /// Those that `id` imports from hear what it needs and what it doesn't any more. Gives the former.
    fn tell_owners(&mut self, id: RunId) -> Vec<TaskRange> {
        let Some(imports) = self.runs.get_mut(&id).and_then(|run| run.tasks.imports.as_mut()) else { return vec![] };
        let (asked, left) = (std::mem::take(&mut imports.asked), std::mem::take(&mut imports.left));
        let sources = |tasks: &[TaskRange]| {
            let mut sources = ByRun::new();
            for part in tasks.iter().flat_map(|&range| imports.within(range)) {
                sources.entry(part.run).or_default().push(part.source());
            }
            sources
        };
        let (held, let_go) = (sources(&asked), sources(&left));
        // First what is needed: what was let go meanwhile, and is needed again, stays.
        for (owner, tasks) in held {
            self.change(owner, |owner| {
                tasks.iter().for_each(|&range| owner.tasks.hold_for_others(&owner.graph, range));
            });
        }
        for (owner, tasks) in let_go {
            self.change(owner, |owner| {
                tasks.iter().for_each(|&range| owner.tasks.let_go_for_others(&owner.graph, range));
            });
        }
        asked
    }

    /// Those that import from `id` hear what has become of it.
    fn tell_importers(&mut self, id: RunId) {
        let Some(exports) = self.runs.get_mut(&id).and_then(|run| run.tasks.exports.as_mut()) else { return };
        let changed = std::mem::take(&mut exports.changed);
        let mut told = ByRun::new();
        for (run, tasks) in changed.iter().flat_map(|&range| exports.within(range)) {
            told.entry(run).or_default().push(tasks);
        }
        told.into_iter().for_each(|(run, tasks)| self.look_at_imports(run, &tasks));
    }

    /// `tasks` of `id` stand for tasks of other runs, to which something may have happened.
    fn look_at_imports(&mut self, id: RunId, tasks: &[TaskRange]) {
        if tasks.is_empty() {
            return;
        }
        let Some((run, others)) = self.runs.split(&id) else { return };
        let Some(imports) = &run.tasks.imports else { return };
        let parts: Vec<_> = tasks.iter().flat_map(|&range| imports.within(range)).collect();
        let mut failed: BTreeMap<(RunId, TaskId), (Failure, Vec<TaskRange>)> = BTreeMap::new();
        for part in parts {
            let Some(owner) = others.get(&part.run) else { continue };
            for task in part.tasks.tasks() {
                run.tasks.steps += 1;
                let source = part.source_of(task);
                if !run.tasks.is_needed(task) {
                    continue;
                }
                match owner.tasks.is_needed(source) && owner.tasks.is_in_memory(source) {
                    true if run.is_unfinished(task) => run.come(task, owner.result_bytes(source)),
                    false if run.tasks.is_in_memory(task) => run.tasks.lose(&run.graph, task),
                    _ => {}
                }
                if let Some(failure) = owner.tasks.failure_of(source).filter(|_| run.is_unfinished(task)) {
                    let cause = (failure.run, failure.task);
                    let (_, tasks) = failed.entry(cause).or_insert_with(|| (failure.clone(), vec![]));
                    TaskRange::push(tasks, task);
                }
            }
        }
        match failed.is_empty() {
            true => self.publish(id),
            false => self.fail_imports(id, failed.into_values().collect()),
        }
    }
}
