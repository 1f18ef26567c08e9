use super::{Argument, Calls, Node, Work};
use crate::block::{PythonBlock, PythonOp};
use crate::collection::with_collection;
use crate::error::from_graph_error;
use crate::object::Object;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_graph::{
    ExplicitBuilder, GraphBuilder, GraphError, Layer, LayerId, Lower, Op, OpBody, OpFlags, OpKind, Shape, TaskId,
};
use raskt_value::Value;
use std::sync::Arc;

/// Adds the calls behind `roots` to the graph and gives the task of each root.
///
/// All calls that aren't in the graph yet become one layer, inputs before readers, depth first. Collections among the
/// arguments are lowered before it.
pub(crate) fn lower_nodes(py: Python<'_>, roots: &[Arc<Node>], graph: &mut GraphBuilder) -> PyResult<Vec<TaskId>> {
    let mut lowering = Lowering::default();
    for root in roots {
        lowering.walk(py, root, graph)?;
    }
    lowering.finish(graph)?;
    Ok(roots.iter().map(|root| lowered(graph, root).expect("every root was walked")).collect())
}

/// The key under which the graph knows the task of a node: a layer of one, or a position noted beside it.
fn lowered(graph: &GraphBuilder, node: &Node) -> Option<TaskId> {
    graph.lowered_task(node_key(node))
}

/// Nodes are told apart by their number; the high half keeps them apart from content hashes.
fn node_key(node: &Node) -> u128 {
    u128::from(node.id) | 0x7261_736b_745f_6e6f << 64
}

#[derive(Default)]
struct Lowering {
    nodes: Vec<Arc<Node>>,
    /// Where the nodes of this lowering stand, by id.
    places: HashMap<u64, u64>,
    edges: ExplicitBuilder,
    /// Tasks that turn the blocks of a collection into one Python object.
    finished: HashMap<usize, TaskId>,
}

impl Lowering {
    /// Adds `root` and all that it reads, without recursion: a chain may be a million calls long.
    fn walk(&mut self, py: Python<'_>, root: &Arc<Node>, graph: &mut GraphBuilder) -> PyResult<()> {
        let mut stack = vec![(root.clone(), false)];
        while let Some((node, inputs_are_there)) = stack.pop() {
            if self.places.contains_key(&node.id) || lowered(graph, &node).is_some() {
                continue;
            }
            if inputs_are_there {
                self.add(py, node, graph)?;
                continue;
            }
            stack.push((node.clone(), true));
            let first_input = stack.len();
            node.for_each_argument(|argument| {
                argument.for_each_leaf(&mut |leaf| {
                    if let Argument::Node(input) = leaf
                        && !self.places.contains_key(&input.id)
                    {
                        stack.push((input.clone(), false));
                    }
                });
            });
            // The stack gives back last first; inputs are to stand in the order of the arguments.
            stack[first_input..].reverse();
        }
        Ok(())
    }

    fn add(&mut self, py: Python<'_>, node: Arc<Node>, graph: &mut GraphBuilder) -> PyResult<()> {
        let mut result = Ok(());
        if let Work::Block { collection, index } = &node.work {
            let task = self.block(py, collection, *index, graph)?;
            self.edges.input(task);
        }
        let handle = &node;
        handle.for_each_argument(|argument| {
            argument.for_each_leaf(&mut |leaf| match leaf {
                Argument::Node(input) => match self.places.get(&input.id) {
                    Some(&place) => self.edges.own_input(place),
                    None => self.edges.input(lowered(graph, input).expect("inputs are added before their readers")),
                },
                Argument::Collection(collection) if result.is_ok() => {
                    match self.finish_collection(py, collection, graph) {
                        Ok(task) => self.edges.input(task),
                        Err(error) => result = Err(error),
                    }
                }
                _ => {}
            });
        });
        result?;
        self.places.insert(node.id, self.edges.task());
        self.nodes.push(node);
        Ok(())
    }

