//! Shapes of every kind over grids of any number of axes: what they say in one direction they say in the other.

mod outside;
mod readers;
mod reads;
mod renumbered;
mod wire;

use crate::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Numbers from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(below.max(1))) as u32
    }

    fn between(&mut self, range: Range<u32>) -> u32 {
        range.start + self.below(range.end - range.start)
    }
}

/// The kinds of shapes that are drawn.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Map,
    Reduce,
    Overlap,
    Slice,
    Concatenate,
    Exchange,
    Explicit,
}

fn kinds() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop::sample::select(&[Map, Reduce, Overlap, Slice, Concatenate, Exchange, Explicit][..])
}

/// A grid's lengths: none to four.
fn grids() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![1 => Just(0), 9 => 1..6_u32], 0..5)
}

struct Drawing {
    graph: GraphBuilder,
    op: OpId,
    draw: Draw,
}

impl Drawing {
    fn new(seed: u64) -> Self {
        let mut graph = GraphBuilder::new();
        let body = Arc::new(());
        let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 0, flags: OpFlags::default(), body });
        Self { graph, op, draw: Draw(seed) }
    }

    fn source(&mut self, grid: &Grid) -> LayerId {
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![] };
        self.graph.layer(Layer::new("source", self.op, shape)).unwrap()
    }

    /// A layer of this kind over (or with) a grid of these lengths, and what it reads.
    fn reader(mut self, kind: Kind, lengths: &[u32]) -> (Graph, LayerId) {
        let grid = Grid::new(lengths.iter().copied());
        let shape = match kind {
            Kind::Map => self.map(grid),
            Kind::Reduce => {
                let fan_in = lengths.iter().map(|_| self.draw.between(1..4)).collect();
                Shape::Reduce { input: self.source(&grid), grid, fan_in }
            }
            Kind::Overlap => {
                let ranges = lengths.iter().map(|&length| self.listed(length)).collect();
                Shape::Overlap { input: self.source(&grid), grid, ranges }
            }
            Kind::Slice => {
                let ranges = lengths.iter().map(|&length| self.sliced(length)).collect();
                Shape::Overlap { input: self.source(&grid), grid, ranges }
            }
            Kind::Concatenate => self.concatenate(lengths),
            Kind::Exchange => {
                let consumers = u64::from(self.draw.below(5));
                Shape::Exchange { input: self.source(&grid), producers: grid.len(), consumers }
            }
            Kind::Explicit => self.explicit(&grid),
        };
        let reader = self.graph.layer(Layer::new("reader", self.op, shape)).unwrap();
        (self.graph.finish(), reader)
    }

    /// Axes permuted, left out, repeated and broadcast.
    fn map(&mut self, grid: Grid) -> Shape {
        let inputs = (0..self.draw.below(4)).map(|_| {
            let axes: Vec<Option<u8>> = (0..self.draw.below(4))
                .map(|_| (grid.axes() > 0 && self.draw.below(4) > 0).then(|| self.draw.below(grid.axes() as u32) as u8))
                .collect();
            let lengths = axes.iter().map(|axis| match axis {
                Some(axis) => grid.lengths()[usize::from(*axis)] + self.draw.below(2) * self.draw.below(2),
                None => 1 + self.draw.below(2) * self.draw.below(2),
            });
            let read = Grid::new(lengths.collect::<Vec<_>>());
            MapInput { layer: self.source(&read), grid: read, axes: axes.into_iter().collect() }
        });
        let inputs = inputs.collect();
        Shape::Map { grid, inputs }
    }

    /// Ranges that move one way, some of them empty.
    fn listed(&mut self, length: u32) -> AxisRanges {
        let count = self.draw.below(6);
        let mut ends: [Vec<u32>; 2] = [0, 1].map(|_| (0..count).map(|_| self.draw.below(length + 1)).collect());
        ends.iter_mut().for_each(|ends| ends.sort_unstable());
        let ranges = ends[0].iter().zip(&ends[1]).map(|(&one, &other)| one.min(other)..other);
        let mut ranges: Vec<_> = ranges.collect();
        if self.draw.below(2) == 0 {
            ranges.reverse();
        }
        ranges.into()
    }

    /// Blocks of another length, of every element, or of each so-manieth in either direction.
    fn sliced(&mut self, length: u32) -> AxisRanges {
        let block = self.draw.between(1..5);
        let (points, step) =
            (length * block, i64::from(self.draw.between(1..4)) * [1, -1][self.draw.below(2) as usize]);
        let (width, first) = (self.draw.between(1..6), self.draw.below(points + 1));
        let windows = Windows {
            count: self.draw.below(6),
            first: i64::from(first),
            stride: step * i64::from(width),
            width: (u64::from(width) - 1) * step.unsigned_abs() + 1,
            points: 0..u64::from(points),
            block: u64::from(block),
        };
        AxisRanges::even(windows).unwrap_or_else(|| self.listed(length))
    }

    fn concatenate(&mut self, lengths: &[u32]) -> Shape {
        let lengths = if lengths.is_empty() { &[2] } else { lengths };
        let axis = self.draw.below(lengths.len() as u32) as usize;
        let mut parts: Vec<(LayerId, u32)> = vec![];
        for _ in 0..self.draw.below(6) {
            let again = (!parts.is_empty() && self.draw.below(3) == 0)
                .then(|| parts[self.draw.below(parts.len() as u32) as usize]);
            parts.push(again.unwrap_or_else(|| {
                let mut own = lengths.to_vec();
                own[axis] = self.draw.below(4);
                (self.source(&Grid::new(own.iter().copied())), own[axis])
            }));
        }
        Shape::Concatenate(Parts::new(axis, &Grid::new(lengths.iter().copied()), parts).unwrap())
    }

    fn explicit(&mut self, grid: &Grid) -> Shape {
        let input = self.source(grid);
        let mut edges = ExplicitBuilder::default();
        for task in 0..self.draw.below(8) {
            for _ in 0..self.draw.below(4) {
                match grid.len() as u32 {
                    length if length > 0 && self.draw.below(2) == 0 => {
                        edges.input(TaskId::new(input, u64::from(self.draw.below(length))));
                    }
                    _ if task > 0 => edges.own_input(u64::from(self.draw.below(task))),
                    _ => {}
                }
            }
            edges.task();
        }
        Shape::Explicit(edges.finish().unwrap())
    }
}

