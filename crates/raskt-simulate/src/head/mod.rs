//! The scheduler's side: the real scheduler machine, sessions to workers and clients, and the watch over them.

mod gifts;
mod guests;
mod record;
mod restart;

use crate::check::{Ledger, Sometimes, holder_of};
use crate::context::{Address, Context, Happening};
use crate::host::Jobs;
use crate::network::Message;
use crate::story;
use guests::{Guest, Kind};
use raskt_schedule::{
    Action, Assignment, Event, Placement, RunId, Scheduler, Settings, SoonestStart, TaskRange, Time, WorkerId,
};
use record::Record;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Head {
    pub scheduler: Scheduler,
    pub ledger: Ledger,
    guests: BTreeMap<Address, Guest>,
    /// Who was given up: what they still say is answered by `Reset`.
    gone: BTreeSet<Address>,
    lease: u64,
    /// Data that no worker has confirmed yet, and the worker that it was sent to.
    gifts: BTreeMap<RunId, Option<Address>>,
    /// Who submitted each run that isn't released.
    owners: BTreeMap<RunId, Address>,
    /// When the scheduler will be told that time has passed.
    wakes_at: Option<u64>,
    /// The flight record of this world, if it keeps one.
    record: Option<Record>,
}

impl Head {
    pub fn new(settings: Settings, lease: u64, records: bool) -> Self {
        let placement: Arc<dyn Placement> = Arc::new(SoonestStart::default());
        Self {
            scheduler: Scheduler::with(settings, placement.clone()),
            ledger: Ledger::default(),
            guests: BTreeMap::new(),
            gone: BTreeSet::new(),
            lease,
            gifts: BTreeMap::new(),
            owners: BTreeMap::new(),
            wakes_at: None,
            record: records.then(|| Record::new(settings, &placement)),
        }
    }

    fn read(&mut self, context: &mut Context, jobs: Jobs, peer: Address, message: &Message) {
        let worker = peer.worker();
        match message {
            Message::JoinWorker { offer } => {
                self.greet(context, peer, Kind::Worker);
                self.handle(context, Event::WorkerJoined { worker, offer: offer.clone() });
            }
            Message::JoinClient => self.greet(context, peer, Kind::Client),
            Message::Resize { slots, memory } => {
                self.handle(context, Event::WorkerResized { worker, slots: *slots, memory: *memory });
            }
            Message::Report(report) => {
                self.handle(context, Event::Reported { worker, report: report.clone() });
            }
            Message::Started { run, attempt } => {
                self.handle(context, Event::Started { worker, run: *run, attempt: *attempt });
            }
            Message::Fetched { run, tasks } => {
                self.handle(context, Event::Fetched { worker, run: *run, tasks: tasks.clone() });
            }
            Message::FetchFailed { run, attempt, input_run, task, from, reached } => {
                let (run, attempt, input_run, task) = (*run, *attempt, *input_run, *task);
                let (from, reached) = (*from, *reached);
                self.handle(context, Event::FetchFailed { worker, run, attempt, input_run, task, from, reached });
            }
            Message::Recalled { run, attempt, tasks } => {
                let (run, attempt, tasks) = (*run, *attempt, tasks.clone());
                self.handle(context, Event::Recalled { worker, run, attempt, tasks });
            }
            Message::Kept { run, tasks } => {
                self.handle(context, Event::Kept { worker, run: *run, tasks: tasks.clone() });
            }
            Message::Held { run, tasks } => self.take_gift(context, worker, *run, tasks),
            Message::ResultsLost { run, tasks } => {
                self.handle(context, Event::ResultsLost { worker, run: *run, tasks: tasks.clone() });
            }
            Message::Want { run, tasks } => {
                self.handle(context, Event::Wanted { run: *run, tasks: tasks.clone() });
            }
            Message::Unwant { run, tasks } => {
                self.handle(context, Event::Released { run: *run, tasks: tasks.clone() });
            }
            Message::Retry { run, tasks } => {
                self.handle(context, Event::Retried { run: *run, tasks: tasks.clone() });
                // What it is about may have been run again since.
                self.tell_where(context, *run);
            }
            Message::Submit { run } => self.submit(context, jobs, peer, *run, None),
            Message::SubmitNested { run, parent } => self.submit(context, jobs, peer, *run, Some(*parent)),
            Message::Lend { run } => self.handle(context, Event::SlotsLent { worker, run: *run, slots: 1 }),
            Message::TakeBackLent { run } => {
                self.handle(context, Event::SlotsReturned { worker, run: *run, slots: 1 });
            }
            Message::Release { run } => {
                self.gifts.remove(run);
                self.disown(*run);
                self.handle(context, Event::RunReleased { run: *run });
            }
            Message::Where { run } => self.tell_where(context, *run),
            other => unreachable!("the scheduler isn't sent {other:?}"),
        }
    }

    fn submit(&mut self, context: &mut Context, jobs: Jobs, peer: Address, run: RunId, parent: Option<RunId>) {
        let Some(job) = jobs.get(&run) else { return };
        if let Some(guest) = self.guests.get_mut(&peer) {
            guest.runs.insert(run);
            self.owners.insert(run, peer);
        }
        let (graph, wanted) = (job.graph.clone(), TaskRange::of(job.wanted_at_first().iter().copied()));
        let (failure, imports) = (job.failure(), job.imports().to_vec());
        let event = Event::GraphAdded { run, parent, graph, wanted, failure, imports };
        if self.scheduler.check(&event).is_err() {
            // Whoever had what it imports has released it meanwhile.
            context.tally.saw(Sometimes::ImportRefused);
            self.tell_client(context, run, Message::Refused { run });
            return self.disown(run);
        }
        self.ledger.open(run, parent, job.clone());
        self.handle(context, event);
        if !job.given.is_empty() {
            self.gifts.insert(run, None);
            self.send_gifts(context, jobs);
        }
    }

