//! A world: nodes, wires, and what happens next, until all jobs have ended and nothing is left.

mod audit;
mod trouble;

use crate::check::{Sometimes, Violation};
use crate::client::Client;
use crate::context::{Address, Context, Happening, Node};
use crate::head::Head;
use crate::host::{BEATS_PER_LEASE, Host};
use crate::job::Job;
use crate::network::{Body, Packet, Wires};
use crate::random::Random;
use crate::scenario::Scenario;
use crate::story::Line;
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) struct World {
    scenario: Scenario,
    context: Context,
    head: Head,
    hosts: Vec<Host>,
    clients: Vec<Client>,
    /// By position in the scenario.
    plans: Vec<Rc<Job>>,
    /// Of every run that was ever submitted.
    jobs: BTreeMap<RunId, Rc<Job>>,
    /// Jobs of the scenario that haven't come to an end, and how often each may still be submitted.
    open: BTreeMap<usize, u32>,
    /// Which job each run is of.
    job_of: BTreeMap<RunId, usize>,
    phase: Phase,
    /// When everything must have ended.
    deadline: u64,
    next_audit: u64,
    /// Since when each audit has seen tasks that could run anywhere.
    ready_since: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Jobs come and end, faults come and go until they stop.
    Working,
    /// All jobs have ended: clients look at what they kept, and release it.
    Leaving,
    /// Nobody wants anything: it must become quiet.
    Left,
    Over,
}

/// The most events of a world; one that needs more goes round in circles.
const EVENTS: u64 = 4_000_000;
/// Time to come to an end after faults have stopped, beside the work itself.
const PATIENCE_NANOSECONDS: u64 = 30_000_000_000;

impl World {
    pub fn new(scenario: &Scenario, tells: bool) -> Self {
        let wires = Wires::new(scenario.nodes(), scenario.weather);
        let plans: Vec<_> = scenario.jobs.iter().map(|plan| Rc::new(Job::new(plan))).collect();
        let hosts = scenario.hosts.iter().enumerate();
        let hosts = hosts.map(|(at, &plan)| Host::new(Scenario::host_node(at), plan)).collect();
        let clients = (0..scenario.clients).map(|client| Client::new(scenario.client_node(client))).collect();
        let open = scenario.jobs.iter().enumerate();
        let open = open.map(|(at, plan)| (at, 1 + u32::from(plan.cancel_after.is_some() && plan.resubmit))).collect();
        let mut world = Self {
            context: Context::new(scenario.seed, wires, tells),
            head: Head::new(scenario.settings(), scenario.lease_nanoseconds, scenario.keeps_record()),
            hosts,
            clients,
            deadline: deadline(scenario, &plans),
            plans,
            jobs: BTreeMap::new(),
            open,
            job_of: BTreeMap::new(),
            phase: Phase::Working,
            next_audit: 0,
            ready_since: None,
            scenario: scenario.clone(),
        };
        world.plan();
        world
    }

    fn plan(&mut self) {
        let agenda = &mut self.context.agenda;
        for host in &self.hosts {
            agenda.at(host.plan.joins_at, Happening::Starts(host.node));
        }
        for client in &self.clients {
            agenda.at(0, Happening::Starts(client.node));
        }
        for (at, job) in self.scenario.jobs.iter().enumerate() {
            agenda.at(job.at, Happening::Submit(at));
        }
        for (fault, planned) in self.scenario.faults.iter().enumerate() {
            agenda.at(planned.at, Happening::Fault { fault, begins: true });
            let end = (planned.at + planned.lasts).min(self.scenario.calm_at);
            agenda.at(end, Happening::Fault { fault, begins: false });
        }
        agenda.at(self.scenario.calm_at, Happening::Calm);
        agenda.at(0, Happening::Watch);
    }

