//! What the pool's lock protects: the machines and what they act upon.

mod breaking;
mod ending;
mod loans;
mod pool;
mod reserving;

use crate::RunError;
use crate::batch::Made;
use crate::engine::OwnsRuns;
use crate::execution::{Executed, Execution};
use crate::flight::Pilot;
use crate::handle::Completion;
use crate::observer::{self, Freed, ResultId};
use crate::turn::{is_repeatable, turn};
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_schedule::{
    Action, Event, Offer, RunId, Settings, TaskRange, Ticket, Worker, WorkerAction, WorkerEvent, WorkerId,
};
use raskt_store::{Broken, Facts, Husk, Kept, Lineage, Past, Results, Store};
use raskt_value::{CancelToken, TaskError, Value};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use pool::Pool;
pub(crate) use pool::ThreadNumber;

pub(crate) struct State {
    pub pilot: Pilot,
    worker: Worker,
    results: Results,
    store: Store,
    /// What the store knows this engine by.
    number: u32,
    runs: BTreeMap<RunId, RunEntry>,
    next_run: u64,
    /// Assignments that have asked for their memory, and whether inputs are being read once it is promised.
    asking: BTreeMap<Ticket, (Execution, bool)>,
    /// Assignments whose memory is promised and whose inputs are being read.
    loading: BTreeMap<Ticket, Execution>,
    /// Assignments that may start, in order, until a thread picks them.
    executions: VecDeque<Execution>,
    /// Tickets that a thread has picked; and which of the pool, unless it is at work beside its own.
    picked: BTreeMap<Ticket, Option<ThreadNumber>>,
    /// Those that nobody waits for any more, by the threads of the pool that are still at them.
    strays: BTreeMap<Ticket, ThreadNumber>,
    /// Slots of tasks that wait for something else than a run of this engine.
    lent_slots: u32,
    /// Slots of tasks that wait for runs, until these have ended.
    lent_to_runs: u32,
    pub pool: Pool,
    pub is_shut_down: bool,
    slots: u32,
    /// The limit of the store, as the scheduler knows it: what tasks make waits on disk if need be, but it is better not made
    /// before it can be read.
    memory: u64,
    /// Slots beyond the threads, so that memory is promised and inputs are read before a thread is free.
    slots_ahead: u32,
    garbage: Garbage,
    /// Runs of owners that ended before they were begun, and why.
    pub ended_unbegun: Vec<(Weak<dyn OwnsRuns>, RunError)>,
    /// The last break of the store for which the runs of this engine were ended.
    pub broke_for: u64,
    /// What was let go and observers haven't been told of; empty if there are none.
    pub freed: Vec<Freed>,
    /// Unlike that of any other engine of this process.
    pub engine: u32,
}

/// What is to be dropped once the lock is gone: dropping a Python object may run Python code.
#[derive(Default)]
pub(crate) struct Garbage {
    values: Vec<Value>,
    made: Vec<Made>,
    executions: Vec<Execution>,
    husks: Vec<Husk>,
    /// What results were made of.
    runs: Vec<(Arc<Graph>, Option<Arc<Past>>)>,
    /// Machines that broke, with all that they had.
    broken: Vec<State>,
}

struct RunEntry {
    graph: Arc<Graph>,
    /// Whether the graph costs nothing to keep and gives the same results at any time.
    is_repeatable: bool,
    /// What its results are made of, as long as they last.
    past: Option<Arc<Past>>,
    /// In the order in which they were asked for.
    wanted: Vec<TaskRange>,
    completion: Arc<Completion>,
    cancel: CancelToken,
    errors: BTreeMap<TaskId, (String, TaskError)>,
    /// Slots that those who wait for it have lent, until it has ended.
    lent_slots: u32,
    has_ended: bool,
    /// Who is told if it ends before a thread has begun it; nobody waits for it then.
    owner: Option<Weak<dyn OwnsRuns>>,
}

/// The one worker of this process.
const WORKER: WorkerId = WorkerId(0);

/// Assignments that ask for memory ahead of the threads once something had to leave memory.
const SLOTS_AHEAD: u32 = 2;

/// Work handed out at a time: short enough to share evenly and to stop quickly, long enough to hide the lock.
const CREDIT_NANOSECONDS: u64 = 200_000;

static NEXT_ENGINE: AtomicU32 = AtomicU32::new(1);

