//! Threads that run tasks.
//!
//! An [`Engine`] is the in-process driver of the machines in `raskt-schedule`: one scheduler, one worker, a pool of
//! threads, a store. [`Engine::submit`] takes a graph and gives a [`RunHandle`] to wait on. A [`Runner`] knows how to run
//! the ops of one kind; native kernels have theirs here ([`NativeRunner`]), Python's lives in the binding.

mod batch;
mod countdown;
mod engine;
mod error;
mod execution;
mod flight;
mod handle;
mod in_place;
mod lending;
mod observer;
mod pace;
mod panics;
mod reads;
mod recover;
mod runner;
mod state;
mod threads;
mod turn;
mod watch;

pub use batch::Batch;
pub use countdown::Countdown;
pub use engine::{Engine, EngineOptions, OwnsRuns, usual_memory_limit};
pub use error::{Breakdown, RunError};
pub use handle::{RunHandle, RunResult, SlotLoan};
pub use in_place::run_in_place;
pub use observer::{Freed, Observation, Observer, ResultId, TaskRecord, Telling, is_watched, observe, tell_freed};
pub use pace::{Pace, Spent};
pub use raskt_schedule::{Progress, RunId, TaskRange};
pub use raskt_store::{Limits, MemoryReport, Store};
pub use runner::{NativeRunner, Runner, Runners, TaskCall};

#[cfg(test)]
mod tests;
