//! Virtual threads: an assignment is run task by task, in virtual time.

use super::memory::disk_nanoseconds;
use super::{Host, Jobs};
use crate::check::{Sometimes, Violation};
use crate::context::{Context, Happening};
use crate::job::compute;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Assignment, Outcome, RunId, TaskRange, Ticket, WorkerEvent};
use std::collections::BTreeMap;

/// An assignment on a thread.
#[derive(Debug)]
pub(crate) struct Execution {
    pub assignment: Assignment,
    tasks: Vec<TaskId>,
    /// The position of each of them.
    places: BTreeMap<TaskId, usize>,
    /// The position of the task that runs, or runs next.
    at: usize,
    /// Inputs that were read from other workers, and results that only tasks of this assignment read; they go when it ends.
    passing: BTreeMap<(RunId, TaskId), u64>,
    /// How the tasks before that one have ended.
    outcomes: Vec<Outcome>,
    began: u64,
    /// For how long its task has waited, with the slot given to others; and since when it does.
    pub(super) waited: u64,
    pub(super) waits_since: u64,
    /// What the running task has read.
    inputs: Vec<u64>,
    pub(super) stage: Stage,
    /// The running task has waited for what it submits.
    has_waited: bool,
}

/// What the thread of an assignment does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Running,
    /// Its task waits for a run that it has submitted, and has lent its slot.
    Waiting(RunId),
    /// That run has ended, and the slot is still taken.
    Resuming,
    /// Nobody waits for the assignment any more.
    Stopped,
}

impl Host {
    pub(super) fn execute(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket, assignment: Assignment) {
        let Some(process) = &mut self.process else { return };
        let running = process.active() + 1;
        let strays = process.strays_in_slots();
        if running + strays > process.slots as usize {
            let (own, slots) = (process.address.0, process.slots);
            let text =
                format!("worker {own} runs {running} assignments on {slots} slots, and {strays} for nobody in them");
            context.violate(Violation::new(text));
        }
        let tasks: Vec<_> = assignment.tasks.iter().flat_map(|range| range.tasks()).collect();
        let execution = Execution {
            assignment,
            places: tasks.iter().copied().zip(0..).collect(),
            tasks,
            at: 0,
            passing: process.passing.remove(&ticket).unwrap_or_default(),
            outcomes: vec![],
            began: context.now(),
            waited: 0,
            waits_since: 0,
            inputs: vec![],
            stage: Stage::Running,
            has_waited: false,
        };
        process.executions.insert(ticket, execution);
        self.next_task(context, jobs, ticket);
    }

    /// Starts the next task of an assignment that can read all its inputs; those that can't are not run.
    pub(super) fn next_task(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let (slowness, disk_slowness) = (self.slowness * self.plan.slowness_percent, self.disk_slowness);
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.get_mut(&ticket) else { return };
        let run = execution.assignment.run;
        // A run that its client gave up is still known to the jobs until the world ends.
        let Some(job) = jobs.get(&run) else { return };
        let mut lost = vec![];
        while let Some(&task) = execution.tasks.get(execution.at) {
            let (mut inputs, mut noticed) = (Some(vec![]), vec![]);
            let mut disk_time = 0;
            job.graph.for_each_input(task, |input| {
                let place = job.place_of(run, input, |run| jobs.get(&run));
                let stored = process.memory.read(place.0, place.1, &mut noticed);
                if let Some(stored) = stored.filter(|stored| stored.is_spilled) {
                    disk_time += disk_nanoseconds(stored.bytes, disk_slowness);
                }
                let digest = stored.map(|stored| stored.digest).or(execution.passing.get(&place).copied());
                inputs = inputs.take().zip(digest).map(|(mut inputs, digest)| {
                    inputs.push(digest);
                    inputs
                });
            });
            // What was lost is told even if a copy is at hand for this assignment, so that the task runs all the same.
            lost.append(&mut noticed);
            if let Some(inputs) = inputs {
                execution.inputs = inputs;
                execution.has_waited = false;
                let time = job.task_nanoseconds(task) * slowness / 100 + disk_time;
                context.agenda.after(time, Happening::TaskEnds { own: process.address, ticket });
                context.tell(
                    || vec![(run, TaskRange::one(task))],
                    || format!("worker {} starts {task} of run {}", process.address.0, run.0),
                );
                return process.confess(context, lost);
            }
            execution.end_task(Outcome::NotRun);
        }
        process.confess(context, lost);
        self.end_execution(context, jobs, ticket);
    }

