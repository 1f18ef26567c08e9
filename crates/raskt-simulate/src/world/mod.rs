//! A world: nodes, wires, and what happens next, until all jobs have ended and nothing is left.

mod audit;
mod deadline;
mod deliver;
mod jobs;
mod trouble;

use crate::check::{Sometimes, Violation};
use crate::client::{Client, UNMET_NANOSECONDS};
use crate::context::{Address, Context, Happening, Node};
use crate::head::Head;
use crate::host::Host;
use crate::job::Job;
use crate::network::Wires;
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
    /// How often each of them is still submitted when it has ended.
    rounds: BTreeMap<usize, u32>,
    /// Which job each run is of.
    job_of: BTreeMap<RunId, usize>,
    phase: Phase,
    /// When everything must have ended.
    deadline: u64,
    next_audit: u64,
    /// The most work that is put into it.
    most_work: u64,
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
        let mut plans: Vec<Rc<Job>> = vec![];
        for plan in &scenario.jobs {
            plans.push(Rc::new(Job::new(plan, &plans)));
        }
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
            deadline: deadline::of(scenario, &plans),
            plans,
            jobs: BTreeMap::new(),
            open,
            rounds: scenario.jobs.iter().map(|plan| plan.rounds).enumerate().collect(),
            job_of: BTreeMap::new(),
            phase: Phase::Working,
            next_audit: 0,
            most_work: u64::MAX,
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

    /// Bounds the work that is put into it: beyond that nothing more happens.
    pub fn bound_work(&mut self, most: u64) {
        self.most_work = most;
    }

    /// Lets everything happen, until it is over or something is wrong.
    pub fn run(&mut self) {
        while self.phase != Phase::Over && self.context.violation.is_none() && self.context.work < self.most_work {
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
        self.context.work += 1;
        if let Some(thaw) = self.frozen_until(&happening) {
            return self.context.agenda.at(thaw, happening);
        }
        let now = self.context.now();
        self.context.note(now);
        self.happen(happening);
        self.jobs.extend(self.context.born.drain(..));
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
                self.audit_waits();
                self.move_on();
            }
            Happening::Wake => self.head.wake(&mut self.context),
            Happening::TaskEnds { own, ticket } => {
                if let Some(host) = host_of(&mut self.hosts, self.context.node_of(own), own) {
                    host.task_ends(&mut self.context, &self.jobs, ticket);
                }
            }
            Happening::FetchTimer { own, fetch } => {
                if let Some(host) = host_of(&mut self.hosts, self.context.node_of(own), own) {
                    host.fetch_timer(&mut self.context, &self.jobs, fetch);
                } else if let Some(client) = self.clients.iter_mut().find_map(|client| client.process_at(own)) {
                    client.read_timer(&mut self.context, &self.jobs, fetch);
                    self.look_at_clients();
                }
            }
            Happening::Spilled { own, results } => {
                if let Some(host) = host_of(&mut self.hosts, self.context.node_of(own), own) {
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

    /// From one phase to the next, as soon as it is time.
    fn move_on(&mut self) {
        // Whoever was cut off may still hear that things have changed.
        if self.context.now() > self.scenario.calm_at + UNMET_NANOSECONDS {
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

/// The host on which the process `own` lives, if it does. `at` is its node.
fn live_host(hosts: &mut [Host], node: Node, own: Address) -> Option<&mut Host> {
    let host = hosts.get_mut((node.0 as usize).checked_sub(1)?)?;
    host.process.as_ref().is_some_and(|process| process.address == own).then_some(host)
}

/// The same for what it began under an earlier address.
fn host_of(hosts: &mut [Host], node: Node, own: Address) -> Option<&mut Host> {
    let host = hosts.get_mut((node.0 as usize).checked_sub(1)?)?;
    host.process.as_ref().is_some_and(|process| process.is_or_was(own)).then_some(host)
}
