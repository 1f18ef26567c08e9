//! What arrives, and what is sent again.

use super::{World, live_host};
use crate::context::{Address, Happening};
use crate::host::BEATS_PER_LEASE;
use crate::network::{Body, Packet};

impl World {
    pub(super) fn deliver(&mut self, packet: Packet) {
        let at = self.context.node_of(packet.to).0 as usize;
        if packet.to == Address::HEAD {
            self.head.receive(&mut self.context, &self.jobs, packet);
        } else if let Some(host) = self.hosts.get_mut(at - 1) {
            host.receive(&mut self.context, &self.jobs, packet);
        } else {
            self.deliver_to_client(at - 1 - self.hosts.len(), packet);
        }
    }

    fn deliver_to_client(&mut self, client: usize, packet: Packet) {
        let Some(process) = self.clients[client].process_at(packet.to) else { return };
        if matches!(packet.body, Body::Reset) {
            self.lose_client(client);
            let node = self.clients[client].node;
            return self.context.agenda.after(0, Happening::Starts(node));
        }
        process.receive(&mut self.context, &self.jobs, packet);
        self.look_at_clients();
    }

    pub(super) fn resend(&mut self, own: Address, peer: Address) {
        if own == Address::HEAD {
            self.head.resend(&mut self.context, peer);
        } else if let Some(process) =
            live_host(&mut self.hosts, self.context.node_of(own), own).and_then(|host| host.process.as_mut())
        {
            process.session.resend(&mut self.context);
        } else if let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) {
            process.session.resend(&mut self.context);
        }
    }

    pub(super) fn beat(&mut self, own: Address) {
        let is_host = live_host(&mut self.hosts, self.context.node_of(own), own).is_some();
        if is_host || self.clients.iter_mut().any(|client| client.process_at(own).is_some()) {
            self.context.transmit(Packet { from: own, to: Address::HEAD, body: Body::Ping });
            self.context.agenda.after(self.scenario.lease_nanoseconds / BEATS_PER_LEASE, Happening::Beat(own));
        }
    }
}
