//! Those for whom there was no memory when it was their turn. However many there are, none is looked at who couldn't have his turn.

use super::room::Asking;
use crate::bulk::Source;
use std::collections::{BTreeMap, VecDeque};

pub(super) type OfWhom = (Option<Source>, Asking);

#[derive(Default)]
pub(super) struct SetAside {
    /// In the order in which they came, by how much they need at the least: of one class nobody needs twice as much as another.
    classes: BTreeMap<u32, VecDeque<(Since, OfWhom)>>,
    /// Those who were told already that there is none.
    told: VecDeque<(Since, OfWhom)>,
    /// The most that anybody has wanted since there was nobody.
    most: u64,
    next: u64,
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
        let comes_again = asking.since.is_some();
        let since = *asking.since.get_or_insert(Since(self.next, glances));
        self.next += 1;
        let line = match asking.was_told {
            Some(_) => &mut self.told,
            None => self.classes.entry(class(asking.least)).or_default(),
        };
        match comes_again {
            // Whoever was called back was the first.
            true => line.push_front((since, (source, asking))),
            false => line.push_back((since, (source, asking))),
        }
    }

    /// Takes out the first for whom so much memory is enough. Who needs nearly all of it may have to wait for one who needs more.
    pub fn take_fitting(&mut self, spare: u64) -> Option<OfWhom> {
        let fits = |it: &(Since, OfWhom)| it.1.1.least <= spare;
        let told = self.told.iter().position(fits).map(|at| (self.told[at].0, at));
        let in_classes = self.classes.range(..=class(spare)).filter_map(|(&class, line)| Some((class, line.front()?)));
        let first = in_classes.filter(|(_, it)| fits(it)).map(|(class, it)| (it.0, class)).min();
        match (told, first) {
            (Some((since, at)), first) if first.is_none_or(|(other, _)| since < other) => {
                self.told.remove(at).map(|(_, it)| it)
            }
            (_, first) => self.pop(first?.1),
        }
    }

    /// Takes out those who were told before, and for whom that isn't enough.
    pub fn take_told(&mut self, spare: u64) -> Vec<OfWhom> {
        let is_over = |it: &(Since, OfWhom)| it.1.1.least > spare;
        let (over, others): (VecDeque<_>, _) = std::mem::take(&mut self.told).into_iter().partition(is_over);
        self.told = others;
        over.into_iter().map(|(_, it)| it).collect()
    }

    /// Takes out those who have been here for as many glances.
    pub fn take_since(&mut self, glances: u64) -> Vec<OfWhom> {
        let (mut over, classes) = (vec![], self.classes.keys().copied().collect::<Vec<_>>());
        for class in classes {
            while self.classes.get(&class).and_then(VecDeque::front).is_some_and(|it| it.0.1 <= glances) {
                over.extend(self.pop(class));
            }
        }
        while self.told.front().is_some_and(|it| it.0.1 <= glances) {
            over.extend(self.told.pop_front().map(|(_, it)| it));
        }
        over
    }

    fn pop(&mut self, class: u32) -> Option<OfWhom> {
        let line = self.classes.get_mut(&class)?;
        let (_, first) = line.pop_front()?;
        if line.is_empty() {
            self.classes.remove(&class);
        }
        Some(first)
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
        /// Whoever is taken is enough served, and nobody of his class came before him; who needs half as much never waits for nothing.
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
                        let before = |it: &&(u64, bool)| it.1 == told && (told || class(it.0) == class(taken.least));
                        prop_assert!(left[..at].iter().filter(before).all(|it| told && it.0 > spare));
                        left.remove(at);
                    }
                    None => prop_assert!(left.iter().all(|it| it.0 > spare / 2)),
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