    /// Lets everything happen, until it is over or something is wrong.
    pub fn run(&mut self) {
        while self.phase != Phase::Over && self.context.violation.is_none() {
            self.step();
        }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn story(&mut self) -> Vec<Line> {
        self.context.story()
    }

    fn step(&mut self) {
        let Some(happening) = self.context.agenda.next() else {
            return self.context.violate(Violation::new("nothing more can happen, and it isn't over".into()));
        };
        self.context.events += 1;
        if let Some(thaw) = self.frozen_until(&happening) {
            return self.context.agenda.at(thaw, happening);
        }
        let now = self.context.now();
        self.context.note(now);
        self.happen(happening);
        if self.context.events >= self.next_audit {
            self.audit();
        }
        if now > self.deadline || self.context.events > EVENTS {
            self.stuck();
        }
    }

    /// When the node thaws that `happening` is for, if it is frozen.
    fn frozen_until(&self, happening: &Happening) -> Option<u64> {
        let address = match happening {
            Happening::Packet(packet) => packet.to,
            Happening::Resend { own, .. }
            | Happening::TaskEnds { own, .. }
            | Happening::FetchTimer { own, .. }
            | Happening::Spilled { own, .. }
            | Happening::Beat(own) => *own,
            _ => return None,
        };
        let at = self.context.node_of(address).0.checked_sub(1)? as usize;
        let until = self.hosts.get(at)?.frozen_until;
        (until > self.context.now()).then_some(until)
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Packet(packet) => self.deliver(packet),
            Happening::Resend { own, peer } => self.resend(own, peer),
            Happening::Beat(own) => self.beat(own),
            Happening::Watch => {
                self.head.watch(&mut self.context, &self.jobs);
                self.move_on();
            }
            Happening::TaskEnds { own, ticket } => {
                if let Some(host) = live_host(&mut self.hosts, own) {
                    host.task_ends(&mut self.context, &self.jobs, ticket);
                }
            }
            Happening::FetchTimer { own, fetch } => {
                if let Some(host) = live_host(&mut self.hosts, own) {
                    host.fetch_timer(&mut self.context, &self.jobs, fetch);
                } else if let Some(client) = self.clients.iter_mut().find_map(|client| client.process_at(own)) {
                    client.read_timer(&mut self.context, &self.jobs, fetch);
                    self.look_at_clients();
                }
            }
            Happening::Spilled { own, results } => {
                if let Some(host) = live_host(&mut self.hosts, own) {
                    host.spilled(&mut self.context, &self.jobs, &results);
                }
            }
            Happening::Starts(node) => self.start(node),
            Happening::Fault { fault, begins } => self.trouble(fault, begins),
            Happening::Submit(job) => self.submit(job),
            Happening::Change { own, run, seed } => self.change(own, run, seed),
            Happening::Cancel { own, run } => self.cancel(own, run),
            Happening::Calm => self.calm(),
        }
    }

    fn deliver(&mut self, packet: Packet) {
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

    fn resend(&mut self, own: Address, peer: Address) {
        if own == Address::HEAD {
            self.head.resend(&mut self.context, peer);
        } else if let Some(process) = live_host(&mut self.hosts, own).and_then(|host| host.process.as_mut()) {
            process.session.resend(&mut self.context);
        } else if let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) {
            process.session.resend(&mut self.context);
        }
    }

    fn beat(&mut self, own: Address) {
        let is_host = live_host(&mut self.hosts, own).is_some();
        if is_host || self.clients.iter_mut().any(|client| client.process_at(own).is_some()) {
            self.context.transmit(Packet { from: own, to: Address::HEAD, body: Body::Ping });
            self.context.agenda.after(self.scenario.lease_nanoseconds / BEATS_PER_LEASE, Happening::Beat(own));
        }
    }

    fn start(&mut self, node: Node) {
        let at = node.0 as usize - 1;
        if let Some(host) = self.hosts.get_mut(at) {
            let restarts = host.process.is_none() && self.context.now() > host.plan.joins_at;
            self.context.tally.add(Sometimes::WorkerRestarted, u64::from(restarts));
            host.start(&mut self.context);
        } else {
            self.clients[at - self.hosts.len()].start(&mut self.context);
        }
    }

    fn submit(&mut self, at: usize) {
        let plan = &self.scenario.jobs[at];
        let client = plan.client as usize;
        let Some(process) = &mut self.clients[client].process else {
            return self.context.agenda.after(ABSENT_NANOSECONDS, Happening::Submit(at));
        };
        let run = RunId(1 + self.jobs.len() as u64);
        self.jobs.insert(run, self.plans[at].clone());
        self.job_of.insert(run, at);
        let job = &self.plans[at];
        process.submit(&mut self.context, run, job.wanted.iter().chain(&job.given).copied(), plan.keep);
        let own = process.address;
        let is_last = self.open.get(&at) == Some(&1);
        let mut changes = Random::new(plan.seed ^ run.0);
        let span = self.scenario.calm_at.saturating_sub(self.context.now());
        for _ in 0..plan.changes {
            let (after, seed) = (changes.below(span), changes.bits());
            self.context.agenda.after(after, Happening::Change { own, run, seed });
        }
        if let Some(after) = plan.cancel_after.filter(|_| !(plan.resubmit && is_last)) {
            self.context.agenda.after(after, Happening::Cancel { own, run });
        }
    }

