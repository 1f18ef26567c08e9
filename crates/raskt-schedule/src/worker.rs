//! The worker machine.

mod adrift;

use crate::planted::{self, Bug};
use crate::{Assignment, Attempt, Fetch, Outcome, Report, RunId, TaskRange, Ticket, WorkerId};
use raskt_graph::TaskId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The worker machine: decides when an assignment may start, and what is told to the scheduler.
///
/// Call [`Self::handle_event`] with what happened, then [`Self::poll_action`] until it gives nothing more. An assignment goes
/// through these stages, and may be taken back until it runs:
///
/// ```text
/// queued ── a slot is free ──▶ asking ── promised ──▶ fetching ── fetched ──▶ prepared ── a slot is free ──▶ running
///    ▲──────── refused ──────────┘
/// ```
///
/// One that has nothing to fetch runs as soon as its memory is promised. While as many run as there are slots, one for each
/// slot may fetch. One assignment alone may start beyond the promise (`overbook`), so that work that can't ever be promised
/// still goes on.
#[derive(Debug)]
pub struct Worker {
    slots: u32,
    next_ticket: u64,
    /// Accepted, not yet asking for memory: all and only the assignments without a ticket.
    queue: VecDeque<Assignment>,
    /// Asking for memory; at most one, so that small ones don't overtake a large one for ever.
    asking: Option<(Ticket, Assignment)>,
    /// The last request may go beyond the promise.
    overbooks: bool,
    fetching: BTreeMap<Ticket, Assignment>,
    prepared: VecDeque<(Ticket, Assignment)>,
    running: BTreeMap<Ticket, (RunId, Attempt)>,
    /// The tasks of what runs, where a scheduler may begin anew meanwhile.
    tasks: BTreeMap<Ticket, Vec<TaskRange>>,
    /// Running, of runs that are forgotten; nobody can stop them.
    forgotten: BTreeMap<Ticket, (RunId, Attempt)>,
    /// Of what runs, all that another scheduler has handed out, and this one hasn't.
    adrift: BTreeSet<Ticket>,
    /// Handed out while some of it is adrift: it waits for that.
    crossed: Vec<Assignment>,
    /// It can die without the scheduler, which therefore wants to know what it has begun.
    can_be_lost: bool,
    actions: VecDeque<WorkerAction>,
}

/// Threads for each slot that may go on with what is forgotten, beside those at work: so that one call which can't be stopped
/// doesn't keep what comes next waiting, and fifty of them don't make fifty threads. More of them take up slots.
pub(crate) const STRAYS_A_SLOT: u64 = 1;

