//! Runs that come no further, since workers die as soon as they have got anywhere: what each task leaves behind, in a cache say, may
//! be too much for a worker in the end, and all that it had done is made again. None of these tasks kills a worker by itself.

use crate::WorkerId;

/// So many generations of workers may come to nothing, each begun after the one before had ended.
const GENERATIONS: u32 = 12;

/// What came of the deaths of workers that ran something of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InVain {
    /// The most tasks that were done when a worker died.
    most: u64,
    generations: u32,
    /// The last worker of the generation that was counted last. Of the next are those that come later, once nobody of that works for the
    /// run any more: a rack may go at once, and one worker may die again and again beside others that go on.
    last: Option<WorkerId>,
}

impl InVain {
    /// The worker has died, and `done` tasks of the run were done then; `newest` is the last that has come, and `works` says whether any up
    /// to another one works for the run. Whether that is enough.
    pub fn died(
        &mut self,
        worker: WorkerId,
        newest: WorkerId,
        done: u64,
        works: impl FnOnce(WorkerId) -> bool,
    ) -> bool {
        if done > self.most {
            *self = Self { most: done, generations: 0, last: Some(newest) };
            return false;
        }
        if self.last.is_some_and(|last| worker <= last || works(last)) {
            return false;
        }
        self.last = Some(newest);
        self.generations += 1;
        let is_enough = self.generations > GENERATIONS;
        if is_enough {
            self.generations = 0;
        }
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_further_is_borne_for_ever() {
        let mut run = InVain::default();
        let mut workers = (0..).map(WorkerId);
        let mut dies = |run: &mut InVain, done| {
            let worker = workers.next().unwrap();
            run.died(worker, worker, done, |_| false)
        };
        assert!((0..10_000).all(|done| (0..GENERATIONS).all(|_| !dies(&mut run, done))));
        let mut stands = InVain::default();
        let deaths = (1..).find(|_| dies(&mut stands, 7)).unwrap();
        assert_eq!(deaths, GENERATIONS + 2);
        assert!(!dies(&mut stands, 7));
    }

    #[test]
    fn those_who_die_together_die_once() {
        let mut run = InVain::default();
        for round in 0..GENERATIONS {
            let all = (1_000 * round..1_000 * (round + 1)).map(WorkerId);
            let newest = all.clone().next_back().unwrap();
            assert!(all.rev().all(|worker| !run.died(worker, newest, 0, |_| false)));
        }
        assert!(run.died(WorkerId(1_000 * GENERATIONS), WorkerId(1_000 * GENERATIONS), 0, |_| false));
    }

    #[test]
    fn one_that_dies_again_and_again_beside_others_is_no_generation() {
        let mut run = InVain::default();
        assert!((10..10_000).map(WorkerId).all(|worker| !run.died(worker, worker, 0, |_| true)));
    }
}
