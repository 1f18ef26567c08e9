//! What every node of a world shares: the clock, chance, the wires, and the notes taken for the reader.

use crate::agenda::Agenda;
use crate::check::{Tally, Violation};
use crate::job::Job;
use crate::network::{Packet, Wires};
use crate::random::{Random, fold};
use crate::story::Line;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange, Ticket, WorkerId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A machine: the scheduler's is 0, then the hosts, then the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node(pub u32);

impl Node {
    /// What its worker is called.
    pub fn name(self) -> String {
        format!("node-{}", self.0)
    }
}

/// One life of a process on a node. A process that starts anew has another address, and a worker's is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address(pub u32);

impl Address {
    /// The scheduler, which lives as long as the world.
    pub const HEAD: Self = Self(0);

    pub fn worker(self) -> WorkerId {
        WorkerId(self.0)
    }

    pub fn of(worker: WorkerId) -> Self {
        Self(worker.0)
    }
}

/// Everything that can happen.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A packet arrives.
    Packet(Packet),
    /// What a session sent and the other side hasn't confirmed is sent again.
    Resend { own: Address, peer: Address },
    /// A worker or a client gives a sign of life.
    Beat(Address),
    /// The scheduler's side looks for nodes that give none.
    Watch,
    /// The scheduler wanted to be told that so much time has passed.
    Wake,
    /// A thread comes to the end of a task.
    TaskEnds { own: Address, ticket: Ticket },
    /// A read of another worker's results has taken long.
    FetchTimer { own: Address, fetch: u64 },
    /// Results have been written to disk.
    Spilled { own: Address, results: Vec<(RunId, TaskId)> },
    /// A process starts.
    Starts(Node),
    /// A fault of the scenario begins or ends.
    Fault { fault: usize, begins: bool },
    /// A client submits a job of the scenario.
    Submit(usize),
    /// A client wants other results of a run than before.
    Change { own: Address, run: RunId, seed: u64 },
    /// A client gives a job up.
    Cancel { own: Address, run: RunId },
    /// Faults stop.
    Calm,
}

pub(crate) struct Context {
    pub agenda: Agenda<Happening>,
    pub wires: Wires,
    /// Chance of the network and of what goes wrong; tasks have natures of their own.
    pub random: Random,
    pub is_calm: bool,
    /// Runs that were submitted since the world last looked.
    pub born: Vec<(RunId, Rc<Job>)>,
    runs: u64,
    /// What tasks have done already that they do only a few times.
    pub trials: BTreeMap<(RunId, TaskId), Trial>,
    /// Workers that a task has killed, and which.
    pub killers: BTreeMap<WorkerId, (RunId, TaskId)>,
    /// The node of each address that was ever given.
    directory: Vec<Node>,
    pub tally: Tally,
    /// The most bytes of results that a worker held in memory, in percent of what it may hold.
    pub fullest_percent: u64,
    /// The first thing that was found wrong.
    pub violation: Option<Violation>,
    /// Of everything that happened so far.
    pub digest: u64,
    pub events: u64,
    /// Events, and as much as the audits between them took.
    pub work: u64,
    /// Events that one of the machines took in.
    pub machine_events: u64,
    story: Option<Vec<Line>>,
}

/// How often a task has failed and has killed its worker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trial {
    pub failures: u32,
    pub deaths: u32,
}

impl Context {
    pub fn new(seed: u64, wires: Wires, tells: bool) -> Self {
        Self {
            agenda: Agenda::new(),
            wires,
            random: Random::new(seed ^ 0x6e65_7477_6f72_6b73),
            is_calm: false,
            born: vec![],
            runs: 0,
            trials: BTreeMap::new(),
            killers: BTreeMap::new(),
            directory: vec![Node(0)],
            tally: Tally::default(),
            fullest_percent: 0,
            violation: None,
            digest: 0,
            events: 0,
            work: 0,
            machine_events: 0,
            story: tells.then(Vec::new),
        }
    }

    pub fn now(&self) -> u64 {
        self.agenda.now()
    }

    /// A number never used before, for a process that starts on `node`.
    pub fn new_address(&mut self, node: Node) -> Address {
        self.directory.push(node);
        Address(self.directory.len() as u32 - 1)
    }

    /// A number never used before, for a run of `job`.
    pub fn new_run(&mut self, job: Rc<Job>) -> RunId {
        self.runs += 1;
        let run = RunId(self.runs);
        self.born.push((run, job));
        run
    }

    pub fn node_of(&self, address: Address) -> Node {
        self.directory[address.0 as usize]
    }

    /// Puts a packet on the wire: it arrives later, twice, or never.
    pub fn transmit(&mut self, packet: Packet) {
        let (from, to) = (self.node_of(packet.from), self.node_of(packet.to));
        let now = self.agenda.now();
        for delay in self.wires.delays(from, to, now, &mut self.random, &mut self.tally) {
            self.agenda.after(delay, Happening::Packet(packet.clone()));
        }
    }

    /// Takes a number into the digest by which two runs of one seed are compared.
    pub fn note(&mut self, number: u64) {
        self.digest = fold(self.digest, number);
    }

    /// Takes a line into the story, if it is told.
    pub fn tell(&mut self, tasks: impl FnOnce() -> Vec<(RunId, TaskRange)>, text: impl FnOnce() -> String) {
        let at = self.agenda.now();
        if let Some(story) = &mut self.story {
            story.push(Line { at, text: text(), tasks: tasks() });
        }
    }

    pub fn story(&mut self) -> Vec<Line> {
        self.story.take().unwrap_or_default()
    }

    /// Something that must never be is: the world stops here.
    pub fn violate(&mut self, violation: Violation) {
        self.violation.get_or_insert(violation);
    }
}
