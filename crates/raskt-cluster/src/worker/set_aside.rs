//! Those for whom there was no memory when it was their turn. However many there are, none is looked at who couldn't have his turn.

use std::collections::{BTreeMap, BTreeSet};

pub(super) struct SetAside<T> {
    /// By how much they need at the least: of one class nobody needs twice as much as another.
    classes: BTreeMap<u32, Class<T>>,
    /// Those who were told already that there is none, and how much they need.
    told: BTreeMap<Since, (u64, T)>,
    /// The most that anybody has wanted since there was nobody.
    most: u64,
    next: u64,
}

struct Class<T> {
    in_order: BTreeMap<Since, (u64, T)>,
    by_need: BTreeSet<(u64, Since)>,
}

/// What somebody lacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lack {
    pub wanted: u64,
    /// With so little he has his turn.
    pub least: u64,
    /// He was told already that there is none.
    pub was_told: bool,
    /// Since when he lacks it, if he was here before.
    pub since: Option<Since>,
}

/// When somebody came among these first: as the how manieth, and after how many glances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Since(u64, u64);

impl<T> Default for SetAside<T> {
    fn default() -> Self {
        Self { classes: BTreeMap::new(), told: BTreeMap::new(), most: 0, next: 0 }
    }
}

impl<T> SetAside<T> {
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.told.is_empty()
    }

    /// As much as any of them wants, or more.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// With how little one of them at the least has his turn.
    pub fn least(&self) -> Option<u64> {
        let (least, _) = self.classes.first_key_value()?.1.by_need.first()?;
        Some(*least)
    }

    /// Somebody is set aside after so many glances, or once more.
    pub fn push(&mut self, lack: Lack, who: T, glances: u64) {
        self.most = if self.is_empty() { lack.wanted } else { self.most.max(lack.wanted) };
        let since = lack.since.unwrap_or(Since(self.next, glances));
        self.next += 1;
        if lack.was_told {
            self.told.insert(since, (lack.least, who));
            return;
        }
        let new = || Class { in_order: BTreeMap::new(), by_need: BTreeSet::new() };
        let class = self.classes.entry(class(lack.least)).or_insert_with(new);
        class.by_need.insert((lack.least, since));
        class.in_order.insert(since, (lack.least, who));
    }

    /// Takes out somebody for whom so much memory is enough: the first, but of those who need nearly all of it who needs least, if it isn't
    /// enough for the first of them.
    pub fn take_fitting(&mut self, spare: u64) -> Option<(Since, T)> {
        let told = self.told.iter().find(|(_, (least, _))| *least <= spare).map(|(&since, _)| (since, None));
        let nearly = class(spare);
        let first = |(&number, class): (&u32, &Class<T>)| {
            let first = match number == nearly {
                true => {
                    let first = class.in_order.iter().next().map(|(since, (least, _))| (*least, *since));
                    let fits = |it: &(u64, Since)| it.0 <= spare;
                    first.filter(fits).or(class.by_need.first().copied().filter(fits)).map(|(_, since)| since)
                }
                false => class.in_order.keys().next().copied(),
            };
            Some((first?, Some(number)))
        };
        match self.classes.range(..=nearly).filter_map(first).chain(told).min()? {
            (since, None) => Some((since, self.told.remove(&since)?.1)),
            (since, Some(class)) => self.take(class, since),
        }
    }

    /// Takes out those who were told before, and for whom that isn't enough.
    pub fn take_told(&mut self, spare: u64) -> Vec<T> {
        self.told.extract_if(.., |_, (least, _)| *least > spare).map(|(_, (_, who))| who).collect()
    }

    /// Takes out those who have been here for as many glances.
    pub fn take_since(&mut self, glances: u64) -> Vec<T> {
        let is_over = |since: &&Since| since.1 <= glances;
        let of_classes = self
            .classes
            .iter()
            .flat_map(|(&number, class)| class.in_order.keys().take_while(is_over).map(move |&since| (number, since)));
        let of_classes: Vec<_> = of_classes.collect();
        let over = of_classes.into_iter().filter_map(|(class, since)| self.take(class, since));
        let mut over: Vec<_> = over.map(|(_, who)| who).collect();
        while let Some(first) = self.told.first_entry().filter(|first| first.key().1 <= glances) {
            over.push(first.remove().1);
        }
        over
    }

    fn take(&mut self, number: u32, since: Since) -> Option<(Since, T)> {
        let class = self.classes.get_mut(&number)?;
        let (least, who) = class.in_order.remove(&since)?;
        class.by_need.remove(&(least, since));
        if class.in_order.is_empty() {
            self.classes.remove(&number);
        }
        Some((since, who))
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

    fn lacks(least: u64, was_told: bool) -> Lack {
        Lack { wanted: least, least, was_told, since: None }
    }

    proptest! {
        /// Whoever is taken has enough, and is the first of those who need half of it or less, or needs least of the others; and nobody for
        /// whom there is enough is passed over.
        #[test]
        fn whoever_has_his_turn_is_the_first_of_his_class(
            needs in prop::collection::vec((1..2000_u64, any::<bool>()), 1..40), spares in prop::collection::vec(0..2500_u64, 1..60),
        ) {
            let mut all = SetAside::default();
            needs.iter().for_each(|&(least, told)| all.push(lacks(least, told), (least, told), 0));
            let mut left: Vec<(u64, bool)> = needs.clone();
            prop_assert_eq!(all.most(), needs.iter().map(|(least, _)| *least).max().unwrap());
            prop_assert_eq!(all.least(), needs.iter().filter(|(_, told)| !told).map(|(least, _)| *least).min());
            for spare in spares {
                match all.take_fitting(spare) {
                    Some((_, (least, told))) => {
                        prop_assert!(least <= spare);
                        let at = left.iter().position(|it| *it == (least, told)).unwrap();
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
    fn whoever_needs_less_is_not_preferred_to_the_first_for_whom_it_is_enough() {
        let mut all = SetAside::default();
        for (need, who) in [(120, "first"), (70, "second"), (125, "third"), (71, "fourth")] {
            all.push(lacks(need, false), who, 0);
        }
        let mut taken = |spare| all.take_fitting(spare).unwrap().1;
        assert_eq!([taken(122), taken(122), taken(122), taken(125)], ["first", "second", "fourth", "third"]);
    }

    #[test]
    fn whoever_comes_again_keeps_his_place_and_his_time() {
        let mut all = SetAside::default();
        all.push(lacks(10, false), "first", 1);
        all.push(lacks(11, false), "second", 5);
        let (since, who) = all.take_fitting(20).unwrap();
        assert_eq!(who, "first");
        all.push(Lack { since: Some(since), ..lacks(10, false) }, who, 9);
        assert_eq!(all.take_since(0).len(), 0);
        assert_eq!(all.take_since(1), ["first"]);
        assert_eq!(all.take_since(5), ["second"]);
        assert!(all.is_empty());
    }

    /// Memory for one after the other, as results are let go of.
    #[test]
    fn it_takes_no_longer_where_many_wait() {
        let mut all = SetAside::default();
        (0..200_000).for_each(|at| all.push(lacks(if at % 2 == 0 { 1 << 40 } else { 100 }, false), (), 0));
        let taken = (0..100_000).filter(|_| all.take_fitting(100).is_some()).count();
        assert!(taken == 100_000 && all.take_fitting(100).is_none());
    }
}
