//! What assignments of a worker have of what others lend that wait for them.

use crate::RunId;
use crate::placed::Placed;
use crate::requirement::{Sums, change_sums};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Amounts by the runs whose tasks lend them: what some run has borrowed is no less for those that other tasks wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Borrowed(BTreeMap<RunId, Sums>);

impl Borrowed {
    /// What is borrowed from tasks of `run`.
    pub fn lent_by(&self, run: RunId) -> impl Iterator<Item = (&Arc<str>, &u128)> {
        self.0.get(&run).into_iter().flatten()
    }

    /// Adds what an assignment has borrowed, or takes it away.
    pub fn change(&mut self, placed: &Placed, adds: bool) {
        for (lender, amounts) in &placed.borrowed {
            let sums = self.0.entry(*lender).or_default();
            change_sums(sums, amounts, adds);
            if sums.is_empty() {
                self.0.remove(lender);
            }
        }
    }
}
