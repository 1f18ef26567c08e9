//! The graph of a plan.

use crate::scenario::{GPU, LayerPlan, ReadPlan, Requires, Scenario, ShapePlan};
use raskt_graph::{
    Annotations, Cost, ExplicitBuilder, Graph, GraphBuilder, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpKind,
    Shape, TaskId,
};
use std::sync::Arc;

pub(crate) fn build(plans: &[LayerPlan], retries: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(());
    let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 0, flags: OpFlags::default(), body });
    for (at, plan) in plans.iter().enumerate() {
        let LayerPlan { nanoseconds, output_bytes, scratch_bytes, priority, requires, .. } = *plan;
        let cost = Cost { nanoseconds, output_bytes, scratch_bytes };
        let annotations = Arc::new(annotations(priority, retries, requires));
        let layer = Layer::new(format!("layer-{at}"), op, shape(&graph, &plan.shape)).with_cost(cost);
        let added = graph.layer(Layer { annotations, ..layer });
        added.expect("a layer of a plan fits those before it");
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

fn shape(graph: &GraphBuilder, plan: &ShapePlan) -> Shape {
    let length = |input: u32| graph.get(LayerId(input)).len();
    match plan {
        ShapePlan::Source { tasks } => Shape::source(*tasks as u32),
        ShapePlan::Map { inputs } => {
            let grid = line(inputs.first().map_or(0, |&input| length(input)));
            let inputs = inputs.iter().map(|&input| MapInput::same(LayerId(input), grid.clone())).collect();
            Shape::Map { grid, inputs }
        }
        &ShapePlan::Broadcast { input, rows } => {
            let axes = [Some(1)].into_iter().collect();
            let read = MapInput { layer: LayerId(input), grid: line(length(input)), axes };
            Shape::Map { grid: Grid::new([rows as u32, length(input) as u32]), inputs: vec![read] }
        }
        &ShapePlan::Reduce { input, fan_in } => {
            Shape::Reduce { input: LayerId(input), grid: line(length(input)), fan_in: [fan_in].into_iter().collect() }
        }
        &ShapePlan::Exchange { input, consumers } => {
            Shape::Exchange { input: LayerId(input), producers: length(input), consumers }
        }
        &ShapePlan::Overlap { input, tasks, step, reach } => {
            let end = |at: u64| at.min(length(input)) as u32;
            let ranges: Vec<_> = (0..tasks).map(|at| end(at * step)..end(at * step + reach)).collect();
            Shape::Overlap { input: LayerId(input), grid: line(length(input)), ranges: Arc::from([ranges.into()]) }
        }
        ShapePlan::GridMap { grid: own, inputs } => {
            let read = |read: &ReadPlan| MapInput {
                layer: LayerId(read.input),
                grid: grid(&read.grid),
                axes: read.axes.iter().copied().collect(),
            };
            Shape::Map { grid: grid(own), inputs: inputs.iter().map(read).collect() }
        }
        ShapePlan::GridReduce { input, grid: of, fan_in } => {
            Shape::Reduce { input: LayerId(*input), grid: grid(of), fan_in: fan_in.iter().copied().collect() }
        }
        ShapePlan::GridOverlap { input, grid: of, ranges } => {
            let axis = |axis: &Vec<(u32, u32)>| axis.iter().map(|&(start, end)| start..end).collect();
            Shape::Overlap { input: LayerId(*input), grid: grid(of), ranges: ranges.iter().map(axis).collect() }
        }
        ShapePlan::Concat { inputs } => {
            let parts = inputs.iter().flat_map(|&input| (0..length(input)).map(move |index| (input, index)));
            let reads: Vec<_> = (0..).zip(parts).map(|(task, (input, index))| (task, input, index)).collect();
            explicit(graph.layers(), reads.len() as u64, &reads)
        }
        ShapePlan::Explicit { tasks, reads } => explicit(graph.layers(), *tasks, reads),
    }
}

fn grid(lengths: &[u32]) -> Grid {
    Grid::new(lengths.iter().copied())
}

fn line(length: u64) -> Grid {
    Grid::new([length as u32])
}

fn explicit(own: u32, tasks: u64, reads: &[(u64, u32, u64)]) -> Shape {
    let mut builder = ExplicitBuilder::default();
    let mut reads = reads.iter().peekable();
    for task in 0..tasks {
        while let Some(&(_, layer, index)) = reads.next_if(|(reader, ..)| *reader == task) {
            match layer == own {
                true => builder.own_input(index),
                false => builder.input(TaskId::new(LayerId(layer), index)),
            }
        }
        builder.task();
    }
    Shape::Explicit(builder.finish().expect("edges lead to earlier tasks"))
}
