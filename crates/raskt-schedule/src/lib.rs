//! The machines that decide: which task runs where, when a worker may start it, and what processes share ([`coordination`]).
//! None of them acts: [`Scheduler`] and [`Worker`] take events and hand out actions, the same for the same events:
//!
//! ```text
//!  client ── GraphAdded ──▶ Scheduler ── Assign ──▶ Worker ── Execute ──▶ a thread
//!     ◀────── Finished ────    ▲  └───── Discard ──▶  │  ▲                   │
//!                              └─────── Report ───────┘  └──── Executed ─────┘
//! ```

#![deny(clippy::iter_over_hash_type)]

mod admit;
mod alone;
mod assign;
mod cancel;
mod check;
mod collections;
pub mod coordination;
mod copies;
mod ending;
mod estimate;
mod event;
mod fetching;
mod flight;
mod gates;
mod gating;
mod holdings;
mod id;
mod lending;
mod links;
mod look;
mod needed;
mod needs;
mod offer;
mod pages;
mod placed;
mod planted;
mod policy;
mod prepared;
mod quarantine;
mod queries;
mod queue;
mod queues;
mod report;
mod requirement;
mod reserves;
mod revival;
mod run;
mod run_queue;
mod scheduler;
mod settings;
mod shares;
mod stall;
mod suspects;
mod take;
mod task;
mod task_set;
mod tasks;
mod told;
mod transitions;
mod validate;
mod waits;
mod within;
mod worker;
mod worker_rank;
mod worker_state;
mod workers;

pub use alone::{Claim, Failure, FailureScope};
pub use event::{Action, Assignment, Event, EventError, Fetch, Held, Outcome, Report};
pub use flight::{Flight, FlightError, FlightRecorder};
pub use id::{Attempt, RunId, TaskRange, Ticket, Time, WorkerId};
pub use links::import::Import;
pub use offer::{LossCause, Offer};
#[cfg(feature = "planted")]
pub use planted::{Bug, plant};
pub use policy::{Admission, Candidate, Order, Placement, Rebalance, SoonestStart};
pub use prepared::{ForgottenRun, PreparedRun};
pub use queries::{BEGINNING, Cursor, Processing, Resident, TaskStory, WorkerLoad};
pub use scheduler::Scheduler;
pub use settings::{Progress, Settings};
pub use stall::StallCause;
pub use suspects::Death;
pub use task::TaskState;
pub use told::{Inventory, WorkerOrder, WorkerTold};
pub use waits::HeldBack;
pub use worker::{Worker, WorkerAction, WorkerEvent};

#[cfg(test)]
mod tests;
