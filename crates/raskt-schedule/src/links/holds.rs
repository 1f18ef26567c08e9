//! How many other runs need each task of a layer, by ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// For each task a number; neighbours of the same number are one entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds(BTreeMap<u64, u32>);

impl Holds {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn count(&self, index: u64) -> u32 {
        if self.0.is_empty() {
            return 0;
        }
        self.0.range(..=index).next_back().map_or(0, |(_, &count)| count)
    }

    /// Whether anybody needs some of `within`.
    pub fn any(&self, within: Range<u64>) -> bool {
        !self.is_empty()
            && !within.is_empty()
            && (self.count(within.start) > 0 || self.0.range(within).any(|(_, count)| *count > 0))
    }

    /// One more needs `tasks`.
    pub fn add(&mut self, tasks: Range<u64>) {
        self.split(&tasks);
        self.0.range_mut(tasks.clone()).for_each(|(_, count)| *count += 1);
        self.join(&tasks);
    }

    /// One of those that needed all of `tasks` does so no longer. Gives those of them that nobody needs any more.
    pub fn remove(&mut self, tasks: Range<u64>) -> Vec<Range<u64>> {
        self.split(&tasks);
        for (at, count) in self.0.range_mut(tasks.clone()) {
            assert!(*count > 0, "nobody needs task {at}, and one does so no longer");
            *count -= 1;
        }
        let free = self.gaps_in(tasks.clone());
        self.join(&tasks);
        free
    }

    /// The tasks of `within` that nobody needs.
    pub fn gaps_in(&self, within: Range<u64>) -> Vec<Range<u64>> {
        let mut gaps: Vec<Range<u64>> = vec![];
        let mut start = within.start;
        let mut count = self.count(start);
        let later = self.0.range(within.clone()).map(|(&at, &count)| (at, count)).filter(|(at, _)| *at > within.start);
        for (at, next) in later.chain([(within.end, 0)]) {
            if count == 0 && start < at {
                match gaps.last_mut().filter(|last| last.end == start) {
                    Some(last) => last.end = at,
                    None => gaps.push(start..at),
                }
            }
            (start, count) = (at, next);
        }
        gaps
    }

    /// Lets entries begin where `tasks` do, and behind them.
    fn split(&mut self, tasks: &Range<u64>) {
        for at in [tasks.start, tasks.end] {
            let count = self.count(at);
            self.0.entry(at).or_insert(count);
        }
    }

    /// Puts together what is alike at both ends of `tasks`.
    fn join(&mut self, tasks: &Range<u64>) {
        for at in [tasks.end, tasks.start] {
            let before = at.checked_sub(1).map_or(0, |last| self.count(last));
            if self.0.get(&at) == Some(&before) {
                self.0.remove(&at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_task_has_its_number(steps in prop::collection::vec((any::<bool>(), 0..40_u64, 1..12_u64), 0..60)) {
            let (mut holds, mut counts) = (Holds::default(), vec![0; 60]);
            for (adds, start, len) in steps {
                let tasks = start..start + len;
                let within = start as usize..(start + len) as usize;
                if adds {
                    holds.add(tasks.clone());
                    counts[within].iter_mut().for_each(|count| *count += 1);
                } else if counts[within.clone()].iter().all(|count| *count > 0) {
                    let free = holds.remove(tasks.clone());
                    counts[within].iter_mut().for_each(|count| *count -= 1);
                    let expected = tasks.clone().filter(|&at| counts[at as usize] == 0);
                    prop_assert!(free.iter().cloned().flatten().eq(expected));
                    prop_assert!(free.windows(2).all(|pair| pair[0].end < pair[1].start));
                }
                for (at, &count) in (0..).zip(&counts) {
                    prop_assert_eq!(holds.count(at), count);
                }
                let gaps = holds.gaps_in(tasks.clone());
                prop_assert!(gaps.into_iter().flatten().eq(tasks.clone().filter(|&at| counts[at as usize] == 0)));
                prop_assert_eq!(holds.any(tasks.clone()), tasks.clone().any(|at| counts[at as usize] > 0));
                let changes = (0..60).filter(|&at| counts[at] != if at == 0 { 0 } else { counts[at - 1] }).count();
                prop_assert_eq!(holds.0.len(), changes, "as few entries as can be: {:?}", holds);
            }
        }
    }
}
