//! Those for whom there was no memory when it was their turn. However many there are, none is looked at who couldn't have his turn.

use super::room::Asking;
use crate::bulk::Source;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type OfWhom = (Option<Source>, Asking);

#[derive(Default)]
pub(super) struct SetAside {
    /// By how much they need at the least: of one class nobody needs twice as much as another.
    classes: BTreeMap<u32, Class>,
    /// Those who were told already that there is none.
    told: BTreeMap<Since, OfWhom>,
    /// The most that anybody has wanted since there was nobody.
    most: u64,
    next: u64,
}

#[derive(Default)]
struct Class {
    in_order: BTreeMap<Since, OfWhom>,
    by_need: BTreeSet<(u64, Since)>,
}

/// When somebody came among these first: as the how manieth, and after how many glances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since(u64, u64);

impl SetAside {
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.told.is_empty()
    }

    /// As much as any of them wants, or more.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Somebody is set aside after so many glances, or once more.
    pub fn push(&mut self, source: Option<Source>, mut asking: Asking, glances: u64) {
        self.most = if self.is_empty() { asking.wanted } else { self.most.max(asking.wanted) };
        let since = *asking.since.get_or_insert(Since(self.next, glances));
        self.next += 1;
        if asking.was_told.is_some() {
            self.told.insert(since, (source, asking));
            return;
        }
        let class = self.classes.entry(class(asking.least)).or_default();
        class.by_need.insert((asking.least, since));
        class.in_order.insert(since, (source, asking));
    }

    /// Takes out somebody for whom so much memory is enough: the first, but of those who need nearly all of it who needs least.
    pub fn take_fitting(&mut self, spare: u64) -> Option<OfWhom> {
        let told = self.told.iter().find(|(_, it)| it.1.least <= spare).map(|(&since, _)| (since, None));
        let nearly = class(spare);
        let first = |(&number, class): (&u32, &Class)| {
            let first = match number == nearly {
                true => class.by_need.first().filter(|(least, _)| *least <= spare).map(|(_, since)| *since),
                false => class.in_order.keys().next().copied(),
            };
            Some((first?, Some(number)))
        };
        match self.classes.range(..=nearly).filter_map(first).chain(told).min()? {
            (since, None) => self.told.remove(&since),
            (since, Some(class)) => self.take(class, since),
        }
    }

    /// Takes out those who were told before, and for whom that isn't enough.
    pub fn take_told(&mut self, spare: u64) -> Vec<OfWhom> {
        self.told.extract_if(.., |_, it| it.1.least > spare).map(|(_, it)| it).collect()
    }

    /// Takes out those who have been here for as many glances.
    pub fn take_since(&mut self, glances: u64) -> Vec<OfWhom> {
        let is_over = |(since, _): &(&Since, &OfWhom)| since.1 <= glances;
        let of_classes = self.classes.iter().flat_map(|(&number, class)| {
            class.in_order.iter().take_while(is_over).map(move |(&since, _)| (number, since))
        });
        let of_classes: Vec<_> = of_classes.collect();
        let mut over: Vec<_> = of_classes.into_iter().filter_map(|(class, since)| self.take(class, since)).collect();
        while let Some(first) = self.told.first_entry().filter(|first| first.key().1 <= glances) {
            over.push(first.remove());
        }
        over
    }

    fn take(&mut self, number: u32, since: Since) -> Option<OfWhom> {
        let class = self.classes.get_mut(&number)?;
        let taken = class.in_order.remove(&since)?;
        class.by_need.remove(&(taken.1.least, since));
        if class.in_order.is_empty() {
            self.classes.remove(&number);
        }
        Some(taken)
    }
}

/// Of the same class are those who need between as much and less than twice as much.
fn class(least: u64) -> u32 {
    u64::BITS - least.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asking(least: u64, was_told: bool) -> Asking {
        Asking {
            turn: 0,
            bytes: 0,
            wanted: least,
            least,
            was_told: was_told.then(|| "no".into()),
            since: None,
            go: Box::new(|_| {}),
        }
    }

    proptest! {
        /// Whoever is taken has enough, and is the first of those who need half of it or less, or needs least of the others; and nobody for
        /// whom there is enough is passed over.
        #[test]
        fn whoever_has_his_turn_is_the_first_of_his_class(
            needs in prop::collection::vec((1..2000_u64, any::<bool>()), 1..40), spares in prop::collection::vec(0..2500_u64, 1..60),
        ) {
            let mut all = SetAside::default();
            needs.iter().for_each(|&(least, told)| all.push(None, asking(least, told), 0));
            let mut left: Vec<(u64, bool)> = needs.clone();
            prop_assert_eq!(all.most(), needs.iter().map(|(least, _)| *least).max().unwrap());
            for spare in spares {
                match all.take_fitting(spare) {
                    Some((_, taken)) => {
                        prop_assert!(taken.least <= spare);
                        let told = taken.was_told.is_some();
                        let at = left.iter().position(|it| *it == (taken.least, told)).unwrap();
                        let passed = |it: &&(u64, bool)| it.1 == told && it.0 <= spare && (told || class(it.0) < class(spare));
                        prop_assert_eq!(left[..at].iter().filter(passed).count(), 0);
                        left.remove(at);
                    }
                    None => prop_assert!(left.iter().all(|it| it.0 > spare)),
                }
            }
            let (told, others): (Vec<(u64, bool)>, Vec<_>) = left.into_iter().partition(|it| it.1);
            let enough = told.iter().filter(|it| it.0 <= 1000).count();
            prop_assert_eq!(all.take_told(1000).len(), told.len() - enough);
            prop_assert_eq!(all.take_since(0).len(), others.len() + enough);
            prop_assert!(all.is_empty());
        }
    }

    #[test]
    fn whoever_comes_again_keeps_his_place_and_his_time() {
        let mut all = SetAside::default();
        all.push(None, asking(10, false), 1);
        all.push(None, asking(11, false), 5);
        let (source, again) = all.take_fitting(15).unwrap();
        assert_eq!(again.least, 10);
        all.push(source, again, 9);
        assert_eq!(all.take_since(0).len(), 0);
        assert_eq!(all.take_since(1).iter().map(|it| it.1.least).collect::<Vec<_>>(), [10]);
        assert_eq!(all.take_since(5).len(), 1);
        assert!(all.is_empty());
    }

    /// Memory for one after the other, as results are let go of.
    #[test]
    fn it_takes_no_longer_where_many_wait() {
        let mut all = SetAside::default();
        (0..200_000).for_each(|at| all.push(None, asking(if at % 2 == 0 { 1 << 40 } else { 100 }, false), 0));
        let taken = (0..100_000).filter(|_| all.take_fitting(100).is_some()).count();
        assert!(taken == 100_000 && all.take_fitting(100).is_none());
    }
}
