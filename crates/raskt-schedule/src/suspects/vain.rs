//! Runs that come no further, since workers die as soon as they have got anywhere: what each task leaves behind, in a cache say, may
//! be too much for a worker in the end, and all that it had done is made again. None of these tasks kills a worker by itself.

use crate::WorkerId;

/// So many lives of workers, each begun after the one before had ended, may come to nothing.
const LIVES: u32 = 32;

/// What came of the deaths of workers that ran something of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InVain {
    /// The most tasks that were done when a worker died.
    most: u64,
    lives: u32,
    /// The last worker that had come by the death that was counted last. Those that die with it are no more than one death, however
    /// many: a rack may go, or all machines of a kind.
    last: Option<WorkerId>,
}

impl InVain {
    /// The worker has died, and `done` tasks of the run were done then; `newest` is the last that has come. Whether that is enough.
    pub fn died(&mut self, worker: WorkerId, newest: WorkerId, done: u64) -> bool {
        if done > self.most {
            *self = Self { most: done, lives: 0, last: Some(newest) };
            return false;
        }
        if self.last.is_some_and(|last| worker <= last) {
            return false;
        }
        self.last = Some(newest);
        self.lives += 1;
        let is_enough = self.lives > LIVES;
        if is_enough {
            self.lives = 0;
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
            run.died(worker, worker, done)
        };
        assert!((0..10_000).all(|done| (0..LIVES).all(|_| !dies(&mut run, done))));
        let mut stands = InVain::default();
        let deaths = (1..).find(|_| dies(&mut stands, 7)).unwrap();
        assert_eq!(deaths, LIVES + 2);
        assert!(!dies(&mut stands, 7));
    }

    #[test]
    fn those_who_die_together_die_once() {
        let mut run = InVain::default();
        for round in 0..LIVES {
            let all = (1_000 * round..1_000 * (round + 1)).map(WorkerId);
            let newest = all.clone().next_back().unwrap();
            assert!(all.rev().all(|worker| !run.died(worker, newest, 0)));
        }
        assert!(run.died(WorkerId(1_000 * LIVES), WorkerId(1_000 * LIVES), 0));
    }
}
