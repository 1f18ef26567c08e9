//! The machines that decide: which task runs where, and when a worker may start it.
//!
//! Neither machine acts. [`Scheduler`] and [`Worker`] take events, change state and hand out actions; time, sizes and
//! durations are arguments. The same events give the same actions, bit for bit, so a run can be simulated, recorded
//! and replayed. What acts (threads, sockets, disks) lives above and drives them:
//!
//! ```text
//!  client ── GraphAdded ──▶ Scheduler ── Assign ──▶ Worker ── Execute ──▶ a thread
//!     ◀────── Finished ────    ▲  └───── Discard ──▶  │  ▲                   │
//!                              └─────── Report ───────┘  └──── Executed ─────┘
//! ```

#![deny(clippy::iter_over_hash_type)]

mod admit;
mod assign;
mod batch;
mod boxes;
mod by_number;
mod cancel;
mod check;
mod copies;
mod draft;
mod ending;
mod estimate;
mod event;
mod exports;
mod failing;
mod failure;
mod failures;
mod fetching;
mod flight;
mod gates;
mod gating;
mod holders;
mod holdings;
mod holds;
mod id;
mod import;
mod importing;
mod imports;
mod inventory;
mod lending;
mod linking;
mod located;
mod look;
mod needed;
mod needs;
mod offer;
mod opened;
mod orders;
mod pages;
mod placed;
mod planted;
mod policy;
mod prepared;
mod quarantine;
mod queries;
mod queue;
mod queues;
mod rank_set;
mod report;
mod requirement;
mod reserves;
mod revival;
mod run;
mod run_queue;
mod scheduler;
mod settings;
mod shares;
mod sources;
mod stall;
mod suspects;
mod take;
mod task;
mod task_set;
mod tasks;
mod telling;
mod told;
mod transitions;
mod validate;
mod validate_links;
mod waits;
mod within;
mod worker;
mod worker_rank;
mod worker_state;
mod workers;
mod worklist;

pub use event::{Action, Assignment, Event, EventError, Fetch, Held, Outcome, Report};
pub use failure::{Failure, FailureScope};
pub use flight::{Flight, FlightError, FlightRecorder};
pub use id::{Attempt, RunId, TaskRange, Ticket, Time, WorkerId};
pub use import::Import;
pub use inventory::Inventory;
pub use offer::{LossCause, Offer};
pub use orders::{WorkerOrder, WorkerTold};
#[cfg(feature = "planted")]
pub use planted::{Bug, plant};
pub use policy::{Admission, Candidate, Order, Placement, Rebalance, SoonestStart};
pub use prepared::{ForgottenRun, PreparedRun};
pub use queries::{Processing, TaskStory};
pub use scheduler::Scheduler;
pub use settings::{Progress, Settings};
pub use stall::StallCause;
pub use suspects::Death;
pub use task::TaskState;

pub use waits::HeldBack;
pub use worker::{Worker, WorkerAction, WorkerEvent};

#[cfg(test)]
mod tests;