    /// A thread came to the end of a task.
    pub fn task_ends(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.get_mut(&ticket) else { return };
        let (run, task) = (execution.assignment.run, execution.tasks[execution.at]);
        let Some(job) = jobs.get(&run) else { return };
        let tried = context.trials.entry((run, task)).or_default();
        if tried.deaths < job.deaths(task) {
            tried.deaths += 1;
            context.tally.saw(Sometimes::PoisonedWorker);
            context.killers.insert(process.address.worker(), (run, task));
            return self.die(context, &format!("task {task} of run {} killed it", run.0));
        }
        if !process.worker.is_running(ticket) {
            // Nobody waits for it any more.
            return self.end_execution(context, jobs, ticket);
        }
        if tried.failures < job.failures(task) {
            tried.failures += 1;
            return self.task_failed(context, jobs, ticket);
        }
        if let Some(nested) = job.nested(task).filter(|_| !execution.has_waited) {
            execution.has_waited = true;
            return self.wait_for(context, jobs, ticket, nested.clone());
        }
        let digest = compute(job.plan.seed, task, execution.inputs.drain(..));
        if digest != job.result(task) {
            context.violate(Violation::of(run, task, "its result is wrong"));
        }
        let bytes = job.output_bytes(task);
        execution.end_task(Outcome::Done { bytes });
        if execution.is_fleeting(task) {
            execution.passing.insert((run, task), digest);
        } else {
            process.memory.put(run, task, digest, bytes);
        }
        let percent = 100 * process.memory.held / process.memory.limit;
        context.fullest_percent = context.fullest_percent.max(percent);
        if self.kills && process.memory.held > process.memory.limit + process.memory.limit / 4 {
            context.tally.saw(Sometimes::OutOfMemory);
            return self.die(context, "it was out of memory");
        }
        execution.spend(&job.graph);
        self.next_task(context, jobs, ticket);
    }

    fn task_failed(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.get_mut(&ticket) else { return };
        execution.end_task(Outcome::Failed);
        while execution.at < execution.tasks.len() {
            execution.end_task(Outcome::NotRun);
        }
        self.end_execution(context, jobs, ticket);
    }

    pub(super) fn end_execution(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.remove(&ticket) else { return };
        let is_wanted = process.worker.is_running(ticket);
        for (task, digest, bytes) in execution.left_over().filter(|_| is_wanted) {
            process.memory.put(execution.assignment.run, task, digest, bytes);
        }
        // While it waits others have the slot.
        let nanoseconds = context.now() - execution.began - execution.waited;
        let outcomes = execution.grouped();
        self.resume(context, jobs);
        self.handle(context, jobs, WorkerEvent::Executed { ticket, outcomes, nanoseconds });
    }

    /// The worker dies of what it runs, and starts anew after a while.
    fn die(&mut self, context: &mut Context, why: &str) {
        self.crash(context, why);
        let delay = context.random.scaled(1_000_000, 200_000_000);
        context.agenda.after(delay, Happening::Starts(self.node));
    }
}

impl Execution {
    fn end_task(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
        self.at += 1;
    }

    fn is_fleeting(&self, task: TaskId) -> bool {
        self.assignment.transient.iter().any(|range| range.contains(task))
    }

    /// Lets go of what the last task has read and no other will.
    fn spend(&mut self, graph: &Graph) {
        let mut spent = vec![];
        graph.for_each_input(self.tasks[self.at - 1], |input| {
            if let Some(&at) = self.places.get(&input).filter(|_| self.is_fleeting(input)) {
                let mut is_left = false;
                graph.for_each_dependent(input, |reader| {
                    is_left |= self.places.get(&reader).is_some_and(|&reader| !self.is_done(reader));
                });
                spent.extend((!is_left && self.is_done(at)).then_some(at));
            }
        });
        for at in spent {
            if let Outcome::Done { bytes } = self.outcomes[at] {
                self.outcomes[at] = Outcome::Consumed { bytes };
                self.passing.remove(&(self.assignment.run, self.tasks[at]));
            }
        }
    }

    /// What was to go with its readers, and didn't, since one of them isn't done.
    fn left_over(&self) -> impl Iterator<Item = (TaskId, u64, u64)> {
        self.tasks.iter().zip(&self.outcomes).filter_map(|(&task, outcome)| match *outcome {
            Outcome::Done { bytes } if self.is_fleeting(task) => {
                Some((task, *self.passing.get(&(self.assignment.run, task))?, bytes))
            }
            _ => None,
        })
    }

    fn is_done(&self, at: usize) -> bool {
        matches!(self.outcomes.get(at), Some(Outcome::Done { .. } | Outcome::Consumed { .. }))
    }

    /// How all tasks ended; neighbours that ended alike make one group.
    fn grouped(&self) -> Vec<(TaskRange, Outcome)> {
        let mut groups = vec![];
        let ended = self.tasks.iter().zip(&self.outcomes);
        ended.for_each(|(&task, &outcome)| Outcome::push(&mut groups, task, outcome));
        groups
    }
}
