use super::parts::{Input, Parts, Place};
use super::places::Places;
use super::token::{Tokens, identity};
use super::{Argument, Node, Work};
use crate::collection::with_collection;
use crate::error::from_graph_error;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_graph::{ExplicitBuilder, GraphBuilder, LayerId, TaskId};
use std::borrow::Borrow;
use std::sync::Arc;

/// Adds the calls behind `roots` to the graph and gives the task of each root.
///
/// All calls that aren't in the graph yet become one layer (or one for each kind of annotation), inputs before readers,
/// depth first. Pure calls that do the same become one task. Collections among the arguments are lowered before it.
///
/// `remembers` says whether more is to be lowered into the graph, and may read the same calls.
pub(crate) fn lower_nodes(
    py: Python<'_>,
    roots: &[impl Borrow<Arc<Node>>],
    graph: &mut GraphBuilder,
    remembers: bool,
) -> PyResult<Vec<TaskId>> {
    let mut lowering = Lowering::new(remembers, graph);
    lowering.walk_all(py, roots, graph)?;
    if !lowering.unknown.is_empty() {
        // Collections come first: what they read is in the graph then, and is no second task here.
        let known = known(py, lowering.unknown, graph)?;
        lowering = Lowering { known, ..Lowering::new(remembers, graph) };
        lowering.walk_all(py, roots, graph)?;
    }
    let inputs: Vec<_> = roots.iter().map(|root| lowering.input(Borrow::<Arc<Node>>::borrow(root), graph)).collect();
    let layers = lowering.parts.finish(graph).map_err(from_graph_error)?;
    if remembers {
        for (key, place) in lowering.by_identity {
            graph.set_lowered_task(key, layers.task(Input::Own(place)));
        }
    }
    Ok(inputs.into_iter().map(|input| layers.task(input)).collect())
}

/// The layers of collections by the addresses of the collections, which the nodes keep alive.
fn known(py: Python<'_>, collections: Vec<Py<PyAny>>, graph: &mut GraphBuilder) -> PyResult<HashMap<usize, LayerId>> {
    let lower = |collection: Py<PyAny>| {
        let expr = collection.bind(py).getattr("__raskt_expr__")?;
        let layer = with_collection(&expr, |collection| collection.lower(py, graph))?;
        Ok((collection.as_ptr() as usize, layer))
    };
    collections.into_iter().map(lower).collect()
}

#[derive(Default)]
struct Lowering {
    parts: Parts,
    /// Where the nodes of this lowering stand.
    places: Places,
    /// Where they stand by what they do: for pure ones, and for all if the graph is to remember them.
    by_identity: HashMap<u128, Place>,
    remembers: bool,
    tokens: Tokens,
    /// The layers of collections that nodes read, by the addresses of the collections.
    known: HashMap<usize, LayerId>,
    /// Collections that nodes read whose layers aren't known yet.
    unknown: Vec<Py<PyAny>>,
    /// Tasks that turn the blocks of a collection into one Python object.
    finished: HashMap<usize, TaskId>,
}

impl Lowering {
    fn new(remembers: bool, graph: &GraphBuilder) -> Self {
        Self { remembers, parts: Parts::new(graph.keeps_data_apart()), ..Self::default() }
    }

    fn walk_all(&mut self, py: Python<'_>, roots: &[impl Borrow<Arc<Node>>], graph: &mut GraphBuilder) -> PyResult<()> {
        roots.iter().try_for_each(|root| self.walk(py, root.borrow(), graph))
    }

    /// Adds `root` and all that it reads, without recursion: a chain may be a million calls long.
    fn walk<'a>(&mut self, py: Python<'_>, root: &'a Arc<Node>, graph: &mut GraphBuilder) -> PyResult<()> {
        let mut stack: Vec<(&'a Arc<Node>, bool)> = vec![(root, false)];
        while let Some((node, inputs_are_there)) = stack.pop() {
            if self.is_there(node, graph) {
                continue;
            }
            if inputs_are_there {
                self.add(py, node, graph)?;
                continue;
            }
            stack.push((node, true));
            let first_input = stack.len();
            node.for_each_input(&mut |input| {
                if !self.places.contains(input.id) {
                    stack.push((input, false));
                }
            });
            // The stack gives back last first; inputs are to stand in the order of the arguments.
            stack[first_input..].reverse();
            if stack.len() == first_input {
                stack.pop();
                self.add(py, node, graph)?;
            }
        }
        Ok(())
    }

