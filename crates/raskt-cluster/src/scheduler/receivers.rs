//! Who is to hold copies of results: those that have most memory left, neighbours together.

use raskt_schedule::{RunId, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

/// Neighbours that go to one and the same, at most: so that they travel together.
const NEIGHBOURS_MOST: u32 = 256;

/// Bytes of these.
const NEIGHBOURS_BYTES: u64 = 16 << 20;

/// Workers that may take copies.
#[derive(Default)]
pub(super) struct Receivers {
    /// By the memory that they have left; less than none of those that have come to keep results on the disk.
    by_room: BTreeSet<(i128, WorkerId)>,
    /// The same by worker, and all memory that each has: nobody takes a result that is larger.
    workers: BTreeMap<WorkerId, (i128, u64)>,
    /// Who got the last one, of which run, and what more it may get after that.
    last: Option<(WorkerId, RunId, u32, u64)>,
}

impl Receivers {
    /// Of those with so much memory each, who hold so many bytes.
    pub fn new(workers: impl Iterator<Item = (WorkerId, u64, u64)>) -> Self {
        let mut all = Self::default();
        for (worker, memory, held) in workers {
            let room = i128::from(memory) - i128::from(held);
            all.by_room.insert((room, worker));
            all.workers.insert(worker, (room, memory));
        }
        all
    }

    pub fn are_none(&self) -> bool {
        self.workers.is_empty()
    }

    pub fn contains(&self, worker: WorkerId) -> bool {
        self.workers.contains_key(&worker)
    }

    /// Who takes a result of `run` with so many bytes: whoever took the one before it, as long as these aren't many, or else whoever has
    /// most room. Nobody if it is larger than all that anybody has.
    pub fn next_to(&mut self, run: RunId, bytes: u64) -> Option<WorkerId> {
        if let Some((worker, of, count, left)) = self.last
            && of == run
            && count > 0
            && bytes <= left.min(self.workers[&worker].1)
        {
            self.last = Some((worker, run, count - 1, left - bytes));
            self.fill(worker, bytes);
            return Some(worker);
        }
        let worker = self.take(1, bytes, &[]).first().copied()?;
        self.last = Some((worker, run, NEIGHBOURS_MOST - 1, NEIGHBOURS_BYTES.saturating_sub(bytes)));
        Some(worker)
    }

    /// `count` workers that take a result with so many bytes, but for `others`; fewer if there aren't so many.
    pub fn take(&mut self, count: usize, bytes: u64, others: &[WorkerId]) -> Vec<WorkerId> {
        let may = |worker: &WorkerId| !others.contains(worker) && bytes <= self.workers[worker].1;
        let chosen = self.by_room.iter().rev().map(|(_, worker)| *worker).filter(may).take(count).collect::<Vec<_>>();
        chosen.iter().for_each(|&worker| self.fill(worker, bytes));
        chosen
    }

    fn fill(&mut self, worker: WorkerId, bytes: u64) {
        if let Some((room, _)) = self.workers.get_mut(&worker) {
            self.by_room.remove(&(*room, worker));
            // What takes nothing counts all the same, so that not all of it goes to the same.
            *room -= i128::from(bytes.max(1));
            self.by_room.insert((*room, worker));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: RunId = RunId(1);

    fn receivers(workers: &[(u64, u64)]) -> Receivers {
        let numbered = (0..).map(WorkerId).zip(workers);
        Receivers::new(numbered.map(|(worker, &(memory, held))| (worker, memory, held)))
    }

    #[test]
    fn results_go_to_those_with_most_room_by_what_they_have() {
        // The larger one holds more, and has more room nevertheless.
        let mut all = receivers(&[(100 << 20, 10 << 20), (1 << 30, 500 << 20)]);
        let taken: Vec<_> = (0..40).map(|_| all.next_to(RUN, 20 << 20).unwrap().0).collect();
        let room = |worker: u32| taken.iter().filter(|taken| **taken == worker).count();
        assert!(taken[..20].iter().all(|worker| *worker == 1));
        assert!((5..15).contains(&room(0)), "each is as full as the other in the end: {taken:?}");
    }

    #[test]
    fn small_neighbours_of_a_run_stay_together_and_all_have_their_share() {
        let mut all = receivers(&[(1 << 30, 0); 4]);
        let taken: Vec<_> = (0..40_000).map(|_| all.next_to(RUN, 100).unwrap()).collect();
        let changes = taken.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes < 40_000 / 200, "{changes}");
        for worker in (0..4).map(WorkerId) {
            assert!(taken.iter().filter(|taken| **taken == worker).count() > 9_000);
        }
    }

    #[test]
    fn nobody_takes_what_is_larger_than_its_memory() {
        let mut all = receivers(&[(100, 0), (1000, 950)]);
        assert_eq!(all.next_to(RUN, 500), Some(WorkerId(1)), "it keeps others on the disk");
        // A neighbour would go to the same.
        assert_eq!(all.next_to(RunId(2), 60), Some(WorkerId(0)));
        assert_eq!(all.next_to(RunId(2), 2000), None);
        assert!(receivers(&[]).are_none());
        assert_eq!(receivers(&[(9, 0); 3]).take(2, 5, &[WorkerId(2)]), [WorkerId(1), WorkerId(0)]);
    }
}
