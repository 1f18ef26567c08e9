//! Runs that come no further, since workers die as soon as they have got anywhere: what each task leaves behind, in a cache say, may
//! be too much for a worker in the end, and all that it had done is made again. None of these tasks kills a worker by itself.

/// So many deaths are borne, and so many more for each worker, in which nothing of a run came to be there that hadn't been before.
const DEATHS: u64 = 48;
const DEATHS_OF_EACH: u64 = 8;

/// What came of the deaths of workers that ran something of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InVain {
    /// The most tasks that were done when a worker died.
    most: u64,
    deaths: u64,
}

impl InVain {
    /// One of so many workers has died, and `done` tasks of the run were done then. Whether that is enough.
    pub fn died(&mut self, done: u64, workers: u64) -> bool {
        if done > self.most {
            *self = Self { most: done, deaths: 0 };
        }
        self.deaths += 1;
        let is_enough = self.deaths > DEATHS + DEATHS_OF_EACH * workers;
        if is_enough {
            self.deaths = 0;
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
        assert!((0..10_000).all(|done| (0..DEATHS).all(|_| !run.died(done, 1))));
        let mut stands = InVain::default();
        let deaths = (1..).find(|_| stands.died(7, 2)).unwrap();
        assert_eq!(deaths, DEATHS + 2 * DEATHS_OF_EACH + 1);
        assert!(!stands.died(7, 2));
    }
}
