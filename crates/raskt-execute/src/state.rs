//! What the pool's lock protects: the machines and what they act upon.

use crate::RunError;
use crate::execution::{Executed, Execution};
use crate::handle::Completion;
use crate::observer::{self, Freed, ResultId};
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_schedule::{
    Action, Assignment, Event, Offer, RunId, Scheduler, TaskRange, Ticket, Time, Worker, WorkerAction, WorkerEvent,
    WorkerId,
};
use raskt_store::{Broker, Store};
use raskt_value::{CancelToken, TaskError, Value};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct State {
    pub scheduler: Scheduler,
    worker: Worker,
    store: Store,
    pub broker: Broker,
    runs: HashMap<RunId, RunEntry>,
    next_run: u64,
    /// Assignments that may start, in order, until a thread picks them.
    executions: VecDeque<(Ticket, Assignment)>,
    /// Tickets that a thread has picked.
    picked: BTreeSet<Ticket>,
    /// Threads that run something nobody wants any more, or that wait for a run of their own.
    pub blocked_threads: usize,
    /// Slots that waiting tasks have lent.
    pub lent_slots: u32,
    /// Threads that wait for work.
    pub idle_threads: usize,
    pub live_threads: usize,
    pub is_shut_down: bool,
    slots: u32,
    /// Results that are to be dropped once the lock is gone: dropping a Python object may run Python code.
    garbage: Vec<Value>,
    /// What was let go and observers haven't been told of; empty if there are none.
    pub freed: Vec<Freed>,
    /// Unlike that of any other engine of this process.
    pub engine: u32,
}

struct RunEntry {
    graph: Arc<Graph>,
    wanted: Vec<TaskId>,
    completion: Arc<Completion>,
    cancel: CancelToken,
    errors: HashMap<TaskId, (String, TaskError)>,
}

/// The one worker of this process.
const WORKER: WorkerId = WorkerId(0);

/// Work handed out at a time: short enough to share evenly and to stop quickly, long enough to hide the lock.
const CREDIT_NANOSECONDS: u64 = 200_000;

static NEXT_ENGINE: AtomicU32 = AtomicU32::new(1);

