//! Why workers were ended, as those say who looked after them: it is told with the tasks that have killed them.

use crate::question::KEY_BYTES;
use raskt_schedule::{Death, WorkerId};
use std::collections::BTreeMap;

/// Workers whose ends are remembered.
const KEPT: usize = 1000;

#[derive(Default)]
pub(super) struct Causes(BTreeMap<WorkerId, String>);

impl Causes {
    /// A worker is about to be ended.
    pub fn note(&mut self, worker: WorkerId, mut why: String) {
        why.truncate(why.floor_char_boundary(KEY_BYTES));
        self.0.insert(worker, why);
        if self.0.len() > KEPT {
            self.0.pop_first();
        }
    }

    /// Why a worker was ended, if somebody has said.
    pub fn of(&self, worker: WorkerId) -> Option<&str> {
        self.0.get(&worker).map(String::as_str)
    }

    /// The last of what is known of deaths.
    pub fn last_of(&self, deaths: &[Death]) -> Option<String> {
        deaths.iter().rev().find_map(|death| self.of(death.worker)).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_causes_are_kept_and_none_is_long() {
        let mut causes = Causes::default();
        for worker in 0..2 * KEPT as u32 {
            causes.note(WorkerId(worker), "ä".repeat(KEY_BYTES));
        }
        let death = |worker| Death { worker: WorkerId(worker), others: 0, alone: true, started: true, in_part: false };
        assert_eq!(causes.last_of(&[death(0), death(KEPT as u32 - 1)]), None);
        let told = causes.last_of(&[death(KEPT as u32), death(0)]).unwrap();
        assert!(told.len() <= KEY_BYTES && causes.0.len() == KEPT);
    }
}
