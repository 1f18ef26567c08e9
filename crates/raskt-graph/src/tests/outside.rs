//! Layers that anybody may make up, as damaged records do: what the builder takes can be asked whatever the scheduler asks.

use crate::*;
use proptest::prelude::*;
use std::sync::Arc;

/// A small length, or now and then one that is out of all bounds.
fn length() -> impl Strategy<Value = u32> {
    let far = prop::sample::select(&[1 << 20, 3_000_000_000, 4_000_000_000, u32::MAX][..]);
    prop_oneof![4 => 0..4_u32, 1 => far]
}

fn lengths(most: usize) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(length(), 0..most)
}

/// A layer, the grid that it is taken to have, and the axes that are read.
type Read = (u32, Option<Vec<u32>>, Vec<Option<u8>>);

/// A shape before it is known what it reads: that is a layer of this number, whose grid it knows or makes up.
#[derive(Clone, Debug)]
enum Made {
    Map(Vec<Read>),
    Reduce(u32, Option<Vec<u32>>, Vec<u32>),
    Overlap(u32, Option<Vec<u32>>, Vec<AxisRanges>),
    Exchange(u32, Option<u64>, u32),
}

fn ranges() -> impl Strategy<Value = AxisRanges> {
    let listed = prop::collection::vec((length(), length()), 0..4)
        .prop_map(|ranges| ranges.into_iter().map(|(start, end)| start..end).collect::<AxisRanges>());
    let even = (length(), (-3..4_i64), length(), length(), 0..3_u64);
    let even = even.prop_map(|(count, stride, width, points, block)| {
        let windows = Windows { count, first: 0, stride, width: width.into(), points: 0..points.into(), block };
        AxisRanges::even(windows).unwrap_or_else(|| AxisRanges::same(points))
    });
    prop_oneof![listed, even, length().prop_map(AxisRanges::same)]
}

fn made() -> impl Strategy<Value = Made> {
    let grid = || prop::option::of(lengths(4));
    let axis = prop_oneof![3 => (0..4_u8).prop_map(Some), 1 => Just(None), 1 => Just(Some(7))];
    let input = (0..3_u32, grid(), prop::collection::vec(axis, 0..4));
    prop_oneof![
        prop::collection::vec(input, 0..4).prop_map(Made::Map),
        (0..3_u32, grid(), lengths(4)).prop_map(|(layer, grid, fan_in)| Made::Reduce(layer, grid, fan_in)),
        (0..3_u32, grid(), prop::collection::vec(ranges(), 0..4))
            .prop_map(|(layer, grid, ranges)| Made::Overlap(layer, grid, ranges)),
        (0..3_u32, prop::option::of(any::<u64>()), length())
            .prop_map(|(layer, producers, consumers)| Made::Exchange(layer, producers, consumers)),
    ]
}

fn shape(graph: &GraphBuilder, own: Vec<u32>, made: Made) -> Shape {
    let is_there = |layer: u32| layer < graph.layers();
    let grid_of = |layer: u32| is_there(layer).then(|| graph.get(LayerId(layer)).shape.grid());
    let grid =
        |layer, made: Option<Vec<u32>>| made.map(Grid::new).or_else(|| grid_of(layer)).unwrap_or_else(|| Grid::new([]));
    match made {
        Made::Map(inputs) => {
            let input = |(layer, made, axes): (u32, _, Vec<_>)| MapInput {
                layer: LayerId(layer),
                grid: grid(layer, made),
                axes: axes.into_iter().collect(),
            };
            Shape::Map { grid: Grid::new(own), inputs: inputs.into_iter().map(input).collect() }
        }
        Made::Reduce(layer, made, fan_in) => {
            Shape::Reduce { input: LayerId(layer), grid: grid(layer, made), fan_in: fan_in.into_iter().collect() }
        }
        Made::Overlap(layer, made, ranges) => {
            Shape::Overlap { input: LayerId(layer), grid: grid(layer, made), ranges: ranges.into() }
        }
        Made::Exchange(layer, producers, consumers) => {
            let producers = producers.or(grid_of(layer).map(|grid| grid.len())).unwrap_or(0);
            Shape::Exchange { input: LayerId(layer), producers, consumers: consumers.into() }
        }
    }
}

/// The first tasks, the last, and one in between.
fn some(len: u64) -> impl Iterator<Item = u64> {
    [0, 1, len / 2, len.saturating_sub(1)].into_iter().filter(move |&index| index < len)
}

/// Lists of so many are gone through.
const FEW: u64 = 1000;

