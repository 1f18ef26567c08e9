//! Tasks that have been cancelled: what has still to be computed from them fails.
//!
//! | a cancelled task | what becomes of it |
//! |---|---|
//! | isn't done, whether it is needed or not | has failed, and so has whatever comes to need it, until it is retried |
//! | is there, and a client wants it | the same: nobody keeps it |
//! | is there, or was, and nobody wants it | nothing, but what has still to be computed from it fails |

use crate::Event;
use crate::collections::worklist::Worklist;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::task::Tag;
use crate::tasks::Tasks;
use crate::{EventError, Failure, RunId, TaskRange, Time};
use raskt_graph::{Graph, TaskId};
use std::collections::BTreeMap;

impl Scheduler {
    /// `tasks` of a run have been cancelled.
    pub(crate) fn cancel(&mut self, id: RunId, tasks: &[TaskRange]) {
        let Some(first) = tasks.iter().find(|range| !range.is_empty()) else { return };
        if !self.runs.get(&id).is_some_and(Run::goes_on) {
            return;
        }
        let task = TaskId::new(first.layer, first.start);
        let failure = Failure { run: id, task, worker: None, story: vec![] };
        // Those that read what isn't there in other runs hear of it as of any failure.
        for (reader, tasks) in self.cancel_in(id, tasks, &failure) {
            self.cancel_readers(reader, &tasks, &failure);
        }
    }

    /// The same of one run. Gives what stands in other runs for those of `tasks` that are done.
    fn cancel_in(&mut self, id: RunId, tasks: &[TaskRange], failure: &Failure) -> BTreeMap<RunId, Vec<TaskRange>> {
        let mut readers: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
        let Some(run) = self.runs.get_mut(&id) else { return readers };
        let done = run.tasks.cancel(&run.graph, tasks, failure.clone());
        if let Some(exports) = &run.tasks.exports {
            for (reader, range) in done.into_iter().flat_map(|range| exports.within(range)) {
                readers.entry(reader).or_default().push(range);
            }
        }
        self.publish(id);
        readers
    }

    /// `tasks` of a run stand for cancelled ones which are done.
    fn cancel_readers(&mut self, id: RunId, tasks: &[TaskRange], failure: &Failure) {
        match self.runs.get(&id) {
            Some(run) if run.goes_on() => _ = self.cancel_in(id, tasks, failure),
            // It is one whole.
            Some(run) if !run.is_finished => self.fail_imports(id, Vec::from([(failure.clone(), vec![])])),
            _ => {}
        }
    }

    /// Tasks of a run whose tasks stand alone had been cancelled before this scheduler began, and failed because of `failure`: the same
    /// as if that were now, but for what is done.
    pub fn cancelled_before(
        &mut self,
        now: Time,
        id: RunId,
        tasks: &[TaskRange],
        failure: &Failure,
    ) -> Result<(), EventError> {
        self.check(&Event::Cancelled { run: id, tasks: tasks.to_vec() })?;
        self.handle_event(now, Event::TimePassed);
        if self.runs.get(&id).is_some_and(Run::goes_on) {
            self.change(id, |run| run.tasks.cancel_open(&run.graph, tasks, failure.clone()));
            self.handle_event(now, Event::TimePassed);
        }
        Ok(())
    }
}

/// How cancelled tasks stand.
#[derive(Default)]
struct Cancelled {
    /// Needed, and still to be done.
    open: Worklist,
    /// Needed by nobody.
    idle: Vec<TaskRange>,
    /// They have been done, and what was made is perhaps there.
    done: Vec<TaskRange>,
    /// Those that are, and that clients want.
    wanted: Vec<TaskRange>,
}

impl Tasks {
    fn cancel(&mut self, graph: &Graph, tasks: &[TaskRange], failure: Failure) -> Vec<TaskRange> {
        let Cancelled { mut open, idle, done, wanted } = self.sort(tasks);
        done.iter().for_each(|&range| self.add_readers(graph, range, &mut open));
        wanted.iter().flat_map(|range| range.tasks()).for_each(|task| self.forsake(graph, task));
        wanted.into_iter().for_each(|range| open.insert(range));
        self.fail_cancelled(graph, open, idle, failure);
        done
    }

    /// The same, but for those that are done.
    fn cancel_open(&mut self, graph: &Graph, tasks: &[TaskRange], failure: Failure) {
        let Cancelled { open, idle, .. } = self.sort(tasks);
        self.fail_cancelled(graph, open, idle, failure);
    }

    fn fail_cancelled(&mut self, graph: &Graph, open: Worklist, mut idle: Vec<TaskRange>, failure: Failure) {
        // What has failed before goes on to have failed of that.
        let known = self.failures.iter().flat_map(|failures| idle.iter().flat_map(|&range| failures.within(range)));
        known.map(|(range, _)| range).collect::<Vec<_>>().iter().for_each(|range| range.cut_out_of(&mut idle));
        let failures = self.failures.get_or_insert_default();
        let root = failures.add_root(failure);
        idle.into_iter().for_each(|range| failures.insert(range, root));
        self.fail_of(graph, open, root);
        self.forget_unused(root);
    }

    /// How `tasks` stand: stretch by stretch, since there may be as many as numbers go.
    fn sort(&mut self, tasks: &[TaskRange]) -> Cancelled {
        let mut sorted = Cancelled::default();
        for &(mut left) in tasks {
            while !left.is_empty() {
                self.steps += 1;
                let layer = &self.layers[left.layer.0 as usize];
                if let Some(end) =
                    layer.needed.next(left.start, left.end).or(Some(left.end)).filter(|end| *end > left.start)
                {
                    sorted.idle.push(TaskRange { end, ..left });
                    left.start = end;
                    continue;
                }
                let (record, _, end) = self.alike(left);
                let part = TaskRange { end, ..left };
                left.start = end;
                if record.tag.is_unfinished() {
                    sorted.open.insert(part);
                    continue;
                }
                sorted.done.push(part);
                let wanted = layer.wanted.stretches(part.start..part.end).filter(|_| record.tag == Tag::InMemory);
                sorted.wanted.extend(wanted.map(|range| TaskRange { start: range.start, end: range.end, ..part }));
            }
        }
        sorted
    }
}
