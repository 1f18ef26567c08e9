//! Random graphs over all shapes.

use super::nature::stated_bytes;
use crate::random::Random;
use crate::scenario::{GPU, JobPlan, Requires, Scenario};
use raskt_graph::{
    Annotations, Cost, ExplicitBuilder, Graph, GraphBuilder, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpId, OpKind,
    Shape, TaskId,
};
use std::any::Any;
use std::sync::Arc;

/// The most tasks of a layer that all read all of another: edges are the product.
const EXCHANGE_TASKS: u64 = 40;

pub(super) fn draw(random: &mut Random, plan: &JobPlan) -> Graph {
    let mut graph = GraphBuilder::new();
    let ops: Vec<_> = (0..3).map(|at| op(&mut graph, at)).collect();
    let states_time = random.chance(300_000);
    for at in 0..plan.layers {
        let shape = draw_shape(random, &graph, plan);
        let own = LayerId(at);
        let cost = Cost {
            nanoseconds: if states_time { plan.task_nanoseconds } else { 0 },
            output_bytes: stated_bytes(plan.seed, own),
            scratch_bytes: if random.chance(200_000) { random.scaled(64, 4096) } else { 0 },
        };
        let priority = if random.chance(200_000) { random.below(5) as i32 - 2 } else { 0 };
        let requires = if random.chance(500_000) { plan.requires } else { Requires::Nothing };
        let annotations = Arc::new(annotations(priority, plan.retries, requires));
        let layer = Layer::new(format!("layer-{at}"), *random.pick(&ops), shape).with_cost(cost);
        let added = graph.layer(Layer { annotations, ..layer });
        added.expect("each shape is made to fit what it reads");
    }
    graph.finish()
}

fn annotations(priority: i32, retries: u32, requires: Requires) -> Annotations {
    let plain = Annotations { priority, retries, ..Annotations::default() };
    match requires {
        Requires::Nothing => plain,
        Requires::Gpu(amount) => Annotations { resources: [(GPU.into(), amount)].into_iter().collect(), ..plain },
        Requires::Host { host, allows_others } => {
            let workers = Vec::from([Scenario::host_node(host).name()]);
            Annotations { workers, allow_other_workers: allows_others, ..plain }
        }
    }
}

fn op(graph: &mut GraphBuilder, at: usize) -> OpId {
    let body = Arc::new(()) as Arc<dyn Any + Send + Sync>;
    let name = format!("op-{at}").into();
    graph.op(Op { kind: OpKind::Array, name, digest: 0, flags: OpFlags::default(), body })
}

fn draw_shape(random: &mut Random, graph: &GraphBuilder, plan: &JobPlan) -> Shape {
    let width = random.scaled(1, u64::from(plan.width));
    if graph.layers() == 0 {
        return if random.chance(300_000) { explicit(random, graph, width) } else { Shape::source(width as u32) };
    }
    let input = LayerId(random.below(u64::from(graph.layers())) as u32);
    // Mostly the layer before, as in the chains that collections write.
    let input = if random.chance(600_000) { LayerId(graph.layers() - 1) } else { input };
    let length = graph.get(input).len();
    match random.below(8) {
        0 => Shape::source(width as u32),
        1 | 2 => map(random, graph, input),
        3 => Shape::Reduce { input, grid: line(length), fan_in: [random.between(1, 8) as u32].into_iter().collect() },
        4 if length <= EXCHANGE_TASKS => {
            Shape::Exchange { input, producers: length, consumers: width.min(EXCHANGE_TASKS) }
        }
        5 => overlap(random, input, length, width),
        6 => broadcast(random, graph, input, width),
        _ => explicit(random, graph, width),
    }
}

fn line(length: u64) -> Grid {
    Grid::new([length as u32])
}

/// Each task reads its own block of one layer, or of two of equal length.
fn map(random: &mut Random, graph: &GraphBuilder, input: LayerId) -> Shape {
    let grid = line(graph.get(input).len());
    let equal = (0..graph.layers()).map(LayerId).filter(|&other| graph.get(other).len() == grid.len());
    let equal: Vec<_> = equal.collect();
    let mut inputs = vec![MapInput::same(input, grid.clone())];
    if random.chance(300_000) {
        inputs.push(MapInput::same(*random.pick(&equal), grid.clone()));
    }
    Shape::Map { grid, inputs }
}

/// Each block of a line is read by a whole row of a two-dimensional grid.
fn broadcast(random: &mut Random, graph: &GraphBuilder, input: LayerId, width: u64) -> Shape {
    let length = graph.get(input).len();
    let rows = (width / length.max(1)).max(1).min(random.between(1, 6));
    let axes = [Some(1)].into_iter().collect();
    let read = MapInput { layer: input, grid: line(length), axes };
    Shape::Map { grid: Grid::new([rows as u32, length as u32]), inputs: vec![read] }
}

/// Neighbouring ranges that overlap, leave gaps, or are empty at the end.
fn overlap(random: &mut Random, input: LayerId, length: u64, width: u64) -> Shape {
    let (step, reach) = (random.between(1, 3), random.between(1, 4));
    let range = |at: u64| (at * step).min(length) as u32..(at * step + reach).min(length) as u32;
    let ranges: Vec<_> = (0..width).map(range).collect();
    Shape::Overlap { input, grid: line(length), ranges: Arc::from([ranges]) }
}

/// Chains, trees, and tasks that read up to three earlier ones.
fn explicit(random: &mut Random, graph: &GraphBuilder, width: u64) -> Shape {
    let form = random.below(3);
    let mut builder = ExplicitBuilder::default();
    for task in 0..width {
        match form {
            0 if task > 0 => builder.own_input(task - 1),
            1 if task > 0 => builder.own_input((task - 1) / 2),
            2 => draw_inputs(random, graph, &mut builder, task),
            _ => draw_outer(random, graph, &mut builder),
        }
        builder.task();
    }
    Shape::Explicit(builder.finish().expect("edges lead to earlier tasks"))
}

fn draw_inputs(random: &mut Random, graph: &GraphBuilder, builder: &mut ExplicitBuilder, task: u64) {
    for _ in 0..random.below(4) {
        if task > 0 && random.chance(600_000) {
            builder.own_input(random.below(task));
        } else {
            draw_outer(random, graph, builder);
        }
    }
}

fn draw_outer(random: &mut Random, graph: &GraphBuilder, builder: &mut ExplicitBuilder) {
    if graph.layers() > 0 {
        let layer = LayerId(random.below(u64::from(graph.layers())) as u32);
        let length = graph.get(layer).len();
        if length > 0 {
            builder.input(TaskId::new(layer, random.below(length)));
        }
    }
}
