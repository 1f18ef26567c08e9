//! Results that can't be sent, and are asked for again and again: whoever holds one has something else to do for a while, and what reads
//! it is tried elsewhere until then. Each try has the object pickled once more.

use raskt_graph::TaskId;
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::time::Duration;

/// How often each was asked for in vain.
#[derive(Default)]
pub(super) struct Refusals(BTreeMap<(RunId, TaskId), u32>);

/// So many are remembered; after that all begin anew.
const MOST: usize = 1024;

/// So often it is told at once.
const AT_ONCE: u32 = 4;

/// How long is waited after the next, each time twice as long, and at most.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(250);

impl Refusals {
    /// One more: how long is waited until that is told.
    pub fn pause(&mut self, result: (RunId, TaskId)) -> Duration {
        if self.0.len() >= MOST && !self.0.contains_key(&result) {
            self.0.clear();
        }
        let times = self.0.entry(result).or_default();
        *times = times.saturating_add(1);
        match times.checked_sub(AT_ONCE + 1) {
            None => Duration::ZERO,
            Some(doubled) => LONGEST.min(FIRST * (1 << doubled.min(16))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_graph::LayerId;

    #[test]
    fn each_waits_longer_for_itself() {
        let mut refusals = Refusals::default();
        let result = |index| (RunId(1), TaskId::new(LayerId(0), index));
        let pauses: Vec<u128> = (0..12).map(|_| refusals.pause(result(0)).as_millis()).collect();
        assert_eq!(pauses, [0, 0, 0, 0, 10, 20, 40, 80, 160, 250, 250, 250]);
        assert!(refusals.pause(result(1)).is_zero());
        (0..100_000).for_each(|index| _ = refusals.pause(result(index)));
        assert!(refusals.0.len() <= MOST);
    }
}
