//! The scheduler's side: the real scheduler machine, sessions to workers and clients, and the watch over them.

use crate::check::{Ledger, Sometimes, Violation, holder_of};
use crate::context::{Address, Context, Happening, Node};
use crate::host::{BEATS_PER_LEASE, Jobs};
use crate::network::{Body, Message, Packet, Session};
use crate::story;
use raskt_schedule::{
    Action, Assignment, Event, Flight, FlightRecorder, LossCause, RunId, Scheduler, Settings, SoonestStart, TaskRange,
    Time, WorkerId,
};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The flight record of this world, if it keeps one.
    record: Option<Record>,
}

/// What the scheduler is told that one piece of given data takes.
const GIVEN_BYTES: u64 = 256;

/// What the scheduler was told, and what it gave.
#[derive(Debug)]
struct Record {
    recorder: FlightRecorder,
    actions: Vec<Action>,
}

/// A worker or a client.
#[derive(Debug)]
struct Guest {
    session: Session,
    kind: Kind,
    heard_at: u64,
}

#[derive(Debug)]
enum Kind {
    /// It hasn't said yet.
    Unknown,
    Worker,
    Client {
        runs: BTreeSet<RunId>,
    },
}

impl Head {
    pub fn new(settings: Settings, lease: u64, records: bool) -> Self {
        let record = || Record { recorder: FlightRecorder::new(settings), actions: vec![] };
        Self {
            scheduler: Scheduler::with(settings, Box::new(SoonestStart::default())),
            ledger: Ledger::default(),
            guests: BTreeMap::new(),
            gone: BTreeSet::new(),
            lease,
            gifts: BTreeMap::new(),
            record: records.then(record),
        }
    }

    pub fn receive(&mut self, context: &mut Context, jobs: Jobs, packet: Packet) {
        let peer = packet.from;
        if self.gone.contains(&peer) {
            if !matches!(packet.body, Body::Reset) {
                context.transmit(Packet { from: Address::HEAD, to: peer, body: Body::Reset });
            }
            return;
        }
        let heard_at = context.now();
        let guest = self.guests.entry(peer).or_insert_with(|| {
            let session = Session::new(Address::HEAD, peer);
            Guest { session, kind: Kind::Unknown, heard_at }
        });
        guest.heard_at = heard_at;
        match packet.body {
            Body::Data { sequence, message } => {
                for message in guest.session.receive(context, sequence, message) {
                    self.read(context, jobs, peer, &message);
                }
            }
            Body::Ack { expects } => guest.session.confirm(expects),
            _ => {}
        }
    }

    pub fn resend(&mut self, context: &mut Context, peer: Address) {
        if let Some(guest) = self.guests.get_mut(&peer) {
            guest.session.resend(context);
        }
    }

    /// Gives up whoever hasn't been heard of, or hasn't confirmed anything, for the time of a lease.
    pub fn watch(&mut self, context: &mut Context, jobs: Jobs) {
        self.send_gifts(context, jobs);
        let now = context.now();
        let is_late = |since: u64| now.saturating_sub(since) > self.lease;
        let late = self
            .guests
            .iter()
            .filter(|(_, guest)| is_late(guest.heard_at) || guest.session.waits_since().is_some_and(is_late));
        for peer in late.map(|(&peer, _)| peer).collect::<Vec<_>>() {
            self.give_up(context, peer, LossCause::Died);
        }
        context.agenda.after(self.lease / BEATS_PER_LEASE, Happening::Watch);
    }

    /// A worker is asked to leave: whatever it says from now on counts for nothing, and nobody is to blame.
    pub fn retire(&mut self, context: &mut Context, peer: Address) {
        if matches!(self.guests.get(&peer), Some(Guest { kind: Kind::Worker, .. })) {
            context.tally.saw(Sometimes::Retired);
            self.give_up(context, peer, LossCause::Retired);
        }
    }

    fn give_up(&mut self, context: &mut Context, peer: Address, cause: LossCause) {
        let Some(guest) = self.guests.remove(&peer) else { return };
        self.gone.insert(peer);
        self.gifts.values_mut().for_each(|to| _ = to.take_if(|to| *to == peer));
        match guest.kind {
            Kind::Unknown => {}
            Kind::Worker => self.handle(context, Event::WorkerLost { worker: peer.worker(), cause }),
            Kind::Client { runs } => {
                context.tally.saw(Sometimes::ClientLost);
                for run in runs {
                    self.gifts.remove(&run);
                    self.handle(context, Event::RunReleased { run });
                }
            }
        }
    }

