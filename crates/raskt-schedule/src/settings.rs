//! How a scheduler is set up.

use crate::policy::{Admission, Order, Rebalance};

/// How a scheduler deals with its workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Nanoseconds of work in an assignment: enough to hide the way to the worker and back, little enough to share evenly.
    pub credit_nanoseconds: u64,
    /// A task is failed when so many workers have died that had nothing but it.
    pub deaths: u32,
    /// Tasks run only where the resources and workers that they ask for are. Within one process nobody offers any, and a
    /// program that was written for a cluster is to run all the same.
    pub heeds_requirements: bool,
    /// Whose turn it is.
    pub order: Order,
    /// Who waits for memory.
    pub admission: Admission,
    /// What workers get in advance, and are asked back for.
    pub rebalance: Rebalance,
}

impl Default for Settings {
    /// For the threads of one process, which ask and get at once.
    fn default() -> Self {
        Self {
            credit_nanoseconds: 200_000,
            deaths: 3,
            heeds_requirements: true,
            order: Order::default(),
            admission: Admission::default(),
            rebalance: Rebalance::default(),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tasks that have ended.
    pub done: u64,
    /// Tasks that have to end.
    pub total: u64,
}

impl Progress {
    /// In a sum, one that was `before` is `now`.
    pub(crate) fn exchange(&mut self, before: Self, now: Self) {
        self.done = self.done + now.done - before.done;
        self.total = self.total + now.total - before.total;
    }
}
