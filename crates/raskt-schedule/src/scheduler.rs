use crate::run::{Limits, Run};
use crate::seats::{Placed, Seats};
use crate::{Action, Assignment, Attempt, Event, Outcome, Report, RunId, TaskRange, TaskState, Time, WorkerId};
use raskt_graph::TaskId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The scheduler machine: knows every task of every run and every worker, and decides who does what next.
///
/// Call [`Self::handle_event`] with what happened, then [`Self::poll_action`] until it gives nothing more.
#[derive(Debug)]
pub struct Scheduler {
    pub(crate) runs: BTreeMap<RunId, Run>,
    pub(crate) seats: Seats,
    /// Runs that may have something to start: highest priority first, then the oldest.
    pub(crate) line: BTreeSet<(Reverse<i32>, RunId)>,
    actions: VecDeque<Action>,
    credit_nanoseconds: u64,
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
        Self {
            runs: BTreeMap::new(),
            seats: Seats::default(),
            line: BTreeSet::new(),
            actions: VecDeque::new(),
            credit_nanoseconds,
        }
    }

    /// Takes in what happened.
    pub fn handle_event(&mut self, _now: Time, event: Event) {
        match event {
            Event::GraphAdded { run, graph, wanted } => {
                self.runs.insert(run, Run::new(graph, &wanted));
                self.settle(run);
            }
            Event::Wanted { run, tasks } => self.change(run, |found| {
                found.is_finished = false;
                let Run { graph, tasks: states, .. } = found;
                tasks.into_iter().flat_map(TaskRange::tasks).for_each(|task| states.want(graph, task));
            }),
            Event::Released { run, tasks } => self.change(run, |found| {
                found.tasks.unwant(&found.graph, tasks.into_iter().flat_map(TaskRange::tasks));
            }),
            Event::RunReleased { run } => self.forget(run),
            Event::WorkerJoined { worker, offer } => self.seats.add(worker, offer),
            Event::WorkerResized { worker, slots } => self.seats.resize(worker, slots),
            Event::WorkerLost { worker, cause: _ } => self.lose_worker(worker),
            Event::ResultsLost { worker, run, tasks } => self.change(run, |found| {
                found.tasks.lose_those_of(&found.graph, worker, &tasks);
            }),
            Event::TakenBack { worker, run, attempt, tasks } => self.take_back(worker, run, attempt, &tasks),
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
        let counts = &self.runs.get(&run)?.tasks.counts;
        Some(Progress { done: counts.done, total: counts.total })
    }

    /// Where `task` of `run` stands; nothing if the run isn't known or nobody needs the task.
    pub fn task_state(&self, run: RunId, task: TaskId) -> Option<TaskState> {
        let run = self.runs.get(&run)?;
        run.tasks.is_needed(task).then(|| run.tasks.state(&run.graph, task))
    }

    /// Changes a run, and tells workers and client what follows from it.
    fn change(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.runs.get_mut(&id) {
            change(run);
            self.settle(id);
        }
    }

    /// Tells workers what a run doesn't need any more, tells the client once all that it wants is there, and puts the run in
    /// line if it has something to start.
    fn settle(&mut self, id: RunId) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if !run.tasks.discards.is_empty() {
            for (worker, tasks) in by_place(&mut run.tasks.discards) {
                if self.seats.contains(worker) {
                    self.actions.push_back(Action::Discard { worker, run: id, tasks });
                }
            }
        }
        for ((worker, attempt), tasks) in by_place(&mut run.tasks.cancelled) {
            self.actions.push_back(Action::TakeBack { worker, run: id, attempt, tasks });
        }
        let is_finished = run.tasks.counts.unfinished_wanted == 0;
        if is_finished && !run.is_finished {
            self.actions.push_back(Action::Finished { run: id });
        }
        run.is_finished = is_finished;
        let in_line = run.tasks.queue.head().map(|head| head.priority);
        if in_line != run.in_line {
            let place = |priority: i32| (Reverse(priority), id);
            run.in_line.map(|priority| self.line.remove(&place(priority)));
            in_line.map(|priority| self.line.insert(place(priority)));
            run.in_line = in_line;
        }
    }

    fn lose_worker(&mut self, worker: WorkerId) {
        let placed = self.seats.remove(worker);
        for id in self.runs.keys().copied().collect::<Vec<_>>() {
            self.change(id, |run| run.tasks.lose_all_of(&run.graph, worker));
        }
        for ((id, attempt), placed) in placed {
            self.change(id, |run| again(run, attempt, &placed.tasks));
        }
    }

    fn take_back(&mut self, worker: WorkerId, id: RunId, attempt: Attempt, tasks: &[TaskRange]) {
        self.seats.take_out(worker, id, attempt, tasks);
        self.change(id, |run| again(run, attempt, tasks));
    }

    fn take_report(&mut self, worker: WorkerId, report: Report) {
        let Report { run: id, attempt, outcomes, nanoseconds } = report;
        let placed = self.seats.close(worker, id, attempt);
        let Some(run) = self.runs.get_mut(&id) else { return };
        let (mut failed, mut ran, mut done) = (None, 0, 0);
        for &(range, outcome) in &outcomes {
            let current = match (outcome, &placed) {
                (Outcome::Done { .. }, placed) => take_results(run, worker, attempt, range, placed.is_some()),
                (Outcome::Failed, Some(_)) => count_failures(run, attempt, range, &mut failed),
                _ => 0,
            };
            ran += current;
            if let Outcome::Done { bytes } = outcome {
                done += current;
                run.estimates[range.layer.0 as usize].learn_bytes(current, bytes);
            }
        }
        if let Some(placed) = placed {
            if let Some(range) = placed.tasks.first().filter(|_| ran > 0) {
                run.estimates[range.layer.0 as usize].learn_time(ran, nanoseconds);
            }
            if done < TaskRange::count(&placed.tasks) {
                // What is neither done nor failed for good is tried again.
                again(run, attempt, &placed.tasks);
            }
        }
        match failed {
            Some(task) => self.fail(id, task, worker),
            None => self.settle(id),
        }
    }

    fn fail(&mut self, run: RunId, task: TaskId, worker: WorkerId) {
        self.actions.push_back(Action::Failed { run, task, worker });
        self.forget(run);
    }

    fn forget(&mut self, run: RunId) {
        let Some(found) = self.runs.remove(&run) else { return };
        found.in_line.map(|priority| self.line.remove(&(Reverse(priority), run)));
        self.seats.forget(run);
        let forget = self.seats.workers().map(|worker| Action::Forget { worker, run });
        self.actions.extend(forget);
    }

    /// Gives work to free slots: highest priority and oldest run first, the freest worker first.
    fn assign(&mut self) {
        while let Some(worker) = self.seats.freest()
            && let Some(&(_, id)) = self.line.first()
            && let Some(run) = self.runs.get_mut(&id)
        {
            // Half of an even share, so that the last assignments are small and end together.
            let share = run.tasks.ready_hint() / (2 * self.seats.slots().max(1));
            let limits = Limits { credit: self.credit_nanoseconds, share };
            if let Some(batch) = run.take(worker, limits) {
                let placed = Placed { tasks: batch.tasks.clone() };
                self.seats.place(worker, id, batch.attempt, placed);
                let assignment =
                    Assignment { run: id, attempt: batch.attempt, tasks: batch.tasks, memory: batch.memory };
                self.actions.push_back(Action::Assign { worker, assignment });
            }
            self.settle(id);
        }
    }
}