/// Everything that can happen to a worker.
#[derive(Clone, Debug)]
pub enum WorkerEvent {
    /// The scheduler gave it tasks.
    Assigned(Assignment),
    /// The broker promised the memory that a ticket asked for.
    Promised(Ticket),
    /// The broker can't promise the memory now.
    Refused(Ticket),
    /// Memory was given back, so that a refused ticket may ask again.
    MemoryFreed,
    /// The inputs of a ticket are here.
    Fetched(Ticket),
    /// An input of a ticket can't be sent by who holds it; what was fetched of the others was dropped again.
    Unsendable {
        /// The ticket.
        ticket: Ticket,
        /// The task that reads it.
        reader: TaskId,
        /// Who holds it.
        from: WorkerId,
        /// Those who were to send it have died.
        is_deadly: bool,
    },
    /// An input of a ticket can't be had; what was fetched of the others was dropped again.
    FetchFailed {
        /// The ticket.
        ticket: Ticket,
        /// The run of the task whose result it is.
        input_run: RunId,
        /// The task whose result it is.
        task: TaskId,
        /// The worker that was to give it.
        from: WorkerId,
        /// It was reached, and doesn't have the result.
        reached: bool,
    },
    /// A thread ran the tasks of a ticket.
    Executed {
        /// The ticket.
        ticket: Ticket,
        /// How each group of tasks ended.
        outcomes: Vec<(TaskRange, Outcome)>,
        /// Time that all of it took.
        nanoseconds: u64,
    },
    /// The scheduler wants tasks back, as far as they haven't begun.
    Recall {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// The scheduler wants nothing of a run any more.
    Forgotten(RunId),
    /// It has more or fewer slots than before.
    Resized(u32),
    /// Another scheduler is there, or it has begun anew: it knows nothing of what it handed out. What waits is dropped; what runs
    /// goes on, and is told of as kept.
    SchedulerBegan,
    /// It begins nothing more: what waits is given back, for others.
    Leaves,
}

/// Everything that a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerAction {
    /// The broker is to promise memory.
    Reserve {
        /// For whom.
        ticket: Ticket,
        /// How much.
        bytes: u64,
        /// Nothing runs: the promise is to be made even if there isn't enough.
        overbook: bool,
    },
    /// The broker gets a promise back.
    Unreserve {
        /// Whose.
        ticket: Ticket,
    },
    /// Results of others are to be fetched, unless they are here.
    Fetch {
        /// For whom.
        ticket: Ticket,
        /// The run of the assignment.
        run: RunId,
        /// Which, and from whom.
        fetches: Vec<Fetch>,
    },
    /// A thread is to run tasks.
    Execute {
        /// Under this number.
        ticket: Ticket,
        /// The tasks.
        assignment: Assignment,
    },
    /// The scheduler is to be told that results of others are here as well, and stay: those of `tasks` that are here by now.
    /// Some may have been here before, and dropped meanwhile.
    Fetched {
        /// The run.
        run: RunId,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
    /// The scheduler is to be told that an input can't be had; the assignment is given back.
    FetchFailed {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The run of the task whose result it is: another one if it is imported.
        input_run: RunId,
        /// The task whose result it is.
        task: TaskId,
        /// The worker that was to give it.
        from: WorkerId,
        /// It was reached, and doesn't have the result.
        reached: bool,
    },
    /// The scheduler is to be told that an input can't be sent; the assignment is given back.
    Unsendable {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The task that reads it.
        reader: TaskId,
        /// Who holds the input.
        from: WorkerId,
        /// Those who were to send it have died.
        is_deadly: bool,
    },
    /// The scheduler is to be told, before anything of it runs, that an assignment begins.
    Started {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
    },
    /// The scheduler is to be told how tasks ended.
    Report(Report),
    /// The scheduler is to be told of results that were made for one before it.
    Kept {
        /// The run.
        run: RunId,
        /// The tasks, with the bytes of each range.
        tasks: Vec<(TaskRange, u64)>,
    },
    /// The scheduler is to be told that tasks haven't begun and won't here.
    Recalled {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
}

impl Worker {
    /// A worker that runs `slots` assignments at a time, and tells when they begin and when those of forgotten runs end, so
    /// that its death is blamed on the right ones.
    pub fn new(slots: u32) -> Self {
        Self { can_be_lost: true, ..Self::in_process(slots) }
    }

    /// A worker that lives and dies with the scheduler.
    pub fn in_process(slots: u32) -> Self {
        Self {
            slots,
            next_ticket: 0,
            queue: VecDeque::new(),
            asking: None,
            overbooks: false,
            fetching: BTreeMap::new(),
            prepared: VecDeque::new(),
            running: BTreeMap::new(),
            forgotten: BTreeMap::new(),
            tasks: BTreeMap::new(),
            adrift: BTreeSet::new(),
            crossed: vec![],
            can_be_lost: false,
            actions: VecDeque::new(),
        }
    }

    /// The same worker with nothing to do, after a failure of its own: the tickets that it gave out aren't given out again.
    pub fn begun_anew(&self) -> Self {
        Self { can_be_lost: self.can_be_lost, next_ticket: self.next_ticket, ..Self::in_process(self.slots) }
    }

    /// Takes in what happened.
    pub fn handle_event(&mut self, event: WorkerEvent) {
        match event {
            WorkerEvent::Assigned(assignment) => self.assigned(assignment),
            WorkerEvent::Promised(ticket) => self.promised(ticket),
            WorkerEvent::Refused(ticket) => return self.put_back(ticket),
            WorkerEvent::MemoryFreed => {}
            WorkerEvent::Fetched(ticket) => self.fetched(ticket),
            WorkerEvent::FetchFailed { ticket, input_run, task, from, reached } => {
                self.fetch_failed(ticket, (input_run, task), from, reached);
            }
            WorkerEvent::Unsendable { ticket, reader, from, is_deadly } => {
                self.unsendable(ticket, reader, from, is_deadly)
            }
            WorkerEvent::Executed { ticket, outcomes, nanoseconds } => self.executed(ticket, outcomes, nanoseconds),
            WorkerEvent::Recall { run, attempt, tasks } => self.take_back(run, attempt, &tasks),
            WorkerEvent::Forgotten(run) => self.forget(run),
            WorkerEvent::Resized(slots) => self.slots = slots,
            WorkerEvent::SchedulerBegan => {
                self.drop_waiting(|_| true);
                self.adrift.extend(self.running.keys().chain(self.forgotten.keys()));
            }
            WorkerEvent::Leaves => self.give_all_back(),
        }
        self.start_prepared();
        self.ask();
    }

    /// The next thing to do, until there is none.
    pub fn poll_action(&mut self) -> Option<WorkerAction> {
        self.actions.pop_front()
    }

    /// The ticket that waits for memory.
    pub fn asking(&self) -> Option<Ticket> {
        self.asking.as_ref().map(|&(ticket, _)| ticket)
    }

    /// Assignments that wait for a slot or for memory, in order.
    pub fn queued(&self) -> impl Iterator<Item = &Assignment> {
        self.asking.iter().map(|(_, assignment)| assignment).chain(&self.queue)
    }

    /// Whether `ticket` is running and somebody wants it.
    pub fn is_running(&self, ticket: Ticket) -> bool {
        self.running.contains_key(&ticket)
    }

    /// What runs under `ticket`, if somebody wants it.
    pub fn running_at(&self, ticket: Ticket) -> Option<(RunId, Attempt)> {
        self.running.get(&ticket).copied()
    }

    /// The tickets of a run that are running.
    pub fn running_of(&self, run: RunId) -> impl Iterator<Item = Ticket> {
        self.running.iter().filter(move |(_, of)| of.0 == run).map(|(&ticket, _)| ticket)
    }

    /// Slots that aren't taken up by what is forgotten and goes on.
    fn free_of_strays(&self) -> usize {
        let slots = u64::from(self.slots);
        let strays = (self.forgotten.len() as u64).saturating_sub(slots * STRAYS_A_SLOT);
        slots.saturating_sub(strays) as usize
    }

    /// Asks for the memory of the first in the queue, if a slot is free for it, or if it can fetch meanwhile.
    fn ask(&mut self) {
        let Some(first) = self.queue.front().filter(|_| self.asking.is_none()) else { return };
        let fetches = self.fetching.len() + self.prepared.len();
        let slots = self.free_of_strays();
        let has_slot = self.running.len() + fetches < slots;
        if !has_slot && (first.fetches.is_empty() || fetches >= slots) {
            return;
        }
        let Some(assignment) = self.queue.pop_front() else { return };
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let bytes = assignment.memory;
        self.overbooks = self.is_at_rest();
        self.actions.push_back(WorkerAction::Reserve { ticket, bytes, overbook: self.overbooks });
        self.asking = Some((ticket, assignment));
    }

    fn promised(&mut self, ticket: Ticket) {
        match self.asking.take() {
            Some((asking, assignment)) if asking == ticket && assignment.fetches.is_empty() => {
                match self.prepared.is_empty() && self.running.len() < self.free_of_strays() {
                    true => self.start(ticket, assignment),
                    false => self.prepared.push_back((ticket, assignment)),
                }
            }
            Some((asking, assignment)) if asking == ticket => {
                let (run, fetches) = (assignment.run, assignment.fetches.clone());
                self.fetching.insert(ticket, assignment);
                self.actions.push_back(WorkerAction::Fetch { ticket, run, fetches });
            }
            // It was taken back or forgotten while the broker made up its mind.
            other => {
                self.asking = other;
                self.actions.push_back(WorkerAction::Unreserve { ticket });
            }
        }
    }

    /// Nothing runs or is made ready, so that no memory would come back by itself.
    fn is_at_rest(&self) -> bool {
        self.running.is_empty() && self.fetching.is_empty() && self.prepared.is_empty()
    }

    fn put_back(&mut self, ticket: Ticket) {
        if self.asking.as_ref().is_some_and(|(asking, _)| *asking == ticket)
            && let Some((_, assignment)) = self.asking.take()
        {
            self.queue.push_front(assignment);
            // What ran when it was asked for has ended meanwhile: nobody else would ask again.
            if !self.overbooks && self.is_at_rest() {
                self.ask();
            }
        }
    }

    fn fetched(&mut self, ticket: Ticket) {
        if let Some(assignment) = self.fetching.remove(&ticket) {
            let mut kept: BTreeMap<RunId, Vec<TaskRange>> = BTreeMap::new();
            for Fetch { run, tasks, .. } in assignment.fetches.iter().filter(|fetch| fetch.keep) {
                kept.entry(*run).or_default().push(*tasks);
            }
            self.actions.extend(kept.into_iter().map(|(run, tasks)| WorkerAction::Fetched { run, tasks }));
            self.prepared.push_back((ticket, assignment));
        }
    }

    fn fetch_failed(&mut self, ticket: Ticket, (input_run, task): (RunId, TaskId), from: WorkerId, reached: bool) {
        if let Some(Assignment { run, attempt, .. }) = self.fetching.remove(&ticket) {
            self.actions.push_back(WorkerAction::Unreserve { ticket });
            self.actions.push_back(WorkerAction::FetchFailed { run, attempt, input_run, task, from, reached });
        }
    }

    fn unsendable(&mut self, ticket: Ticket, reader: TaskId, from: WorkerId, is_deadly: bool) {
        if let Some(Assignment { run, attempt, .. }) = self.fetching.remove(&ticket) {
            self.actions.push_back(WorkerAction::Unreserve { ticket });
            self.actions.push_back(WorkerAction::Unsendable { run, attempt, reader, from, is_deadly });
        }
    }

    fn start_prepared(&mut self) {
        while self.running.len() < self.free_of_strays()
            && let Some((ticket, assignment)) = self.prepared.pop_front()
        {
            self.start(ticket, assignment);
        }
    }

    fn start(&mut self, ticket: Ticket, assignment: Assignment) {
        let (run, attempt) = (assignment.run, assignment.attempt);
        self.running.insert(ticket, (run, attempt));
        if self.can_be_lost {
            self.tasks.insert(ticket, assignment.tasks.clone());
            self.actions.push_back(WorkerAction::Started { run, attempt });
        }
        self.actions.push_back(WorkerAction::Execute { ticket, assignment });
    }

    fn executed(&mut self, ticket: Ticket, outcomes: Vec<(TaskRange, Outcome)>, nanoseconds: u64) {
        self.actions.push_back(WorkerAction::Unreserve { ticket });
        let (forgotten, running) = (self.forgotten.remove(&ticket), self.running.remove(&ticket));
        let tasks = self.tasks.remove(&ticket);
        if self.adrift.remove(&ticket) {
            // The scheduler has handed out others under this number.
            if let Some((run, _)) = running {
                self.tell_kept(run, &outcomes);
            }
            self.go_on_with_crossed();
        } else if let Some((run, attempt)) = forgotten {
            let report = Report { run, attempt, outcomes: vec![], nanoseconds };
            self.actions.push_back(WorkerAction::Report(report));
        } else if let Some((run, attempt)) = running {
            let outcomes = self.tell_unasked(run, tasks.as_deref(), outcomes);
            self.actions.push_back(WorkerAction::Report(Report { run, attempt, outcomes, nanoseconds }));
        }
    }

    /// Gives back what hasn't begun; what has is reported in the end.
    fn take_back(&mut self, run: RunId, attempt: Attempt, tasks: &[TaskRange]) {
        let promised = self.fetching.values_mut().chain(self.prepared.iter_mut().map(|(_, assignment)| assignment));
        let asking = self.asking.iter_mut().map(|(_, assignment)| assignment);
        let mut waiting = asking.chain(&mut self.queue).chain(promised).chain(&mut self.crossed);
        let Some(found) = waiting.find(|found| found.run == run && found.attempt == attempt) else { return };
        let mut given_back = found.tasks.clone();
        tasks.iter().for_each(|range| range.cut_out_of(&mut found.tasks));
        tasks.iter().for_each(|range| range.cut_out_of(&mut found.transient));
        found.tasks.iter().for_each(|range| range.cut_out_of(&mut given_back));
        if !given_back.is_empty() {
            self.actions.push_back(WorkerAction::Recalled { run, attempt, tasks: given_back });
        }
        self.drop_waiting(|assignment| assignment.is_empty());
    }

    /// Gives back all that hasn't begun.
    fn give_all_back(&mut self) {
        let promised = self.fetching.values().chain(self.prepared.iter().map(|(_, assignment)| assignment));
        let waiting = self.queued().chain(promised).chain(&self.crossed);
        let given_back = |waits: &Assignment| {
            let (run, attempt, tasks) = (waits.run, waits.attempt, waits.tasks.clone());
            WorkerAction::Recalled { run, attempt, tasks }
        };
        let given_back: Vec<_> = waiting.map(given_back).collect();
        self.actions.extend(given_back);
        self.drop_waiting(|_| true);
    }

    /// What runs can't be stopped from here. Its slot is free at once, unless there are too many such; its promise stays, and of
    /// its end no more is told than that it came.
    fn forget(&mut self, run: RunId) {
        self.drop_waiting(|assignment| assignment.run == run);
        let forgotten = self.running.extract_if(.., |_, of| of.0 == run);
        let forgotten = forgotten.inspect(|(ticket, _)| drop(self.tasks.remove(ticket)));
        match self.can_be_lost {
            true => self.forgotten.extend(forgotten),
            false => forgotten.for_each(drop),
        }
    }

    /// Drops assignments that don't run yet, and gives their promises back.
    fn drop_waiting(&mut self, is_dropped: impl Fn(&Assignment) -> bool) {
        self.queue.retain(|assignment| !is_dropped(assignment));
        self.crossed.retain(|assignment| !is_dropped(assignment));
        self.asking.take_if(|(_, assignment)| is_dropped(assignment));
        let fetching = self.fetching.iter().filter(|(_, assignment)| is_dropped(assignment)).map(|(&ticket, _)| ticket);
        let prepared = self.prepared.iter().filter(|(_, assignment)| is_dropped(assignment)).map(|&(ticket, _)| ticket);
        let dropped: Vec<_> = fetching.chain(prepared).collect();
        self.fetching.retain(|_, assignment| !is_dropped(assignment));
        self.prepared.retain(|(_, assignment)| !is_dropped(assignment));
        let dropped = dropped.into_iter().skip(usize::from(planted::has(Bug::PromiseLeaks)));
        self.actions.extend(dropped.map(|ticket| WorkerAction::Unreserve { ticket }));
    }
}
