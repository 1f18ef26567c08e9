//! What the pool's lock protects: the machines and what they act upon.

mod acting;
mod afterwards;
mod breaking;
mod confessing;
mod ending;
mod entry;
mod gathering;
mod head;
mod loans;
mod obeying;
mod pool;
mod reserving;
mod returning;
mod seceded;
#[cfg(test)]
pub(crate) mod stumbling;
mod submitting;

use crate::execution::{Executed, Execution, Small};
use crate::flight::RecordedScheduler;
use crate::made::Made;
use crate::observer::{self, Freed, ResultId};
use crate::recover::Recovery;
use crate::runner::Runners;
use crate::uplink::{TaskFailure, Uplink};
use raskt_graph::OpKind;
use raskt_schedule::{Event, Offer, RunId, Settings, TaskRange, Ticket, Worker, WorkerEvent, WorkerTold};
use raskt_store::{Broken, Store, StoredRef};
use raskt_value::Value;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

pub(crate) use afterwards::Afterwards;
pub(crate) use entry::RunEntry;
pub(crate) use head::Outgoing;
use head::{Elsewhere, Head, WORKER, Word};
use pool::Pool;
pub(crate) use pool::ThreadNumber;
pub(crate) use seceded::Place;
use seceded::Seceded;
pub(crate) use submitting::Submitted;

pub(crate) struct State {
    pub head: Head,
    worker: Worker,
    store: Store,
    runners: Runners,
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
    /// What was picked last in the change that is under way: should that end in a breakdown, no thread gets it.
    pub handed_out: Option<Ticket>,
    /// The change that is under way was made by somebody who takes up himself what comes of it: for each task that waits for
    /// another, a thread might be quicker than the one that waits, which would be missing for the next one.
    pub is_left_to_waiter: bool,
    /// Those that nobody waits for any more, and that threads are still at.
    strays: BTreeMap<Ticket, Option<ThreadNumber>>,
    /// Slots that they take up.
    stray_slots: u32,
    /// Slots that are taken by what another scheduler has handed out, or this one before it lost the worker.
    adrift_slots: u32,
    /// Results that came of such, and that the scheduler may have handed out before it heard so.
    landed: Vec<(RunId, TaskRange)>,
    /// Slots of tasks that wait for something else than a run of this engine.
    lent_slots: u32,
    /// Tasks that have given theirs to others, and go on.
    seceded: Seceded,
    /// Slots of tasks that wait for runs, until these have ended.
    lent_to_runs: u32,
    pub pool: Pool,
    /// Until when an idle thread waits to tell the scheduler that time has passed.
    pub timer: Option<Instant>,
    /// It begins nothing more, and ends what it has begun.
    leaves: bool,
    /// It takes nothing more, and its threads end.
    pub is_shut_down: bool,
    /// Whether the store had no thread for what it has to do, when it was looked at last.
    pub store_was_stranded: bool,
    slots: u32,
    /// The limit of the store, as the scheduler knows it: what tasks make waits on disk if need be, but it is better not made
    /// before it can be read.
    memory: u64,
    /// Slots beyond the threads, so that memory is promised and inputs are read before a thread is free.
    slots_ahead: u32,
    afterwards: Afterwards,
    /// The last break of the store for which the runs of this engine were ended.
    pub broke_for: u64,
    /// Unlike that of any other engine of this process.
    pub engine: u32,
    /// Where it is to panic, and when it comes by for the how manieth time.
    #[cfg(test)]
    pub stumbles: Option<(stumbling::Spot, u32)>,
}

/// Assignments that ask for memory ahead of the threads once something had to leave memory.
const SLOTS_AHEAD: u32 = 2;

/// Work handed out at a time: short enough to share evenly and to stop quickly, long enough to hide the lock.
const CREDIT_NANOSECONDS: u64 = 200_000;

/// How its scheduler deals with the one worker.
fn settings() -> Settings {
    Settings { credit_nanoseconds: CREDIT_NANOSECONDS, heeds_requirements: false, ..Settings::default() }
}

/// Threads for each slot that may be at what nobody waits for any more, beside those at work: so that one call which can't be
/// stopped doesn't keep what comes next waiting, and fifty of them don't make fifty threads.
const STRAYS_A_SLOT: usize = 1;

static NEXT_ENGINE: AtomicU32 = AtomicU32::new(1);

