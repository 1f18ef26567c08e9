use crate::run::{Discards, Run};
use crate::{Action, Assignment, Event, Outcome, Report, RunId, TaskState, Time, WorkerId};
use raskt_graph::TaskId;
use std::collections::{BTreeMap, VecDeque};

/// The scheduler machine: knows every task of every run and every worker, and decides who does what next.
///
/// Call [`Self::handle_event`] with what happened, then [`Self::poll_action`] until it gives nothing more.
#[derive(Debug)]
pub struct Scheduler {
    pub(crate) runs: BTreeMap<RunId, Run>,
    pub(crate) workers: BTreeMap<WorkerId, Seat>,
    actions: VecDeque<Action>,
    credit_nanoseconds: u64,
}

/// What the scheduler knows of a worker.
#[derive(Debug)]
pub(crate) struct Seat {
    pub slots: u32,
    /// Assignments that it hasn't reported, by run.
    pub outstanding: BTreeMap<RunId, u32>,
}

impl Seat {
    fn free_slots(&self) -> u32 {
        self.slots.saturating_sub(self.outstanding.values().sum())
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tasks that have ended.
    pub done: u64,
    /// Tasks that have to end.
    pub total: u64,
}

impl Scheduler {
    /// A scheduler that hands out about `credit_nanoseconds` of work at a time: enough to hide the way to the worker and
    /// back, little enough to share evenly.
    pub fn new(credit_nanoseconds: u64) -> Self {
        Self { runs: BTreeMap::new(), workers: BTreeMap::new(), actions: VecDeque::new(), credit_nanoseconds }
    }

    /// Takes in what happened.
    pub fn handle_event(&mut self, _now: Time, event: Event) {
        match event {
            Event::GraphAdded { run, graph, wanted } => {
                self.runs.insert(run, Run::new(graph, &wanted));
                self.settle(run);
            }
            Event::RunReleased { run } => self.forget(run),
            Event::WorkerJoined { worker, slots } => {
                self.workers.insert(worker, Seat { slots, outstanding: BTreeMap::new() });
            }
            Event::WorkerResized { worker, slots } => {
                if let Some(seat) = self.workers.get_mut(&worker) {
                    seat.slots = slots;
                }
            }
            Event::WorkerLost { worker } => {
                self.workers.remove(&worker);
                self.runs.values_mut().for_each(|run| run.lose(worker));
            }
            Event::Reported { worker, report } => self.take_report(worker, report),
        }
        self.assign();
    }

    /// The next thing to do, until there is none.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// How far `run` has come; nothing if it isn't known.
    pub fn progress(&self, run: RunId) -> Option<Progress> {
        self.runs.get(&run).map(|run| Progress { done: run.done, total: run.total })
    }

    /// Where `task` of `run` stands; nothing if the run isn't known or nobody needs the task.
    pub fn task_state(&self, run: RunId, task: TaskId) -> Option<TaskState> {
        let run = self.runs.get(&run)?;
        run.needed.contains(task).then(|| run.record(task).state)
    }

    fn take_report(&mut self, worker: WorkerId, report: Report) {
        let Some(seat) = self.workers.get_mut(&worker) else { return };
        if let Some(outstanding) = seat.outstanding.get_mut(&report.run) {
            *outstanding = outstanding.saturating_sub(1);
        }
        let Some(run) = self.runs.get_mut(&report.run) else { return };
        let mut discards = Discards::new();
        let mut failed = None;
        let (mut ran, mut last) = (0, None);
        for (range, outcome) in &report.outcomes {
            for task in range.tasks() {
                if !run.is_current(task, worker, report.attempt) {
                    continue;
                }
                match outcome {
                    Outcome::Done { .. } => run.finish(task, worker, &mut discards),
                    Outcome::Failed => {
                        let retries = run.graph.layer(task.layer).annotations.retries;
                        match run.count_failure(task) {
                            failures if failures > retries => failed = failed.or(Some(task)),
                            _ => run.try_again(task),
                        }
                    }
                    Outcome::NotRun => run.not_run(task),
                }
                ran += u64::from(*outcome != Outcome::NotRun);
                last = Some(task.layer);
            }
        }
        if let Some(layer) = last {
            run.estimates.learn(run.graph.layer(layer).op, layer, ran, report.nanoseconds);
        }
        let discards = discards.into_iter().map(|(worker, tasks)| Action::Discard { worker, run: report.run, tasks });
        self.actions.extend(discards);
        match failed {
            Some(task) => self.fail(report.run, task, worker),
            None => self.settle(report.run),
        }
    }

    /// Tells the client once all that it wants is there.
    fn settle(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if run.unfinished_wanted == 0 && !run.finished {
            run.finished = true;
            self.actions.push_back(Action::Finished { run: id });
        }
    }

    fn fail(&mut self, run: RunId, task: TaskId, worker: WorkerId) {
        self.actions.push_back(Action::Failed { run, task, worker });
        self.forget(run);
    }

    fn forget(&mut self, run: RunId) {
        if self.runs.remove(&run).is_none() {
            return;
        }
        for (&worker, seat) in &mut self.workers {
            seat.outstanding.remove(&run);
            self.actions.push_back(Action::Forget { worker, run });
        }
    }

    /// Gives work to free slots: oldest run first, the freest worker first.
    fn assign(&mut self) {
        let slots = self.workers.values().map(|seat| u64::from(seat.slots)).sum::<u64>().max(1);
        for (&id, run) in &mut self.runs {
            loop {
                let free = self.workers.iter_mut().filter(|(_, seat)| seat.free_slots() > 0);
                let Some((&worker, seat)) =
                    free.max_by_key(|(worker, seat)| (seat.free_slots(), std::cmp::Reverse(**worker)))
                else {
                    return;
                };
                // Half of an even share, so that the last assignments are small and end together.
                let share = run.ready_hint() / (2 * slots);
                let Some(batch) = run.take(worker, self.credit_nanoseconds, share) else { break };
                *seat.outstanding.entry(id).or_default() += 1;
                let assignment =
                    Assignment { run: id, attempt: batch.attempt, tasks: batch.tasks, memory: batch.memory };
                self.actions.push_back(Action::Assign { worker, assignment });
            }
        }
    }
}
