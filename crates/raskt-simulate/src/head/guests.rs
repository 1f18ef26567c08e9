//! Those that the scheduler talks to: who they are, and whether they still live.

use super::Head;
use crate::check::{Sometimes, Violation};
use crate::context::{Address, Context, Happening, Node};
use crate::host::{BEATS_PER_LEASE, Jobs};
use crate::network::{Body, Message, Packet, Session};
use raskt_schedule::{Event, LossCause, RunId};
use std::collections::BTreeSet;

/// A worker or a client.
#[derive(Debug)]
pub(super) struct Guest {
    pub session: Session,
    pub kind: Kind,
    /// What it has submitted and not released.
    pub runs: BTreeSet<RunId>,
    heard_at: u64,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// It hasn't said yet.
    Unknown,
    Worker,
    Client,
}

impl Head {
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
            Guest { session, kind: Kind::Unknown, runs: BTreeSet::new(), heard_at }
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
        if self.is_worker(peer) {
            context.tally.saw(Sometimes::Retired);
            self.give_up(context, peer, LossCause::Retired);
        }
    }

    pub(super) fn give_up(&mut self, context: &mut Context, peer: Address, cause: LossCause) {
        let Some(guest) = self.guests.remove(&peer) else { return };
        self.gone.insert(peer);
        self.gifts.values_mut().for_each(|to| _ = to.take_if(|to| *to == peer));
        guest.runs.iter().for_each(|run| _ = self.owners.remove(run));
        match guest.kind {
            Kind::Unknown => {}
            Kind::Worker => self.handle(context, Event::WorkerLost { worker: peer.worker(), cause }),
            Kind::Client => context.tally.saw(Sometimes::ClientLost),
        }
        for run in guest.runs {
            self.gifts.remove(&run);
            self.handle(context, Event::RunReleased { run });
        }
    }

    /// A process says what it is. An earlier process on its machine is dead then, however little time has passed.
    pub(super) fn greet(&mut self, context: &mut Context, peer: Address, kind: Kind) {
        let node: Node = context.node_of(peer);
        let earlier = self.guests.keys().filter(|&&other| other != peer && context.node_of(other) == node);
        for other in earlier.copied().collect::<Vec<_>>() {
            self.give_up(context, other, LossCause::Died);
        }
        if let Some(guest) = self.guests.get_mut(&peer) {
            guest.kind = kind;
        }
    }

    /// Who has submitted `run`: a client, or a worker whose task waits for it.
    pub(super) fn client_of(&self, run: RunId) -> Option<Address> {
        self.owners.get(&run).copied()
    }

    /// Nobody waits for `run` any more.
    pub(super) fn disown(&mut self, run: RunId) {
        let owner = self.owners.remove(&run).and_then(|owner| self.guests.get_mut(&owner));
        owner.map(|owner| owner.runs.remove(&run));
    }

    pub(super) fn is_worker(&self, peer: Address) -> bool {
        matches!(self.guests.get(&peer), Some(Guest { kind: Kind::Worker, .. }))
    }

    pub(super) fn send(&mut self, context: &mut Context, to: Address, message: Message) {
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