impl State {
    /// The state of an engine that decides for itself.
    pub fn new(slots: u32, recovery: &Recovery, number: u32) -> Self {
        let mut recorded = RecordedScheduler::new(settings());
        let memory = recovery.store.memory_limit();
        recorded.handle_event(Event::WorkerJoined { worker: WORKER, offer: Offer { memory, ..Offer::slots(slots) } });
        Self::with(Head::Here(recorded), Worker::in_process(slots), (slots, memory), recovery, number)
    }

    /// The state of a worker, whose scheduler is told through `uplink`.
    pub fn of_worker(uplink: Arc<dyn Uplink>, slots: u32, recovery: &Recovery, number: u32) -> Self {
        let memory = recovery.store.memory_limit();
        let head = Head::Elsewhere(Box::new(Elsewhere::new(uplink, (slots, memory))));
        Self::with(head, Worker::new(slots), (slots, memory), recovery, number)
    }

    fn with(head: Head, worker: Worker, (slots, memory): (u32, u64), recovery: &Recovery, number: u32) -> Self {
        Self {
            head,
            worker,
            store: recovery.store.clone(),
            runners: recovery.runners.clone(),
            number,
            runs: BTreeMap::new(),
            next_run: 0,
            asking: BTreeMap::new(),
            loading: BTreeMap::new(),
            executions: VecDeque::new(),
            picked: BTreeMap::new(),
            handed_out: None,
            is_left_to_waiter: false,
            strays: BTreeMap::new(),
            stray_slots: 0,
            adrift_slots: 0,
            landed: vec![],
            lent_slots: 0,
            seceded: Seceded::default(),
            lent_to_runs: 0,
            pool: Pool::new(slots as usize * STRAYS_A_SLOT),
            timer: None,
            leaves: false,
            is_shut_down: false,
            store_was_stranded: false,
            slots,
            memory,
            slots_ahead: 0,
            afterwards: Afterwards::default(),
            broke_for: 0,
            engine: NEXT_ENGINE.fetch_add(1, Ordering::Relaxed),
            #[cfg(test)]
            stumbles: None,
        }
    }

    /// Writes a flight record from now on, if nothing was submitted yet.
    pub fn record_flight(&mut self, path: &Path) -> std::io::Result<()> {
        if self.next_run > 0 {
            return Err(std::io::Error::other("a flight record begins before the first computation"));
        }
        let offer = Offer { memory: self.memory, ..Offer::slots(self.slots) };
        self.head.record(path, offer)
    }

    /// Tells how many slots there are, beside those that are lent to runs.
    pub fn resize(&mut self) {
        // What asks for memory ahead of its turn is in line at a worker already: its scheduler needn't know.
        let ahead = if self.head.elsewhere().is_some() { 0 } else { self.slots_ahead };
        let slots = (self.slots + self.lent_slots + ahead).saturating_sub(self.stray_slots + self.adrift_slots);
        // A task that waits gives nothing back before what it waits for has come: nobody may wait for it.
        let memory = if self.lent_slots > 0 { u64::MAX } else { self.memory };
        let (slots, memory) = if self.leaves || self.is_shut_down { (0, 0) } else { (slots, memory) };
        self.resize_worker();
        // First who waits: their slots are among those that there are.
        self.head.tell(WorkerTold::Lends { slots: self.lent_slots.saturating_sub(self.seceded.apart()) });
        self.tell_scheduler(WorkerTold::Resized { slots, memory });
    }

    /// Slots that tasks have lent to anybody.
    #[cfg(test)]
    pub fn lent_slots(&self) -> u32 {
        self.lent_slots
    }

    fn resize_worker(&mut self) {
        let slots = self.slots + self.lent_slots + self.lent_to_runs + self.slots_ahead;
        let slots = slots.saturating_sub(self.stray_slots);
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
        Some(self.hand_out(execution, thread))
    }

    /// The next assignment of `run`, for a thread that waits for it.
    pub fn pick_for(&mut self, run: RunId, kind: Option<OpKind>) -> Option<Execution> {
        let fits = |execution: &Execution| kind.is_none_or(|kind| execution.fits(kind));
        let at = self.executions.iter().position(|execution| execution.run == run && fits(execution))?;
        let execution = self.executions.remove(at)?;
        Some(self.hand_out(execution, None))
    }

