//! What couldn't be fetched: the ways between workers that were closed, and the copies.

use crate::{TaskRange, Time, WorkerId};
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// Failures that are nearer to one another have one cause: many may fail to reach a worker at the same moment.
const BLIP_NANOSECONDS: u64 = 1_000_000_000;

/// For so long a worker that couldn't fetch from another one isn't given what it would have to fetch there: ways come back.
const CLOSED_NANOSECONDS: u64 = 30_000_000_000;

/// Workers from which a worker couldn't fetch.
#[derive(Debug, Default)]
pub(crate) struct ClosedWays(BTreeMap<WorkerId, ClosedWay>);

#[derive(Debug)]
struct ClosedWay {
    /// When the first fetch failed of those that have failed since.
    since: Time,
    until: Time,
}

impl ClosedWays {
    /// An assignment that was handed out then couldn't fetch from `holder`, which is remembered. Whether it was known, and this is
    /// another occasion: all that was handed out before, or fails soon after, may have failed by the same hiccup.
    pub fn note(&mut self, holder: WorkerId, handed_out: Time, now: Time) -> bool {
        self.0.retain(|_, way| way.until > now);
        let until = Time(now.0.saturating_add(CLOSED_NANOSECONDS));
        let way = self.0.entry(holder).or_insert(ClosedWay { since: now, until });
        way.until = until;
        handed_out >= way.since && now.0.saturating_sub(way.since.0) >= BLIP_NANOSECONDS
    }

    /// Whether `holder` is taken to be out of reach.
    pub fn contains(&self, holder: WorkerId, now: Time) -> bool {
        self.0.get(&holder).is_some_and(|way| way.until > now)
    }
}

/// How often a copy that is in memory couldn't be fetched since its holder wasn't reached, and nobody has kept it since.
#[derive(Debug, Default)]
pub(crate) struct Unreached(BTreeMap<(TaskId, WorkerId), Failures>);

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    /// When the last of them was counted.
    at: Time,
}

/// Failures that are further from one another have nothing in common: in between others may have fetched the copy, which nobody
/// tells.
const APART_NANOSECONDS: u64 = 600_000_000_000;

impl Unreached {
    /// Counts that the result of `task` couldn't be fetched from `holder` once more, and says how often that is.
    pub fn count(&mut self, task: TaskId, holder: WorkerId, now: Time) -> u32 {
        let failures = self.0.entry((task, holder)).or_insert(Failures { count: 1, at: now });
        let since = now.0.saturating_sub(failures.at.0);
        if since >= APART_NANOSECONDS {
            *failures = Failures { count: 1, at: now };
        } else if since >= BLIP_NANOSECONDS {
            *failures = Failures { count: failures.count + 1, at: now };
        }
        failures.count
    }

    /// The copy of `holder` is gone.
    pub fn forget_copy(&mut self, task: TaskId, holder: WorkerId) {
        self.0.remove(&(task, holder));
    }

    /// The results are gone, or somebody has fetched them.
    pub fn forget(&mut self, tasks: TaskRange) {
        let (first, end) = (TaskId::new(tasks.layer, tasks.start), TaskId::new(tasks.layer, tasks.end));
        while let Some((&copy, _)) = self.0.range((first, WorkerId(0))..(end, WorkerId(0))).next() {
            self.0.remove(&copy);
        }
    }

    /// The copies.
    pub fn iter(&self) -> impl Iterator<Item = (TaskId, WorkerId)> {
        self.0.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_count_that_are_neither_one_nor_unrelated() {
        let (task, holder) = (TaskId::new(raskt_graph::LayerId(0), 0), WorkerId(0));
        let counts = |apart: u64| {
            let mut unreached = Unreached::default();
            (1..=4).map(|at| unreached.count(task, holder, Time(at * apart))).collect::<Vec<_>>()
        };
        assert_eq!(counts(1_000_000), [1, 1, 1, 1], "one moment at which nobody reaches it");
        assert_eq!(counts(60_000_000_000), [1, 2, 3, 4]);
        assert_eq!(counts(3_600_000_000_000), [1, 1, 1, 1], "once in an hour");
    }

    #[test]
    fn a_way_is_closed_for_good_by_what_was_handed_out_though_it_was_known_and_failed_later() {
        let (holder, milliseconds) = (WorkerId(0), |count: u64| Time(count * 1_000_000));
        let mut ways = ClosedWays::default();
        for (handed_out, failed, counts) in [
            (0, 5000, false),
            (1000, 5000, false),
            (5000, 5001, false),
            (4999, 8000, false),
            (5001, 8000, true),
            (8000, 8001, true),
            (8001, 50_000, false),
        ] {
            let counted = ways.note(holder, milliseconds(handed_out), milliseconds(failed));
            assert_eq!(counted, counts, "handed out at {handed_out}, failed at {failed}");
        }
        assert!(ways.contains(holder, milliseconds(79_999)) && !ways.contains(holder, milliseconds(80_000)));
    }
}
