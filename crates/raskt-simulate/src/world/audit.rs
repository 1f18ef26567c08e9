//! What the scheduler believes against what is.

use super::{Phase, World};
use crate::check::{Look, Violation, holder_of};
use crate::context::Address;
use crate::host::Process;
use crate::job::{Job, all_tasks};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskState, WorkerId};
use std::rc::Rc;

/// Events between two audits of a small world, and tasks for which there is one more: an audit looks at every task.
const EVENTS_BETWEEN_AUDITS: u64 = 8;
const TASKS_PER_EVENT: u64 = 2;
/// Tasks that are looked at in about the time that an event takes.
const TASKS_PER_WORK: u64 = 4;
/// So long a worker may have nothing to do while tasks are ready: reports and hand-outs take their time.
const IDLE_NANOSECONDS: u64 = 2_000_000_000;
/// Tasks that are named when a world is stuck.
const STUCK_TASKS: usize = 8;

impl World {
    pub(super) fn audit(&mut self) {
        self.next_audit =
            self.context.events + EVENTS_BETWEEN_AUDITS + self.head.ledger.tasks() as u64 / TASKS_PER_EVENT;
        self.context.work += self.head.ledger.tasks() as u64 / TASKS_PER_WORK;
        self.head.scheduler.validate();
        if let Err(violation) =
            self.audit_holders().and_then(|()| self.audit_memories()).and_then(|()| self.audit_idleness())
        {
            self.context.violate(violation);
        }
    }

    /// Once faults have stopped, nobody waits for long.
    pub(super) fn audit_waits(&mut self) {
        if !self.context.is_calm {
            return;
        }
        let slowest = self.scenario.hosts.iter().map(|host| host.slowness_percent).max().unwrap_or(100);
        let mut look = Look {
            scheduler: &self.head.scheduler,
            now: self.context.now(),
            is_peaceful: self.scenario.faults.is_empty(),
            slots: 0,
            resources: vec![],
            slowness_percent: slowest,
            credit: self.scenario.credit_nanoseconds,
            prefill: self.scenario.prefill_nanoseconds,
        };
        let looked = self.head.ledger.look_at_waits(&mut look, &mut self.context.tally);
        looked.unwrap_or_else(|violation| self.context.violate(violation));
    }

