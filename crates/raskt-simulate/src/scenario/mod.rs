//! What is to happen in a world, as plain data: drawn from a seed, printed when it fails, cut down by the shrinker.

mod draw;
mod faults;

pub use faults::{Fault, FaultKind};

use crate::context::Node;
use raskt_graph::Resources;
use raskt_schedule::Settings;

/// One world and its fate. Whatever isn't said here (delays, losses, durations) is drawn while it runs, from `seed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Where all chance comes from.
    pub seed: u64,
    /// Work that the scheduler hands out at a time.
    pub credit_nanoseconds: u64,
    /// Work that the scheduler hands out in advance.
    pub prefill_nanoseconds: u64,
    /// Without a sign of life for so long a node counts as lost.
    pub lease_nanoseconds: u64,
    /// The machines that offer workers.
    pub hosts: Vec<HostPlan>,
    /// How many clients there are.
    pub clients: u32,
    /// What the clients submit.
    pub jobs: Vec<JobPlan>,
    /// The network while faults last.
    pub weather: Weather,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// When faults stop: from here on all wanted work must end.
    pub calm_at: u64,
}

/// A machine that offers a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPlan {
    /// Tasks that it runs at a time.
    pub slots: u32,
    /// Bytes of results and promises that it holds in memory.
    pub memory: u64,
    /// Bytes of results that it can spill.
    pub disk: u64,
    /// Time of a task here, in percent of what the task says.
    pub slowness_percent: u64,
    /// When it offers itself first.
    pub joins_at: u64,
    /// Thousandths of a `gpu` that it offers.
    pub gpu: u64,
}

impl HostPlan {
    pub(crate) fn resources(&self) -> Resources {
        (self.gpu > 0).then(|| (GPU.into(), self.gpu)).into_iter().collect()
    }
}

/// The one resource that there is in these worlds.
pub(crate) const GPU: &str = "gpu";

/// A graph that a client submits, and what the client does about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlan {
    /// Where its graph and its tasks' natures come from.
    pub seed: u64,
    /// Who submits it.
    pub client: u32,
    /// When.
    pub at: u64,
    /// Layers of the graph.
    pub layers: u32,
    /// Tasks of a layer, at most.
    pub width: u32,
    /// Time of a usual task.
    pub task_nanoseconds: u64,
    /// How often a failed task is tried again.
    pub retries: u32,
    /// Tasks that fail at first, in a million.
    pub flaky_per_million: u32,
    /// Whether one of the flaky tasks fails more often than it may.
    pub doomed: bool,
    /// The client puts the results of the first layer into a worker, instead of having them computed.
    pub gives: bool,
    /// Tasks that kill their worker, a few times or always.
    pub deadly: u32,
    /// What some of its layers require of the workers.
    pub requires: Requires,
    /// Whether the sizes that the layers state are wrong.
    pub wrong_sizes: bool,
    /// How often the client wants other results than before.
    pub changes: u32,
    /// The client gives it up so long after submitting it.
    pub cancel_after: Option<u64>,
    /// The client submits it once more after giving it up.
    pub resubmit: bool,
    /// The client keeps the results until the end instead of releasing them when it has them.
    pub keep: bool,
}

/// What tasks require of the workers that run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requires {
    /// Nothing.
    Nothing,
    /// Thousandths of a `gpu` for each assignment.
    Gpu(u64),
    /// The worker of one host, by name.
    Host {
        /// Which.
        host: usize,
        /// Others will do if it isn't there.
        allows_others: bool,
    },
}

/// What the network does to single packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weather {
    /// A usual way.
    pub delay_nanoseconds: u64,
    /// Packets that take twice as long, again and again, in a million.
    pub tail_per_million: u32,
    /// Packets that get lost, in a million.
    pub drop_per_million: u32,
    /// Packets that arrive twice, in a million.
    pub duplicate_per_million: u32,
}

impl Weather {
    /// No packet is lost, and few are late.
    pub fn fair(delay_nanoseconds: u64) -> Self {
        Self { delay_nanoseconds, tail_per_million: 50_000, drop_per_million: 0, duplicate_per_million: 0 }
    }
}

/// One of so many worlds keeps a flight record.
const WORLDS_PER_RECORD: u64 = 4;

impl Scenario {
    pub(crate) fn settings(&self) -> Settings {
        let Self { credit_nanoseconds, prefill_nanoseconds, .. } = *self;
        Settings { credit_nanoseconds, prefill_nanoseconds, ..Settings::default() }
    }

    /// Whether a flight record is kept, and replayed at the end.
    pub(crate) fn keeps_record(&self) -> bool {
        self.seed.is_multiple_of(WORLDS_PER_RECORD)
    }

    /// The node of a host.
    pub(crate) fn host_node(host: usize) -> Node {
        Node(1 + host as u32)
    }

    /// The node of a client.
    pub(crate) fn client_node(&self, client: u32) -> Node {
        Node(1 + self.hosts.len() as u32 + client)
    }

    /// How many nodes there are: the scheduler's, the hosts, the clients.
    pub(crate) fn nodes(&self) -> usize {
        1 + self.hosts.len() + self.clients as usize
    }
}