    fn read(&mut self, context: &mut Context, jobs: Jobs, peer: Address, message: &Message) {
        let worker = peer.worker();
        match message {
            Message::JoinWorker { offer } => {
                self.greet(context, peer, Kind::Worker);
                self.handle(context, Event::WorkerJoined { worker, offer: offer.clone() });
            }
            Message::JoinClient => self.greet(context, peer, Kind::Client { runs: BTreeSet::new() }),
            Message::Resize { slots } => {
                self.handle(context, Event::WorkerResized { worker, slots: *slots });
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
            Message::FetchFailed { run, attempt, task, from, reached } => {
                let (run, attempt, task, from, reached) = (*run, *attempt, *task, *from, *reached);
                self.handle(context, Event::FetchFailed { worker, run, attempt, task, from, reached });
            }
            Message::TakenBack { run, attempt, tasks } => {
                let (run, attempt, tasks) = (*run, *attempt, tasks.clone());
                self.handle(context, Event::TakenBack { worker, run, attempt, tasks });
            }
            Message::Held { run, tasks } => {
                if self.gifts.remove(run).is_some() {
                    let bytes = tasks.iter().map(|range| range.len()).sum::<u64>() * GIVEN_BYTES;
                    self.handle(context, Event::Given { run: *run, tasks: tasks.clone(), worker, bytes });
                    self.tell_client(context, *run, Message::Given { run: *run });
                }
            }
            Message::ResultsLost { run, tasks } => {
                self.handle(context, Event::ResultsLost { worker, run: *run, tasks: tasks.clone() });
            }
            Message::Want { run, tasks } => {
                self.handle(context, Event::Wanted { run: *run, tasks: tasks.clone() });
            }
            Message::Unwant { run, tasks } => {
                self.handle(context, Event::Released { run: *run, tasks: tasks.clone() });
            }
            Message::Submit { run } => self.submit(context, jobs, peer, *run),
            Message::Release { run } => {
                self.gifts.remove(run);
                self.handle(context, Event::RunReleased { run: *run });
            }
            Message::Where { run } => self.tell_where(context, *run),
            other => unreachable!("the scheduler isn't sent {other:?}"),
        }
    }

    /// A process says what it is. An earlier process on its machine is dead then, however little time has passed.
    fn greet(&mut self, context: &mut Context, peer: Address, kind: Kind) {
        let node: Node = context.node_of(peer);
        let earlier = self.guests.keys().filter(|&&other| other != peer && context.node_of(other) == node);
        for other in earlier.copied().collect::<Vec<_>>() {
            self.give_up(context, other, LossCause::Died);
        }
        if let Some(guest) = self.guests.get_mut(&peer) {
            guest.kind = kind;
        }
    }

    fn submit(&mut self, context: &mut Context, jobs: Jobs, peer: Address, run: RunId) {
        let Some(job) = jobs.get(&run) else { return };
        if let Some(Guest { kind: Kind::Client { runs }, .. }) = self.guests.get_mut(&peer) {
            runs.insert(run);
        }
        self.ledger.open(run, job.clone());
        let (graph, wanted) = (job.graph.clone(), TaskRange::of(job.wanted_at_first().iter().copied()));
        self.handle(context, Event::GraphAdded { run, graph, wanted });
        if !job.given.is_empty() {
            self.gifts.insert(run, None);
            self.send_gifts(context, jobs);
        }
    }

    /// Sends data that no worker has to one that is there.
    fn send_gifts(&mut self, context: &mut Context, jobs: Jobs) {
        let Some(worker) = self.workers().last() else { return };
        let unsent = self.gifts.iter_mut().filter(|(_, to)| to.is_none());
        let unsent: Vec<_> = unsent.map(|(&run, to)| (run, *to.insert(worker))).collect();
        for (run, to) in unsent {
            let tasks = TaskRange::of(jobs[&run].given.iter().copied());
            self.send(context, to, Message::Hold { run, tasks });
        }
    }

    /// Tells the machine what happened, holds what it asks for against the books, and does it.
    fn handle(&mut self, context: &mut Context, event: Event) {
        context.machine_events += 1;
        context.tell(|| story::tasks_of_event(&event), || story::event(&event));
        self.ledger.take_event(&self.scheduler, &event, &context.killers, &mut context.tally);
        let now = Time(context.now());
        if let Some(record) = &mut self.record {
            record.recorder.note(now, &event);
        }
        self.scheduler.handle_event(now, event);
        let mut actions = vec![];
        while let Some(action) = self.scheduler.poll_action() {
            context.tell(|| story::tasks_of_action(&action), || story::action(&action));
            actions.push(action);
        }
        context.note(actions.len() as u64);
        if let Some(record) = &mut self.record {
            record.actions.extend_from_slice(&actions);
        }
        if let Err(violation) = self.ledger.check(&self.scheduler, &actions, &mut context.tally) {
            context.violate(violation);
        }
        actions.into_iter().for_each(|action| self.act(context, action));
    }

    fn act(&mut self, context: &mut Context, action: Action) {
        match action {
            Action::Assign { worker, assignment } => {
                note_assignment(context, worker, &assignment);
                self.send(context, Address::of(worker), Message::Assign(assignment));
            }
            Action::TakeBack { worker, run, attempt, tasks } => {
                self.send(context, Address::of(worker), Message::TakeBack { run, attempt, tasks });
            }
            Action::Discard { worker, run, tasks } => {
                self.send(context, Address::of(worker), Message::Discard { run, tasks });
            }
            Action::Forget { worker, run } => self.send(context, Address::of(worker), Message::Forget { run }),
            Action::Finished { run } => self.tell_where(context, run),
            Action::Failed { run, task, story, .. } => {
                self.tell_client(context, run, Message::Failed { run, task, killed: !story.is_empty() });
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
        let found = wanted.iter().map(|&task| Some((task, holder_of(&self.scheduler, run, task)?)));
        if let Some(holders) = found.collect::<Option<Vec<_>>>() {
            self.send(context, client, Message::Finished { run, holders });
        }
    }

    fn tell_client(&mut self, context: &mut Context, run: RunId, message: Message) {
        if let Some(client) = self.client_of(run) {
            self.send(context, client, message);
        }
    }

    fn client_of(&self, run: RunId) -> Option<Address> {
        let owns = |guest: &Guest| matches!(&guest.kind, Kind::Client { runs } if runs.contains(&run));
        self.guests.iter().find(|(_, guest)| owns(guest)).map(|(&client, _)| client)
    }

    fn send(&mut self, context: &mut Context, to: Address, message: Message) {
        match self.guests.get_mut(&to) {
            Some(guest) => guest.session.send(context, message),
            None => context.violate(Violation::new(format!("nobody is at {to:?}, to be told {message:?}"))),
        }
    }

    /// Workers that the scheduler counts on.
    pub fn workers(&self) -> impl Iterator<Item = Address> {
        let workers = self.guests.iter().filter(|(_, guest)| matches!(guest.kind, Kind::Worker));
        workers.map(|(&address, _)| address)
    }

    /// Reads the flight record of this world, and does it all again: the same actions must come of it.
    pub fn replay(&mut self, context: &mut Context) {
        let Some(Record { mut recorder, actions }) = self.record.take() else { return };
        context.tally.saw(Sometimes::Replayed);
        match Flight::read(&recorder.take()) {
            Ok(flight) if flight.replay().flatten().eq(actions) => {}
            Ok(_) => {
                context.violate(Violation::new("the flight record gives other actions when it is replayed".into()))
            }
            Err(error) => context.violate(Violation::new(format!("the flight record can't be read: {error}"))),
        }
    }

    /// Whether everything that was sent has arrived.
    pub fn is_quiet(&self) -> bool {
        self.guests.values().all(|guest| guest.session.waits_since().is_none())
    }
}

fn note_assignment(context: &mut Context, worker: WorkerId, assignment: &Assignment) {
    context.note(u64::from(worker.0) << 32 | u64::from(assignment.attempt.0));
    context.note(assignment.run.0);
    for range in &assignment.tasks {
        context.note(u64::from(range.layer.0) << 48 ^ range.start << 24 ^ range.end);
    }
}
