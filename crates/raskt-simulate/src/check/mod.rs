//! What is checked while a world goes on.
//!
//! - [`Ledger`] keeps books of its own: who was given which task on which attempt, and what came of it. Each step of the
//!   scheduler is held against them.
//! - `world/audit.rs` compares what the scheduler believes with what the workers really hold, and has the
//!   scheduler count everything again. That takes a look at every task, so it is done the more seldom the larger the
//!   world is.
//! - [`waits::Waits`] notes for how long runs wait: nobody starves, and nobody is held back for ever.
//! - [`Tally`] counts how often rare things happened: a check of what never happens checks nothing.

mod actions;
mod ledger;
mod links;
mod page;
mod rules;
mod tally;
mod telling;
mod waits;

pub(crate) use ledger::{Ledger, holder_of};
pub use tally::{Sometimes, Tally};
pub(crate) use waits::Look;

use raskt_graph::TaskId;
use raskt_schedule::RunId;

/// Something that must never be, with the tasks in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub text: String,
    pub tasks: Vec<(RunId, TaskId)>,
}

impl Violation {
    pub fn new(text: String) -> Self {
        Self { text, tasks: vec![] }
    }

    pub fn of(run: RunId, task: TaskId, text: &str) -> Self {
        Self { text: format!("task {task} of run {}: {text}", run.0), tasks: vec![(run, task)] }
    }
}
