//! What a worker holds, against a map from each task to when it was told of.

use crate::*;
use proptest::prelude::*;
use raskt_graph::{LayerId, TaskId};
use std::collections::BTreeMap;

const RUN: RunId = RunId(3);

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

#[test]
fn what_it_has_spoken_of_since_stays() {
    let mut inventory = Inventory::default();
    inventory.hold(RUN, range(0, 0, 10));
    assert_eq!(inventory.discard(RUN, &[range(0, 0, 10)], 5), [], "the scheduler hasn't heard of them");
    inventory.tell(RUN, &[range(0, 0, 6)]);
    inventory.tell(RunId(9), &[]);
    inventory.tell(RUN, &[range(0, 6, 8)]);
    assert_eq!(inventory.said(), 3, "each time counts, whatever it was about");
    assert_eq!(inventory.discard(RUN, &[range(0, 2, 10)], 2), [range(0, 2, 6)], "the last word on 6 and 7 is later");
    // Made once more, and not told of.
    inventory.hold(RUN, range(0, 0, 1));
    assert_eq!(inventory.discard(RUN, &[range(0, 0, 10)], 3), [range(0, 1, 2), range(0, 6, 8)]);
    assert_eq!(inventory.of(RUN), [range(0, 0, 1), range(0, 8, 10)]);
    assert!(!inventory.is_told(RUN, TaskId::new(LayerId(0), 8)));
}

#[test]
fn what_is_not_here_is_not_told_of_and_nothing_is_left_of_what_went() {
    let mut inventory = Inventory::default();
    inventory.tell(RUN, &[range(0, 0, 4)]);
    assert!(!inventory.is_told(RUN, TaskId::new(LayerId(0), 1)));
    inventory.hold(RUN, range(0, 0, 4));
    inventory.lose(RUN, range(0, 0, u64::MAX));
    assert_eq!(inventory.runs().count(), 0);
    inventory.hold(RUN, range(0, 3, 3));
    inventory.hold(RUN, TaskRange { layer: LayerId(0), start: 5, end: 2 });
    assert_eq!(inventory.runs().count(), 0, "empty ranges hold nothing, however they come");
}

proptest! {
    #[test]
    fn it_is_a_map_from_tasks(
        steps in prop::collection::vec((0..4_u8, 0..2_u32, 0..20_u64, 0..8_u64, 0..3_u64), 0..60),
    ) {
        let (mut inventory, mut model, mut said) = (Inventory::default(), BTreeMap::new(), 0_u64);
        for (what, layer, start, len, back) in steps {
            let tasks = range(layer, start, start + len);
            match what {
                0 => {
                    inventory.hold(RUN, tasks);
                    tasks.tasks().for_each(|task| _ = model.insert(task, None));
                }
                1 => {
                    inventory.tell(RUN, &[tasks]);
                    said += 1;
                    for task in tasks.tasks() {
                        model.entry(task).and_modify(|told| *told = Some(said));
                    }
                }
                2 => {
                    let version = said.saturating_sub(back);
                    let dropped = inventory.discard(RUN, &[tasks], version);
                    let is_dropped = |task: &TaskId| model.get(task).copied().flatten().is_some_and(|told| told <= version);
                    let expected: Vec<_> = tasks.tasks().filter(is_dropped).collect();
                    expected.iter().for_each(|task| _ = model.remove(task));
                    prop_assert_eq!(dropped.iter().flat_map(|range| range.tasks()).collect::<Vec<_>>(), expected);
                }
                _ => {
                    inventory.lose(RUN, tasks);
                    tasks.tasks().for_each(|task| _ = model.remove(&task));
                }
            }
            prop_assert_eq!(inventory.said(), said);
            let held: Vec<_> = inventory.of(RUN).iter().flat_map(|range| range.tasks()).collect();
            prop_assert_eq!(held, model.keys().copied().collect::<Vec<_>>());
            for (&task, told) in &model {
                prop_assert_eq!(inventory.is_told(RUN, task), told.is_some());
            }
        }
    }
}
