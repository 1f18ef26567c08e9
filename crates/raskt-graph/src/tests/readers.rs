//! Who reads a task, where very many layers read its layer.

use super::{Draw, Kind, kinds};
use crate::*;
use proptest::prelude::*;
use std::iter;
use std::sync::Arc;

fn array(grid: &Grid) -> (GraphBuilder, OpId, LayerId) {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(()) as OpBody;
    let op = graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body });
    let array = graph.layer(Layer::new("array", op, Shape::Map { grid: grid.clone(), inputs: vec![] })).unwrap();
    (graph, op, array)
}

/// One of many that read an array in their own ways.
fn reader(array: LayerId, grid: &Grid, kind: Kind, draw: &mut Draw) -> Shape {
    match kind {
        Kind::Map => Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(array, grid.clone())] },
        Kind::Exchange => Shape::Exchange { input: array, producers: grid.len(), consumers: 2 },
        Kind::Reduce => {
            let fan_in = grid.lengths().iter().map(|_| 1 + draw.below(3)).collect();
            Shape::Reduce { input: array, grid: grid.clone(), fan_in }
        }
        Kind::Explicit => {
            let mut edges = ExplicitBuilder::default();
            edges.input(TaskId::new(array, u64::from(draw.below(grid.len() as u32))));
            edges.task();
            Shape::Explicit(edges.finish().unwrap())
        }
        Kind::Concatenate => {
            let parts = Parts::new(0, grid, [(array, grid.lengths()[0]), (array, grid.lengths()[0])]);
            Shape::Concatenate(parts.unwrap())
        }
        // A box of it, or the same taken to be a line.
        Kind::Overlap | Kind::Slice => {
            let line = Grid::new([grid.len() as u32]);
            let grid = if matches!(kind, Kind::Slice) && draw.below(3) == 0 { &line } else { grid };
            let ranges = grid.lengths().iter().map(|&length| {
                let start = draw.below(length);
                let end = start + draw.below((length - start).min(3) + 1);
                iter::once(start..end).collect()
            });
            Shape::Overlap { input: array, grid: grid.clone(), ranges: ranges.collect() }
        }
    }
}

proptest! {
    #[test]
    fn whoever_reads_a_task_is_among_those_that_may(
        lengths in prop::collection::vec(1..12_u32, 1..4),
        kinds in prop::collection::vec(prop_oneof![1 => kinds(), 4 => Just(Kind::Slice)], 10..60),
        seed in any::<u64>(),
    ) {
        let grid = Grid::new(lengths);
        let (mut graph, op, array) = array(&grid);
        let mut draw = Draw(seed);
        for kind in kinds {
            graph.layer(Layer::new("reader", op, reader(array, &grid, kind, &mut draw))).unwrap();
        }
        let graph = graph.finish();
        for index in 0..grid.len() {
            let task = TaskId::new(array, index);
            let of_task = graph.readers_of(task);
            prop_assert!(of_task.is_sorted() && of_task.iter().all(|reader| graph.readers(array).contains(reader)));
            for &layer in graph.readers(array) {
                let mut reads = false;
                graph.layer(layer).shape.for_each_dependent(layer, task, |_| reads = true);
                prop_assert!(!reads || of_task.contains(&layer), "{layer:?} reads {task}");
            }
        }
    }
}

/// Each block of a row or a column of very many is read by a layer of its own.
#[test]
fn of_very_many_readers_few_are_asked() {
    const COUNT: u32 = 10_000;
    for lengths in [vec![COUNT], vec![COUNT, 3], vec![3, COUNT], vec![100, COUNT, 7]] {
        let axis = lengths.iter().position(|&length| length == COUNT).unwrap();
        let grid = Grid::new(lengths);
        let (mut graph, op, array) = array(&grid);
        for at in 0..COUNT {
            let ranges = grid.lengths().iter().enumerate().map(|(other, &length)| {
                let read = if other == axis { at..at + 1 } else { 0..length };
                read.map(|at| at..at + 1).collect::<AxisRanges>()
            });
            let shape = Shape::Overlap { input: array, grid: grid.clone(), ranges: ranges.collect() };
            graph.layer(Layer::new("slice", op, shape)).unwrap();
        }
        let graph = graph.finish();
        let asked = |index| graph.readers_of(TaskId::new(array, index)).len();
        assert!((0..grid.len()).step_by(97).all(|index| asked(index) == 1));
        assert_eq!(graph.readers(array).len(), COUNT as usize);
    }
}
