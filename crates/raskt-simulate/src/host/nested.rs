//! Tasks that submit a run and wait for it. A task that waits lends its slot, and goes on in one before anything else begins.

use super::execute::Stage;
use super::{Host, Jobs, Process};
use crate::check::Sometimes;
use crate::context::{Context, Happening};
use crate::job::Job;
use crate::network::Message;
use raskt_schedule::{RunId, Ticket, WorkerEvent};
use std::rc::Rc;

impl Process {
    /// Assignments that somebody waits for and that take a slot.
    pub(super) fn active(&self) -> usize {
        let counted = self.counted();
        counted.filter(|stage| *stage == Stage::Running).count()
    }

    /// Threads that go on for nobody, beyond as many as there may be of them beside the slots.
    pub(super) fn strays_in_slots(&self) -> usize {
        let strays = self.executions.keys().filter(|&&ticket| !self.worker.is_running(ticket)).count();
        strays.saturating_sub((self.slots + self.lent()) as usize)
    }

    /// Slots that its tasks have lent and not come back into.
    pub fn lent(&self) -> u32 {
        self.counted().filter(|stage| matches!(stage, Stage::Waiting(_) | Stage::Resuming)).count() as u32
    }

    /// Whether all that runs here waits for runs: none of it will give memory back before these have ended.
    pub(super) fn only_waits(&self) -> bool {
        self.lent() > 0 && self.active() == 0
    }

    fn counted(&self) -> impl Iterator<Item = Stage> {
        let counted = self.executions.iter().filter(|&(&ticket, _)| self.worker.is_running(ticket));
        counted.map(|(_, execution)| execution.stage)
    }

    /// Gives up the runs that tasks of `run` wait for; gives the tickets of these.
    pub(super) fn stop_waiting(&mut self, context: &mut Context, run: RunId) -> Vec<Ticket> {
        let mut stopped = vec![];
        for (&ticket, execution) in self.executions.iter_mut().filter(|(_, found)| found.assignment.run == run) {
            if execution.stage == Stage::Running {
                continue;
            }
            stopped.push(ticket);
            if let Stage::Waiting(nested) = std::mem::replace(&mut execution.stage, Stage::Stopped) {
                context.tally.saw(Sometimes::NestedGivenUp);
                // Whoever releases a run needn't say that he no longer waits for it.
                if ticket.0.is_multiple_of(2) {
                    self.session.send(context, Message::TakeBackLent { run: nested });
                }
                self.session.send(context, Message::Release { run: nested });
            }
        }
        stopped
    }
}

impl Host {
    /// A task submits `job`, and waits for it.
    pub(super) fn wait_for(&mut self, context: &mut Context, jobs: Jobs, ticket: Ticket, job: Rc<Job>) {
        let Some(process) = &mut self.process else { return };
        let Some(execution) = process.executions.get_mut(&ticket) else { return };
        let (run, parent) = (context.new_run(job), execution.assignment.run);
        (execution.stage, execution.waits_since) = (Stage::Waiting(run), context.now());
        context.tally.saw(Sometimes::Nested);
        context.tell(Vec::new, || {
            format!("a task of run {} on worker {} waits for run {}", parent.0, process.address.0, run.0)
        });
        process.session.send(context, Message::SubmitNested { run, parent });
        process.session.send(context, Message::Lend { run });
        // Whoever's run has ended before goes on in its slot.
        self.resume(context, jobs);
        self.count_slots(context, jobs);
    }

    /// A run that a task waits for has ended.
    pub(super) fn nested_ended(&mut self, context: &mut Context, jobs: Jobs, run: RunId) {
        let Some(process) = &mut self.process else { return };
        let waiting = process.executions.values_mut().find(|execution| execution.stage == Stage::Waiting(run));
        let Some(execution) = waiting else { return };
        execution.stage = Stage::Resuming;
        process.session.send(context, Message::Release { run });
        self.resume(context, jobs);
    }

    /// Lets tasks go on whose runs have ended, as far as there are slots: before anything else begins.
    pub(super) fn resume(&mut self, context: &mut Context, jobs: Jobs) {
        let Some(process) = &mut self.process else { return };
        let mut free = (process.slots as usize).saturating_sub(process.active());
        let resuming = process.executions.iter_mut().filter(|(_, execution)| execution.stage == Stage::Resuming);
        let mut has_resumed = false;
        for (&ticket, execution) in resuming {
            if free == 0 {
                context.tally.saw(Sometimes::ResumedLater);
                break;
            }
            free -= 1;
            has_resumed = true;
            execution.stage = Stage::Running;
            execution.waited += context.now() - execution.waits_since;
            let usual = jobs.get(&execution.assignment.run).map_or(0, |job| job.plan.task_nanoseconds);
            context.agenda.after(usual / 4, Happening::TaskEnds { own: process.address, ticket });
        }
        if has_resumed {
            self.count_slots(context, jobs);
        }
    }

    /// Tells the machine how many assignments may be under way, those included that wait.
    pub(super) fn count_slots(&mut self, context: &mut Context, jobs: Jobs) {
        let Some(process) = &self.process else { return };
        let slots = process.slots + process.lent();
        self.handle(context, jobs, WorkerEvent::Resized(slots));
    }
}