/// Tasks of `attempt` that are still on it go back to be tried again.
fn again(run: &mut Run, attempt: Attempt, tasks: &[TaskRange]) {
    for task in tasks.iter().flat_map(|range| range.tasks()) {
        if run.tasks.is_current(task, attempt) {
            run.tasks.again(&run.graph, task);
        }
    }
}

/// Takes in results, and says how many of them somebody waited for. A worker is to drop those that nobody did.
fn take_results(run: &mut Run, worker: WorkerId, attempt: Attempt, range: TaskRange, is_placed: bool) -> u64 {
    let mut current = 0;
    for task in range.tasks() {
        if is_placed && run.tasks.is_current(task, attempt) {
            run.tasks.finish(&run.graph, task, worker);
            current += 1;
        } else {
            run.tasks.take_old_result(task, worker);
        }
    }
    current
}

/// Counts the failures, and notes a task that has failed once too often.
fn count_failures(run: &mut Run, attempt: Attempt, range: TaskRange, failed: &mut Option<TaskId>) -> u64 {
    let retries = run.graph.layer(range.layer).annotations.retries;
    let current = range.tasks().filter(|&task| run.tasks.is_current(task, attempt)).collect::<Vec<_>>();
    for &task in &current {
        if run.tasks.count_failure(task) > retries {
            failed.get_or_insert(task);
        }
    }
    current.len() as u64
}

/// Puts together what goes to the same place.
fn by_place<T: Ord + Copy>(ranges: &mut Vec<(T, TaskRange)>) -> Vec<(T, Vec<TaskRange>)> {
    if !ranges.is_sorted_by_key(|&(to, _)| to) {
        ranges.sort_by_key(|&(to, _)| to);
    }
    let mut places: Vec<(T, Vec<TaskRange>)> = vec![];
    for (to, range) in ranges.drain(..) {
        match places.last_mut() {
            Some((last, tasks)) if *last == to => tasks.push(range),
            _ => places.push((to, Vec::from([range]))),
        }
    }
    places
}
