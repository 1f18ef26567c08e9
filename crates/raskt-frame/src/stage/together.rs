use super::StageOutput;
use super::kernel::{Part, Together};
use super::lower::{add_inputs, native, stage_key};
use super::partial::staged;
use crate::expression::digest_of;
use crate::plan::{Node, Operator};
use raskt_graph::{ExplicitBuilder, GraphBuilder, GraphError, Grid, Layer, MapInput, OpFlags, Shape};
use raskt_value::Kernel;
use std::collections::BTreeSet;

/// Prepares `graph` for whole plans that are computed together: those that read rows in common become one query, and
/// `lower_whole` finds the parts of its result instead of adding queries of their own.
pub fn lower_together(graph: &mut GraphBuilder, outputs: &[StageOutput]) -> Result<(), GraphError> {
    // What is reduced table by table reads each of them alone.
    let whole: Vec<StageOutput> = outputs.iter().filter(|output| staged(output).is_none()).cloned().collect();
    for group in groups(&whole) {
        if group.len() > 1 {
            lower_group(graph, group)?;
        }
    }
    Ok(())
}

/// Different plans, those with a source in common side by side.
fn groups(outputs: &[StageOutput]) -> Vec<Vec<StageOutput>> {
    let mut groups: Vec<(BTreeSet<u128>, Vec<StageOutput>)> = vec![];
    for output in outputs {
        let own = (sources(&output.node), vec![output.clone()]);
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(found, _)| !found.is_disjoint(&own.0));
        let mut merged = (BTreeSet::new(), vec![]);
        for (found, members) in joined.into_iter().chain([own]) {
            merged.0.extend(found);
            merged.1.extend(members);
        }
        groups = others;
        groups.push(merged);
    }
    let distinct = |mut members: Vec<StageOutput>| {
        let mut seen = BTreeSet::new();
        members.retain(|output| seen.insert(output.digest));
        members
    };
    groups.into_iter().map(|(_, members)| distinct(members)).collect()
}

/// The nodes that a query of the plan starts from, by digest.
fn sources(node: &Node) -> BTreeSet<u128> {
    let is_source = |node: &&Node| node.inputs().is_empty() || matches!(node.operator, Operator::External(_));
    node.nodes_of_stage().filter(is_source).map(|node| node.digest).collect()
}

fn lower_group(graph: &mut GraphBuilder, outputs: Vec<StageOutput>) -> Result<(), GraphError> {
    let digests: Vec<u128> = outputs.iter().map(|output| output.digest).collect();
    let keys: Vec<u128> = outputs.iter().map(|output| stage_key(output, false)).collect();
    let apart = graph.keeps_data_apart();
    let outputs = if apart { outputs.iter().map(StageOutput::with_tables_apart).collect() } else { outputs };
    let kernel = Together { outputs };
    let mut edges = ExplicitBuilder::with_capacity(1);
    for read in kernel.reads() {
        add_inputs(graph, &read, &mut edges)?;
    }
    edges.task();
    let name = kernel.name();
    let flags = OpFlags { uses_all_threads: true, ..OpFlags::default() };
    let op = native(graph, &name, digest_of(&["stages"], &digests), flags, kernel);
    let all = graph.layer(Layer::new(name.as_str(), op, Shape::Explicit(edges.finish()?)))?;
    for (at, key) in keys.into_iter().enumerate() {
        let digest = digest_of(&["part", &at.to_string()], &[]);
        let op = native(graph, "part", digest, OpFlags::default(), Part { at });
        let inputs = vec![MapInput::same(all, Grid::new([1]))];
        let layer = graph.layer(Layer::new("part", op, Shape::Map { grid: Grid::new([1]), inputs }))?;
        graph.set_lowered(key, layer);
    }
    Ok(())
}