impl State {
    pub fn new(slots: u32, store: Store, number: u32) -> Self {
        let settings =
            Settings { credit_nanoseconds: CREDIT_NANOSECONDS, heeds_requirements: false, ..Settings::default() };
        let mut pilot = Pilot::new(settings);
        let memory = store.memory_limit();
        pilot.handle_event(Event::WorkerJoined { worker: WORKER, offer: Offer { memory, ..Offer::slots(slots) } });
        Self {
            pilot,
            worker: Worker::in_process(slots),
            results: Results::default(),
            store,
            number,
            runs: BTreeMap::new(),
            next_run: 0,
            asking: BTreeMap::new(),
            loading: BTreeMap::new(),
            executions: VecDeque::new(),
            picked: BTreeMap::new(),
            strays: BTreeMap::new(),
            lent_slots: 0,
            lent_to_runs: 0,
            pool: Pool::new(),
            is_shut_down: false,
            slots,
            memory,
            slots_ahead: 0,
            garbage: Garbage::default(),
            ended_unbegun: vec![],
            broke_for: 0,
            freed: vec![],
            engine: NEXT_ENGINE.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub fn submit(
        &mut self,
        graph: Arc<Graph>,
        wanted: Vec<TaskRange>,
        parent: Option<RunId>,
        (owner, past): (Option<Weak<dyn OwnsRuns>>, Option<Arc<Past>>),
        completion: Arc<Completion>,
    ) -> Result<RunId, RunError> {
        let run = RunId(self.next_run);
        let added = Event::GraphAdded { run, parent, graph: graph.clone(), wanted: wanted.clone() };
        self.pilot.scheduler.check(&added)?;
        let limit = self.store.memory_limit();
        if limit != self.memory {
            self.memory = limit;
            self.resize();
        }
        self.next_run += 1;
        let is_repeatable = is_repeatable(&graph);
        let entry = RunEntry {
            is_repeatable,
            past: past.or_else(|| is_repeatable.then(|| Arc::new(Past::of(graph.clone())))),
            graph,
            wanted,
            completion,
            cancel: CancelToken::default(),
            errors: BTreeMap::new(),
            lent_slots: 0,
            has_ended: false,
            owner,
        };
        self.runs.insert(run, entry);
        self.tell_scheduler(added);
        Ok(run)
    }

    pub fn release(&mut self, run: RunId) {
        if self.runs.contains_key(&run) {
            self.tell_scheduler(Event::RunReleased { run });
            self.forget(run);
        }
    }

    /// Writes a flight record from now on, if nothing was submitted yet.
    pub fn record_flight(&mut self, path: &Path) -> std::io::Result<()> {
        if self.next_run > 0 {
            return Err(std::io::Error::other("a flight record begins before the first computation"));
        }
        let offer = Offer { memory: self.memory, ..Offer::slots(self.slots) };
        self.pilot.record(path, WORKER, offer)
    }

    /// Tells how many slots there are, beside those that are lent to runs.
    pub fn resize(&mut self) {
        let slots = self.slots + self.lent_slots + self.slots_ahead;
        // A task that waits gives nothing back before what it waits for has come: nobody may wait for it.
        let memory = if self.lent_slots > 0 { u64::MAX } else { self.memory };
        self.resize_worker();
        self.tell_scheduler(Event::WorkerResized { worker: WORKER, slots, memory });
    }

    fn resize_worker(&mut self) {
        let slots = self.slots + self.lent_slots + self.lent_to_runs + self.slots_ahead;
        self.worker.handle_event(WorkerEvent::Resized(slots));
    }

    /// How many assignments wait for a thread.
    pub fn waiting_executions(&self) -> usize {
        self.executions.len()
    }

    /// Whether a thread that asked would get work.
    pub fn has_work(&self) -> bool {
        !self.executions.is_empty()
    }

    /// The next assignment, if its op is of `kind` and a thread can run it as it is.
    pub fn pick_of(&mut self, kind: OpKind, thread: Option<ThreadNumber>) -> Option<Execution> {
        if self.executions.front()?.fits(kind) { self.pick(thread) } else { None }
    }

    /// The next assignment, with all that it reads, for a thread of the pool or another one.
    pub fn pick(&mut self, thread: Option<ThreadNumber>) -> Option<Execution> {
        let execution = self.executions.pop_front()?;
        self.picked.insert(execution.ticket, thread);
        Some(execution)
    }

    /// The next assignment of `run`, for a thread that waits for it.
    pub fn pick_for(&mut self, run: RunId, kind: Option<OpKind>) -> Option<Execution> {
        let fits = |execution: &Execution| kind.is_none_or(|kind| execution.fits(kind));
        let at = self.executions.iter().position(|execution| execution.run == run && fits(execution))?;
        let execution = self.executions.remove(at)?;
        self.picked.insert(execution.ticket, None);
        Some(execution)
    }

    /// Takes in what a thread has done.
    pub fn executed(&mut self, executed: &mut Executed) {
        let ticket = executed.ticket;
        if self.picked.remove(&ticket).is_none() {
            // Nobody waits for it any more.
            if let Some(thread) = self.strays.remove(&ticket) {
                self.pool.set_astray(thread, false);
            }
            self.garbage.made.append(&mut executed.made);
            return;
        }
        self.take_in(executed);
        if let (Some((task, key, error)), Some(entry)) = (executed.error.take(), self.runs.get_mut(&executed.run)) {
            entry.errors.insert(task, (key, error));
        }
        let outcomes = std::mem::take(&mut executed.outcomes);
        let nanoseconds = executed.nanoseconds;
        self.worker.handle_event(WorkerEvent::Executed { ticket, outcomes, nanoseconds });
        self.act();
    }

    /// Puts results where they are kept: large ones into the store, small ones beside one another.
    fn take_in(&mut self, executed: &mut Executed) {
        let holder = self.holder(executed.ticket);
        let Some(entry) = self.runs.get_mut(&executed.run) else { return };
        let each = executed.nanoseconds / executed.made.len().max(1) as u64;
        // Runs of other engines have the same numbers.
        let group = u64::from(self.engine) << 40 | executed.run.0;
        let mut small = 0;
        let tasks = executed.tasks.iter().flat_map(|range| range.tasks());
        for (task, made) in tasks.zip(executed.made.drain(..)) {
            let value = match made {
                Made::Here(value) => value,
                Made::Spent { .. } => {
                    if observer::is_watched() {
                        let id = ResultId { run: Some(executed.run), task, engine: self.engine };
                        self.freed.push(Freed::Result(id));
                    }
                    continue;
                }
            };
            let bytes = value.bytes();
            let value = match Kept::of(&value) {
                Some(kept) => {
                    kept.set_turn(turn(&entry.graph, task));
                    value
                }
                None if bytes >= Store::KEPT_BYTES => {
                    let (lineage, facts) = entry.facts(group, task, each, &value);
                    let kept = sound(self.store.keep(value, lineage, facts, holder), &mut self.broke_for);
                    Value::Kept(kept)
                }
                None => {
                    small += bytes as u64;
                    value
                }
            };
            self.results.put(executed.run.0, task, value);
        }
        self.store.hold_small(small, holder);
    }

    /// Lets go of results; what that leaves without an owner is dropped once the lock is gone.
    fn let_go(&mut self, values: impl IntoIterator<Item = Value>) {
        let mut small = 0;
        for value in values {
            let Some(kept) = Kept::of(&value) else {
                small += value.bytes() as u64;
                self.garbage.values.push(value);
                continue;
            };
            drop(value);
            if Arc::strong_count(&kept) > 1 {
                kept.set_turn(None);
            }
            if let Some((value, husk)) = kept.release() {
                self.garbage.values.extend(value);
                self.garbage.husks.push(husk);
            }
        }
        self.store.let_go_small(small);
    }

    /// What is to be dropped once the lock is gone.
    pub fn take_garbage(&mut self) -> Garbage {
        std::mem::take(&mut self.garbage)
    }

    fn tell_scheduler(&mut self, event: Event) {
        self.pilot.handle_event(event);
        self.act();
    }

    /// Carries out what the machines ask for until they ask for nothing more.
    fn act(&mut self) {
        loop {
            if let Some(action) = self.pilot.scheduler.poll_action() {
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
            Action::Stalled { run, cause } => self.stall(run, &cause),
            Action::Resumed { .. } => {}
        }
    }

    fn act_for_worker(&mut self, action: WorkerAction) {
        match action {
            WorkerAction::Reserve { ticket, bytes, .. } => self.reserve(ticket, bytes),
            WorkerAction::Unreserve { ticket } => {
                self.store.give_back(self.holder(ticket));
                let withdrawn = self.asking.remove(&ticket).map(|(execution, _)| execution);
                self.garbage.executions.extend(withdrawn);
            }
            WorkerAction::Execute { ticket, assignment } => self.execute(ticket, &assignment),
            WorkerAction::Report(report) => {
                self.pilot.handle_event(Event::Reported { worker: WORKER, report });
            }
            // Whatever kills this process kills the scheduler too; and nobody else holds results.
            WorkerAction::Started { .. }
            | WorkerAction::Fetch { .. }
            | WorkerAction::Fetched { .. }
            | WorkerAction::FetchFailed { .. } => {}
            WorkerAction::TakenBack { run, attempt, tasks } => {
                let event = Event::TakenBack { worker: WORKER, run, attempt, tasks };
                self.pilot.handle_event(event);
            }
        }
    }
}

/// What the store gave. If it broke, so does the engine whose promises it has forgotten.
fn sound<T>(result: Result<T, Broken>, broke_for: &mut u64) -> T {
    result.unwrap_or_else(|broken| {
        *broke_for = broken.number;
        panic!("{broken}")
    })
}

impl RunEntry {
    /// What the store is told of a result.
    fn facts(&self, group: u64, task: TaskId, nanoseconds: u64, value: &Value) -> (Lineage, Facts) {
        let own = match value {
            Value::Foreign(object) => object.label().cloned(),
            _ => None,
        };
        let label = own.unwrap_or_else(|| self.graph.op_of(task.layer).name.clone());
        let is_cheap = self.is_repeatable && self.graph.input_count(task) == 0;
        let recompute_nanoseconds = is_cheap.then_some(nanoseconds);
        let lineage = match &self.past {
            Some(past) => Lineage::lasting(past.clone(), task),
            None => Lineage::of_run(&self.graph, task),
        };
        (lineage, Facts { label, group, turn: turn(&self.graph, task), recompute_nanoseconds })
    }
}
