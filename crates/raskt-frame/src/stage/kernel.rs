use super::interrupted::uninterrupted;
use super::stack::with_stack_for;
use super::translate::input_of_partition;
use super::{StageOutput, Translator, collect, collect_all};
use crate::error::FrameError;
use crate::plan::{Node, Operator};
use crate::source::FilesRead;
use crate::table::FrameTable;
use crate::wire::FrameKernel;
use polars::prelude::DataFrame;
use raskt_value::{Call, ErrorKind, Kernel, Manifest, TaskError, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Runs one query of the engine: a whole plan, or partition *i* of it as task *i*.
pub(crate) struct Stage {
    pub output: StageOutput,
    pub by_partition: bool,
    /// Whether the results stay: then they are looked at.
    pub stays: bool,
}

/// A node of tables that tasks make, and which of them a stage reads: one, or all.
pub(super) struct Read {
    pub node: Arc<Node>,
    pub partition: Option<usize>,
}

impl Read {
    pub(super) fn count(&self) -> usize {
        if self.partition.is_some() { 1 } else { self.node.partitions }
    }
}

/// The tables that tasks make and that computing `node` (or partition `at` of it) reads, each once, in order.
pub(super) fn reads(node: &Arc<Node>, at: Option<usize>) -> Vec<Read> {
    reads_of([node], at)
}

fn reads_of<'a>(nodes: impl IntoIterator<Item = &'a Arc<Node>>, at: Option<usize>) -> Vec<Read> {
    let (mut found, mut seen) = (vec![], HashSet::new());
    let mut left: Vec<_> = nodes.into_iter().map(|node| (node, at)).collect();
    left.reverse();
    while let Some((node, at)) = left.pop() {
        if !seen.insert((node.digest, at)) {
            continue;
        }
        match (&node.operator, at) {
            (Operator::External(_), partition) => found.push(Read { node: node.clone(), partition }),
            (Operator::Concat { inputs }, Some(at)) => {
                let (input, at) = input_of_partition(inputs, at);
                left.push((input, Some(at)));
            }
            _ => left.extend(node.inputs().into_iter().rev().map(|input| (input, at))),
        }
    }
    found
}

impl Kernel for Stage {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        call.check_cancelled()?;
        let partition = self.by_partition.then_some(call.index as usize);
        let partitions = self.output.node.partitions;
        if let Some(at) = partition.filter(|at| *at >= partitions) {
            return Err(FrameError::Value(format!("there is no partition {at}; there are {partitions}")).into());
        }
        let found = with_stack_for(self.output.depth(), || -> Result<DataFrame, TaskError> {
            let tables = tables_of(reads(&self.output.node, partition), inputs)?;
            let query =
                || collect(Translator::new(partition, &tables).output(&self.output.node, &self.output.columns)?);
            Ok(FilesRead::of([&self.output.node], partition).during(|| uninterrupted(call, query))?)
        })?;
        Ok(if self.stays { FrameTable::looked_at(found) } else { FrameTable::from(found) }.into())
    }

    fn name(&self) -> String {
        format!("frame {}", self.output.node.operator.name())
    }

    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        let output = self.output.hollow()?;
        Some(Arc::new(FrameKernel::from(Self { output, by_partition: self.by_partition, stays: self.stays })))
    }
}

/// Runs several whole plans as one query of the engine, which computes once what they share. Its result is a manifest
/// with a table for each.
pub(crate) struct Together {
    pub outputs: Vec<StageOutput>,
}

impl Together {
    /// What the plans read of tables that tasks make, each once.
    pub(super) fn reads(&self) -> Vec<Read> {
        reads_of(self.outputs.iter().map(|output| &output.node), None)
    }
}

impl Kernel for Together {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        call.check_cancelled()?;
        let depth = self.outputs.iter().map(StageOutput::depth).max().unwrap_or(0);
        let found = with_stack_for(depth, || -> Result<Vec<DataFrame>, TaskError> {
            let tables = tables_of(self.reads(), inputs)?;
            let query = || {
                let outputs = self.outputs.iter().map(|output| (&output.node, output.columns.as_slice()));
                collect_all(Translator::new(None, &tables).outputs(outputs)?)
            };
            let nodes = self.outputs.iter().map(|output| &output.node);
            Ok(FilesRead::of(nodes, None).during(|| uninterrupted(call, query))?)
        })?;
        let parts = found.into_iter().map(|frame| FrameTable::from(frame).into()).collect();
        Ok(Value::Manifest(Manifest { parts }.into()))
    }

    fn name(&self) -> String {
        let names: Vec<&str> = self.outputs.iter().map(|output| output.node.operator.name()).collect();
        format!("frame {}", names.join(" + "))
    }

    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        let hollow = |output: &StageOutput| output.hollow().unwrap_or_else(|| output.clone());
        Some(Arc::new(FrameKernel::from(Self { outputs: self.outputs.iter().map(hollow).collect() })))
    }
}

/// Gives part `at` of what [`Together`] made.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Part {
    pub at: usize,
}

impl Kernel for Part {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        match &inputs[0] {
            Value::Manifest(manifest) => manifest.parts.get(self.at).cloned().ok_or_else(|| {
                TaskError::new(ErrorKind::Value, format!("there is no part {} of {}", self.at, manifest.parts.len()))
            }),
            other => Err(TaskError::new(ErrorKind::Type, format!("a {} has no parts", other.type_name()))),
        }
    }

    fn name(&self) -> String {
        "part".into()
    }
}

/// The inputs of a task as tables, by the digest of the node that each stands for.
fn tables_of(reads: Vec<Read>, inputs: &[Value]) -> Result<HashMap<u128, Vec<DataFrame>>, TaskError> {
    let mut inputs = inputs.iter();
    let mut tables = HashMap::new();
    for read in reads {
        let found = inputs.by_ref().take(read.count()).map(|value| Ok(FrameTable::of(value)?.frame.clone()));
        let found = found.collect::<Result<Vec<_>, TaskError>>()?;
        if found.len() != read.count() {
            return Err(FrameError::Engine("a stage lacks tables that it reads".into()).into());
        }
        tables.insert(read.node.digest, found);
    }
    Ok(tables)
}
