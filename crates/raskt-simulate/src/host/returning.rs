//! A worker that was given up comes back with what it holds, and with what it has begun.

use super::execute::Stage;
use super::{Host, Jobs, Process};
use crate::check::Sometimes;
use crate::context::{Address, Context, Happening};
use crate::network::{Message, Session};
use raskt_schedule::{Offer, RunId, TaskRange, WorkerEvent};

impl Host {
    /// What its tasks have submitted ended when it was given up: those that wait for that would do so for ever.
    pub(super) fn may_come_back(&self) -> bool {
        let waits = |process: &Process| process.executions.values().any(|execution| execution.stage != Stage::Running);
        self.process.as_ref().is_some_and(|process| !waits(process))
    }

    pub(super) fn come_back(&mut self, context: &mut Context, jobs: Jobs) {
        self.handle(context, jobs, WorkerEvent::SchedulerBegan);
        let address = context.new_address(self.node);
        let (memory, resources, name) = (self.plan.memory, self.plan.resources(), self.node.name().into());
        let Some(process) = &mut self.process else { return };
        context.tally.saw(Sometimes::WorkerCameBack);
        context.tell(Vec::new, || format!("worker {} comes back as {}", process.address.0, address.0));
        process.earlier.push(process.address);
        (process.address, process.session) = (address, Session::new(address, Address::HEAD));
        // With or without slots that it is given nothing for before it has told what it holds.
        let slots = if context.random.chance(WITHHELD_PER_MILLION) { 0 } else { process.slots };
        let offer = Offer { slots, memory, resources, name };
        process.session.send(context, Message::JoinWorker { offer });
        context.agenda.after(0, Happening::Beat(address));
        process.memory.inventory.begin_anew();
        for (run, tasks) in process.memory.kept() {
            process.tell_kept(context, run, tasks);
        }
        if slots < process.slots {
            process.session.send(context, Message::Resize { slots: process.slots, memory });
        }
    }
}

/// How often a worker that comes back has no slots for the scheduler before that knows what it holds, as schedulers of clusters do it.
const WITHHELD_PER_MILLION: u32 = 500_000;

impl Process {
    pub(super) fn tell_kept(&mut self, context: &mut Context, run: RunId, tasks: Vec<(TaskRange, u64)>) {
        let ranges: Vec<_> = tasks.iter().map(|(range, _)| *range).collect();
        self.memory.inventory.tell(run, &ranges);
        context.tally.add(Sometimes::Kept, ranges.len() as u64);
        self.session.send(context, Message::Kept { run, tasks });
    }

    /// Whether it has this address, or had it.
    pub fn is_or_was(&self, address: Address) -> bool {
        self.address == address || self.earlier.contains(&address)
    }
}
