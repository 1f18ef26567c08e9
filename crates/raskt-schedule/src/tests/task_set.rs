//! Sets of tasks, whatever their form.

use crate::task_set::TaskSet;
use proptest::prelude::*;
use raskt_graph::{AxisSet, Grid, GridSet};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, u64),
    Remove(u64, u64),
    /// Adds boxes: for each axis a bit a coordinate, of the grid or of the same blocks as a line.
    InsertSet(Vec<u8>, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (any::<u64>(), prop_oneof![3 => Just(1), 1 => 0..70_u64]).prop_map(|(at, count)| Step::Insert(at, count)),
        3 => (any::<u64>(), prop_oneof![3 => Just(1), 1 => 0..70_u64]).prop_map(|(at, count)| Step::Remove(at, count)),
        2 => (prop::collection::vec(any::<u8>(), 3), prop::bool::weighted(0.1))
            .prop_map(|(masks, is_line)| Step::InsertSet(masks, is_line)),
    ];
    prop::collection::vec(step, 0..40)
}

fn set_of(lengths: &[u32], masks: &[u8], is_line: bool) -> (Grid, GridSet) {
    let line = Grid::new([lengths.iter().product()]);
    let grid = if is_line { line } else { Grid::new(lengths.iter().copied()) };
    let axes = grid
        .lengths()
        .iter()
        .zip(masks)
        .map(|(&length, mask)| (0..length).filter(|at| mask >> (at % 8) & 1 == 1).map(|at| at..at + 1).collect());
    let set = GridSet::new(axes.collect::<Vec<_>>());
    (grid, set)
}

/// Adds boxes, and what has to be listed of them.
fn insert_set(members: &mut TaskSet, grid: &Grid, set: &GridSet, len: u64) {
    let mut ranges = vec![];
    members.insert_set(grid, set, len, &mut ranges);
    members.insert_all(ranges, len);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_its_form_it_is_a_set(lengths in prop::collection::vec(1..12_u32, 3), steps in steps()) {
        let len = lengths.iter().copied().map(u64::from).product::<u64>();
        let (mut members, mut reference) = (TaskSet::default(), BTreeSet::new());
        for step in steps {
            match step {
                Step::Insert(at, count) => {
                    let range = at % len..(at % len + count).min(len);
                    members.insert(range.clone(), len);
                    reference.extend(range);
                }
                Step::Remove(at, count) => {
                    let range = at % len..(at % len + count).min(len);
                    members.remove(range.clone(), len);
                    reference.retain(|index| !range.contains(index));
                }
                Step::InsertSet(masks, is_line) => {
                    let (grid, set) = set_of(&lengths, &masks, is_line);
                    set.for_each_range(&grid, |range| reference.extend(range));
                    insert_set(&mut members, &grid, &set, len);
                }
            }
            for within in [0..len, len / 3..len / 2, len / 2..len / 2 + 1] {
                let found = reference.range(within.clone()).count() as u64;
                prop_assert_eq!(members.count(within.clone()), found, "{:?}", members);
                let (ranges, gaps) = (members.ranges_in(within.clone(), len), members.gaps_in(within.clone(), len));
                let is_in = reference.range(within.clone()).copied();
                prop_assert!(ranges.into_iter().flatten().eq(is_in), "{:?}", members);
                let is_gap = |index: &u64| !reference.contains(index);
                prop_assert!(gaps.into_iter().flatten().eq(within.filter(is_gap)), "{:?}", members);
            }
        }
        let all: Vec<_> = members.ranges(len).into_iter().flatten().collect();
        prop_assert_eq!(&all, &reference.iter().copied().collect::<Vec<_>>());
        for index in 0..len {
            prop_assert_eq!(members.contains(index), reference.contains(&index));
            let gap = (index..len).find(|at| !reference.contains(at));
            prop_assert_eq!(members.next_gap(index, len), gap, "{:?}", members);
            prop_assert_eq!(members.next(index, len), reference.range(index..).next().copied(), "{:?}", members);
        }
        let mut compact = members.into_bits(len);
        compact.compact(len);
        prop_assert_eq!(compact.count(0..len), reference.len() as u64);
    }
}

