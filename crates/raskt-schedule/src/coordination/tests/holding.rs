//! How often results are referred to: ranges against one count a task.

use crate::coordination::Action;
use crate::coordination::holds::Holds;
use crate::{RunId, TaskRange};
use proptest::prelude::*;
use raskt_graph::LayerId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

proptest! {
    #[test]
    fn the_first_holds_and_the_last_lets_go(
        steps in prop::collection::vec((any::<bool>(), 0..2u64, 0..12u64, 0..6u64), 1..80)
    ) {
        let (mut holds, mut counts, mut told) = (Holds::default(), BTreeMap::new(), BTreeSet::new());
        let mut held = vec![];
        for (is_held, run, start, length) in steps {
            let range = TaskRange { layer: LayerId(run as u32), start, end: start + length };
            let mut actions = VecDeque::new();
            let (run, tasks) = match is_held {
                true => {
                    held.push((RunId(run), range));
                    holds.hold(RunId(run), range, &mut actions);
                    range.tasks().for_each(|task| *counts.entry((RunId(run), task)).or_insert(0) += 1);
                    (RunId(run), range)
                }
                false => {
                    let Some((run, range)) = held.pop() else { continue };
                    holds.let_go(run, range, &mut actions);
                    range.tasks().for_each(|task| *counts.entry((run, task)).or_insert(0) -= 1);
                    (run, range)
                }
            };
            for action in actions {
                let (is_first, of, range) = match action {
                    Action::Hold { run, tasks } => (true, run, tasks),
                    Action::LetGo { run, tasks } => (false, run, tasks),
                    other => panic!("{other:?} isn't about what is held"),
                };
                prop_assert!(of == run && range.layer == tasks.layer && !range.is_empty());
                for task in range.tasks() {
                    // Each is told once, when it is the first or the last.
                    let is_new = if is_first { told.insert((of, task)) } else { told.remove(&(of, task)) };
                    prop_assert!(is_new);
                }
            }
            counts.retain(|_, count| *count > 0);
            prop_assert_eq!(&told, &counts.keys().copied().collect());
            prop_assert_eq!(holds.total(), counts.values().map(|&count| count as u128).sum::<u128>());
            let listed = holds.held();
            let listed = listed.iter().flat_map(|(run, range)| range.tasks().map(move |task| (*run, task)));
            prop_assert_eq!(listed.collect::<Vec<_>>(), counts.keys().copied().collect::<Vec<_>>());
        }
    }
}
