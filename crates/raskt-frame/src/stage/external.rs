use super::{StageOutput, lower_partitions, lower_whole};
use crate::expression::{content_of, digest_of};
use crate::wire::FrameKernel;
use raskt_graph::{
    ExplicitBuilder, GraphBuilder, GraphError, Grid, Layer, LayerId, Lower, MapInput, Op, OpBody, OpFlags, OpKind,
    Shape, TaskId,
};
use raskt_value::{Call, Kernel, NativeOp, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A Python function over each partition of a plan.
pub(crate) struct MapPartitions {
    input: StageOutput,
    body: OpBody,
    name: String,
    digest: u128,
}

impl MapPartitions {
    pub(crate) fn new(input: StageOutput, body: OpBody, name: String, digest: u128) -> Self {
        Self { input, body, name, digest }
    }
}

impl Lower for MapPartitions {
    fn key(&self) -> u128 {
        digest_of(&["map_partitions", &self.name], &[self.digest, self.input.digest])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let input = lower_partitions(graph, &self.input)?;
        let grid = Grid::new([self.input.root().partitions as u32]);
        let flags = OpFlags::default();
        let op = Op {
            kind: OpKind::Python,
            name: self.name.as_str().into(),
            digest: self.key(),
            flags,
            body: self.body.clone(),
        };
        let op = graph.op(op);
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(input, grid)] };
        graph.layer(Layer::new(self.name.as_str(), op, shape))
    }
}

/// A Python function over several plans: each as one table, or partition by partition.
pub(crate) struct MapWhole {
    inputs: Vec<StageOutput>,
    /// How many partitions go side by side; plans of one partition go with each of them.
    partitions: usize,
    body: OpBody,
    name: String,
    digest: u128,
}

impl MapWhole {
    pub(crate) fn new(inputs: Vec<StageOutput>, partitions: usize, body: OpBody, name: String, digest: u128) -> Self {
        Self { inputs, partitions, body, name, digest }
    }
}

impl Lower for MapWhole {
    fn key(&self) -> u128 {
        let inputs: Vec<u128> = self.inputs.iter().map(StageOutput::digest).chain([self.digest]).collect();
        digest_of(&["map_whole", &self.name, &self.partitions.to_string()], &inputs)
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let grid = Grid::new([self.partitions as u32]);
        let mut inputs = vec![];
        for input in &self.inputs {
            inputs.push(if self.partitions > 1 && input.has_rows() && input.root().partitions == self.partitions {
                MapInput::same(lower_partitions(graph, input)?, grid.clone())
            } else {
                let axes = [if self.partitions > 1 { None } else { Some(0) }].into_iter().collect();
                MapInput { layer: lower_whole(graph, input)?, grid: Grid::new([1]), axes }
            });
        }
        let flags = OpFlags::default();
        let op = Op {
            kind: OpKind::Python,
            name: self.name.as_str().into(),
            digest: self.key(),
            flags,
            body: self.body.clone(),
        };
        let op = graph.op(op);
        graph.layer(Layer::new(self.name.as_str(), op, Shape::Map { grid, inputs }))
    }
}

/// Some partitions of a plan.
pub(crate) struct PickPartitions {
    input: StageOutput,
    at: Vec<usize>,
}

impl PickPartitions {
    pub(crate) fn new(input: StageOutput, at: Vec<usize>) -> Self {
        Self { input, at }
    }
}

impl Lower for PickPartitions {
    fn key(&self) -> u128 {
        digest_of(&["partitions"], &[content_of(&self.at), self.input.digest])
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let input = lower_partitions(graph, &self.input)?;
        let body: OpBody = Arc::new(NativeOp(Arc::new(FrameKernel::from(Same))));
        let digest = digest_of(&["same table"], &[]);
        let op =
            graph.op(Op { kind: OpKind::Frame, name: "partition".into(), digest, flags: OpFlags::default(), body });
        let mut edges = ExplicitBuilder::with_capacity(self.at.len());
        for at in &self.at {
            edges.input(TaskId::new(input, *at as u64));
            edges.task();
        }
        graph.layer(Layer::new("partition", op, Shape::Explicit(edges.finish()?)))
    }
}

/// Gives what it gets.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Same;

impl Kernel for Same {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(inputs[0].clone())
    }

    fn name(&self) -> String {
        "partition".into()
    }
}