impl State {
    pub fn new(slots: u32, memory_limit: u64) -> Self {
        let mut scheduler = Scheduler::new(CREDIT_NANOSECONDS);
        scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WORKER, offer: Offer::slots(slots) });
        Self {
            scheduler,
            worker: Worker::in_process(slots),
            store: Store::default(),
            broker: Broker::new(memory_limit),
            runs: HashMap::new(),
            next_run: 0,
            executions: VecDeque::new(),
            picked: BTreeSet::new(),
            blocked_threads: 0,
            lent_slots: 0,
            idle_threads: 0,
            live_threads: 0,
            is_shut_down: false,
            slots,
            garbage: vec![],
            freed: vec![],
            engine: NEXT_ENGINE.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub fn submit(&mut self, graph: Arc<Graph>, wanted: Vec<TaskId>, completion: Arc<Completion>) -> RunId {
        let run = RunId(self.next_run);
        self.next_run += 1;
        let entry = RunEntry {
            graph: graph.clone(),
            wanted: wanted.clone(),
            completion,
            cancel: CancelToken::default(),
            errors: HashMap::new(),
        };
        self.runs.insert(run, entry);
        self.tell_scheduler(Event::GraphAdded { run, graph, wanted: TaskRange::of(wanted) });
        run
    }

    pub fn release(&mut self, run: RunId) {
        if self.runs.contains_key(&run) {
            self.tell_scheduler(Event::RunReleased { run });
            self.forget(run);
        }
    }

    /// Sets how many slots there are beside those that waiting tasks have lent.
    pub fn resize(&mut self) {
        let slots = self.slots + self.lent_slots;
        self.worker.handle_event(WorkerEvent::Resized(slots));
        self.tell_scheduler(Event::WorkerResized { worker: WORKER, slots });
    }

    /// Threads that are at work or waiting for it.
    pub fn free_threads(&self) -> usize {
        self.live_threads.saturating_sub(self.blocked_threads)
    }

    /// How many assignments wait for a thread.
    pub fn waiting_executions(&self) -> usize {
        self.executions.len()
    }

    /// Whether a thread that asked would get work.
    pub fn has_work(&self) -> bool {
        !self.executions.is_empty()
    }

    /// The next assignment, if its op is of `kind`.
    pub fn pick_of(&mut self, kind: OpKind) -> Option<Execution> {
        let (_, assignment) = self.executions.front()?;
        let graph = &self.runs.get(&assignment.run)?.graph;
        if graph.op_of(assignment.tasks[0].layer).kind == kind { self.pick() } else { None }
    }

    /// The next assignment, with all that it reads.
    pub fn pick(&mut self) -> Option<Execution> {
        loop {
            let (ticket, assignment) = self.executions.pop_front()?;
            let Some(entry) = self.runs.get(&assignment.run) else { continue };
            let (graph, cancel) = (entry.graph.clone(), entry.cancel.clone());
            let mut inputs = vec![];
            let mut input_ends = Vec::with_capacity(assignment.len() as usize);
            for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
                graph.for_each_input(task, |input| {
                    let value = self.store.get(assignment.run.0, input);
                    inputs.push(value.expect("a task is assigned when all that it reads is in memory").clone());
                });
                input_ends.push(inputs.len() as u32);
            }
            self.picked.insert(ticket);
            let Assignment { run, tasks, .. } = assignment;
            return Some(Execution { ticket, run, engine: self.engine, graph, cancel, tasks, inputs, input_ends });
        }
    }

    /// Takes in what a thread has done.
    pub fn executed(&mut self, executed: &mut Executed) {
        let ticket = executed.ticket;
        if !self.picked.remove(&ticket) {
            // Nobody waits for it any more; the thread counted as blocked until now.
            self.blocked_threads -= 1;
            self.garbage.extend(executed.results.drain(..).map(|(_, value)| value));
            return;
        }
        for (task, value) in executed.results.drain(..) {
            self.broker.hold(value.bytes() as u64);
            self.store.put(executed.run.0, task, value);
        }
        if let (Some((task, key, error)), Some(entry)) = (executed.error.take(), self.runs.get_mut(&executed.run)) {
            entry.errors.insert(task, (key, error));
        }
        let outcomes = std::mem::take(&mut executed.outcomes);
        let nanoseconds = executed.nanoseconds;
        self.worker.handle_event(WorkerEvent::Executed { ticket, outcomes, nanoseconds });
        self.act();
    }

    /// What is to be dropped once the lock is gone.
    pub fn take_garbage(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.garbage)
    }

    /// Ends every run with `error`.
    pub fn end_all(&mut self, error: &RunError) {
        let mut runs: Vec<_> = self.runs.keys().copied().collect();
        runs.sort_unstable();
        for run in runs {
            if let Some(entry) = self.runs.get(&run) {
                entry.completion.complete(Err(error.clone()));
            }
            self.release(run);
        }
    }

    fn tell_scheduler(&mut self, event: Event) {
        self.scheduler.handle_event(Time(0), event);
        self.act();
    }

    /// Carries out what the machines ask for until they ask for nothing more.
    fn act(&mut self) {
        loop {
            if let Some(action) = self.scheduler.poll_action() {
                self.act_for_scheduler(action);
            } else if let Some(action) = self.worker.poll_action() {
                self.act_for_worker(action);
            } else {
                return;
            }
        }
    }

    fn act_for_scheduler(&mut self, action: Action) {
        match action {
            Action::Assign { assignment, .. } => self.worker.handle_event(WorkerEvent::Assigned(assignment)),
            Action::TakeBack { run, attempt, tasks, .. } => {
                self.worker.handle_event(WorkerEvent::TakeBack { run, attempt, tasks });
            }
            Action::Discard { run, tasks, .. } => self.discard(run, &tasks),
            Action::Forget { run, .. } => self.forget(run),
            Action::Finished { run } => self.finish(run),
            Action::Failed { run, task, .. } => self.fail(run, task),
            // Nobody gives data to this worker that it didn't make.
            Action::Lost { .. } => {}
            // The one worker of this process is always there; what it can't offer is waited for as on a cluster.
            Action::Stalled { .. } | Action::Resumed { .. } => {}
        }
    }

    fn act_for_worker(&mut self, action: WorkerAction) {
        match action {
            WorkerAction::Reserve { ticket, bytes, overbook } => {
                let promised = self.broker.promise(ticket.0, bytes, overbook);
                let event = if promised { WorkerEvent::Promised(ticket) } else { WorkerEvent::Refused(ticket) };
                self.worker.handle_event(event);
            }
            WorkerAction::Unreserve { ticket } => self.broker.give_back(ticket.0),
            WorkerAction::Execute { ticket, assignment } => self.executions.push_back((ticket, assignment)),
            WorkerAction::Report(report) => {
                self.scheduler.handle_event(Time(0), Event::Reported { worker: WORKER, report });
            }
            // Whatever kills this process kills the scheduler too; and nobody else holds results.
            WorkerAction::Started { .. }
            | WorkerAction::Fetch { .. }
            | WorkerAction::Fetched { .. }
            | WorkerAction::FetchFailed { .. } => {}
            WorkerAction::TakenBack { run, attempt, tasks } => {
                let event = Event::TakenBack { worker: WORKER, run, attempt, tasks };
                self.scheduler.handle_event(Time(0), event);
            }
        }
    }

    fn discard(&mut self, run: RunId, tasks: &[TaskRange]) {
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            if let Some(value) = self.store.take(run.0, task) {
                self.broker.let_go(value.bytes() as u64);
                self.garbage.push(value);
                if observer::is_watched() {
                    self.freed.push(Freed::Result(ResultId { run: Some(run), task, engine: self.engine }));
                }
            }
        }
        self.worker.handle_event(WorkerEvent::MemoryFreed);
    }

    fn finish(&mut self, run: RunId) {
        let Some(entry) = self.runs.get(&run) else { return };
        let results = entry.wanted.iter().map(|&task| {
            let value = self.store.get(run.0, task);
            value.expect("a run finishes when all that is wanted is in memory").clone()
        });
        entry.completion.complete(Ok(results.collect()));
    }

    fn fail(&mut self, run: RunId, task: TaskId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        if let Some((key, error)) = entry.errors.remove(&task) {
            entry.completion.complete(Err(RunError::Task { key, error }));
        }
    }

    /// Nothing of a run remains; threads that still work for it count as blocked until they come back.
    fn forget(&mut self, run: RunId) {
        let Some(entry) = self.runs.remove(&run) else { return };
        entry.cancel.cancel();
        entry.completion.complete(Err(RunError::Cancelled));
        for ticket in self.worker.running_of(run).collect::<Vec<_>>() {
            self.broker.give_back(ticket.0);
            self.blocked_threads += usize::from(self.picked.remove(&ticket));
        }
        self.executions.retain(|(_, assignment)| assignment.run != run);
        if observer::is_watched() {
            self.freed.push(Freed::Run { engine: self.engine, run });
        }
        for value in self.store.take_run(run.0) {
            self.broker.let_go(value.bytes() as u64);
            self.garbage.push(value);
        }
        self.worker.handle_event(WorkerEvent::Forgotten(run));
        self.worker.handle_event(WorkerEvent::MemoryFreed);
    }
}
