//! A worker process: the real worker machine between virtual threads, a virtual memory and a virtual disk.

mod execute;
mod fetch;
mod memory;
mod nested;
mod returning;

use crate::check::Sometimes;
use crate::context::{Address, Context, Happening, Node};
use crate::job::Job;
use crate::network::{Body, Message, Packet, Session};
use crate::scenario::HostPlan;
use execute::Execution;
pub(crate) use fetch::{FETCH_NANOSECONDS, FETCH_TRIES};
use fetch::{Preparation, Request};
use memory::Memory;
use raskt_graph::TaskId;
use raskt_schedule::{Offer, RunId, TaskRange, Ticket, Worker, WorkerAction, WorkerEvent};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A machine that offers a worker, as long as it isn't down.
#[derive(Debug)]
pub(crate) struct Host {
    pub node: Node,
    pub plan: HostPlan,
    pub process: Option<Process>,
    /// Until when nothing is done here.
    pub frozen_until: u64,
    /// How many times as long as usual tasks take.
    pub slowness: u64,
    /// How many times as long as usual the disk takes.
    pub disk_slowness: u64,
    pub is_disk_full: bool,
    /// Whoever holds more than the memory there is dies.
    pub kills: bool,
    /// It isn't there any more.
    pub has_left: bool,
}

/// One life of the worker.
#[derive(Debug)]
pub(crate) struct Process {
    pub address: Address,
    /// Those that it had before it came back.
    pub earlier: Vec<Address>,
    pub worker: Worker,
    pub session: Session,
    pub memory: Memory,
    pub executions: BTreeMap<Ticket, Execution>,
    requests: BTreeMap<u64, Request>,
    next_request: u64,
    preparations: BTreeMap<Ticket, Preparation>,
    /// Inputs that go when the assignment that reads them has run.
    passing: BTreeMap<Ticket, BTreeMap<(RunId, TaskId), u64>>,
    pub slots: u32,
    /// When it last had something to do.
    busy_at: u64,
}

/// What hosts look up and never change.
pub(crate) type Jobs<'a> = &'a BTreeMap<RunId, Rc<Job>>;

/// Time between two signs of life, in parts of the lease.
pub(crate) const BEATS_PER_LEASE: u64 = 4;

impl Host {
    pub fn new(node: Node, plan: HostPlan) -> Self {
        Self {
            node,
            plan,
            process: None,
            frozen_until: 0,
            slowness: 1,
            disk_slowness: 1,
            is_disk_full: false,
            kills: false,
            has_left: false,
        }
    }

    /// Starts the worker, unless it runs.
    pub fn start(&mut self, context: &mut Context) {
        if self.process.is_some() || self.has_left {
            return;
        }
        let address = context.new_address(self.node);
        let slots = self.plan.slots;
        let mut session = Session::new(address, Address::HEAD);
        let name = self.node.name().into();
        let offer = Offer { slots, memory: self.plan.memory, resources: self.plan.resources(), name };
        session.send(context, Message::JoinWorker { offer });
        context.agenda.after(0, Happening::Beat(address));
        context.tell(Vec::new, || format!("worker {} starts on node {} with {slots} slots", address.0, self.node.0));
        self.process = Some(Process {
            address,
            earlier: vec![],
            worker: Worker::new(slots),
            session,
            memory: Memory::new(self.plan.memory),
            executions: BTreeMap::new(),
            requests: BTreeMap::new(),
            next_request: 0,
            preparations: BTreeMap::new(),
            passing: BTreeMap::new(),
            slots,
            busy_at: context.now(),
        });
    }

    /// The machine goes for good.
    pub fn leave(&mut self, context: &mut Context) {
        self.crash(context, "its machine leaves");
        self.has_left = true;
    }

    /// The worker dies, with everything that it holds.
    pub fn crash(&mut self, context: &mut Context, why: &str) {
        if let Some(process) = self.process.take() {
            context.tell(Vec::new, || format!("worker {} dies: {why}", process.address.0));
        }
    }

