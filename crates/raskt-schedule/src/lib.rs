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

mod admit;
mod assign;
mod batch;
mod cancel;
mod check;
mod estimate;
mod event;
mod flight;
mod holdings;
mod id;
mod members;
mod offer;
mod pages;
mod place;
mod quarantine;
mod queue;
mod rank_set;
mod report;
mod requirement;
mod revival;
mod run;
mod run_queue;
mod scheduler;
mod seat;
mod seats;
mod settings;
mod sources;
mod stall;
mod suspects;
mod take;
mod task;
mod tasks;
mod transitions;
mod validate;
mod worker;

pub use check::EventError;
pub use event::{Action, Assignment, Event, Fetch, Outcome, Report};
pub use flight::{Flight, FlightError, FlightRecorder};
pub use id::{Attempt, RunId, TaskRange, Ticket, Time, WorkerId};
pub use offer::{LossCause, Offer};
pub use place::{Candidate, Placement, SoonestStart};
pub use scheduler::Scheduler;
pub use settings::{Progress, Settings};
pub use stall::StallCause;
pub use suspects::Death;
pub use task::TaskState;
pub use worker::{Worker, WorkerAction, WorkerEvent};

#[cfg(test)]
mod tests;
