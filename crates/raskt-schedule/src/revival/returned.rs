//! What workers have kept from before their scheduler began anew.
//!
//! A scheduler that has begun anew knows what is wanted and that nothing is done. Each result that a worker has kept is one that
//! needn't be made, and what only it would have read needn't be either.

use crate::collections::worklist::Worklist;
use crate::estimate::LARGEST;
use crate::placed::Handed;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::take::draft::BATCH_TASKS;
use crate::task::Tag;
use crate::tasks::Tasks;
use crate::{RunId, TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, TaskId};

impl Scheduler {
    pub(crate) fn take_kept(&mut self, id: RunId, tasks: &[(TaskRange, u64)], worker: WorkerId) {
        if !self.workers.contains(worker) || !self.runs.contains_key(&id) {
            return;
        }
        self.workers.know(worker, id, true);
        self.change(id, |run| {
            run.know(worker);
            run.take_kept(tasks, worker);
        });
    }
}

impl Scheduler {
    /// `worker` still runs `tasks`: what of them could be begun now counts as handed out to it.
    pub(crate) fn run_on(&mut self, id: RunId, tasks: &[TaskRange], worker: WorkerId) {
        let limits = self.limits(id, worker);
        let Some(state) = self.workers.get(worker).filter(|state| !state.is_kept()) else { return };
        let Some((run, others)) = self.runs.split(&id) else { return };
        let Some((class, begun)) = run.could_begin(tasks) else { return };
        let requirement = run.requirement_of(class);
        if requirement.as_deref().is_some_and(|required| !state.has_free(required)) {
            return;
        }
        let Some(batch) = run.take_begun(others, &begun, worker, limits) else { return };
        let gives_back = self.gives_back(id, &batch.tasks);
        self.hand_over(id, worker, batch, requirement, Handed { gives_back, is_lent: false, stays: false });
        self.publish(id);
    }
}

impl Run {
    /// Those of `tasks` that could begin, if they are of the class of the first of them.
    fn could_begin(&self, tasks: &[TaskRange]) -> Option<(u32, Vec<TaskRange>)> {
        let begun = tasks.iter().flat_map(|&range| range.tasks()).take(BATCH_TASKS as usize);
        let could = begun.filter(|&task| {
            let is_ready = match self.tasks.record(task).tag {
                Tag::Ready => true,
                Tag::Untouched => self.graph.input_count(task) == 0,
                _ => false,
            };
            is_ready && self.tasks.is_needed(task) && !self.tasks.is_imported(task) && !self.suspects.contains(task)
        });
        let could = TaskRange::of(could);
        let class = |layer: LayerId| self.tasks.layers[layer.0 as usize].class;
        let first = class(could.first()?.layer);
        Some((first, could.into_iter().filter(|range| class(range.layer) == first).collect()))
    }

    fn take_kept(&mut self, tasks: &[(TaskRange, u64)], worker: WorkerId) {
        let mut unread = Worklist::default();
        for &(range, bytes) in tasks.iter().filter(|(range, _)| !range.is_empty()) {
            let each = (bytes / range.len()).min(LARGEST);
            self.tasks.learn_size(range.layer, each);
            self.estimates[range.layer.0 as usize].learn_bytes(range.len(), each.saturating_mul(range.len()));
            let mut next = range.start;
            // Many more may be held than are needed.
            while let Some(index) = self.tasks.next_needed(range, next) {
                self.tasks.take_unknown_results(TaskRange { start: next, end: index, ..range }, worker);
                let task = TaskId::new(range.layer, index);
                if self.tasks.take_kept(&self.graph, task, worker, &mut unread) {
                    self.clear(task);
                }
                next = index + 1;
            }
            self.tasks.take_unknown_results(TaskRange { start: next, ..range }, worker);
        }
        self.tasks.drop_unread(&self.graph, unread);
    }
}

impl Tasks {
    fn next_needed(&self, range: TaskRange, from: u64) -> Option<u64> {
        if from >= range.end {
            return None;
        }
        self.layers[range.layer.0 as usize].needed.next(from, range.end)
    }

    /// `worker` has kept the result of `task`, which is needed. Says whether it is the one that was missing.
    fn take_kept(&mut self, graph: &Graph, task: TaskId, worker: WorkerId, unread: &mut Worklist) -> bool {
        match self.record(task).tag {
            Tag::InMemory if !self.is_imported(task) => self.add_copy(task, worker),
            Tag::Untouched | Tag::Waiting | Tag::Ready | Tag::Running if !self.is_imported(task) => {
                self.adopt(graph, task, worker, unread);
                return true;
            }
            _ => self.take_old_result(task, worker),
        }
        false
    }

    /// The result of `task`, which isn't done, turns out to be with `worker`.
    fn adopt(&mut self, graph: &Graph, task: TaskId, worker: WorkerId, unread: &mut Worklist) {
        self.withdraw(task);
        let attempt = self.begin_attempt();
        self.hand_out(task, worker, attempt);
        self.bring_in(graph, task, worker);
        self.read_inputs(graph, task, |tasks, input| match tasks.record(input).tag {
            Tag::InMemory => tasks.read(input),
            Tag::Released => {}
            // It won't be read by this one: it may be that nobody else does.
            _ => unread.insert(TaskRange::one(input)),
        });
    }

    /// `task` isn't to be run: whoever was handed it is to give it back, if it hasn't begun it.
    fn withdraw(&mut self, task: TaskId) {
        let record = self.record(task);
        match record.tag {
            Tag::Running => {
                self.end_hand_out(task);
                self.cancelled.push(((record.worker, record.attempt), TaskRange::one(task)));
            }
            // It stays in its queue, and is passed there.
            Tag::Ready => {
                self.leave_ready(task);
                self.layers[task.layer.0 as usize].open(task.index).tag = Tag::Waiting;
            }
            _ => {}
        }
    }
}