    pub fn receive(&mut self, context: &mut Context, jobs: Jobs, packet: Packet) {
        let Some(process) = self.process.as_mut().filter(|process| process.address == packet.to) else {
            return self.refuse(context, &packet);
        };
        match packet.body {
            Body::Data { sequence, message } => {
                for message in process.session.receive(context, sequence, message) {
                    self.read(context, jobs, &message);
                }
            }
            Body::Ack { expects } => process.session.confirm(expects),
            Body::Ping => {}
            Body::Reset => {
                context.tally.saw(Sometimes::WorkerFenced);
                if self.may_come_back() && context.random.chance(COMES_BACK_PER_MILLION) {
                    return self.come_back(context, jobs);
                }
                self.crash(context, "the scheduler had given it up");
                context.agenda.after(RESTART_NANOSECONDS, Happening::Starts(self.node));
            }
            Body::Fetch { fetch, run, tasks } => process.give(context, packet.from, fetch, run, &tasks),
            Body::Fetched { fetch, values } => self.given(context, jobs, fetch, values),
            Body::Refused { fetch } => self.refused(context, jobs, fetch),
        }
    }

    /// A live machine says at once that a dead process can't be asked; a dead one says nothing.
    fn refuse(&self, context: &mut Context, packet: &Packet) {
        if let (Body::Fetch { fetch, .. }, Some(_)) = (&packet.body, &self.process) {
            context.transmit(Packet { from: packet.to, to: packet.from, body: Body::Refused { fetch: *fetch } });
        }
    }

    fn read(&mut self, context: &mut Context, jobs: Jobs, message: &Message) {
        let Some(process) = &mut self.process else { return };
        match message {
            Message::Assign(assignment) => self.handle(context, jobs, WorkerEvent::Assigned(assignment.clone())),
            Message::Recall { run, attempt, tasks } => {
                let (run, attempt, tasks) = (*run, *attempt, tasks.clone());
                self.handle(context, jobs, WorkerEvent::Recall { run, attempt, tasks });
            }
            Message::Hold { run, tasks } => self.hold(context, jobs, *run, tasks),
            Message::Discard { run, tasks, inventory_version } => {
                process.memory.discard(*run, tasks, *inventory_version, &mut context.tally);
                self.handle(context, jobs, WorkerEvent::MemoryFreed);
            }
            Message::Forget { run } => self.forget(context, jobs, *run),
            Message::Ended { run } => self.nested_ended(context, jobs, *run),
            other => unreachable!("workers aren't sent {other:?}"),
        }
    }

