//! What workers tell of results that they fetch from one another.

use crate::links::located::OtherRuns;
use crate::placed::Handed;
use crate::requirement::Requirement;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::{Attempt, Outcome, Report, RunId, TaskRange, WorkerId};
use raskt_graph::{LayerId, TaskId};

/// Tries to fetch a copy in vain with which it counts as lost, whoever tries and however long it takes.
const FETCHES: u32 = 4;

impl Scheduler {
    /// `worker` has copies of results that others hold as well.
    pub(crate) fn fetched(&mut self, worker: WorkerId, id: RunId, tasks: &[TaskRange]) {
        if self.workers.contains(worker) && self.runs.contains_key(&id) {
            self.workers.know(worker, id, true);
            self.change(id, |run| {
                run.know(worker);
                tasks.iter().for_each(|&range| run.tasks.add_copies(range, worker));
            });
        }
    }

    /// An assignment comes back since an input couldn't be fetched. If the holder was reached and doesn't have it, or can't be
    /// reached again and again, the copy counts as lost; at first another worker is tried. Ways that were closed are taken for
    /// open again after a while, and finding out may take longer than that: so what fails is counted for each copy as well.
    pub(crate) fn fetch_failed(
        &mut self,
        worker: WorkerId,
        (id, attempt): (RunId, Attempt),
        (input_run, task): (RunId, TaskId),
        from: WorkerId,
        reached: bool,
    ) {
        let Some(placed) = self.workers.close(worker, id, attempt) else { return };
        self.look_at_borrowers(worker);
        self.queue.give_back(id, placed.priority, placed.charged);
        // Where nobody else can take it, it would only come back here.
        let is_only_one = placed.requirement.as_deref().is_some_and(|required| self.workers.is_only_one(required));
        let now = self.now;
        // Who was reached and doesn't have it can be reached.
        let fails_again = !reached && self.workers.note_unreachable(worker, from, placed.since, now);
        let is_lost = fails_again || reached || is_only_one;
        self.change(input_run, |run| {
            let is_there = run.tasks.is_needed(task) && run.tasks.holds(from, task);
            if is_there && (run.tasks.unreached.count(task, from, now) >= FETCHES || is_lost) {
                run.tasks.lose_those_of(&run.graph, from, &[TaskRange::one(task)]);
                run.tasks.take_old_result(task, from);
            }
            if input_run == id {
                run.requeue(attempt, &placed.tasks);
            }
        });
        if input_run != id {
            self.change(id, |run| run.requeue(attempt, &placed.tasks));
        }
    }

    /// An assignment comes back since an input of `reader` can be had where it is and nowhere else. What reads something of who holds
    /// that goes there: first in line or not, and nobody takes it from there. Where that comes about again and again, as of two inputs that
    /// lie apart, the reader has failed; not where the holder has only something else to do, or takes nothing for a while. Until it has
    /// ended that, others try in vain, and tell it later each time.
    pub(crate) fn unsendable(
        &mut self,
        worker: WorkerId,
        (id, attempt): (RunId, Attempt),
        reader: TaskId,
        (from, is_deadly): (WorkerId, bool),
    ) {
        let Some(placed) = self.workers.get(worker).and_then(|state| state.find(id, attempt)) else { return };
        let is_later = self.could_hand_later(from, placed.requirement.as_deref()) || self.has_suspect_of(from, id);
        let Some(run) = self.runs.get_mut(&id) else { return };
        let mut is_too_often = || match is_deadly {
            true => run.is_deadly_too_often(reader, worker, from),
            false => run.is_refused_too_often(reader),
        };
        if from == worker || !is_later && is_too_often() {
            let outcomes = one_failed(&placed.tasks, reader);
            return self.take_report(worker, Report { run: id, attempt, outcomes, nanoseconds: 1 });
        }
        let Some(placed) = self.workers.close(worker, id, attempt) else { return };
        self.look_at_borrowers(worker);
        self.queue.give_back(id, placed.priority, placed.charged);
        self.change(id, |run| run.requeue(attempt, &placed.tasks));
        let Some((run, others)) = self.runs.split(&id) else { return };
        let tasks = placed.tasks.iter().flat_map(|range| range.tasks());
        let readers = TaskRange::of(tasks.filter(|&task| task == reader || run.reads_of(others, task, from)));
        self.hand_to_holder(id, from, &readers);
    }

    /// Whether `holder` could have what requires that once it has ended something else, or begins something again.
    fn could_hand_later(&self, holder: WorkerId, requirement: Option<&Requirement>) -> bool {
        let required = requirement.map(Requirement::of_holder);
        let is_able = self.has_slots(holder) && self.workers.is_able(holder, required.as_deref());
        !is_able && self.workers.could_take(holder, required.as_deref())
    }

    fn has_slots(&self, worker: WorkerId) -> bool {
        self.workers.get(worker).is_some_and(|state| state.slots() > 0 && !state.begins_nothing())
    }

    fn hand_to_holder(&mut self, id: RunId, holder: WorkerId, tasks: &[TaskRange]) {
        let Some(run) = self.runs.get(&id) else { return };
        let Some(layer) = tasks.first().map(|range| range.layer) else { return };
        let class = |layer: LayerId| run.tasks.layers[layer.0 as usize].class;
        let requirement = run.requirement_of(class(layer));
        let is_other = |range: &TaskRange| class(range.layer) != class(layer);
        let mut suspects = tasks.iter().flat_map(|range| range.tasks()).map(|task| run.suspects.group_of(task));
        let suspects = suspects.find_map(|group| group);
        let required = requirement.as_deref().map(Requirement::of_holder);
        let is_able = self.has_slots(holder) && self.workers.is_able(holder, required.as_deref());
        if !is_able || tasks.iter().any(is_other) {
            return;
        }
        if let Some(group) = suspects {
            // They run alone, there as elsewhere. Who has one of the run waits for it, and may not be alone with another.
            if !self.has_suspect_of(holder, id) && self.runs[&id].suspects.worker_of(group).is_none() {
                self.keep_for(holder, id, group, true);
            }
            return;
        }
        let limits = self.limits(id, holder);
        let batch = self.runs.split(&id).and_then(|(run, others)| run.take_these(others, tasks, holder, limits, false));
        let Some(batch) = batch else { return };
        let gives_back = self.gives_back(id, &batch.tasks);
        self.hand_over(id, holder, batch, requirement, Handed { gives_back, is_lent: false, stays: true });
        self.publish(id);
    }
}

impl Run {
    /// Whether `task` reads something that `holder` holds.
    fn reads_of(&self, others: OtherRuns, task: TaskId, holder: WorkerId) -> bool {
        let mut reads = false;
        self.graph.for_each_input(task, |input| {
            let located = self.locate(others, input);
            reads = reads || located.tasks.holds(holder, located.task);
        });
        reads
    }
}

/// One of `tasks` has failed, and the others weren't run.
fn one_failed(tasks: &[TaskRange], failed: TaskId) -> Vec<(TaskRange, Outcome)> {
    let mut outcomes = vec![];
    for task in tasks.iter().flat_map(|range| range.tasks()) {
        Outcome::push(&mut outcomes, task, if task == failed { Outcome::Failed } else { Outcome::NotRun });
    }
    outcomes
}