/// The inputs of each task of `layer`, in order.
fn inputs(graph: &Graph, layer: LayerId) -> Vec<Vec<TaskId>> {
    let tasks = (0..graph.layer(layer).len()).map(|index| {
        let mut found = vec![];
        graph.for_each_input(TaskId::new(layer, index), |input| found.push(input));
        found
    });
    tasks.collect()
}

/// A set of blocks of `grid`, drawn axis by axis.
fn some_of(grid: &Grid, draw: &mut Draw) -> GridSet {
    GridSet::new(
        grid.lengths()
            .iter()
            .map(|&length| (0..length).filter(|_| draw.below(3) > 0).map(|at| at..at + 1).collect::<AxisSet>()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn inputs_and_dependents_agree(kind in kinds(), lengths in grids(), seed in any::<u64>()) {
        let (graph, reader) = Drawing::new(seed).reader(kind, &lengths);
        let shape = &graph.layer(reader).shape;
        let inputs = inputs(&graph, reader);
        prop_assert_eq!(shape.grid().len(), shape.len());
        let mut forward: Vec<_> = vec![];
        for (index, inputs) in (0..).zip(&inputs) {
            prop_assert_eq!(shape.input_count(index), inputs.len() as u64);
            prop_assert!(shape.most_inputs() >= inputs.len() as u64);
            for most in [0, 1, 3, u64::MAX] {
                let mut first = vec![];
                graph.for_first_inputs(TaskId::new(reader, index), most, |input| first.push(input));
                prop_assert_eq!(&first[..], &inputs[..inputs.len().min(usize::try_from(most).unwrap_or(usize::MAX))]);
            }
            forward.extend(inputs.iter().map(|&input| (input, index)));
        }
        forward.sort_unstable();
        let all = graph.layers().flat_map(|(id, layer)| (0..layer.len()).map(move |index| TaskId::new(id, index)));
        let mut backward: Vec<_> = vec![];
        for input in all {
            let from = backward.len();
            shape.for_each_dependent(reader, input, |index| backward.push((input, index)));
            let first = backward[from..].iter().map(|(_, index)| *index).min();
            prop_assert_eq!(shape.first_dependent(reader, input), first);
        }
        backward.sort_unstable();
        prop_assert_eq!(&forward, &backward);
        let read: BTreeSet<_> = forward.iter().map(|(input, _)| input.layer).collect();
        let layers: BTreeSet<_> = shape.input_layers().into_iter().chain([reader]).collect();
        prop_assert!(layers.is_superset(&read));
    }

    #[test]
    fn what_some_tasks_read_is_what_each_of_them_reads(kind in kinds(), lengths in grids(), seed in any::<u64>()) {
        let (graph, reader) = Drawing::new(seed).reader(kind, &lengths);
        let shape = &graph.layer(reader).shape;
        if matches!(shape, Shape::Explicit(_)) {
            return Ok(());
        }
        let (inputs, grid) = (inputs(&graph, reader), shape.grid());
        for readers in [GridSet::whole(&grid), some_of(&grid, &mut Draw(seed ^ 1))] {
            let each = (0..).zip(&inputs).filter(|(index, _)| readers.contains(&grid, *index));
            let expected: BTreeSet<TaskId> = each.flat_map(|(_, inputs)| inputs).copied().collect();
            let mut found = BTreeSet::new();
            shape.for_each_read(&readers, |layer, grid, read| {
                read.for_each_range(grid, |range| found.extend(range.map(|index| TaskId::new(layer, index))));
            });
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn sources_are_the_tasks_that_read_nothing(kind in kinds(), lengths in grids(), seed in any::<u64>()) {
        let (graph, reader) = Drawing::new(seed).reader(kind, &lengths);
        let shape = &graph.layer(reader).shape;
        let inputs = inputs(&graph, reader);
        let sources: Vec<u64> = (0..).zip(&inputs).filter(|(_, inputs)| inputs.is_empty()).map(|(index, _)| index).collect();
        prop_assert_eq!(shape.sources(), sources.len() as u64);
        if matches!(shape, Shape::Explicit(_)) {
            return Ok(());
        }
        let mut found = vec![];
        let mut from = 0;
        while let Some(next) = shape.next_source(from) {
            found.push(next);
            from = next + 1;
        }
        prop_assert_eq!(found, sources);
    }
}

#[test]
fn a_layer_of_ten_thousand_parts_is_found_part_by_part() {
    let mut drawing = Drawing::new(1);
    let parts: Vec<_> = (0..10_000).map(|at| (drawing.source(&Grid::new([3, 1 + at % 2])), 1 + at % 2)).collect();
    let shape = Shape::Concatenate(Parts::new(1, &Grid::new([3, 0]), parts).unwrap());
    let reader = drawing.graph.layer(Layer::new("all", drawing.op, shape)).unwrap();
    let graph = drawing.graph.finish();
    let mut readers: BTreeMap<TaskId, u64> = BTreeMap::new();
    for index in 0..graph.layer(reader).len() {
        graph.for_each_input(TaskId::new(reader, index), |input| _ = readers.insert(input, index));
    }
    assert_eq!(readers.len() as u64, 3 * 15_000);
    for (input, index) in readers {
        graph.for_each_dependent(input, |reader| assert_eq!(reader.index, index));
    }
}

#[test]
fn parts_and_ranges_that_dont_fit_are_refused() {
    let mut drawing = Drawing::new(1);
    let (part, op) = (drawing.source(&Grid::new([2, 3])), drawing.op);
    let mut refused = |shape| drawing.graph.layer(Layer::new("reader", op, shape)).is_err();
    let parts =
        |beside: [u32; 2], length| Shape::Concatenate(Parts::new(1, &Grid::new(beside), [(part, length)]).unwrap());
    assert!(!refused(parts([2, 0], 3)) && refused(parts([2, 0], 4)) && refused(parts([3, 0], 3)));
    let overlap =
        |ranges: Vec<AxisRanges>| Shape::Overlap { input: part, grid: Grid::new([2, 3]), ranges: ranges.into() };
    let line = AxisRanges::same;
    assert!(!refused(overlap(vec![line(2), line(3)])) && refused(overlap(vec![line(2), line(4)])));
    assert!(refused(overlap(vec![line(2)])) && refused(overlap(vec![line(2), vec![0..2, 1..2, 0..1].into()])));
    assert!(Parts::new(0, &Grid::new([]), [(part, 1)]).is_none(), "there is no such axis");
    assert!(Parts::new(0, &Grid::new([0]), [(part, u32::MAX), (part, 1)]).is_none(), "too many blocks");
    assert!(refused(Shape::Exchange { input: part, producers: 6, consumers: 1 << 33 }));
}
