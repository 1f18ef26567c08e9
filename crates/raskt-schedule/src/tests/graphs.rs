//! Random graphs, and what their tasks should give.

use crate::{Event, FailureScope, RunId, TaskRange};
use proptest::prelude::*;
use raskt_graph::*;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub fn op(graph: &mut GraphBuilder) -> OpId {
    let body = Arc::new(()) as Arc<dyn Any + Send + Sync>;
    graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body })
}

/// A graph is submitted whose tasks fail together, and which imports nothing.
pub fn added(run: RunId, parent: Option<RunId>, graph: Arc<Graph>, wanted: Vec<TaskRange>) -> Event {
    Event::GraphAdded { run, parent, graph, wanted, failure: FailureScope::Run, imports: vec![] }
}

/// Stands for the result of a task: mixes its id with the results of its inputs, in order.
pub fn result(task: TaskId, inputs: impl IntoIterator<Item = u64>) -> u64 {
    let start = u64::from(task.layer.0) << 40 | task.index;
    inputs.into_iter().fold(start, |hash, input| (hash ^ input).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

/// The reference: every task of every layer in order.
pub fn evaluate(graph: &Graph) -> BTreeMap<TaskId, u64> {
    let mut results = BTreeMap::new();
    for (layer, found) in graph.layers() {
        for index in 0..found.len() {
            let task = TaskId::new(layer, index);
            let mut inputs = vec![];
            graph.for_each_input(task, |input| inputs.push(results[&input]));
            results.insert(task, result(task, inputs));
        }
    }
    results
}

/// A random graph: each layer reads earlier ones by one of the shapes.
pub fn graphs() -> impl Strategy<Value = Graph> {
    prop::collection::vec((0..14_u8, 1..7_u32, any::<u64>()), 1..8).prop_map(|layers| {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        for (at, (kind, size, seed)) in layers.into_iter().enumerate() {
            let earlier = (at > 0).then(|| LayerId((seed % at as u64) as u32));
            let shape = match (kind, earlier) {
                (1, Some(input)) => {
                    let grid = Grid::new([graph.get(input).len() as u32]);
                    Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(input, grid)] }
                }
                (2, Some(input)) => {
                    let grid = Grid::new([graph.get(input).len() as u32]);
                    Shape::Reduce { input, grid, fan_in: [1 + (seed >> 32) as u32 % 4].into_iter().collect() }
                }
                (3, Some(input)) => {
                    let producers = graph.get(input).len();
                    Shape::Exchange { input, producers, consumers: u64::from(size) }
                }
                (4, Some(input)) => {
                    let length = graph.get(input).len() as u32;
                    let ranges = (0..size).map(|c| c.min(length)..(c + 1 + (seed >> 40) as u32 % 3).min(length));
                    let grid = Grid::new([length]);
                    Shape::Overlap { input, grid, ranges: Arc::from([ranges.collect::<Vec<_>>().into()]) }
                }
                (6, Some(input)) => mapped(&graph, input, size, seed),
                (7, Some(input)) => {
                    let grid = folded(graph.get(input).len(), seed);
                    let fan_in = [1 + (seed >> 32) as u32 % 3, 1 + (seed >> 36) as u32 % 3].into_iter().collect();
                    Shape::Reduce { input, grid, fan_in }
                }
                (8, Some(input)) => {
                    let grid = folded(graph.get(input).len(), seed);
                    let ranges = grid.lengths().iter().zip([seed >> 20, seed >> 40]);
                    let ranges = ranges.map(|(&length, seed)| ranges_over(length, 1 + size % 3, seed)).collect();
                    Shape::Overlap { input, grid, ranges }
                }
                (9, Some(_)) => concatenated(&graph, at, seed),
                (5, _) => Shape::Explicit(explicit(&graph, at, size, seed)),
                (10 | 11, Some(_)) => broadcast(&graph, at, size, seed),
                (12, Some(input)) => repeated(&graph, input, size, seed),
                (13, Some(input)) => {
                    let grid = graph.get(input).shape.grid();
                    let fan_in = (0..grid.axes()).map(|axis| 1 + (seed >> (32 + axis)) as u32 % 3).collect();
                    Shape::Reduce { input, grid, fan_in }
                }
                _ => Shape::source(size),
            };
            graph.layer(Layer::new(format!("l{at}"), op, shape)).expect("the shape fits its inputs");
        }
        graph.finish()
    })
}

/// So many blocks as a grid of two axes.
fn folded(len: u64, seed: u64) -> Grid {
    let rows: Vec<u64> = (1..=len.max(1)).filter(|rows| len.is_multiple_of(*rows)).collect();
    let rows = rows[(seed >> 8) as usize % rows.len()];
    Grid::new([rows as u32, (len / rows) as u32])
}

