//! Workers that aren't reached by whoever fetches what they hold: he hears who it is, and at last waits no longer.

use raskt_schedule::WorkerId;
use raskt_sync::Mutex;
use raskt_value::{ErrorKind, TaskError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long nothing is said: who isn't reached may be gone, and the scheduler says so before long.
const SAID_AFTER: Duration = Duration::from_secs(2);

/// So long they are called again: a network may be cut, and be there again.
const WAITED: Duration = Duration::from_secs(180);

/// Between two tries that belong together no more time goes by: nobody may have waited meanwhile.
const TOGETHER: Duration = Duration::from_secs(60);

/// What is known of them, shared with whoever wants to say so.
#[derive(Clone, Debug, Default)]
pub struct Unreached(Arc<Mutex<BTreeMap<WorkerId, Failing>>>);

#[derive(Debug)]
struct Failing {
    first: Instant,
    last: Instant,
    /// Where it was called, and what came of that.
    told: String,
}

impl Unreached {
    /// What is waited for, if that has been so for a while.
    pub fn story(&self) -> Option<String> {
        let all = self.0.lock();
        let failing = all.values().find(|failing| failing.lasted() >= SAID_AFTER)?;
        Some(format!("for results that aren't reached: {}; it is tried again", failing.told))
    }

    /// It was tried once more. Some weren't reached, and some were; of others, which hold the same maybe, nothing new is known.
    pub(super) fn note(&self, now: Instant, failures: BTreeMap<WorkerId, String>, reached: &BTreeSet<WorkerId>) {
        let mut all = self.0.lock();
        all.retain(|worker, before| {
            !reached.contains(worker) && now.saturating_duration_since(before.last) <= TOGETHER
        });
        for (worker, told) in failures {
            let first = all.get(&worker).map_or(now, |before| before.first);
            all.insert(worker, Failing { first, last: now, told });
        }
    }

    /// Why what this worker holds won't be had, if that is so.
    pub(super) fn given_up(&self, worker: WorkerId) -> Option<TaskError> {
        let all = self.0.lock();
        let failing = all.get(&worker).filter(|failing| failing.lasted() >= WAITED)?;
        let message = format!(
            "a result isn't reached: {}. Results are fetched from workers themselves: they say where by --contact-address",
            failing.told
        );
        Some(TaskError::new(ErrorKind::Io, message))
    }
}

impl Failing {
    fn lasted(&self) -> Duration {
        self.last.saturating_duration_since(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(workers: &[u32]) -> BTreeMap<WorkerId, String> {
        workers.iter().map(|&worker| (WorkerId(worker), format!("worker {worker}"))).collect()
    }

    fn reached(workers: &[u32]) -> BTreeSet<WorkerId> {
        workers.iter().map(|&worker| WorkerId(worker)).collect()
    }

    #[test]
    fn whoever_is_not_reached_for_long_is_said_and_then_given_up() {
        let (unreached, began) = (Unreached::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        let verdict = || (unreached.story().is_some(), unreached.given_up(WorkerId(1)).is_some());
        let note =
            |seconds, failed: &[u32], others: &[u32]| unreached.note(at(seconds), told(failed), &reached(others));
        note(0, &[1], &[]);
        assert_eq!(verdict(), (false, false));
        (1..6).for_each(|step| note(30 * step, &[1, 2], &[]));
        assert_eq!(verdict(), (true, false));
        assert!(unreached.story().unwrap().contains("worker 1"));
        note(180, &[1, 2], &[]);
        assert_eq!(verdict(), (true, true));
        assert!(unreached.given_up(WorkerId(2)).is_none(), "it was tried for less long");
        // Reached once, it is another matter.
        note(181, &[2], &[1]);
        note(182, &[1], &[]);
        assert!(!verdict().1);
        // And so it is where nobody has tried for long.
        note(900, &[1], &[]);
        assert_eq!(verdict(), (false, false));
    }

    /// Several hold it, and now this one is said to and now that.
    #[test]
    fn those_that_are_tried_by_turns_are_given_up_too() {
        let (unreached, began) = (Unreached::default(), Instant::now());
        let note = |second: u64| {
            unreached.note(began + Duration::from_secs(second), told(&[second as u32 % 3]), &reached(&[]));
        };
        (0..180).for_each(note);
        assert!(unreached.story().is_some() && unreached.given_up(WorkerId(0)).is_none());
        (180..190).for_each(note);
        assert!((0..3).all(|worker| unreached.given_up(WorkerId(worker)).is_some()));
    }
}
