use super::StageOutput;
use super::kernel::{Read, Stage, reads};
use super::partial::staged;
use super::slice::{Cut, Slice};
use crate::expression::{content_of, digest_of};
use crate::plan::Operator;
use crate::sink::{Write, WriteOptions};
use crate::wire::FrameKernel;
use raskt_graph::{
    ExplicitBuilder, GraphBuilder, GraphError, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpKind, Shape, TaskId,
};
use raskt_value::{Kernel, NativeOp};
use std::sync::Arc;

/// Adds the tasks that compute `output` as one table to `graph`.
pub fn lower_whole(graph: &mut GraphBuilder, output: &StageOutput) -> Result<LayerId, GraphError> {
    lower_stage(graph, output, false, false)
}

/// Adds the tasks that compute `output` to `graph`, a table for each partition of its node.
pub fn lower_partitions(graph: &mut GraphBuilder, output: &StageOutput) -> Result<LayerId, GraphError> {
    lower_tables(graph, output, false)
}

/// Adds the same tasks, for tables that stay when they are computed: each has a summary, and memory that it shares with no
/// other, so that it can leave by itself.
pub fn lower_persisted(graph: &mut GraphBuilder, output: &StageOutput) -> Result<LayerId, GraphError> {
    lower_tables(graph, output, true)
}

fn lower_tables(graph: &mut GraphBuilder, output: &StageOutput, stays: bool) -> Result<LayerId, GraphError> {
    let partitions = output.node.partitions;
    if output.is_partitionwise() {
        return lower_stage(graph, output, true, stays);
    }
    let whole = lower_stage(graph, output, false, stays && partitions == 1)?;
    if partitions == 1 {
        return Ok(whole);
    }
    let cut = Cut::of(output);
    let digest = digest_of(&["slices", if stays { "stay" } else { "" }], &[cut.digest()]);
    let op = native(graph, "slice", digest, OpFlags::default(), Slice { cut, stays });
    let input = MapInput { layer: whole, grid: Grid::new([1]), axes: [None].into_iter().collect() };
    graph.layer(Layer::new("slice", op, Shape::Map { grid: Grid::new([partitions as u32]), inputs: vec![input] }))
}

/// Adds the tasks that write `output` to files, one for each partition (or one in all), to `graph`. Each gives a table
/// with the path of its file.
pub fn lower_write(
    graph: &mut GraphBuilder,
    output: &StageOutput,
    options: &WriteOptions,
) -> Result<LayerId, GraphError> {
    let (input, files) = match options.single_file {
        true => (lower_whole(graph, output)?, 1),
        false => (lower_partitions(graph, output)?, output.node.partitions),
    };
    let digest = digest_of(&["write"], &[content_of(options), output.digest]);
    let flags = OpFlags { uses_all_threads: true, ..OpFlags::default() };
    let op = native(graph, "write", digest, flags, Write { options: options.clone() });
    let grid = Grid::new([files as u32]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(input, grid)] };
    graph.layer(Layer::new("write", op, shape))
}

pub(super) fn lower_stage(
    graph: &mut GraphBuilder,
    output: &StageOutput,
    by_partition: bool,
    stays: bool,
) -> Result<LayerId, GraphError> {
    let key = stage_key(output, by_partition);
    if let Some(layer) = graph.lowered(key) {
        return Ok(layer);
    }
    let staged = if by_partition { None } else { staged(output) };
    let output = staged.as_ref().unwrap_or(output);
    let apart = graph.keeps_data_apart().then(|| output.with_tables_apart());
    let output = apart.as_ref().unwrap_or(output);
    let tasks = if by_partition { output.node.partitions } else { 1 };
    let mut edges = ExplicitBuilder::with_capacity(tasks);
    for task in 0..tasks {
        for read in &reads(&output.node, by_partition.then_some(task)) {
            add_inputs(graph, read, &mut edges)?;
        }
        edges.task();
    }
    let kernel = Stage { output: output.clone(), by_partition, stays };
    let name = kernel.name();
    let flags = OpFlags { uses_all_threads: true, ..OpFlags::default() };
    let op = native(graph, &name, key, flags, kernel);
    let layer = graph.layer(Layer::new(name.as_str(), op, Shape::Explicit(edges.finish()?)))?;
    graph.set_lowered(key, layer);
    Ok(layer)
}

/// What a stage is known by in a graph.
pub(super) fn stage_key(output: &StageOutput, by_partition: bool) -> u128 {
    digest_of(&["stage", if by_partition { "by partition" } else { "whole" }], &[output.digest])
}

pub(super) fn add_inputs(graph: &mut GraphBuilder, read: &Read, edges: &mut ExplicitBuilder) -> Result<(), GraphError> {
    let Operator::External(external) = &read.node.operator else {
        return Err(GraphError::Lowering("only tables that tasks make are inputs of a stage".into()));
    };
    let layer = graph.lower(&*external.source)?;
    let tasks = match read.partition {
        Some(at) => at..at + 1,
        None => 0..read.node.partitions,
    };
    tasks.for_each(|at| edges.input(TaskId::new(layer, at as u64)));
    Ok(())
}

pub(super) fn native(
    graph: &mut GraphBuilder,
    name: &str,
    digest: u128,
    flags: OpFlags,
    kernel: impl Into<FrameKernel>,
) -> raskt_graph::OpId {
    let body = Arc::new(NativeOp(Arc::new(kernel.into())));
    graph.op(Op { kind: OpKind::Frame, name: name.into(), digest, flags, body })
}
