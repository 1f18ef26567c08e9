//! What is to happen in a world, as plain data: drawn from a seed, printed when it fails, cut down by the shrinker.

mod draw;
mod faults;
mod jobs;

pub use faults::{Fault, FaultKind};
pub(crate) use jobs::blocks;
pub use jobs::{AlonePlan, ImportPlan, JobPlan, LayerPlan, NestedPlan, ReadPlan, Requires, ShapePlan};

use crate::context::Node;
use raskt_graph::Resources;
use raskt_schedule::{Rebalance, Settings};

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
        let rebalance = Rebalance { prefill_nanoseconds, ..Rebalance::default() };
        Settings { credit_nanoseconds, rebalance, ..Settings::default() }
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
