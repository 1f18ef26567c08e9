//! In how many sets it is said what tasks read between them.

use crate::*;
use std::collections::BTreeMap;
use std::iter;

/// How often each layer is visited.
fn visits(shape: &Shape, readers: &GridSet) -> BTreeMap<LayerId, usize> {
    let mut visits = BTreeMap::new();
    shape.for_each_read(readers, |layer, _, _| *visits.entry(layer).or_default() += 1);
    visits
}

#[test]
fn a_part_of_a_concatenation_is_visited_once_however_many_of_its_blocks_are_read() {
    let parts = [(LayerId(0), 1000), (LayerId(1), 0), (LayerId(2), 1000), (LayerId(3), 1000)];
    let shape = Shape::Concatenate(Parts::new(1, &Grid::new([7, 0, 20]), parts).unwrap());
    // Every third along the axis of the parts, up to the last of them.
    let along: AxisSet = (0..2000).step_by(3).map(|at| at..at + 1).collect();
    let readers = GridSet::new([AxisSet::range(2..5), along, AxisSet::range(0..20)]);
    assert_eq!(visits(&shape, &readers), [(LayerId(0), 1), (LayerId(2), 1)].into());
}

#[test]
fn a_set_of_millions_of_ranges_is_a_row_and_where_it_stands() {
    let (side, grid) = (4096, Grid::new([4096, 4096]));
    let even: AxisSet = (0..side).step_by(2).map(|at| at..at + 1).collect();
    let set = GridSet::new([AxisSet::range(0..side), even]);
    let (mut rows, row) = (vec![], set.row(&grid));
    set.for_each_row(&grid, |start| rows.push(start));
    assert!(row.iter().cloned().eq((0..4096).step_by(2).map(|at| at..at + 1)));
    assert!(rows.iter().copied().eq((0..4096).map(|row| row * 4096)));
    assert_eq!(set.ranges(&grid), (row.len() * rows.len()) as u64);
    // What is all of the inner axes is one row.
    let whole = GridSet::new(iter::repeat_n(AxisSet::range(0..side), 2));
    assert!(whole.row(&grid).into_iter().eq(iter::once(0..grid.len())));
}
