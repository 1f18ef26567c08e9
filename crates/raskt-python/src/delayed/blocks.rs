//! Between collections and delayed objects: blocks as Python objects, and Python objects as blocks.

use super::parts::add_python_layer;
use super::{Node, lower_nodes};
use crate::block::{PythonBlock, PythonOp};
use crate::collection::{Collection, with_collection};
use crate::error::from_graph_error;
use crate::object::Object;
use crate::travel::PartOf;
use pyo3::prelude::*;
use raskt_graph::{ExplicitBuilder, GraphBuilder, GraphError, LayerId, Lower, TaskId};
use raskt_value::Value;
use raskt_value::wire::WireForm;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The task that gives block `index` of a collection, whose layer is `blocks`, as a Python object.
pub(super) fn block(
    py: Python<'_>,
    collection: &Py<PyAny>,
    blocks: LayerId,
    index: u64,
    graph: &mut GraphBuilder,
) -> PyResult<TaskId> {
    let expr = collection.bind(py).getattr("__raskt_expr__")?;
    let mut edges = ExplicitBuilder::default();
    edges.input(TaskId::new(blocks, index));
    edges.task();
    let block = Arc::new(OneBlock { expr: expr.unbind(), index });
    let layer = add_python_layer(graph, "block", Arc::new(PythonOp(block)), edges, None).map_err(from_graph_error)?;
    Ok(TaskId::new(layer, 0))
}

/// The task that puts the blocks that it reads together as the collection `expr` does.
pub(super) fn finish(expr: Py<PyAny>, edges: ExplicitBuilder, graph: &mut GraphBuilder) -> Result<TaskId, GraphError> {
    let block = Arc::new(FinishCollection { expr });
    let layer = add_python_layer(graph, "finish", Arc::new(PythonOp(block)), edges, None)?;
    Ok(TaskId::new(layer, 0))
}

struct FinishCollection {
    expr: Py<PyAny>,
}

impl PythonBlock for FinishCollection {
    fn call(&self, py: Python<'_>, _index: u64, inputs: &[Value]) -> PyResult<Value> {
        let object = with_collection(self.expr.bind(py), |collection| collection.finish(py, inputs.to_vec()))?;
        Ok(Object::value(object.into_bound(py)))
    }

    fn name(&self) -> String {
        "finish".to_owned()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        PartOf::wire(self.expr.bind(py), None)
    }

    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let hollow = with_collection(self.expr.bind(py), |collection| collection.hollow(py))?;
        Ok(hollow.map(|expr| Arc::new(Self { expr }) as Arc<dyn PythonBlock>))
    }
}

struct OneBlock {
    expr: Py<PyAny>,
    index: u64,
}

impl PythonBlock for OneBlock {
    fn call(&self, py: Python<'_>, _index: u64, inputs: &[Value]) -> PyResult<Value> {
        let block = |collection: &dyn Collection| collection.block(py, self.index, inputs[0].clone());
        Ok(Object::value(with_collection(self.expr.bind(py), block)?.into_bound(py)))
    }

    fn name(&self) -> String {
        "block".to_owned()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        PartOf::wire(self.expr.bind(py), Some(self.index))
    }

    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let hollow = with_collection(self.expr.bind(py), |collection| collection.hollow(py))?;
        Ok(hollow.map(|expr| Arc::new(Self { expr, index: self.index }) as Arc<dyn PythonBlock>))
    }
}

/// Delayed objects as the blocks or partitions of a collection; `convert` turns each into the value that the collection
/// wants (its input is a Python object: see [`Object`]).
pub(crate) struct DelayedBlocks {
    nodes: Vec<Arc<Node>>,
    convert: Arc<dyn PythonBlock>,
    number: u64,
}

/// Tells sources and copies apart, whose content is not hashed: no number is given twice, as an address may be.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl DelayedBlocks {
    pub(crate) fn new(nodes: Vec<Arc<Node>>, convert: Arc<dyn PythonBlock>) -> Self {
        Self { nodes, convert, number: next_number() }
    }
}

impl Lower for DelayedBlocks {
    fn key(&self) -> u128 {
        u128::from(self.number) | 0x7261_736b_745f_626c << 64
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let tasks = Python::attach(|py| {
            lower_nodes(py, &self.nodes, graph, true).map_err(|error| GraphError::Lowering(error.value(py).to_string()))
        })?;
        let mut edges = ExplicitBuilder::with_capacity(tasks.len());
        for task in tasks {
            edges.input(task);
            edges.task();
        }
        add_python_layer(graph, &self.convert.name(), Arc::new(PythonOp(self.convert.clone())), edges, None)
    }
}
