//! What a worker is kept for.

use super::WorkerState;
use crate::requirement::Requirement;
use crate::suspects::{Group, Quarantine};
use crate::{Attempt, RunId};

impl WorkerState {
    /// The suspects that it is kept for, if it is; the last of them.
    pub fn quarantine(&self) -> Option<Quarantine> {
        self.quarantines.last().copied()
    }

    /// Assignments of suspects for which it is kept and which it has, and the groups that they are of.
    pub fn suspects(&self) -> impl Iterator<Item = ((RunId, Attempt), Group)> {
        self.quarantines.iter().filter_map(|kept| Some(((kept.run, kept.attempt?), kept.group)))
    }

    /// It is kept for others than those that it hasn't been given yet, or for nobody beside those that it has. It is kept for these
    /// until they end.
    pub fn change_quarantine(&mut self, quarantine: Option<Quarantine>) {
        self.quarantines.retain(|kept| kept.attempt.is_some());
        self.quarantines.extend(quarantine);
    }

    /// Whether it isn't kept already for suspects that it hasn't been given yet.
    pub fn may_be_kept(&self) -> bool {
        self.quarantine().is_none_or(|kept| kept.attempt.is_some())
    }

    /// Whether it gets nothing but a suspect. While tasks of it wait for others, these may come.
    pub fn is_kept(&self) -> bool {
        !self.quarantines.is_empty() && self.waiting() == 0
    }

    /// How many assignments that meet `requirement` it can have at a time, if nobody but them takes anything; one at the least.
    pub fn times(&self, requirement: Option<&Requirement>) -> u64 {
        let required = requirement.into_iter().flat_map(|required| &required.resources);
        let times = required.map(|(name, &amount)| self.free(name).checked_div(amount).unwrap_or(u64::MAX));
        times.min().unwrap_or(u64::MAX).min(self.slots().saturating_sub(self.placed.len() as u64)).max(1)
    }
}
