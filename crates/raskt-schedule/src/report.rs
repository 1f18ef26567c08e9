//! What workers tell of how tasks ended.

use crate::estimate::LONGEST;
use crate::needs::Need;
use crate::placed::Placed;
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::{Attempt, Outcome, Report, RunId, TaskRange, WorkerId};
use raskt_graph::{LayerId, TaskId};
use smallvec::SmallVec;

/// What has ended of an assignment.
#[derive(Default)]
struct Tally {
    /// Tasks that have run, by layer; layers in the order in which they came.
    ran: SmallVec<[(LayerId, u64); 4]>,
    done: u64,
    /// Tasks whose results went with their readers.
    spent: Vec<TaskRange>,
    /// Those that have failed for good.
    failed: SmallVec<[TaskId; 1]>,
}

impl Scheduler {
    pub(crate) fn take_report(&mut self, worker: WorkerId, report: Report) {
        let Report { run: id, attempt, outcomes, nanoseconds } = report;
        let placed = self.workers.close(worker, id, attempt);
        self.look_at_borrowers(worker);
        if let Some(placed) = &placed {
            self.spend(id, placed, nanoseconds.clamp(1, LONGEST));
        }
        let Some(run) = self.runs.get_mut(&id) else { return };
        let tally = take_outcomes(run, worker, attempt, &outcomes, placed.as_ref());
        run.learn_times(&tally.ran, nanoseconds);
        if let Some(placed) = placed
            && tally.done < TaskRange::count(&placed.tasks)
        {
            // What is neither done nor failed for good is tried again.
            run.requeue(attempt, &placed.tasks);
        }
        for task in tally.spent.iter().flat_map(|range| range.tasks()) {
            run.tasks.take_up_spent(&run.graph, task);
        }
        // Where a task ends its run, the first that failed does; and where each stands alone, all of them have failed.
        if tally.failed.is_empty() {
            self.publish(id);
        }
        for task in tally.failed {
            self.fail(id, task, worker, vec![]);
        }
    }

    /// An assignment of `run` has ended, after so long.
    fn spend(&mut self, run: RunId, placed: &Placed, nanoseconds: u64) {
        let need = || placed.requirement.as_deref().and_then(|required| self.workers.needs.find(required));
        // A slot that was lent is taken from nobody.
        let need = (!placed.is_lent).then(|| need().unwrap_or(Need::NONE));
        self.queue.spend(run, placed.priority, placed.charged, nanoseconds, need);
    }

    /// `worker` is to forget `run`: what it was handed out is over. What was begun goes on, and nobody will say for how long.
    pub(crate) fn end_all(&mut self, worker: WorkerId, run: RunId, above: &[RunId]) {
        for placed in self.workers.forget(worker, run, above) {
            let had = if placed.is_started { placed.nanoseconds } else { 0 };
            self.spend(run, &placed, had);
        }
        // What it had is there for those who borrow.
        self.look_at_borrowers(worker);
    }
}

/// Takes in how tasks ended; of a worker that doesn't have the assignment any more, only what it holds.
fn take_outcomes(
    run: &mut Run,
    worker: WorkerId,
    attempt: Attempt,
    outcomes: &[(TaskRange, Outcome)],
    placed: Option<&Placed>,
) -> Tally {
    let mut tally = Tally::default();
    // Those after the first that wasn't run weren't run because of it.
    let mut is_explained = outcomes.iter().any(|&(_, outcome)| outcome == Outcome::Failed);
    for &(range, outcome) in outcomes {
        if let Outcome::Done { bytes } = outcome {
            run.tasks.learn_size(range.layer, bytes / range.len().max(1));
        }
        let ran = match (outcome, placed) {
            (Outcome::Done { .. }, placed) => take_results(run, worker, attempt, range, placed.is_some()),
            (Outcome::Consumed { .. }, Some(_)) => take_consumed(run, attempt, range, &mut tally.spent),
            (Outcome::Failed, Some(_)) => count_failures(run, attempt, range, &mut tally.failed),
            (Outcome::NotRun, Some(_)) if !std::mem::replace(&mut is_explained, true) => {
                count_refusal(run, attempt, range, &mut tally.failed)
            }
            _ => 0,
        };
        if let Outcome::Done { bytes } | Outcome::Consumed { bytes } = outcome {
            tally.done += ran;
            run.estimates[range.layer.0 as usize].learn_bytes(ran, bytes);
        }
        tally.count(range.layer, ran);
    }
    tally
}

