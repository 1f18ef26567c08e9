//! To find out what a graph needs takes no more than what is read is long.

use crate::needed::needed_for;
use crate::task_set::TaskSet;
use crate::tests::graphs::op;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An array, what reads it, and what reads that.
struct Building {
    graph: GraphBuilder,
    op: OpId,
}

impl Building {
    fn new() -> Self {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        Self { graph, op }
    }

    fn layer(&mut self, shape: Shape) -> LayerId {
        self.graph.layer(Layer::new("layer", self.op, shape)).unwrap()
    }

    fn array(&mut self, grid: &Grid) -> LayerId {
        self.layer(Shape::Map { grid: grid.clone(), inputs: vec![] })
    }

    /// Every other block along the first axis, from `start` on, and of the others all but the first.
    fn slice(&mut self, input: LayerId, grid: &Grid, start: u32) -> LayerId {
        let axis = |(axis, &length): (usize, &u32)| match axis {
            0 => (start..length).step_by(2).map(|at| at..at + 1).collect(),
            _ => (1..length).map(|at| at..at + 1).collect::<AxisRanges>(),
        };
        let ranges: Arc<[_]> = grid.lengths().iter().enumerate().map(axis).collect();
        self.layer(Shape::Overlap { input, grid: grid.clone(), ranges })
    }

    /// What the last layer needs, and the steps that it took to find that.
    fn needed(self) -> (Graph, Vec<TaskSet>, u64) {
        let graph = self.graph.finish();
        let mut wanted = vec![TaskSet::Nothing; graph.layers().len()];
        wanted[graph.layers().len() - 1] = TaskSet::Everything;
        let (needed, steps) = needed_for(&graph, &wanted);
        (graph, needed, steps)
    }
}

/// Asserts that for four times as much no more than about four times as many steps are taken, and at most a few for each.
fn assert_linear(steps: impl Fn(u32) -> u64) {
    let [few, many] = [10_000, 40_000].map(&steps);
    assert!(many <= 8 * 40_000 && many <= 6 * few.max(1000), "{few} steps, and {many} for 4 times as much");
}

#[test]
fn of_a_stepped_slice_of_a_concatenation() {
    for inner in [vec![], vec![100], vec![20, 20]] {
        assert_linear(|n| {
            let grid = Grid::new(std::iter::once(n).chain(inner.iter().copied()));
            let mut building = Building::new();
            let array = building.array(&grid);
            let parts = Parts::new(0, &grid, [(array, n)]).unwrap();
            let joined = building.layer(Shape::Concatenate(parts));
            building.slice(joined, &grid, 0);
            let (_, needed, steps) = building.needed();
            let each: u64 = inner.iter().map(|&length| u64::from(length - 1)).product();
            assert_eq!(needed[0].count(0..grid.len()), u64::from(n / 2) * each);
            assert!(
                needed[0].contains(grid.len() - 2 * each.max(1)) == needed[1].contains(grid.len() - 2 * each.max(1))
            );
            steps
        });
    }
}

#[test]
fn of_one_array_that_is_many_parts() {
    assert_linear(|n| {
        let grid = Grid::new([4, n]);
        let mut building = Building::new();
        let array = building.array(&grid);
        let parts = Parts::new(0, &grid, (0..50).map(|_| (array, 4))).unwrap();
        let all = parts.grid().clone();
        let joined = building.layer(Shape::Concatenate(parts));
        building.slice(joined, &all, 1);
        let (_, needed, steps) = building.needed();
        assert_eq!(needed[0].count(0..grid.len()), 2 * u64::from(n - 1));
        steps
    });
}

