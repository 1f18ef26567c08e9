//! The scheduler's side: the real scheduler machine, sessions to workers and clients, and the watch over them.

use crate::check::{Ledger, Sometimes, Violation, holder_of};
use crate::context::{Address, Context, Happening, Node};
use crate::host::{BEATS_PER_LEASE, Jobs};
use crate::network::{Body, Message, Packet, Session};
use crate::story;
use raskt_graph::TaskId;
use raskt_schedule::{Action, Assignment, Event, LossCause, RunId, Scheduler, TaskRange, Time, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub(crate) struct Head {
    pub scheduler: Scheduler,
    pub ledger: Ledger,
    guests: BTreeMap<Address, Guest>,
    /// Who was given up: what they still say is answered by `Reset`.
    gone: BTreeSet<Address>,
    lease: u64,
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
    pub fn new(credit_nanoseconds: u64, lease: u64) -> Self {
        Self {
            scheduler: Scheduler::new(credit_nanoseconds),
            ledger: Ledger::default(),
            guests: BTreeMap::new(),
            gone: BTreeSet::new(),
            lease,
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
        let now = context.now();
        let is_late = |since: u64| now.saturating_sub(since) > self.lease;
        let late = self
            .guests
            .iter()
            .filter(|(_, guest)| is_late(guest.heard_at) || guest.session.waits_since().is_some_and(is_late));
        for peer in late.map(|(&peer, _)| peer).collect::<Vec<_>>() {
            self.give_up(context, jobs, peer, LossCause::Died);
        }
        context.agenda.after(self.lease / BEATS_PER_LEASE, Happening::Watch);
    }

    /// A worker is asked to leave: whatever it says from now on counts for nothing, and nobody is to blame.
    pub fn retire(&mut self, context: &mut Context, jobs: Jobs, peer: Address) {
        if matches!(self.guests.get(&peer), Some(Guest { kind: Kind::Worker, .. })) {
            context.tally.saw(Sometimes::Retired);
            self.give_up(context, jobs, peer, LossCause::Retired);
        }
    }

    fn give_up(&mut self, context: &mut Context, jobs: Jobs, peer: Address, cause: LossCause) {
        let Some(guest) = self.guests.remove(&peer) else { return };
        self.gone.insert(peer);
        match guest.kind {
            Kind::Unknown => {}
            Kind::Worker => self.handle(context, jobs, Event::WorkerLost { worker: peer.worker(), cause }),
            Kind::Client { runs } => {
                context.tally.saw(Sometimes::ClientLost);
                runs.into_iter().for_each(|run| self.handle(context, jobs, Event::RunReleased { run }));
            }
        }
    }

    fn read(&mut self, context: &mut Context, jobs: Jobs, peer: Address, message: &Message) {
        let worker = peer.worker();
        match message {
            Message::JoinWorker { offer } => {
                self.greet(context, jobs, peer, Kind::Worker);
                self.handle(context, jobs, Event::WorkerJoined { worker, offer: offer.clone() });
            }
            Message::JoinClient => self.greet(context, jobs, peer, Kind::Client { runs: BTreeSet::new() }),
            Message::Resize { slots } => {
                self.handle(context, jobs, Event::WorkerResized { worker, slots: *slots });
            }
            Message::Report(report) => {
                self.handle(context, jobs, Event::Reported { worker, report: report.clone() });
            }
            Message::TakenBack { run, attempt, tasks } => {
                let (run, attempt, tasks) = (*run, *attempt, tasks.clone());
                self.handle(context, jobs, Event::TakenBack { worker, run, attempt, tasks });
            }
            Message::ResultsLost { run, tasks } => {
                self.handle(context, jobs, Event::ResultsLost { worker, run: *run, tasks: tasks.clone() });
            }
            Message::Want { run, tasks } => {
                self.handle(context, jobs, Event::Wanted { run: *run, tasks: tasks.clone() });
            }
            Message::Unwant { run, tasks } => {
                self.handle(context, jobs, Event::Released { run: *run, tasks: tasks.clone() });
            }
            Message::Submit { run } => self.submit(context, jobs, peer, *run),
            Message::Release { run } => self.handle(context, jobs, Event::RunReleased { run: *run }),
            Message::Where { run } => self.tell_where(context, *run),
            other => unreachable!("the scheduler isn't sent {other:?}"),
        }
    }

    /// A process says what it is. An earlier process on its machine is dead then, however little time has passed.
    fn greet(&mut self, context: &mut Context, jobs: Jobs, peer: Address, kind: Kind) {
        let node: Node = context.node_of(peer);
        let earlier = self.guests.keys().filter(|&&other| other != peer && context.node_of(other) == node);
        for other in earlier.copied().collect::<Vec<_>>() {
            self.give_up(context, jobs, other, LossCause::Died);
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
        let (graph, wanted) = (job.graph.clone(), TaskRange::of(job.wanted.iter().copied()));
        self.handle(context, jobs, Event::GraphAdded { run, graph, wanted });
    }

    /// Tells the machine what happened, holds what it asks for against the books, and does it.
    fn handle(&mut self, context: &mut Context, jobs: Jobs, event: Event) {
        context.machine_events += 1;
        context.tell(|| story::tasks_of_event(&event), || story::event(&event));
        self.ledger.take_event(&self.scheduler, &event, &mut context.tally);
        self.scheduler.handle_event(Time(context.now()), event);
        let mut actions = vec![];
        while let Some(action) = self.scheduler.poll_action() {
            context.tell(|| story::tasks_of_action(&action), || story::action(&action));
            actions.push(action);
        }
        context.note(actions.len() as u64);
        if let Err(violation) = self.ledger.check(&self.scheduler, &actions, &mut context.tally) {
            context.violate(violation);
        }
        actions.into_iter().for_each(|action| self.act(context, jobs, action));
    }

    fn act(&mut self, context: &mut Context, jobs: Jobs, action: Action) {
        match action {
            Action::Assign { worker, assignment } => {
                note_assignment(context, worker, &assignment);
                let holders = self.holders(jobs, worker, &assignment);
                self.send(context, Address::of(worker), Message::Assign { assignment, holders });
            }
            Action::TakeBack { worker, run, attempt, tasks } => {
                self.send(context, Address::of(worker), Message::TakeBack { run, attempt, tasks });
            }
            Action::Discard { worker, run, tasks } => {
                self.send(context, Address::of(worker), Message::Discard { run, tasks });
            }
            Action::Forget { worker, run } => self.send(context, Address::of(worker), Message::Forget { run }),
            Action::Finished { run } => self.tell_where(context, run),
            Action::Failed { run, task, .. } => {
                if let Some(client) = self.client_of(run) {
                    self.send(context, client, Message::Failed { run, task });
                }
            }
        }
    }

    /// Where the inputs of an assignment are that its worker doesn't hold itself.
    fn holders(&self, jobs: Jobs, worker: WorkerId, assignment: &Assignment) -> Vec<(TaskId, WorkerId)> {
        let mut holders = vec![];
        let Some(job) = jobs.get(&assignment.run) else { return holders };
        for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
            job.graph.for_each_input(task, |input| {
                let holder = holder_of(&self.scheduler, assignment.run, input);
                holders.extend(holder.filter(|&holder| holder != worker).map(|holder| (input, holder)));
            });
        }
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Tells a client where its results are, if all of them are there.
    fn tell_where(&mut self, context: &mut Context, run: RunId) {
        let (Some(client), Some(wanted)) = (self.client_of(run), self.ledger.wanted(run)) else { return };
        let found = wanted.iter().map(|&task| Some((task, holder_of(&self.scheduler, run, task)?)));
        if let Some(holders) = found.collect::<Option<Vec<_>>>() {
            self.send(context, client, Message::Finished { run, holders });
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