    fn hand_out(&mut self, mut execution: Execution, thread: Option<ThreadNumber>) -> Execution {
        // A thread is free for what is next, and about to take it.
        let is_free = self.pool.busy() + 1 < self.slots as usize;
        let next = || self.executions.front().is_some_and(|next| next.kind() == OpKind::Python);
        execution.has_company = is_free && next();
        self.picked.insert(execution.ticket, thread);
        self.handed_out = Some(execution.ticket);
        execution
    }

    /// Takes in what a thread has done.
    pub fn executed(&mut self, executed: &mut Executed) {
        let ticket = executed.ticket;
        if self.picked.remove(&ticket).is_none() {
            // Nobody waits for it any more.
            self.afterwards.made.append(&mut executed.made);
            return self.found_track(ticket, executed.nanoseconds);
        }
        self.take_in(executed);
        if executed.lost_input {
            self.confess_inputs(executed.run, &executed.tasks);
        }
        if let (Some((task, key, error)), Some(entry)) = (executed.error.take(), self.runs.get_mut(&executed.run)) {
            if let Some(elsewhere) = self.head.elsewhere_mut() {
                let (key, error) = (key.clone(), error.clone());
                elsewhere.put_out(Word::Failed(TaskFailure { run: executed.run, task, key, error }));
            }
            entry.errors.insert(task, (key, error));
        }
        let outcomes = std::mem::take(&mut executed.outcomes);
        let nanoseconds = executed.nanoseconds;
        self.worker.handle_event(WorkerEvent::Executed { ticket, outcomes, nanoseconds });
        self.act();
        self.heed_adrift();
    }

    /// Puts results where others find them.
    fn take_in(&mut self, executed: &mut Executed) {
        #[cfg(test)]
        self.pass(stumbling::Spot::TakingIn);
        let (run, holder) = (executed.run, self.holder(executed.ticket));
        let small = sound(std::mem::replace(&mut executed.small, Ok(Small::default())), &mut self.broke_for);
        let Some(entry) = self.runs.get_mut(&run) else { return };
        let is_watched = observer::is_watched();
        let mut replaced = vec![];
        let tasks = executed.tasks.iter().flat_map(|range| range.tasks());
        for (task, made) in tasks.zip(executed.made.drain(..)) {
            match made {
                Made::Here(value) => replaced.extend(entry.results.put(task, value)),
                Made::Consumed { .. } if is_watched => {
                    let id = ResultId { run: Some(run), task, engine: self.engine };
                    self.afterwards.freed.push(Freed::Result(id));
                }
                Made::Consumed { .. } => {}
            }
        }
        entry.small += small.bytes;
        self.store.made_small(small.bytes, &small.outputs, holder);
        self.let_go(run, replaced);
        #[cfg(test)]
        self.pass(stumbling::Spot::TakenIn);
    }

    /// Lets go of results of `run`; what that leaves without an owner is dropped once the lock is gone.
    fn let_go(&mut self, run: RunId, values: impl IntoIterator<Item = Value>) {
        let mut small = 0;
        for value in values {
            let Some(kept) = StoredRef::of(&value) else {
                small += value.bytes() as u64;
                self.afterwards.values.push(value);
                continue;
            };
            drop(value);
            if Arc::strong_count(&kept) > 1 {
                kept.set_turn(None);
            }
            // It leaves the store now: the next request is to find the memory free.
            if let Some((value, husk)) = kept.release() {
                self.afterwards.values.extend(value);
                self.afterwards.husks.push(husk);
            }
        }
        if let Some(entry) = self.runs.get_mut(&run) {
            entry.small -= small;
        }
        self.store.let_go_small(small);
    }

    /// The limit of the store may have been set anew.
    fn heed_limit(&mut self) {
        let limit = self.store.memory_limit();
        if limit != self.memory {
            self.memory = limit;
            self.resize();
        }
    }

    /// What is to be seen to once the lock is gone.
    pub fn take_afterwards(&mut self) -> Afterwards {
        std::mem::take(&mut self.afterwards)
    }
}

/// What the store gave. If it broke, so does the engine whose promises it has forgotten.
fn sound<T>(result: Result<T, Broken>, broke_for: &mut u64) -> T {
    result.unwrap_or_else(|broken| {
        *broke_for = broken.number;
        panic!("{broken}")
    })
}