/// A diagonal of whole blocks, and one of parts of the rows along it, which are short or many ranges.
#[test]
fn of_a_diagonal() {
    for beside in [1, 4, 40] {
        assert_linear(|n| {
            let n = n / beside;
            let grid = Grid::new([n, n, 2 * beside]);
            let mut building = Building::new();
            let array = building.array(&grid);
            let axes = [Some(0), Some(0), Some(1)].into_iter().collect();
            let own = Grid::new([n, 2 * beside]);
            let input = MapInput { layer: array, grid: grid.clone(), axes };
            let diagonal = building.layer(Shape::Map { grid: own.clone(), inputs: vec![input] });
            let every_other = (0..2 * beside).step_by(2).map(|at| at..at + 1).collect();
            let ranges = Arc::from([AxisRanges::same(n), every_other]);
            building.layer(Shape::Overlap { input: diagonal, grid: own, ranges });
            let (_, needed, steps) = building.needed();
            assert_eq!(needed[0].count(0..grid.len()), u64::from(n) * u64::from(beside));
            assert!(needed[0].contains(grid.len() - 2) && !needed[0].contains(grid.len() - 3));
            steps
        });
    }
}

/// Scattered tasks of a layer of two dimensions, of which one after the other reads a row of another.
#[test]
fn of_scattered_tasks() {
    assert_linear(|n| {
        let grid = Grid::new([n, 400]);
        let mut building = Building::new();
        let array = building.array(&grid);
        let same = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(array, grid.clone())] };
        let copy = building.layer(same);
        let mut edges = ExplicitBuilder::default();
        for at in 0..u64::from(n) {
            edges.input(TaskId::new(copy, at * 400 + at * 7 % 400));
            edges.task();
        }
        building.layer(Shape::Explicit(edges.finish().unwrap()));
        let (_, needed, steps) = building.needed();
        assert_eq!(needed[0].count(0..grid.len()), u64::from(n));
        steps
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever reads a layer in whatever sets, and in whatever order.
    #[test]
    fn what_is_needed_is_what_is_read(
        lengths in prop::collection::vec(1..7_u32, 1..4),
        readers in prop::collection::vec((0..5_u32, any::<u64>()), 1..6),
    ) {
        let grid = Grid::new(lengths.iter().copied());
        let mut building = Building::new();
        let array = building.array(&grid);
        let mut ends = vec![];
        for (kind, seed) in readers {
            let from = (seed % 2) as u32;
            ends.push(match kind {
                0 => {
                    let diagonal = MapInput { layer: array, grid: grid.clone(), axes: lengths.iter().map(|_| Some(0)).collect() };
                    let own = Grid::new([*lengths.iter().min().unwrap()]);
                    let read = building.layer(Shape::Map { grid: own.clone(), inputs: vec![diagonal] });
                    building.slice(read, &own, from)
                }
                1 => {
                    let parts = Parts::new(0, &grid, (0..3).map(|_| (array, lengths[0]))).unwrap();
                    let own = parts.grid().clone();
                    let read = building.layer(Shape::Concatenate(parts));
                    building.slice(read, &own, from)
                }
                2 => building.slice(array, &grid, from),
                3 => {
                    let mut edges = ExplicitBuilder::default();
                    edges.input(TaskId::new(array, seed % grid.len()));
                    edges.task();
                    building.layer(Shape::Explicit(edges.finish().unwrap()))
                }
                // The same blocks as a line.
                _ => {
                    let line = Grid::new([grid.len() as u32]);
                    building.slice(array, &line, from)
                }
            });
        }
        let graph = building.graph.finish();
        let mut wanted = vec![TaskSet::Nothing; graph.layers().len()];
        ends.iter().for_each(|end| wanted[end.0 as usize] = TaskSet::Everything);
        let (needed, _) = needed_for(&graph, &wanted);
        let mut expected = vec![BTreeSet::new(); graph.layers().len()];
        for (id, layer) in graph.layers().collect::<Vec<_>>().into_iter().rev() {
            if wanted[id.0 as usize] == TaskSet::Everything {
                expected[id.0 as usize].extend(0..layer.len());
            }
            for index in expected[id.0 as usize].clone() {
                layer.shape.for_each_input(id, index, |input| _ = expected[input.layer.0 as usize].insert(input.index));
            }
        }
        for ((_, layer), (needed, expected)) in graph.layers().zip(needed.iter().zip(expected)) {
            let found: BTreeSet<u64> = needed.ranges(layer.len()).into_iter().flatten().collect();
            prop_assert_eq!(found, expected, "{:?}", needed);
        }
    }
}