    /// The task that gives a whole collection as one Python object.
    fn finish_collection(
        &mut self,
        py: Python<'_>,
        collection: &Py<PyAny>,
        graph: &mut GraphBuilder,
    ) -> PyResult<TaskId> {
        if let Some(&task) = self.finished.get(&(collection.as_ptr() as usize)) {
            return Ok(task);
        }
        let expr = collection.bind(py).getattr("__raskt_expr__")?;
        let blocks = with_collection(&expr, |collection| collection.lower(py, graph))?;
        let mut edges = ExplicitBuilder::default();
        (0..graph.get(blocks).len()).for_each(|index| edges.input(TaskId::new(blocks, index)));
        edges.task();
        let block = Arc::new(FinishCollection { expr: expr.unbind() });
        let layer = add_python_layer(graph, "finish", Arc::new(PythonOp(block)), edges).map_err(from_graph_error)?;
        let task = TaskId::new(layer, 0);
        self.finished.insert(collection.as_ptr() as usize, task);
        Ok(task)
    }

    /// The task that gives a block of a collection as a Python object.
    fn block(
        &mut self,
        py: Python<'_>,
        collection: &Py<PyAny>,
        index: u64,
        graph: &mut GraphBuilder,
    ) -> PyResult<TaskId> {
        let expr = collection.bind(py).getattr("__raskt_expr__")?;
        let blocks = with_collection(&expr, |collection| collection.lower(py, graph))?;
        let mut edges = ExplicitBuilder::default();
        edges.input(TaskId::new(blocks, index));
        edges.task();
        let block = Arc::new(OneBlock { expr: expr.unbind(), index });
        let layer = add_python_layer(graph, "block", Arc::new(PythonOp(block)), edges).map_err(from_graph_error)?;
        Ok(TaskId::new(layer, 0))
    }

    fn finish(self, graph: &mut GraphBuilder) -> PyResult<()> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = self.nodes.iter().map(|node| node_key(node)).collect();
        let layer =
            add_python_layer(graph, "delayed", Arc::new(Calls(self.nodes)), self.edges).map_err(from_graph_error)?;
        for (index, key) in keys.into_iter().enumerate() {
            graph.set_lowered_task(key, TaskId::new(layer, index as u64));
        }
        Ok(())
    }
}

fn add_python_layer(
    graph: &mut GraphBuilder,
    name: &str,
    body: OpBody,
    edges: ExplicitBuilder,
) -> Result<LayerId, GraphError> {
    let flags = OpFlags { releases_gil: false, ..OpFlags::default() };
    let op = graph.op(Op { kind: OpKind::Python, name: name.into(), digest: 0, flags, body });
    graph.layer(Layer::new(name, op, Shape::Explicit(edges.finish()?)))
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
}

struct OneBlock {
    expr: Py<PyAny>,
    index: u64,
}

impl PythonBlock for OneBlock {
    fn call(&self, py: Python<'_>, _index: u64, inputs: &[Value]) -> PyResult<Value> {
        let block =
            |collection: &dyn crate::collection::Collection| collection.block(py, self.index, inputs[0].clone());
        Ok(Object::value(with_collection(self.expr.bind(py), block)?.into_bound(py)))
    }

    fn name(&self) -> String {
        "block".to_owned()
    }
}

/// Delayed objects as the blocks or partitions of a collection; `convert` turns each into the value that the collection
/// wants (its input is a Python object: see [`Object`]).
pub(crate) struct DelayedBlocks {
    pub nodes: Vec<Arc<Node>>,
    pub convert: Arc<dyn PythonBlock>,
}

impl Lower for DelayedBlocks {
    fn key(&self) -> u128 {
        // The address tells this source from every other that is alive.
        std::ptr::from_ref(self) as usize as u128 | 0x7261_736b_745f_626c << 64
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let tasks = Python::attach(|py| {
            lower_nodes(py, &self.nodes, graph).map_err(|error| GraphError::Lowering(error.value(py).to_string()))
        })?;
        let mut edges = ExplicitBuilder::with_capacity(tasks.len());
        for task in tasks {
            edges.input(task);
            edges.task();
        }
        add_python_layer(graph, &self.convert.name(), Arc::new(PythonOp(self.convert.clone())), edges)
    }
}
