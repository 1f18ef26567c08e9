//! A supervisor of processes: it starts workers, and starts them again when they die, for as long as they should live.
//!
//! ```text
//!                  ended, and should live               time
//!  Running ─────────────────────────────────▶ Waiting ────────▶ Running
//!     │   ╲ stop, or too much memory for long    ▲
//!     │    ╲──────────▶ Ending ──────────────────┘ (too much memory)
//!     │ left of its own, or can't ever work │ (stop)
//!     └──────────────▶ Ended ◀──────────────┘
//! ```
//!
//! [`Supervisor`] decides without acting: it is told what happened and when, and says what is to be done. [`Nanny`] acts: one thread
//! starts the processes and hears of their ends. It is that thread whose end would end them, so that nobody outlives his nanny,
//! however that dies. A worker says by its exit status whether it is to live ([`status`]); any other end is a death, which is told
//! with its cause and made good, after a wait that grows with deaths in a row, and for ever.

mod backoff;
mod child;
mod driver;
mod exit;
mod memory;
mod signs;
mod supervisor;

pub use backoff::Waits;
pub use child::Stream;
pub use driver::{Nanny, NannyOptions, WardOptions, Watcher};
pub use exit::{Exit, Verdict, status};
pub use signs::{Heard, Signs};
pub use supervisor::{Action, Cause, End, Report, Restart, Rules, Supervisor, Ward, WardId};

#[cfg(test)]
mod lives;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_processes;
