//! The rules by which the scheduler decides, as values: which worker gets a task ([`Placement`]), whose turn it is
//! ([`Order`]), who waits for memory ([`Admission`]), and what workers get in advance and are asked back for
//! ([`Rebalance`]).
//!
//! A policy keeps nothing: it looks at what it is shown, and the same gives the same. [`crate::Settings`] hold all but
//! the placement, which may be a driver's own. A flight record names them with their numbers, and is replayed by them.
//!
//! What isn't a matter of choice is in the machine: that requirements are met, that the deepest run of a family goes
//! first (a task that waits for it holds a thread), and the bounds on how much is looked at for a decision.

mod admission;
mod order;
mod place;
mod rebalance;

pub use admission::Admission;
pub use order::Order;
pub use place::{Candidate, Placement, SoonestStart};
pub use rebalance::Rebalance;

use std::sync::Arc;

/// A policy as a flight record tells of it.
pub(crate) trait Policy: Sized {
    /// What it is, in words.
    const KIND: &'static str;

    /// The rule, in words.
    fn name(&self) -> &str;

    /// All that the rule depends on.
    fn numbers(&self) -> Vec<u64>;

    /// The policy of this name with these numbers, if this build has one that takes so many.
    fn named(name: &str, numbers: &[u64]) -> Option<Self>;
}

impl Policy for Arc<dyn Placement> {
    const KIND: &'static str = "placement";

    fn name(&self) -> &str {
        Placement::name(&**self)
    }

    fn numbers(&self) -> Vec<u64> {
        Placement::numbers(&**self)
    }

    fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        Some(Arc::new(SoonestStart::named(name, numbers)?))
    }
}
