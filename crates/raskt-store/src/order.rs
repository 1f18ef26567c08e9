//! Which result leaves memory next.

use crate::slot::SlotId;
use std::collections::{BTreeMap, BTreeSet};

/// The results that may leave memory, in the order in which they are needed last.
///
/// Those that no task of a live run waits for go first: of the group (the results of one run) that was used longest ago,
/// the result that was used last. A collection is read block by block in the same order again and again, so that the block
/// just read is the one whose turn comes last. Then come those that tasks wait for, the furthest first.
#[derive(Debug, Default)]
pub(crate) struct Order {
    unawaited: BTreeMap<u64, Group>,
    /// The same groups, the one that was used longest ago first.
    by_use: BTreeSet<(u64, u64)>,
    awaited: BTreeSet<(u32, SlotId)>,
    /// Where each result stands: all and only those in the sets above.
    standing: BTreeMap<SlotId, EvictionRank>,
}

#[derive(Debug, Default)]
struct Group {
    used: u64,
    results: BTreeSet<(u64, SlotId)>,
}

/// When a result is needed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvictionRank {
    /// No task of a live run waits for it.
    Unawaited {
        /// Results that are used together.
        group: u64,
        /// When it was used last.
        used: u64,
    },
    /// A task waits for it.
    Awaited {
        /// When its turn comes: the larger, the later.
        turn: u32,
    },
}

impl Order {
    /// Enters a result, or moves it to where it stands now.
    pub fn insert(&mut self, id: SlotId, standing: EvictionRank) {
        self.remove(id);
        match standing {
            EvictionRank::Unawaited { group, used } => {
                let found = self.unawaited.entry(group).or_default();
                self.by_use.remove(&(found.used, group));
                found.used = found.used.max(used);
                self.by_use.insert((found.used, group));
                found.results.insert((used, id));
            }
            EvictionRank::Awaited { turn } => _ = self.awaited.insert((turn, id)),
        }
        self.standing.insert(id, standing);
    }

    /// Takes a result out.
    pub fn remove(&mut self, id: SlotId) {
        match self.standing.remove(&id) {
            Some(EvictionRank::Unawaited { group, used }) => {
                let Some(found) = self.unawaited.get_mut(&group) else { return };
                found.results.remove(&(used, id));
                if found.results.is_empty() {
                    self.by_use.remove(&(found.used, group));
                    self.unawaited.remove(&group);
                }
            }
            Some(EvictionRank::Awaited { turn }) => _ = self.awaited.remove(&(turn, id)),
            None => {}
        }
    }

    /// The one to go first.
    pub fn first(&self) -> Option<SlotId> {
        self.victims().next()
    }

    /// All of them, the one to go first in front.
    pub fn victims(&self) -> impl Iterator<Item = SlotId> {
        let groups = self.by_use.iter().filter_map(|(_, group)| self.unawaited.get(group));
        let unawaited = groups.flat_map(|group| group.results.iter().rev().map(|&(_, id)| id));
        unawaited.chain(self.awaited.iter().rev().map(|&(_, id)| id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn victims(order: &Order) -> Vec<u64> {
        order.victims().map(|id| id.0).collect()
    }

    #[test]
    fn the_unawaited_of_the_oldest_group_go_first_and_the_nearest_stay_longest() {
        let mut order = Order::default();
        let unawaited = |group, used| EvictionRank::Unawaited { group, used };
        order.insert(SlotId(1), EvictionRank::Awaited { turn: 5 });
        order.insert(SlotId(2), EvictionRank::Awaited { turn: 9 });
        order.insert(SlotId(3), unawaited(1, 30));
        order.insert(SlotId(4), unawaited(1, 40));
        order.insert(SlotId(5), unawaited(2, 10));
        order.insert(SlotId(6), unawaited(2, 20));
        assert_eq!(victims(&order), [6, 5, 4, 3, 2, 1]);
        order.insert(SlotId(2), unawaited(1, 50));
        order.remove(SlotId(6));
        assert_eq!(victims(&order), [5, 2, 4, 3, 1]);
    }

    proptest! {
        #[test]
        fn everything_that_is_in_is_a_victim_once(steps in prop::collection::vec((0..20_u64, 0..4_u8, 0..50_u64), 0..200)) {
            let mut order = Order::default();
            let mut model = BTreeSet::new();
            for (id, way, number) in steps {
                match way {
                    0 => { order.remove(SlotId(id)); model.remove(&id); }
                    1 => { order.insert(SlotId(id), EvictionRank::Awaited { turn: number as u32 }); model.insert(id); }
                    _ => { order.insert(SlotId(id), EvictionRank::Unawaited { group: number % 3, used: number }); model.insert(id); }
                }
                let mut found = victims(&order);
                prop_assert_eq!(order.first().map(|id| id.0), found.first().copied());
                let used = order.unawaited.iter().map(|(&group, found)| (found.used, group));
                prop_assert!(used.collect::<BTreeSet<_>>() == order.by_use);
                found.sort_unstable();
                prop_assert_eq!(found, model.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}