    /// Tells the machine what happened, holds what it asks for against the books, and does it.
    fn handle(&mut self, context: &mut Context, event: Event) {
        context.machine_events += 1;
        context.tell(|| story::tasks_of_event(&event), || story::event(&event));
        self.ledger.take_event(&self.scheduler, &event, &context.killers, &mut context.tally);
        let now = Time(context.now());
        if let Some(record) = &mut self.record {
            record.note_event(now, &event);
        }
        self.scheduler.try_event(now, event).expect("nobody in the simulator says what can't be");
        let mut actions = vec![];
        while let Some(action) = self.scheduler.poll_action() {
            context.tell(|| story::tasks_of_action(&action), || story::action(&action));
            actions.push(action);
        }
        context.note(actions.len() as u64);
        if let Some(record) = &mut self.record {
            record.note_actions(&actions);
        }
        if let Err(violation) = self.ledger.check(&self.scheduler, &actions, &mut context.tally) {
            context.violate(violation);
        }
        actions.into_iter().for_each(|action| self.act(context, action));
        self.set_wake(context);
    }

    /// Sees to it that the scheduler is told when the time has passed that it waits for, unless that is seen to.
    fn set_wake(&mut self, context: &mut Context) {
        if let Some(Time(at)) = self.scheduler.wakes_at().filter(|at| self.wakes_at.is_none_or(|known| at.0 < known)) {
            self.wakes_at = Some(at);
            context.agenda.at(at, Happening::Wake);
        }
    }

    /// Tells the scheduler that time has passed, if that is what it waits for.
    pub fn wake(&mut self, context: &mut Context) {
        self.wakes_at.take_if(|at| *at <= context.now());
        if self.scheduler.wakes_at().is_some_and(|at| at.0 <= context.now()) {
            self.handle(context, Event::TimePassed);
        }
        // What it waited for when this was set may have come: then it waits for something later, and nothing else may happen.
        self.set_wake(context);
    }

    fn act(&mut self, context: &mut Context, action: Action) {
        match action {
            Action::Assign { worker, assignment } => {
                note_assignment(context, worker, &assignment);
                self.send(context, Address::of(worker), Message::Assign(assignment));
            }
            Action::Recall { worker, run, attempt, tasks } => {
                self.send(context, Address::of(worker), Message::Recall { run, attempt, tasks });
            }
            Action::Discard { worker, run, tasks, inventory_version } => {
                self.send(context, Address::of(worker), Message::Discard { run, tasks, inventory_version });
            }
            Action::Forget { worker, run } => self.send(context, Address::of(worker), Message::Forget { run }),
            Action::Finished { run } => self.tell_where(context, run),
            Action::Failed { run, root, task, story, .. } => {
                self.tell_client(context, run, Message::Failed { run, root, task, killed: !story.is_empty() });
            }
            Action::Available { run, results } => {
                let holders = results.iter().flat_map(|held| held.tasks.tasks().map(|task| (task, held.worker)));
                self.tell_client(context, run, Message::Available { run, holders: holders.collect() });
            }
            Action::Unavailable { run, tasks } => self.tell_client(context, run, Message::Unavailable { run, tasks }),
            Action::TasksFailed { run, tasks, .. } => {
                self.tell_client(context, run, Message::TasksFailed { run, tasks });
            }
            Action::Lost { run, .. } => {
                self.tell_client(context, run, Message::Lost { run });
            }
            Action::Stalled { run, cause } => self.tell_client(context, run, Message::Stalled { run, cause }),
            Action::Resumed { run } => self.tell_client(context, run, Message::Resumed { run }),
        }
    }

    /// Tells a client where its results are, if all of them are there.
    fn tell_where(&mut self, context: &mut Context, run: RunId) {
        let (Some(client), Some(wanted)) = (self.client_of(run), self.ledger.wanted(run)) else { return };
        if self.is_worker(client) {
            return self.send(context, client, Message::Ended { run });
        }
        let (failed, left): (Vec<_>, Vec<_>) =
            wanted.iter().copied().partition(|&task| self.scheduler.failure(run, task).is_some());
        let found = left.into_iter().map(|task| Some((task, holder_of(&self.scheduler, run, task)?)));
        if let Some(holders) = found.collect::<Option<Vec<_>>>() {
            self.send(context, client, Message::Finished { run, holders, failed });
        }
    }

    fn tell_client(&mut self, context: &mut Context, run: RunId, message: Message) {
        let Some(owner) = self.client_of(run) else { return };
        if !self.is_worker(owner) {
            return self.send(context, owner, message);
        }
        if matches!(message, Message::Failed { .. } | Message::Lost { .. }) {
            self.send(context, owner, Message::Ended { run });
        }
    }

    /// Reads the flight record of this world, if it keeps one.
    pub fn replay(&mut self, context: &mut Context) {
        if let Some(record) = self.record.take() {
            record.replay(context);
        }
    }
}

fn note_assignment(context: &mut Context, worker: WorkerId, assignment: &Assignment) {
    context.note(u64::from(worker.0) << 32 | u64::from(assignment.attempt.0));
    context.note(assignment.run.0);
    for range in &assignment.tasks {
        context.note(u64::from(range.layer.0) << 48 ^ range.start << 24 ^ range.end);
    }
}