    fn is_there(&self, node: &Node, graph: &GraphBuilder) -> bool {
        self.places.contains(node.id) || graph.lowered_task(identity(node)).is_some()
    }

    fn add(&mut self, py: Python<'_>, node: &Arc<Node>, graph: &mut GraphBuilder) -> PyResult<()> {
        if node.is_pure() {
            self.tokens.give(py, node);
            let identity = identity(node);
            if let Some(&place) = self.by_identity.get(&identity) {
                self.places.insert(node.id, place);
                return Ok(());
            }
            if graph.lowered_task(identity).is_some() {
                return Ok(());
            }
        }
        let inputs = self.inputs(py, node, graph)?;
        let place = self.parts.add(node, inputs);
        self.places.insert(node.id, place);
        if self.remembers || node.is_pure() {
            self.by_identity.insert(identity(node), place);
        }
        Ok(())
    }

    fn inputs(&mut self, py: Python<'_>, node: &Node, graph: &mut GraphBuilder) -> PyResult<usize> {
        let start = self.parts.inputs();
        let mut result = Ok(());
        if let Work::Block { collection, index } = &node.work
            && let Some(blocks) = self.layer_of(py, collection)
        {
            let task = super::blocks::block(py, collection, blocks, *index, graph)?;
            let input = self.parts.task(task);
            self.parts.read(input);
        }
        node.for_each_argument(|argument| {
            argument.for_each_leaf(&mut |leaf| match (leaf.as_node(), leaf) {
                (Some(input), _) => {
                    let input = self.input(input, graph);
                    self.parts.read(input);
                }
                (None, Argument::Collection(collection)) if result.is_ok() => {
                    let Some(blocks) = self.layer_of(py, collection) else { return };
                    match self.finish_collection(py, collection, blocks, graph) {
                        Ok(task) => {
                            let input = self.parts.task(task);
                            self.parts.read(input);
                        }
                        Err(error) => result = Err(error),
                    }
                }
                _ => {}
            });
        });
        for input in node.after() {
            let input = self.input(input, graph);
            self.parts.read(input);
        }
        result.map(|()| start)
    }

    /// Where the result of `node`, which was walked, comes from.
    fn input(&mut self, node: &Node, graph: &GraphBuilder) -> Input {
        match self.places.get(node.id) {
            Some(place) => Input::Own(place),
            None => self.parts.task(graph.lowered_task(identity(node)).expect("inputs are added before their readers")),
        }
    }

    /// The layer of a collection; without one, it is noted as unknown.
    fn layer_of(&mut self, py: Python<'_>, collection: &Py<PyAny>) -> Option<LayerId> {
        let layer = self.known.get(&(collection.as_ptr() as usize)).copied();
        if layer.is_none() {
            self.unknown.push(collection.clone_ref(py));
        }
        layer
    }

    /// The task that gives a whole collection as one Python object.
    fn finish_collection(
        &mut self,
        py: Python<'_>,
        collection: &Py<PyAny>,
        blocks: LayerId,
        graph: &mut GraphBuilder,
    ) -> PyResult<TaskId> {
        if let Some(&task) = self.finished.get(&(collection.as_ptr() as usize)) {
            return Ok(task);
        }
        let expr = collection.bind(py).getattr("__raskt_expr__")?;
        let mut edges = ExplicitBuilder::default();
        (0..graph.get(blocks).len()).for_each(|index| edges.input(TaskId::new(blocks, index)));
        edges.task();
        let task = super::blocks::finish(expr.unbind(), edges, graph).map_err(from_graph_error)?;
        self.finished.insert(collection.as_ptr() as usize, task);
        Ok(task)
    }
}