impl Tally {
    fn count(&mut self, layer: LayerId, ran: u64) {
        match self.ran.iter_mut().find(|(other, _)| *other == layer) {
            _ if ran == 0 => {}
            Some((_, count)) => *count += ran,
            None => self.ran.push((layer, ran)),
        }
    }
}

impl Run {
    /// Learns from an assignment how long tasks take. Of several layers, each is taken to have had the part of the time that
    /// was expected of it.
    fn learn_times(&mut self, ran: &[(LayerId, u64)], nanoseconds: u64) {
        if let [(layer, count)] = *ran {
            return self.estimates[layer.0 as usize].learn_time(count, nanoseconds);
        }
        let expects = |&(layer, count): &(LayerId, u64)| {
            let one = self.estimates[layer.0 as usize].nanoseconds(&self.graph.layer(layer).cost);
            u128::from(one.unwrap_or(1).max(1)) * u128::from(count)
        };
        let expected: SmallVec<[u128; 4]> = ran.iter().map(expects).collect();
        let total = expected.iter().sum::<u128>().max(1);
        for (&(layer, count), part) in ran.iter().zip(expected) {
            let part = (u128::from(nanoseconds) * part / total) as u64;
            self.estimates[layer.0 as usize].learn_time(count, part);
        }
    }
}

/// Takes in results, and says how many of them somebody waited for. A worker is to drop those that nobody did.
fn take_results(run: &mut Run, worker: WorkerId, attempt: Attempt, range: TaskRange, is_placed: bool) -> u64 {
    let mut current = 0;
    for (is_live, part) in run.tasks.stretches(range).collect::<SmallVec<[_; 4]>>() {
        match is_live {
            true => current += part.tasks().filter(|&task| take_result(run, worker, attempt, task, is_placed)).count(),
            false => run.tasks.take_unknown_results(part, worker),
        }
    }
    current as u64
}

/// The same for one; whether somebody waited for it.
fn take_result(run: &mut Run, worker: WorkerId, attempt: Attempt, task: TaskId, is_placed: bool) -> bool {
    let is_current = is_placed && run.tasks.is_current(task, attempt);
    if is_current {
        run.tasks.finish(&run.graph, task, worker);
        run.clear(task);
    } else {
        run.tasks.take_old_result(task, worker);
    }
    is_current
}

/// Whether `failures` are more than `retries` allow. A task that is counted to fail as often as can be counted has failed for
/// good, however many retries it has.
fn has_failed_for_good(failures: u32, retries: u32) -> bool {
    failures > retries || failures == u32::from(u16::MAX)
}

/// Counts the failures, and notes a task that has failed once too often.
fn count_failures(run: &mut Run, attempt: Attempt, range: TaskRange, failed: &mut SmallVec<[TaskId; 1]>) -> u64 {
    let retries = run.graph.layer(range.layer).annotations.retries;
    let current = run.tasks.current(range, attempt).collect::<Vec<_>>();
    for &task in &current {
        run.suspects.clear(task);
        if has_failed_for_good(run.tasks.count_failure(task), retries) {
            failed.push(task);
        }
    }
    current.len() as u64
}

/// Counts that a worker didn't run the first of these tasks though all that it reads is there and none of its assignment failed.
fn count_refusal(run: &mut Run, attempt: Attempt, range: TaskRange, failed: &mut SmallVec<[TaskId; 1]>) -> u64 {
    let retries = run.graph.layer(range.layer).annotations.retries;
    let first = run.tasks.current(range, attempt).next();
    if let Some(task) = first {
        let is_refused = run.tasks.count_missing(&run.graph, task) == 0;
        let counts = is_refused && run.is_refused_too_often(task);
        if counts && has_failed_for_good(run.tasks.count_failure(task), retries) {
            failed.push(task);
        }
    }
    0
}

/// Takes in that tasks were done and their results went with their readers.
fn take_consumed(run: &mut Run, attempt: Attempt, range: TaskRange, spent: &mut Vec<TaskRange>) -> u64 {
    let mut current = 0;
    for task in run.tasks.current(range, attempt).collect::<SmallVec<[_; 64]>>() {
        run.tasks.spend(&run.graph, task);
        run.clear(task);
        TaskRange::push(spent, task);
        current += 1;
    }
    current
}
