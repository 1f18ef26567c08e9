//! What a worker has still to fetch of results that it takes over, and how many of them at a time.

use super::TASKS_AT_A_TIME as STEP_MOST;
use crate::message::ResultNames;
use raskt_schedule::TaskRange;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Results that are fetched at first; then as many as take about as much as they may.
const FIRST_STEP: u64 = 16;

/// The first pause before it is called again, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

/// What hasn't come.
#[derive(Default)]
pub(super) struct Left {
    ranges: VecDeque<TaskRange>,
    /// What is on its way.
    open: Vec<TaskRange>,
    /// How many results are fetched next.
    step: u64,
    /// Since when it isn't reached, and the next pause.
    unreached: Option<(Instant, Duration)>,
    /// Bytes of the next result, if it was too large for what was set aside.
    alone: Option<u64>,
}

impl Left {
    pub fn of(tasks: Vec<TaskRange>) -> Self {
        Self { ranges: tasks.into(), step: FIRST_STEP, ..Self::default() }
    }

    /// The next results.
    fn take(&mut self) -> Vec<TaskRange> {
        let (mut taken, mut room) = (vec![], self.step);
        while room > 0
            && taken.len() < ResultNames::MOST
            && let Some(range) = self.ranges.pop_front()
        {
            let end = range.end.min(range.start.saturating_add(room));
            if end < range.end {
                self.ranges.push_front(TaskRange { start: end, ..range });
            }
            room -= end - range.start;
            taken.push(TaskRange { end, ..range });
        }
        self.open.clone_from(&taken);
        taken
    }

    /// All that hasn't come.
    pub fn rest(&mut self) -> Vec<TaskRange> {
        let mut rest = std::mem::take(&mut self.open);
        rest.extend(std::mem::take(&mut self.ranges));
        rest
    }

    /// The next results, and how large it is if that is one of which that is known.
    pub fn take_sized(&mut self) -> (Vec<TaskRange>, Option<u64>) {
        (self.take(), self.alone.take())
    }

    /// These were too large, with so many bytes: fewer come next, or the one with as much room as it takes.
    pub fn put_back(&mut self, tasks: Vec<TaskRange>, bytes: u64) {
        let count = TaskRange::count(&tasks);
        self.step = (count / 2).max(1);
        self.alone = (count == 1).then_some(bytes);
        self.put_first(tasks);
    }

    fn put_first(&mut self, tasks: Vec<TaskRange>) {
        self.open.clear();
        tasks.into_iter().rev().for_each(|range| self.ranges.push_front(range));
    }

    /// These didn't come: they come first next, after the pause that comes back. None if that has gone on for too long.
    pub fn miss(&mut self, tasks: Vec<TaskRange>, patience: Duration) -> Option<Duration> {
        let (since, pause) = *self.unreached.get_or_insert_with(|| (Instant::now(), PAUSES[0]));
        if since.elapsed() >= patience {
            return None;
        }
        self.unreached = Some((since, (pause * 2).min(PAUSES[1])));
        self.put_first(tasks);
        Some(pause)
    }

    /// Those of the last step took so many bytes.
    pub fn learn(&mut self, bytes: u64, goal: u64) {
        self.open.clear();
        self.unreached = None;
        self.step = match bytes {
            bytes if bytes > goal => (self.step / 2).max(1),
            bytes if bytes < goal / 2 => (self.step * 2).min(STEP_MOST),
            _ => self.step,
        };
    }

    /// What was on its way won't come.
    pub fn give_up(&mut self) {
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;

    proptest! {
        /// Each comes once and in order, whatever steps are too large.
        #[test]
        fn all_come_in_order(
            parts in prop::collection::vec((0..3_u64, 1..300_u64), 0..150),
            sizes in prop::collection::vec((0..3_u8, 0..200_u64), 1..40),
        ) {
            let mut next = 0;
            let ranges: Vec<_> = parts.into_iter().map(|(gap, len)| {
                let start = next + gap;
                next = start + len;
                TaskRange { layer: LayerId(0), start, end: next }
            }).collect();
            let mut left = Left::of(ranges.clone());
            let (mut came, mut sizes, mut misses) = (vec![], sizes.into_iter().cycle(), 20);
            loop {
                let tasks = left.take();
                prop_assert!(tasks.len() <= ResultNames::MOST && TaskRange::count(&tasks) <= STEP_MOST);
                if tasks.is_empty() {
                    break;
                }
                let (is_large, bytes) = sizes.next().unwrap_or_default();
                if is_large == 1 && TaskRange::count(&tasks) > 1 {
                    left.put_back(tasks, bytes);
                } else if is_large == 2 && misses > 0 {
                    misses -= 1;
                    prop_assert!(left.miss(tasks, Duration::from_secs(60)).is_some());
                } else {
                    came.extend(tasks.into_iter().flat_map(TaskRange::tasks));
                    left.learn(bytes, 100);
                }
            }
            prop_assert!(came.into_iter().eq(ranges.into_iter().flat_map(TaskRange::tasks)));
        }
    }
    #[test]
    fn who_is_not_reached_is_called_again_for_a_while_that_begins_anew_with_what_comes() {
        let range = TaskRange { layer: LayerId(0), start: 0, end: 3 };
        let mut left = Left::of(vec![]);
        assert_eq!(left.miss(vec![range], Duration::ZERO), None);
        let mut left = Left::of(vec![]);
        let pauses: Vec<_> = (0..8).filter_map(|_| left.miss(vec![], Duration::from_secs(60))).collect();
        assert!(pauses[0] == PAUSES[0] && pauses[1] == PAUSES[0] * 2 && pauses[7] == PAUSES[1], "{pauses:?}");
        left.learn(100, 100);
        assert_eq!(left.miss(vec![range], Duration::from_secs(60)), Some(PAUSES[0]));
        assert_eq!(left.take(), [range]);
    }

    #[test]
    fn what_is_on_its_way_is_of_the_rest_until_it_has_come() {
        let range = |start, end| TaskRange { layer: LayerId(0), start, end };
        let mut left = Left::of(vec![range(0, 40)]);
        assert_eq!(left.take(), [range(0, 16)]);
        left.learn(100, 100);
        assert_eq!(left.take(), [range(16, 32)]);
        assert_eq!(left.rest(), [range(16, 32), range(32, 40)]);
        let mut left = Left::of(vec![range(0, 4)]);
        let taken = left.take();
        left.put_back(taken, 0);
        assert_eq!(left.rest(), [range(0, 4)]);
    }
}
