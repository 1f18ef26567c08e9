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
mod named;
mod order;
mod place;
mod rebalance;

pub use admission::Admission;
pub(crate) use named::Policy;
pub use order::Order;
pub use place::{Candidate, Placement, SoonestStart};
pub use rebalance::Rebalance;