    /// What the scheduler says is in memory is there, unless that worker is dead and the scheduler doesn't know it yet.
    fn audit_holders(&self) -> Result<(), Violation> {
        for (run, job) in self.head.ledger.runs() {
            for task in all_tasks(&job.graph) {
                for worker in self.head.scheduler.holders(run, task) {
                    let Some(process) = self.process_of(worker) else { continue };
                    let (of, place) = job.place_of(run, task, |run| self.jobs.get(&run));
                    match process.memory.get(of, place) {
                        Some(stored) if stored.digest == job.result(task) => {}
                        Some(_) => return Err(Violation::of(run, task, &format!("{worker:?} holds a wrong result"))),
                        // The message that says so may still be on its way.
                        None if process.memory.was_lost(of, place) && process.session.waits_since().is_some() => {}
                        None => {
                            return Err(Violation::of(run, task, &format!("{worker:?} doesn't hold it, and lives")));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The process of a worker, if it lives.
    fn process_of(&self, worker: WorkerId) -> Option<&Process> {
        let address = Address::of(worker);
        let host = self.hosts.get((self.context.node_of(address).0 as usize).checked_sub(1)?)?;
        host.process.as_ref().filter(|process| process.address == address)
    }

    /// While a task is ready that could run anywhere, no worker has nothing to do.
    fn audit_idleness(&mut self) -> Result<(), Violation> {
        let now = self.context.now();
        let Some((run, task)) = self.find_ready().filter(|_| self.context.is_calm) else {
            self.ready_since = None;
            return Ok(());
        };
        let since = *self.ready_since.get_or_insert(now);
        let workers: Vec<_> = self.head.workers().collect();
        let is_idle =
            |process: &&Process| workers.contains(&process.address) && process.idle_nanoseconds(now) > IDLE_NANOSECONDS;
        match self.hosts.iter().filter_map(|host| host.process.as_ref()).find(is_idle) {
            Some(process) if now - since > IDLE_NANOSECONDS => {
                let text =
                    format!("it is ready for long, as others were before, and worker {} is idle", process.address.0);
                Err(Violation::of(run, task, &text))
            }
            _ => Ok(()),
        }
    }

    /// A task that is ready and requires nothing, nor do others of its run, and none of them waits for memory.
    fn find_ready(&self) -> Option<(RunId, TaskId)> {
        let is_ready = |run, task| self.head.scheduler.task_state(run, task) == Some(TaskState::Ready);
        let is_free = |(run, job): &(RunId, &Rc<Job>)| job.is_for_all() && !self.head.scheduler.is_held_back(*run);
        let mut free = self.head.ledger.runs().filter(is_free);
        free.find_map(|(run, job)| Some((run, all_tasks(&job.graph).find(|&task| is_ready(run, task))?)))
    }

    /// When nobody does anything, workers hold exactly what the scheduler knows of, and have the slots that it counts.
    pub(super) fn audit_inventories(&self) -> Result<(), Violation> {
        for process in self.hosts.iter().filter_map(|host| host.process.as_ref()) {
            let worker = process.address.worker();
            let (counted, slots) = (self.head.scheduler.slots_of(worker), u64::from(process.slots + process.lent()));
            if counted != Some(slots) {
                return Err(Violation::new(format!("{worker:?} has {slots} slots, and {counted:?} are counted")));
            }
            let known = |run, task| self.head.scheduler.holds(run, worker, task);
            if let Some((run, task)) = process.memory.results().find(|&(run, task)| !known(run, task)) {
                let text = format!("{worker:?} holds it, and the scheduler doesn't know");
                return Err(Violation::of(run, task, &text));
            }
        }
        Ok(())
    }

    /// Whether no message is on its way, and no task is run that anybody waits for.
    pub(super) fn is_quiet(&self) -> bool {
        let mut processes = self.hosts.iter().filter_map(|host| host.process.as_ref());
        self.head.is_quiet()
            && processes.all(|process| {
                process.session.waits_since().is_none()
                    && process.executions.is_empty()
                    && self.head.workers().any(|address| address == process.address)
            })
    }

    fn audit_memories(&self) -> Result<(), Violation> {
        for process in self.hosts.iter().filter_map(|host| host.process.as_ref()) {
            let books = process.memory.audit();
            books.map_err(|text| Violation::new(format!("worker {}: {text}", process.address.0)))?;
        }
        Ok(())
    }

    /// What is left although nobody wants anything, and everybody was told so.
    pub(super) fn leftovers(&self) -> Option<String> {
        if let Some((&run, _)) = self.jobs.iter().find(|(run, _)| self.head.scheduler.progress(**run).is_some()) {
            return Some(format!("the scheduler still knows run {}", run.0));
        }
        if let Some(left) = self.head.scheduler.leftovers() {
            return Some(left);
        }
        if !self.head.is_quiet() {
            return Some("messages to workers and clients are not confirmed".into());
        }
        for process in self.hosts.iter().filter_map(|host| host.process.as_ref()) {
            let worker = process.address.0;
            if let Some((run, task)) = process.memory.results().next() {
                return Some(format!("worker {worker} still holds task {task} of run {}", run.0));
            }
            if !process.memory.is_empty() {
                return Some(format!("worker {worker} still has promises of {} bytes", process.memory.promised));
            }
            if process.executions.is_empty() && self.head.scheduler.has_orphans(process.address.worker()) {
                return Some(format!("worker {worker} is still said to do something for nobody"));
            }
            // A thread that runs what nobody waits for any more ends when it ends.
            let mut tickets = process.executions.keys();
            if let Some(ticket) = tickets.find(|&&ticket| process.worker.is_running(ticket)) {
                return Some(format!("worker {worker} still runs {ticket:?}"));
            }
            if process.session.waits_since().is_some() {
                return Some(format!("messages of worker {worker} are not confirmed"));
            }
            if !self.head.workers().any(|address| address == process.address) {
                return Some(format!("worker {worker} lives, and the scheduler doesn't count on it"));
            }
        }
        None
    }

    /// It takes too long: says what it waits for.
    pub(super) fn stuck(&mut self) {
        let what = match self.phase {
            Phase::Working | Phase::Leaving => self.waits(),
            Phase::Left | Phase::Over => Violation::new(self.leftovers().unwrap_or_else(|| "nothing is left".into())),
        };
        let seconds = self.context.now() / 1_000_000_000;
        let text = format!("no end after {seconds} s and {} events: {}", self.context.events, what.text);
        self.context.violate(Violation { text, tasks: what.tasks });
    }

    fn waits(&self) -> Violation {
        let kept = self.clients.iter().filter_map(|client| client.process.as_ref());
        let runs: Vec<RunId> = kept.flat_map(|process| process.runs.keys().copied()).collect();
        let (jobs, count) = (self.open.len(), runs.len());
        let mut violation = Violation::new(format!("{jobs} jobs and {count} runs are open"));
        for run in runs {
            let Some(job) = self.jobs.get(&run) else { continue };
            for task in all_tasks(&job.graph).filter(|&task| self.waits_for_nothing(run, task)) {
                if violation.tasks.len() < STUCK_TASKS {
                    let state = self.head.scheduler.task_state(run, task);
                    violation.text += &format!("; task {task} of run {} is {state:?}", run.0);
                    violation.tasks.push((run, task));
                }
            }
        }
        violation
    }

    /// Whether `task` has not ended, and all that it reads has.
    fn waits_for_nothing(&self, run: RunId, task: TaskId) -> bool {
        use raskt_schedule::TaskState::*;
        let state = self.head.scheduler.task_state(run, task);
        if !matches!(state, Some(Waiting { .. } | Ready | Running { .. })) {
            return false;
        }
        let mut is_first = true;
        self.jobs[&run].graph.for_each_input(task, |input| {
            is_first &= holder_of(&self.head.scheduler, run, input).is_some();
        });
        is_first
    }
}
