use crate::{Assignment, Attempt, Outcome, Report, RunId, TaskRange, Ticket};
use std::collections::{BTreeMap, VecDeque};

/// The worker machine: decides when an assignment may start, and what is told to the scheduler.
///
/// Call [`Self::handle_event`] with what happened, then [`Self::poll_action`] until it gives nothing more. An assignment
/// starts when a slot is free and the memory that it says it will hold has been promised. One assignment alone
/// may start beyond the promise (`overbook`), so that work that can't ever be promised still goes on.
#[derive(Debug)]
pub struct Worker {
    slots: u32,
    next_ticket: u64,
    /// Accepted, not yet asking for memory: all and only the assignments without a ticket.
    queue: VecDeque<Assignment>,
    /// Asking for memory; at most one, so that small ones don't overtake a large one for ever.
    asking: Option<(Ticket, Assignment)>,
    running: BTreeMap<Ticket, (RunId, Attempt)>,
    actions: VecDeque<WorkerAction>,
}

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
    TakeBack {
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
    /// A thread is to run tasks.
    Execute {
        /// Under this number.
        ticket: Ticket,
        /// The tasks.
        assignment: Assignment,
    },
    /// The scheduler is to be told how tasks ended.
    Report(Report),
    /// The scheduler is to be told that tasks haven't begun and won't here.
    TakenBack {
        /// The run.
        run: RunId,
        /// The hand-out.
        attempt: Attempt,
        /// The tasks.
        tasks: Vec<TaskRange>,
    },
}

impl Worker {
    /// A worker that runs `slots` assignments at a time.
    pub fn new(slots: u32) -> Self {
        let (queue, actions) = (VecDeque::new(), VecDeque::new());
        Self { slots, next_ticket: 0, queue, asking: None, running: BTreeMap::new(), actions }
    }

    /// Takes in what happened.
    pub fn handle_event(&mut self, event: WorkerEvent) {
        match event {
            WorkerEvent::Assigned(assignment) => self.queue.push_back(assignment),
            WorkerEvent::Promised(ticket) => self.start(ticket),
            WorkerEvent::Refused(ticket) => return self.put_back(ticket),
            WorkerEvent::MemoryFreed => {}
            WorkerEvent::Executed { ticket, outcomes, nanoseconds } => self.executed(ticket, outcomes, nanoseconds),
            WorkerEvent::TakeBack { run, attempt, tasks } => self.take_back(run, attempt, &tasks),
            WorkerEvent::Forgotten(run) => self.forget(run),
            WorkerEvent::Resized(slots) => self.slots = slots,
        }
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

    /// Assignments that wait for a slot, in order.
    pub fn queued(&self) -> impl Iterator<Item = &Assignment> {
        self.asking.iter().map(|(_, assignment)| assignment).chain(&self.queue)
    }

    /// Whether `ticket` is running and somebody wants it.
    pub fn is_running(&self, ticket: Ticket) -> bool {
        self.running.contains_key(&ticket)
    }

    /// The tickets of a run that are running.
    pub fn running_of(&self, run: RunId) -> impl Iterator<Item = Ticket> {
        self.running.iter().filter(move |(_, of)| of.0 == run).map(|(&ticket, _)| ticket)
    }

    /// Asks for the memory of the first in the queue, if a slot is free for it.
    fn ask(&mut self) {
        if self.asking.is_some() || self.running.len() >= self.slots as usize {
            return;
        }
        let Some(assignment) = self.queue.pop_front() else { return };
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let (bytes, overbook) = (assignment.memory, self.running.is_empty());
        self.actions.push_back(WorkerAction::Reserve { ticket, bytes, overbook });
        self.asking = Some((ticket, assignment));
    }

    fn start(&mut self, ticket: Ticket) {
        match self.asking.take() {
            Some((asking, assignment)) if asking == ticket => {
                self.running.insert(ticket, (assignment.run, assignment.attempt));
                self.actions.push_back(WorkerAction::Execute { ticket, assignment });
            }
            // The run was forgotten while the broker made up its mind.
            other => {
                self.asking = other;
                self.actions.push_back(WorkerAction::Unreserve { ticket });
            }
        }
    }

    fn put_back(&mut self, ticket: Ticket) {
        if self.asking.as_ref().is_some_and(|(asking, _)| *asking == ticket)
            && let Some((_, assignment)) = self.asking.take()
        {
            self.queue.push_front(assignment);
        }
    }

    fn executed(&mut self, ticket: Ticket, outcomes: Vec<(TaskRange, Outcome)>, nanoseconds: u64) {
        self.actions.push_back(WorkerAction::Unreserve { ticket });
        if let Some((run, attempt)) = self.running.remove(&ticket) {
            self.actions.push_back(WorkerAction::Report(Report { run, attempt, outcomes, nanoseconds }));
        }
    }

    /// Gives back what hasn't begun; what has is reported in the end.
    fn take_back(&mut self, run: RunId, attempt: Attempt, tasks: &[TaskRange]) {
        let asking = self.asking.iter_mut().map(|(_, assignment)| assignment);
        let mut waiting = asking.chain(&mut self.queue);
        let Some(found) = waiting.find(|found| found.run == run && found.attempt == attempt) else { return };
        let before = found.tasks.clone();
        tasks.iter().for_each(|range| range.cut_out_of(&mut found.tasks));
        let mut given_back = before;
        found.tasks.iter().for_each(|range| range.cut_out_of(&mut given_back));
        if !given_back.is_empty() {
            self.actions.push_back(WorkerAction::TakenBack { run, attempt, tasks: given_back });
        }
        self.asking.take_if(|(_, assignment)| assignment.is_empty());
        self.queue.retain(|assignment| !assignment.is_empty());
    }

    /// What runs can't be stopped from here; it is told nothing about any more, and its slot is free at once.
    fn forget(&mut self, run: RunId) {
        self.queue.retain(|assignment| assignment.run != run);
        self.asking.take_if(|(_, assignment)| assignment.run == run);
        self.running.retain(|_, of| of.0 != run);
    }
}
