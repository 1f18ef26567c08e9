//! Sets of small numbers whose least is found at once.

use std::ops::Range;

/// A set of ranks below a bound, whose least member is found in a few steps: bits, a bit for each word of these, and so on.
#[derive(Debug, Default)]
pub(crate) struct RankSet {
    /// The last level is one word.
    levels: Vec<Vec<u64>>,
}

impl RankSet {
    /// An empty set of ranks below `len`.
    pub fn new(len: u64) -> Self {
        let mut levels = vec![];
        let mut words = len.div_ceil(64).max(1) as usize;
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
            words = words.div_ceil(64);
        }
    }

    pub fn insert(&mut self, rank: u64) {
        let mut at = rank as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let was_empty = *word == 0;
            *word |= 1 << (at % 64);
            if !was_empty {
                return;
            }
            at /= 64;
        }
    }

    pub fn remove(&mut self, rank: u64) {
        let mut at = rank as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            *word &= !(1 << (at % 64));
            if *word != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// The least rank and those that follow it without a gap, as far as one word tells.
    pub fn first(&self) -> Option<Range<u64>> {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let word = level[at];
            if word == 0 {
                return None;
            }
            at = at * 64 + word.trailing_zeros() as usize;
        }
        let rest = self.levels[0][at / 64] >> (at % 64);
        Some(at as u64..at as u64 + u64::from(rest.trailing_ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_first_is_the_least(len in 1..300_000_u64, steps in prop::collection::vec((any::<bool>(), any::<u64>()), 0..60)) {
            let (mut set, mut reference) = (RankSet::new(len), BTreeSet::new());
            for (inserts, rank) in steps {
                // Near each other, so that some are neighbours.
                let rank = rank % len % 5000;
                if inserts {
                    set.insert(rank);
                    reference.insert(rank);
                } else {
                    set.remove(rank);
                    reference.remove(&rank);
                }
                let first = set.first();
                prop_assert_eq!(first.clone().map(|first| first.start), reference.first().copied());
                prop_assert!(first.into_iter().flatten().all(|rank| reference.contains(&rank)));
            }
        }
    }
}
