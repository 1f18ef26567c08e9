//! Threads that run tasks.
//!
//! An [`Engine`] is the in-process driver of the machines in `raskt-schedule`: one scheduler, one worker, a pool of
//! threads, a store. [`Engine::submit`] takes a graph and gives a [`RunHandle`] to wait on. A [`Runner`] knows how to run
//! the ops of one kind; native kernels have theirs here ([`NativeRunner`]), Python's lives in the binding.
//!
//! A [`WorkerEngine`] is the same with its scheduler in another process, which an [`Uplink`] reaches.

mod batch;
mod call;
mod completion;
mod countdown;
mod engine;
mod error;
mod execution;
mod fetches;
mod flight;
mod giving;
mod handle;
mod held_results;
mod imports;
mod in_place;
mod lending;
mod made;
mod observer;
mod options;
mod owner;
mod pace;
mod panics;
mod reads;
mod recover;
mod results;
mod room;
mod runner;
mod shared;
mod state;
mod threads;
mod turn;
mod unheard;
mod uplink;
mod waited;
mod watch;
mod within;
mod worker_engine;
mod worker_error;

pub use batch::Batch;
pub use call::TaskCall;
pub use completion::RunResult;
pub use countdown::Countdown;
pub use engine::{Engine, SlotLoan};
pub use error::{Breakdown, RunError};
pub use giving::{Given, Peer};
pub use handle::RunHandle;
pub use held_results::{Adrift, HeldResults};
pub use in_place::run_in_place;
pub use observer::{Freed, Observation, Observer, ResultId, TaskRecord, Telling, is_watched, observe, tell_freed};
pub use options::{EngineOptions, usual_memory_limit};
pub use owner::OwnsRuns;
pub use pace::{Pace, TurnUsage};
pub use raskt_schedule::{Progress, RunId, TaskRange};
pub use raskt_store::{Arriving, Limits, MemoryReport, Store};
pub use runner::{NativeRunner, Runner, Runners};
pub use unheard::Unheard;
pub use uplink::{FetchAnswer, FetchId, FetchRequest, Missing, TaskFailure, Unreachable, Uplink};
pub use worker_engine::WorkerEngine;
pub use worker_error::WorkerError;

#[cfg(test)]
use raskt_schedule::{Event, FailureScope};

#[cfg(test)]
mod tests;
