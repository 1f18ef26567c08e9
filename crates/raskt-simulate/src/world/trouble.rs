//! Faults begin and end.

use super::World;
use crate::check::Sometimes;
use crate::context::{Happening, Node};
use crate::random::Random;
use crate::scenario::{FaultKind, Scenario};

impl World {
    pub(super) fn trouble(&mut self, fault: usize, begins: bool) {
        let planned = self.scenario.faults[fault];
        // What is still on when faults stop was ended then.
        if !begins && self.context.is_calm {
            return;
        }
        let verb = if begins { "begins" } else { "ends" };
        self.context.tell(Vec::new, || format!("{verb}: {:?}", planned.kind));
        match planned.kind {
            FaultKind::Crash { host } => self.crash(host, begins),
            FaultKind::Leave { host } if begins => {
                self.context.tally.saw(Sometimes::HostLeft);
                self.hosts[host].leave(&mut self.context);
            }
            FaultKind::Leave { .. } => {}
            FaultKind::Freeze { host } if begins => {
                self.context.tally.saw(Sometimes::WorkerFroze);
                let until = (self.context.now() + planned.lasts).min(self.scenario.calm_at);
                let frozen = &mut self.hosts[host].frozen_until;
                *frozen = until.max(*frozen);
            }
            FaultKind::Freeze { .. } => {}
            FaultKind::Slow { host, times } => self.hosts[host].slowness = if begins { times } else { 1 },
            FaultKind::SlowDisk { host, times } => self.hosts[host].disk_slowness = if begins { times } else { 1 },
            FaultKind::FullDisk { host } => self.hosts[host].is_disk_full = begins,
            FaultKind::LoseSpilled { host } if begins => self.hosts[host].damage(&mut self.context),
            FaultKind::Retire { host } if begins => {
                let process = self.hosts[host].process.as_ref();
                if let Some(worker) = process.map(|process| process.address) {
                    self.head.retire(&mut self.context, worker);
                }
            }
            FaultKind::LoseSpilled { .. } | FaultKind::Retire { .. } => {}
            FaultKind::Killer { host } => self.hosts[host].kills = begins,
            FaultKind::Resize { host, slots } => {
                let slots = if begins { slots } else { self.hosts[host].plan.slots };
                self.hosts[host].resize(&mut self.context, &self.jobs, slots);
            }
            FaultKind::CutOneWay { from, to } => {
                self.context.wires.cut(Node(from as u32), Node(to as u32), begins);
            }
            FaultKind::Isolate { node } => self.context.wires.isolate(Node(node as u32), begins),
            FaultKind::Clog { seed } if begins => self.clog(seed, planned.lasts),
            FaultKind::Clog { .. } => {}
            FaultKind::RestartScheduler if begins => {
                let settings = self.scenario.settings();
                self.head.restart(&mut self.context, &self.jobs, settings);
            }
            FaultKind::RestartScheduler => {}
            FaultKind::LoseClient { client } if begins => self.lose_client(client as usize),
            FaultKind::LoseClient { client } => {
                let node = self.scenario.client_node(client);
                self.context.agenda.after(0, Happening::Starts(node));
            }
        }
    }

    fn crash(&mut self, host: usize, begins: bool) {
        if begins {
            self.hosts[host].crash(&mut self.context, "it crashes");
        } else {
            self.context.agenda.after(0, Happening::Starts(Scenario::host_node(host)));
        }
    }

    /// Holds nodes up one after the other, and lets them go in another order.
    fn clog(&mut self, seed: u64, lasts: u64) {
        let mut random = Random::new(seed);
        let now = self.context.now();
        for node in (0..self.scenario.nodes() as u32).map(Node) {
            if random.chance(500_000) {
                let until = (now + random.below(lasts)).min(self.scenario.calm_at);
                self.context.wires.clog(node, until);
            }
        }
    }

    /// Faults stop: every machine that hasn't left is up, fast and reachable.
    pub(super) fn calm(&mut self) {
        self.context.is_calm = true;
        self.head.ledger.forget_waits();
        self.context.wires.calm();
        self.context.tell(Vec::new, || "faults stop".into());
        for host in &mut self.hosts {
            let node = host.node;
            (host.slowness, host.disk_slowness) = (1, 1);
            (host.is_disk_full, host.kills, host.frozen_until) = (false, false, 0);
            self.context.agenda.after(0, Happening::Starts(node));
        }
        for client in &self.clients {
            self.context.agenda.after(0, Happening::Starts(client.node));
        }
    }
}