fn ask(graph: &Graph, id: LayerId) {
    let shape = &graph.layer(id).shape;
    let (len, grid) = (shape.len(), shape.grid());
    assert!(shape.sources() <= len && shape.next_source(0).is_none_or(|next| next < len));
    for index in some(len) {
        let count = shape.input_count(index);
        let mut found = 0;
        assert!(count <= shape.most_inputs() && shape.most_inputs() <= u64::from(u32::MAX));
        if count <= FEW {
            graph.for_each_input(TaskId::new(id, index), |input| {
                assert!(input.index < graph.layer(input.layer).len(), "{index} reads {input}");
                found += 1;
            });
            assert_eq!(found, count, "inputs of {index}");
        }
    }
    for input in shape.input_layers() {
        for index in some(graph.layer(input).len()) {
            let first = shape.first_dependent(id, TaskId::new(input, index));
            assert!(first.is_none_or(|reader| reader < len), "{first:?} reads {index}");
            for port in (0..shape.ports()).filter(|&port| shape.read_through(port) == Some(input)) {
                let readers = shape.readers_through(port, index);
                assert!(readers.len() <= shape.most_readers(port) && BoxWalk::new(&grid, &readers).run().end <= len);
            }
        }
    }
    let is_diagonal = |input: &MapInput| (1..input.axes.len()).any(|at| input.axes[..at].contains(&input.axes[at]));
    if !matches!(shape, Shape::Map { inputs, .. } if inputs.iter().any(is_diagonal)) {
        shape.for_each_read(&GridSet::whole(&grid), |layer, grid, read| {
            assert!(read.len() <= grid.len() && grid.len() == graph.layer(layer).len());
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_can_be_asked(layers in prop::collection::vec((lengths(5), prop::option::of(made())), 1..4)) {
        let mut graph = GraphBuilder::new();
        let body = Arc::new(());
        let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 0, flags: OpFlags::default(), body });
        let mut taken = vec![];
        for (own, made) in layers {
            let shape = shape(&graph, own, made.unwrap_or(Made::Map(vec![])));
            taken.extend(graph.layer(Layer::new("layer", op, shape)).ok());
        }
        let graph = graph.finish();
        taken.into_iter().for_each(|id| ask(&graph, id));
    }
}

fn refused(shape: impl Fn(LayerId) -> Shape, input: &[u32]) -> bool {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(());
    let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 0, flags: OpFlags::default(), body });
    let grid = Grid::new(input.iter().copied());
    let input = graph.layer(Layer::new("input", op, Shape::Map { grid, inputs: vec![] })).unwrap();
    graph.layer(Layer::new("reader", op, shape(input))).is_err()
}

#[test]
fn axes_that_arent_there_are_refused_also_where_nobody_reads() {
    let reading = |own: u32, axes: [Option<u8>; 1]| {
        move |layer| {
            let input = MapInput { layer, grid: Grid::new([5]), axes: axes.into_iter().collect() };
            Shape::Map { grid: Grid::new([own]), inputs: vec![input] }
        }
    };
    assert!(refused(reading(0, [Some(7)]), &[5]) && refused(reading(1, [Some(7)]), &[5]));
    assert!(!refused(reading(0, [Some(0)]), &[5]) && !refused(reading(0, [None]), &[5]));
    assert!(refused(reading(6, [Some(0)]), &[5]), "there is no block 5");
}

#[test]
fn lengths_are_bounded_also_beside_one_that_is_nothing() {
    let far = [0, u32::MAX, u32::MAX, u32::MAX];
    let own = |_| Shape::Map { grid: Grid::new(far), inputs: vec![] };
    assert!(refused(own, &[1]));
    let read = |input| Shape::Reduce { input, grid: Grid::new(far), fan_in: [1; 4].into_iter().collect() };
    assert!(refused(read, &[0]));
}

#[test]
fn the_last_boxes_of_a_reduction_end_with_the_axis() {
    let fan_in = |first: u32| {
        move |input| Shape::Reduce {
            input,
            grid: Grid::new([4_000_000_000, 1]),
            fan_in: [first, 1].into_iter().collect(),
        }
    };
    assert!(refused(fan_in(0), &[4_000_000_000, 1]), "a box of nothing");
    let shape = fan_in(3_000_000_000)(LayerId(0));
    assert_eq!((shape.len(), shape.input_count(0), shape.input_count(1)), (2, 3_000_000_000, 1_000_000_000));
}

#[test]
fn a_task_reads_no_more_than_can_be_counted() {
    const LEN: u32 = 1 << 16;
    let (len, grid) = (LEN, || Grid::new([LEN, LEN]));
    let sum = |last| move |input| Shape::Reduce { input, grid: grid(), fan_in: [len, last].into_iter().collect() };
    let all = |most: u32| std::iter::once(0..most).collect::<AxisRanges>();
    let halo = |last| move |input| Shape::Overlap { input, grid: grid(), ranges: Arc::new([all(len), all(last)]) };
    assert!(refused(sum(len), &[len, len]) && !refused(sum(len - 1), &[len, len]));
    assert!(refused(halo(len), &[len, len]) && !refused(halo(len - 1), &[len, len]));
}
