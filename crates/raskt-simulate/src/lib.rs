//! A virtual cluster: the real scheduler and worker machines in a world where everything that can go wrong does.
//!
//! A world is drawn from a seed ([`Scenario::draw`]): hosts, clients, jobs, weather, faults. It runs on one thread in
//! virtual time ([`simulate`]); chance, delays and durations come from the seed, so that the same seed is the same
//! world, event by event, in every build. Nothing of the machines is imitated: [`raskt_schedule::Scheduler`] and
//! [`raskt_schedule::Worker`] run as they are, between sessions over a lossy network, virtual threads, memories and
//! disks.
//!
//! ```text
//!   Client ═══ session ═══▶ Head (Scheduler) ═══ session ═══▶ Host (Worker) ── thread, memory, disk
//!     └──────────── datagrams: reads of results ────────────────▲  └─ datagrams ─▶ other hosts
//! ```
//!
//! Each world has two phases. While faults last, nothing wrong may happen: books are kept beside the scheduler, and each
//! of its steps is held against them. When faults stop, all wanted work must end in bounded time, with exactly the
//! results that were known beforehand; and when all clients have released what they had, nothing may be left anywhere.
//!
//! A failing seed is the whole report of a bug: [`shrink`] cuts the scenario down, and the failure tells the story of the
//! tasks in it.

#![deny(clippy::iter_over_hash_type)]

mod agenda;
mod check;
mod client;
mod context;
mod head;
mod host;
mod job;
mod network;
mod outcome;
mod random;
mod scenario;
mod shrink;
mod story;
mod world;

pub use check::{Sometimes, Tally};
pub use outcome::{Failure, Outcome, simulate};
pub use scenario::{
    AlonePlan, Fault, FaultKind, HostPlan, ImportPlan, JobPlan, LayerPlan, NestedPlan, ReadPlan, Requires, Scenario,
    ShapePlan, Weather,
};
pub use shrink::shrink;
