//! Random graphs, and what their tasks should give.

use proptest::prelude::*;
use raskt_graph::*;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub fn op(graph: &mut GraphBuilder) -> OpId {
    let body = Arc::new(()) as Arc<dyn Any + Send + Sync>;
    graph.op(Op { kind: OpKind::Array, name: "test".into(), digest: 0, flags: OpFlags::default(), body })
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
    prop::collection::vec((0..6_u8, 1..7_u32, any::<u64>()), 1..8).prop_map(|layers| {
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
                    Shape::Overlap { input, grid, ranges: Arc::from([ranges.collect()]) }
                }
                (5, _) => Shape::Explicit(explicit(&graph, at, size, seed)),
                _ => Shape::source(size),
            };
            graph.layer(Layer::new(format!("l{at}"), op, shape)).expect("the shape fits its inputs");
        }
        graph.finish()
    })
}

pub fn explicit(graph: &GraphBuilder, layers: usize, size: u32, mut seed: u64) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
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