/// The input turned, repeated along a new axis, or its diagonal.
fn mapped(graph: &GraphBuilder, input: LayerId, size: u32, seed: u64) -> Shape {
    let grid = folded(graph.get(input).len(), seed);
    let [rows, columns] = [grid.lengths()[0], grid.lengths()[1]];
    let (own, axes) = match seed >> 32 & 3 {
        0 => (Grid::new([columns, rows]), [Some(1), Some(0)]),
        1 => (Grid::new([1 + size % 3, rows, columns]), [Some(1), Some(2)]),
        2 => (Grid::new([rows.min(columns)]), [Some(0), Some(0)]),
        _ => (Grid::new([rows, if columns > 0 { size } else { 0 }]), [Some(0), None]),
    };
    let map = MapInput { layer: input, grid, axes: axes.into_iter().collect() };
    Shape::Map { grid: own, inputs: vec![map] }
}

/// Ranges that move one way, some of them empty.
fn ranges_over(length: u32, count: u32, seed: u64) -> AxisRanges {
    let width = 1 + (seed >> 4) % 3;
    let windows =
        Windows { count, first: 0, stride: 1 + (seed % width) as i64, width, points: 0..u64::from(length), block: 1 };
    if let Some(even) = AxisRanges::even(windows).filter(|_| seed >> 9 & 1 == 1) {
        return even;
    }
    let mut ranges: Vec<_> = (0..count)
        .map(|at| {
            let start = (at * (seed as u32 % 3)).min(length);
            start..(start + (seed >> 4) as u32 % 3).min(length)
        })
        .collect();
    if seed >> 8 & 1 == 1 {
        ranges.reverse();
    }
    ranges.into()
}

/// Some of the layers before it, one after the other.
fn concatenated(graph: &GraphBuilder, layers: usize, seed: u64) -> Shape {
    let parts = (0..=(seed >> 8 & 3)).map(|part| {
        let layer = LayerId(((seed >> (16 + 8 * part)) % layers as u64) as u32);
        (layer, graph.get(layer).len() as u32)
    });
    Shape::Concatenate(Parts::new(0, &Grid::new([0]), parts).expect("there is an axis"))
}

/// The most tasks of a layer that is drawn with axes.
const MOST: u64 = 60;

/// A layer that reads one to three others, along some of its axes or block 0 of theirs.
fn broadcast(graph: &GraphBuilder, layers: usize, size: u32, seed: u64) -> Shape {
    let mut draw = draws(seed);
    let first = graph.get(LayerId(draw(layers as u64) as u32)).shape.grid();
    let mut lengths: Vec<u32> = first.lengths().to_vec();
    if lengths.len() < 3 {
        lengths.insert(draw(1 + lengths.len() as u64) as usize, size);
    }
    let mut kept = 1;
    lengths.retain(|&length| {
        kept *= u64::from(length);
        kept <= MOST
    });
    let grid = Grid::new(lengths.iter().copied());
    let inputs = (0..1 + draw(3)).map(|_| {
        let layer = LayerId(draw(layers as u64) as u32);
        let read = graph.get(layer).shape.grid();
        let axes = read.lengths().iter().map(|&length| {
            let fitting: Vec<_> = (0..lengths.len()).filter(|&axis| lengths[axis] <= length).collect();
            let at = draw(1 + fitting.len() as u64) as usize;
            fitting.get(at).map(|&axis| axis as u8)
        });
        let axes = axes.collect();
        MapInput { layer, grid: read, axes }
    });
    let inputs: Vec<_> = inputs.collect();
    // Of a layer without tasks no block can be read.
    let inputs = inputs.into_iter().filter(|input| !input.grid.is_empty()).collect();
    Shape::Map { grid, inputs }
}

/// A layer that reads each block of another several times over, and neighbours as well.
fn repeated(graph: &GraphBuilder, input: LayerId, size: u32, seed: u64) -> Shape {
    let mut draw = draws(seed);
    let grid = graph.get(input).shape.grid();
    let mut room = MOST / grid.len().max(1);
    let ranges = grid.lengths().iter().map(|&length| {
        let times = 1 + draw(u64::from(size).min(room).max(1)) as u32;
        room = (room / u64::from(times)).max(1);
        let halo = draw(2) as u32;
        (0..length * times)
            .map(|at| (at / times).saturating_sub(halo)..(at / times + 1 + halo).min(length))
            .collect::<Vec<_>>()
            .into()
    });
    let ranges: Vec<_> = ranges.collect();
    Shape::Overlap { input, grid, ranges: ranges.into() }
}

fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    }
}

pub fn explicit(graph: &GraphBuilder, layers: usize, size: u32, seed: u64) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let mut draw = draws(seed);
    for task in 0..u64::from(size) {
        for _ in 0..draw(4) {
            if task > 0 && draw(2) == 0 {
                builder.own_input(draw(task));
            } else if layers > 0 {
                let layer = LayerId(draw(layers as u64) as u32);
                builder.input(TaskId::new(layer, draw(graph.get(layer).len())));
            }
        }
        builder.task();
    }
    builder.finish().expect("edges lead upwards")
}

pub fn all_tasks(graph: &Graph) -> Vec<TaskId> {
    graph.layers().flat_map(|(id, layer)| (0..layer.len()).map(move |index| TaskId::new(id, index))).collect()
}

pub fn pick_wanted(graph: &Graph, picks: &[prop::sample::Index]) -> Vec<TaskId> {
    let all = all_tasks(graph);
    picks.iter().map(|pick| *pick.get(&all)).collect::<BTreeSet<_>>().into_iter().collect()
}