#[test]
fn boxes_of_too_many_ranges_and_of_two_grids_are_everything() {
    let mut members = TaskSet::default();
    for lengths in [[1 << 22, 1 << 22], [1 << 23, 1 << 21]] {
        let column = GridSet::new([AxisSet::range(0..lengths[0]), AxisSet::range(7..8)]);
        insert_set(&mut members, &Grid::new(lengths), &column, 1 << 44);
    }
    assert_eq!(members, TaskSet::Everything);
}

#[test]
fn columns_of_a_hundred_million_blocks_are_a_box() {
    let grid = Grid::new([10_000, 10_000]);
    let mut members = TaskSet::default();
    for at in [5_000, 7, 8] {
        let columns = GridSet::new([AxisSet::range(0..10_000), AxisSet::range(at..at + 1)]);
        insert_set(&mut members, &grid, &columns, grid.len());
    }
    members.remove(10_007..10_008, grid.len());
    assert!(matches!(&members, TaskSet::Boxes(boxes) if boxes.sets().len() == 1));
    assert_eq!(members.count(0..grid.len()), 29_999);
    assert_eq!(members.next(10_001, grid.len()), Some(10_008));
}

/// Looked at to the end of the layer, a million answers would take many minutes.
#[test]
fn nothing_is_looked_at_beyond_the_end() {
    let len = 1 << 28;
    let mut bits = TaskSet::Ranges(Vec::from_iter(std::iter::once(0..100))).into_bits(len);
    for at in 0..1_000_000 {
        assert_eq!(bits.next(100 + at, 101 + at), None);
    }
    bits = TaskSet::Everything.into_bits(len);
    for at in 0..1_000_000 {
        assert_eq!(bits.next_gap(at, at + 1), None);
    }
}

/// Passed one by one, what was taken out of boxes would take hours.
#[test]
fn what_is_taken_out_of_boxes_is_passed_in_one_go() {
    let (removed, grid) = (400_000, Grid::new([100, 1_000_000]));
    let mut members = TaskSet::default();
    insert_set(&mut members, &grid, &GridSet::new([AxisSet::range(0..100), AxisSet::range(0..500_000)]), grid.len());
    members.remove(0..removed, grid.len());
    members.insert(600_000..600_010, grid.len());
    assert!(matches!(members, TaskSet::Boxes(_)));
    for from in 0..100_000 {
        assert_eq!(members.next(from, grid.len()), Some(removed));
        assert_eq!(members.next(from, removed), None);
    }
    assert_eq!(members.next(500_000, grid.len()), Some(600_000));
    assert_eq!(members.next(600_010, grid.len()), Some(1_000_000));
    assert_eq!(members.next(500_000, 600_000), None);
}

/// Boxes of rows that are alike, of which some tasks are otherwise; rows of whole words, and rows that aren't.
#[test]
fn boxes_become_the_bits_that_they_say() {
    for side in [1024, 1000] {
        let grid = Grid::new([side, side]);
        let even: AxisSet = (0..side).step_by(2).map(|at| at..at + 1).collect();
        let mut members = TaskSet::default();
        insert_set(&mut members, &grid, &GridSet::new([AxisSet::range(3..side), even]), grid.len());
        members.remove(9_000..11_000, grid.len());
        members.insert(0..7, grid.len());
        assert!(matches!(members, TaskSet::Boxes(_)));
        let bits = members.clone().into_bits(grid.len());
        assert_eq!(bits.count(0..grid.len()), members.count(0..grid.len()));
        assert!((0..grid.len()).all(|index| bits.contains(index) == members.contains(index)));
    }
}
