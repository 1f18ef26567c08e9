//! Owners of runs that nobody waits for.

use crate::RunError;
use std::sync::Weak;

/// Somebody whose runs nobody waits for, and who has to know if one of them won't be run.
pub trait OwnsRuns: Send + Sync + 'static {
    /// So many of the runs have ended with this error before a thread had begun them. Called without any lock of the engine,
    /// which is in order.
    fn ended_unbegun(&self, runs: usize, error: &RunError);
}

/// Tells the owners of runs that ended before they were begun.
pub(crate) fn tell_owners(mut unbegun: Vec<(Weak<dyn OwnsRuns>, RunError)>) {
    while let Some((owner, error)) = unbegun.pop() {
        let others = unbegun.extract_if(.., |(other, _)| other.ptr_eq(&owner)).count();
        if let Some(owner) = owner.upgrade() {
            owner.ended_unbegun(1 + others, &error);
        }
    }
}