    /// A client's data comes.
    fn hold(&mut self, context: &mut Context, jobs: Jobs, run: RunId, tasks: &[TaskRange]) {
        let (Some(process), Some(job)) = (&mut self.process, jobs.get(&run)) else { return };
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            process.memory.put(run, task, job.result(task), job.output_bytes(task));
        }
        process.memory.inventory.tell(run, tasks);
        context.tally.saw(Sometimes::Scattered);
        process.session.send(context, Message::Held { run, tasks: tasks.to_vec() });
    }

    /// Half of what is on disk is lost, which shows when somebody reads it.
    pub fn damage(&mut self, context: &mut Context) {
        if let Some(process) = &mut self.process {
            process.memory.damage(&mut context.random);
        }
    }

    fn forget(&mut self, context: &mut Context, jobs: Jobs, run: RunId) {
        let Some(process) = &mut self.process else { return };
        process.memory.drop_run(run);
        // What runs can't be stopped; its thread is told at the end that nobody waits for it.
        for ticket in process.worker.running_of(run).collect::<Vec<_>>() {
            process.memory.leave_to_stray(ticket);
            context.tally.saw(Sometimes::CancelledWhileRunning);
        }
        let stopped = process.stop_waiting(context, run);
        self.count_slots(context, jobs);
        self.handle(context, jobs, WorkerEvent::Forgotten(run));
        stopped.into_iter().for_each(|ticket| self.end_execution(context, jobs, ticket));
        self.handle(context, jobs, WorkerEvent::MemoryFreed);
    }

    pub fn resize(&mut self, context: &mut Context, jobs: Jobs, slots: u32) {
        let Some(process) = &mut self.process else { return };
        process.slots = slots;
        let memory = process.memory.limit;
        process.session.send(context, Message::Resize { slots, memory });
        context.tally.saw(Sometimes::WorkerResized);
        self.resume(context, jobs);
        self.count_slots(context, jobs);
    }

    /// Tells the machine what happened, and does what it asks for until it asks for nothing more.
    fn handle(&mut self, context: &mut Context, jobs: Jobs, event: WorkerEvent) {
        let Some(process) = &mut self.process else { return };
        context.machine_events += 1;
        process.busy_at = context.now();
        process.worker.handle_event(event);
        while let Some(process) = &mut self.process
            && let Some(action) = process.worker.poll_action()
        {
            self.act(context, jobs, action);
        }
    }

    fn act(&mut self, context: &mut Context, jobs: Jobs, action: WorkerAction) {
        let Some(process) = &mut self.process else { return };
        match action {
            WorkerAction::Reserve { ticket, bytes, overbook } => {
                let event = self.reserve(context, ticket, bytes, overbook);
                self.handle(context, jobs, event);
            }
            WorkerAction::Unreserve { ticket } => {
                process.memory.give_back(ticket);
                process.drop_preparation(ticket);
            }
            WorkerAction::Fetch { ticket, fetches, .. } => self.fetch(context, jobs, ticket, &fetches),
            WorkerAction::Execute { ticket, assignment } => self.execute(context, jobs, ticket, assignment),
            WorkerAction::Fetched { run, tasks } => process.tell_of_copies(context, run, &tasks),
            // All that simulated tasks make can be sent.
            WorkerAction::Unsendable { .. } => {}
            WorkerAction::FetchFailed { run, attempt, input_run, task, from, reached } => {
                let message = Message::FetchFailed { run, attempt, input_run, task, from, reached };
                process.session.send(context, message);
            }
            WorkerAction::Started { run, attempt } => process.session.send(context, Message::Started { run, attempt }),
            WorkerAction::Report(report) => {
                process.memory.inventory.tell_report(&report);
                process.session.send(context, Message::Report(report));
            }
            WorkerAction::Kept { run, tasks } => process.tell_kept(context, run, tasks),
            WorkerAction::Recalled { run, attempt, tasks } => {
                process.session.send(context, Message::Recalled { run, attempt, tasks });
            }
        }
    }
}

impl Process {
    /// For how long it has had nothing to do.
    pub fn idle_nanoseconds(&self, now: u64) -> u64 {
        let is_busy = !self.executions.is_empty() || !self.preparations.is_empty();
        if is_busy { 0 } else { now - self.busy_at }
    }

    /// Tells the scheduler of results that can't be read any more.
    fn confess(&mut self, context: &mut Context, noticed: Vec<(RunId, TaskId)>) {
        let mut lost: BTreeMap<RunId, Vec<TaskId>> = BTreeMap::new();
        noticed.into_iter().for_each(|(run, task)| lost.entry(run).or_default().push(task));
        for (run, mut tasks) in lost {
            tasks.sort_unstable();
            context.tally.add(Sometimes::SpilledLost, tasks.len() as u64);
            self.session.send(context, Message::ResultsLost { run, tasks: TaskRange::of(tasks) });
        }
    }
}

/// How often a process that was given up comes back with what it holds, and doesn't begin anew.
const COMES_BACK_PER_MILLION: u32 = 500_000;

/// A process that was told that it is given up starts anew so long after.
const RESTART_NANOSECONDS: u64 = 2_000_000;