    fn change(&mut self, own: Address, run: RunId, seed: u64) {
        let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) else { return };
        process.change(&mut self.context, &self.jobs, run, &mut Random::new(seed));
    }

    fn cancel(&mut self, own: Address, run: RunId) {
        let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) else { return };
        if !process.runs.contains_key(&run) {
            return;
        }
        self.context.tally.saw(Sometimes::Cancelled);
        process.release(&mut self.context, run);
        let job = self.job_of[&run];
        if let Some(times) = self.open.get_mut(&job).filter(|times| **times > 1) {
            // It isn't the end of the job, which begins anew.
            *times = 1;
            process.ended.retain(|&ended| ended != run);
            self.context.tally.saw(Sometimes::Resubmitted);
            let delay = self.context.random.scaled(1, ABSENT_NANOSECONDS);
            self.context.agenda.after(delay, Happening::Submit(job));
        }
        self.look_at_clients();
    }

    /// Takes note of what ended for the clients.
    fn look_at_clients(&mut self) {
        for process in self.clients.iter_mut().filter_map(|client| client.process.as_mut()) {
            for run in process.ended.drain(..) {
                self.open.remove(&self.job_of[&run]);
            }
        }
    }

    /// All workers are there, and runs that none of them can run never will be.
    fn give_up_unmet(&mut self) {
        for client in &mut self.clients {
            let Some(process) = &mut client.process else { continue };
            for run in process.give_up_unmet(&mut self.context) {
                if self.jobs[&run].is_met_by(&self.scenario.hosts) {
                    let text = format!("run {} was told that no worker has what it requires, and one has", run.0);
                    self.context.violate(Violation::new(text));
                }
            }
        }
        self.look_at_clients();
    }

    fn lose_client(&mut self, client: usize) {
        for run in self.clients[client].crash() {
            self.open.remove(&self.job_of[&run]);
        }
    }

    /// From one phase to the next, as soon as it is time.
    fn move_on(&mut self) {
        if self.context.is_calm {
            self.give_up_unmet();
        }
        if self.context.is_calm && self.is_quiet() {
            let inventories = self.audit_inventories();
            inventories.unwrap_or_else(|violation| self.context.violate(violation));
        }
        match self.phase {
            Phase::Working if self.context.is_calm && self.open.is_empty() => {
                self.phase = Phase::Leaving;
                self.deadline += PATIENCE_NANOSECONDS;
                for process in self.clients.iter_mut().filter_map(|client| client.process.as_mut()) {
                    process.leave(&mut self.context);
                }
            }
            Phase::Leaving => {
                let mut left = self.clients.iter().filter_map(|client| client.process.as_ref());
                if left.all(|process| process.runs.is_empty()) {
                    self.phase = Phase::Left;
                    self.deadline = self.context.now() + PATIENCE_NANOSECONDS;
                }
            }
            Phase::Left if self.leftovers().is_none() => {
                self.audit();
                self.head.replay(&mut self.context);
                self.phase = Phase::Over;
            }
            _ => {}
        }
    }
}

/// A client that is down is asked again after so long.
const ABSENT_NANOSECONDS: u64 = 50_000_000;

fn live_host(hosts: &mut [Host], own: Address) -> Option<&mut Host> {
    hosts.iter_mut().find(|host| host.process.as_ref().is_some_and(|process| process.address == own))
}

/// Deaths until a deadly task is failed, and time until a worker is back.
const DEATHS: u64 = 8;
const RESTART_NANOSECONDS: u64 = 400_000_000;

/// Packets that go back and forth for a task before the next can start, late ones included.
const WAYS_PER_TASK: u64 = 8;

/// When the slowest host alone would have done all the work a few times over, task by task.
fn deadline(scenario: &Scenario, plans: &[Rc<Job>]) -> u64 {
    let work: u64 = plans.iter().map(|job| job.nanoseconds()).sum();
    let tasks: u64 = plans.iter().map(|job| job.graph.tasks()).sum();
    let ways = tasks * WAYS_PER_TASK * scenario.weather.delay_nanoseconds;
    let slowest = scenario.hosts.iter().map(|host| host.slowness_percent).max().unwrap_or(100);
    let deadly: u64 = scenario.jobs.iter().map(|job| u64::from(job.deadly)).sum();
    let deaths = deadly * DEATHS * (2 * scenario.lease_nanoseconds + RESTART_NANOSECONDS);
    scenario.calm_at + PATIENCE_NANOSECONDS + 4 * (work * slowest / 100 + ways) + deaths
}
