//! Those who wait for the ends of calls.

use raskt_cluster::Until;
use raskt_sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where calls tell that they are done.
pub struct Watch {
    /// Those that are.
    pub arrived: Mutex<Arrived>,
    changed: Condvar,
    /// Whoever waits is woken when so many have arrived, and not by each of thousands.
    wakes_at: usize,
    wakes_on_failure: bool,
}

/// The calls that are done, by their numbers, in the order in which they ended, until they are taken out.
#[derive(Default)]
pub struct Arrived {
    /// Their numbers.
    pub tasks: VecDeque<u64>,
    /// How many have failed or were cancelled.
    pub failed: usize,
}

/// Whether enough of `total` calls have arrived.
pub fn is_met(until: Until, arrived: &Arrived, total: usize) -> bool {
    match until {
        Until::All => arrived.tasks.len() >= total,
        Until::First => !arrived.tasks.is_empty() || total == 0,
        Until::FirstFailure => arrived.failed > 0 || arrived.tasks.len() >= total,
    }
}

impl Watch {
    /// One that wakes whoever waits when `wakes_at` have arrived, and at each failure if that is said.
    pub fn new(wakes_at: usize, wakes_on_failure: bool) -> Arc<Self> {
        let (arrived, changed) = (Mutex::default(), Condvar::new());
        Arc::new(Self { arrived, changed, wakes_at, wakes_on_failure })
    }

    /// One for whoever waits for that of `total` calls.
    pub fn until(until: Until, total: usize) -> Arc<Self> {
        let wakes_at = if until == Until::First { 1 } else { total };
        Self::new(wakes_at, until == Until::FirstFailure)
    }

    /// A call is done.
    pub fn arrive(&self, task: u64, failed: bool) {
        let mut arrived = self.arrived.lock();
        arrived.tasks.push_back(task);
        arrived.failed += usize::from(failed);
        if arrived.tasks.len() >= self.wakes_at || (failed && self.wakes_on_failure) {
            self.changed.notify_all();
        }
    }

    /// Waits until `is_enough`, for `patience` at most and no longer than to `deadline`; says whether it is enough, or that the
    /// deadline is over, or nothing as long as neither is so.
    pub fn look(
        &self,
        deadline: Option<Instant>,
        patience: Duration,
        is_enough: impl Fn(&Arrived) -> bool,
    ) -> Option<bool> {
        let mut arrived = self.arrived.lock();
        if is_enough(&arrived) {
            return Some(true);
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| deadline <= now) {
            return Some(false);
        }
        let heartbeat = now + patience;
        let until = deadline.map_or(heartbeat, |deadline| deadline.min(heartbeat));
        (arrived, _) = self.changed.wait_until(arrived, until);
        is_enough(&arrived).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each kind of wait says when so many of three have arrived, and so many of them have failed.
    fn met(tasks: usize, failed: usize) -> [bool; 3] {
        let arrived = Arrived { tasks: (0..tasks as u64).collect(), failed };
        [Until::All, Until::First, Until::FirstFailure].map(|until| is_met(until, &arrived, 3))
    }

    #[test]
    fn enough_is_all_one_or_a_failure() {
        assert_eq!(met(0, 0), [false, false, false]);
        assert_eq!(met(1, 0), [false, true, false]);
        assert_eq!(met(1, 1), [false, true, true]);
        assert_eq!(met(3, 0), [true, true, true]);
        assert!([Until::All, Until::First, Until::FirstFailure].iter().all(|&until| is_met(
            until,
            &Arrived::default(),
            0
        )));
    }

    #[test]
    fn who_waits_is_woken_by_what_it_waits_for_and_not_kept_beyond_the_deadline() {
        let long = Duration::from_secs(600);
        for (until, failed) in [(Until::All, false), (Until::First, false), (Until::FirstFailure, true)] {
            let watch = Watch::until(until, 1);
            let there = watch.clone();
            let thread = std::thread::spawn(move || there.arrive(7, failed));
            let mut found = None;
            while found.is_none() {
                found = watch.look(None, long, |arrived| is_met(until, arrived, 1));
            }
            thread.join().unwrap();
            assert_eq!((found, watch.arrived.lock().tasks.pop_front()), (Some(true), Some(7)));
        }
        let never = Watch::until(Until::All, 1);
        assert_eq!(never.look(Some(Instant::now()), long, |_| false), Some(false));
        assert_eq!(never.look(None, Duration::ZERO, |_| false), None);
    }
}
