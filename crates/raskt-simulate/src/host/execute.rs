//! Virtual threads: an assignment is run task by task, in virtual time.

use super::memory::disk_nanoseconds;
use super::{Host, Jobs};
use crate::check::{Sometimes, Violation};
use crate::context::{Context, Happening};
use crate::job::compute;
use raskt_graph::TaskId;
use raskt_schedule::{Assignment, Outcome, TaskRange, Ticket, WorkerEvent};
use std::collections::BTreeMap;

/// An assignment on a thread.
#[derive(Debug)]
pub(crate) struct Execution {
    pub assignment: Assignment,
    tasks: Vec<TaskId>,
    /// The position of the task that runs, or runs next.
    at: usize,
    /// Inputs that were read from other workers; they go when the assignment ends.
    fetched: BTreeMap<TaskId, u64>,
    outcomes: Vec<(TaskRange, Outcome)>,
    began: u64,
    /// What the running task has read.
    inputs: Vec<u64>,
}

impl Host {
    pub(super) fn execute(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket, assignment: Assignment) {
        let Some(process) = &mut self.process else { return };
        let running = process.executions.keys().filter(|&&ticket| process.worker.is_running(ticket)).count() + 1;
        if running > process.slots as usize {
            let text = format!("worker {} runs {running} assignments on {} slots", process.address.0, process.slots);
            context.violate(Violation::new(text));
        }
        let tasks: Vec<_> = assignment.tasks.iter().flat_map(|range| range.tasks()).collect();
        let execution = Execution {
            assignment,
            tasks,
            at: 0,
            fetched: process.passing.remove(&ticket).unwrap_or_default(),
            outcomes: vec![],
            began: context.now(),
            inputs: vec![],
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
                let stored = process.memory.read(run, input, &mut noticed);
                if let Some(stored) = stored.filter(|stored| stored.is_spilled) {
                    disk_time += disk_nanoseconds(stored.bytes, disk_slowness);
                }
                let digest = stored.map(|stored| stored.digest).or(execution.fetched.get(&input).copied());
                inputs = inputs.take().zip(digest).map(|(mut inputs, digest)| {
                    inputs.push(digest);
                    inputs
                });
            });
            if let Some(inputs) = inputs {
                execution.inputs = inputs;
                let time = job.task_nanoseconds(task) * slowness / 100 + disk_time;
                context.agenda.after(time, Happening::TaskEnds { own: process.address, ticket });
                context.tell(
                    || vec![(run, TaskRange::one(task))],
                    || format!("worker {} starts {task} of run {}", process.address.0, run.0),
                );
                return process.confess(context, run, lost);
            }
            execution.note(task, Outcome::NotRun);
            execution.at += 1;
            lost.append(&mut noticed);
        }
        process.confess(context, run, lost);
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
        let digest = compute(job.plan.seed, task, execution.inputs.drain(..));
        if digest != job.result(task) {
            context.violate(Violation::of(run, task, "its result is wrong"));
        }
        let bytes = job.output_bytes(task);
        execution.note(task, Outcome::Done { bytes });
        execution.at += 1;
        process.memory.put(run, task, digest, bytes);
        if self.kills && process.memory.held > process.memory.limit + process.memory.limit / 4 {
            context.tally.saw(Sometimes::OutOfMemory);
            return self.die(context, "it was out of memory");
        }
        self.next_task(context, jobs, ticket);
    }

    fn task_failed(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.get_mut(&ticket) else { return };
        for at in execution.at..execution.tasks.len() {
            let outcome = if at == execution.at { Outcome::Failed } else { Outcome::NotRun };
            execution.note(execution.tasks[at], outcome);
        }
        self.end_execution(context, jobs, ticket);
    }

    fn end_execution(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.remove(&ticket) else { return };
        let nanoseconds = context.now() - execution.began;
        let outcomes = execution.outcomes;
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
    /// Notes how a task ended; neighbours that ended alike make one group.
    fn note(&mut self, task: TaskId, outcome: Outcome) {
        if let Some((range, last)) = self.outcomes.last_mut()
            && range.layer == task.layer
            && range.end == task.index
        {
            match (last, outcome) {
                (Outcome::Done { bytes }, Outcome::Done { bytes: more }) => {
                    *bytes += more;
                    range.end += 1;
                    return;
                }
                (Outcome::NotRun, Outcome::NotRun) => {
                    range.end += 1;
                    return;
                }
                _ => {}
            }
        }
        self.outcomes.push((TaskRange::one(task), outcome));
    }
}
