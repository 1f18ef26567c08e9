//! What workers tell of results that they fetch from one another.

use crate::scheduler::Scheduler;
use crate::{Attempt, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;

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
}
