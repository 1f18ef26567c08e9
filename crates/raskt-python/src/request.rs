//! What is asked for at once, as one graph, and the results put back into the places where it was asked for.

use crate::annotations;
use crate::array::ArrayExpr;
use crate::cluster::fetched;
use crate::collection::with_collection;
use crate::delayed::{Argument, Delayed, Node, lower_nodes, python_object};
use crate::error::from_graph_error;
use crate::ran::{Ran, load};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_execute::RunHandle;
use raskt_frame::{StageOutput, lower_together};
use raskt_graph::{Graph, GraphBuilder, TaskId};
use raskt_value::Value;
use std::sync::Arc;

/// Collections and delayed objects in arguments, lowered into one graph.
pub(crate) struct Request {
    asked: Asked,
    pub graph: Arc<Graph>,
    pub wanted: Vec<TaskId>,
}

/// What was asked for.
enum Asked {
    /// Delayed objects and nothing else, each of which wants one task. There may be millions, which the caller holds.
    Calls(Py<PyTuple>),
    /// Arguments of any kind. For each leaf of them, in order, how many of the wanted tasks are its own.
    Any(Vec<Argument>, Vec<u32>),
}

impl Request {
    /// `keeps` says that large results stay in the store, `travels` that the graph leaves this process.
    pub fn new(
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        traverse: bool,
        keeps: bool,
        travels: bool,
    ) -> PyResult<Self> {
        let mut graph = if travels { GraphBuilder::for_travel() } else { GraphBuilder::new() };
        let annotations = annotations::current(py)?;
        let is_annotated = annotations.is_some();
        if let Some(annotations) = annotations {
            graph.annotate(annotations);
        }
        let calls: Option<Vec<_>> = args.iter_borrowed().map(|object| call_of(&object)).collect();
        if let Some(calls) = calls {
            let wanted = lower_nodes(py, &calls, &mut graph, false)?;
            return Ok(Self { asked: Asked::Calls(args.clone().unbind()), graph: Arc::new(graph.finish()), wanted });
        }
        let arguments: Vec<_> =
            args.iter_borrowed().map(|object| Argument::asked(&object, traverse)).collect::<PyResult<_>>()?;
        let alone = if keeps || is_annotated || travels { None } else { array_alone(py, &arguments)? };
        if let Some((graph, wanted)) = alone.as_ref().and_then(|array| array.get().remembered()) {
            let owned = vec![wanted.len() as u32];
            return Ok(Self { asked: Asked::Any(arguments, owned), graph, wanted });
        }
        let mut wanted = vec![];
        let owned = lower_all(py, &leaves_of(&arguments), keeps, &mut graph, &mut wanted)?;
        let graph = Arc::new(graph.finish());
        if let Some(array) = alone {
            array.get().remember(&graph, &wanted);
        }
        Ok(Self { asked: Asked::Any(arguments, owned), graph, wanted })
    }

    /// The same as a graph that leaves this process.
    pub fn for_travel(self, py: Python<'_>, keeps: bool) -> PyResult<Self> {
        let mut graph = GraphBuilder::for_travel();
        annotations::current(py)?.into_iter().for_each(|annotations| graph.annotate(annotations));
        match self.asked {
            Asked::Calls(args) => {
                let calls: Vec<_> = args.bind(py).iter_borrowed().filter_map(|object| call_of(&object)).collect();
                let wanted = lower_nodes(py, &calls, &mut graph, false)?;
                Ok(Self { asked: Asked::Calls(args), graph: Arc::new(graph.finish()), wanted })
            }
            Asked::Any(arguments, _) => {
                let mut wanted = vec![];
                let owned = lower_all(py, &leaves_of(&arguments), keeps, &mut graph, &mut wanted)?;
                Ok(Self { asked: Asked::Any(arguments, owned), graph: Arc::new(graph.finish()), wanted })
            }
        }
    }

    /// The arguments, with `result` of each leaf (and of the values that it wanted) in its place.
    pub fn build<'py>(
        &self,
        py: Python<'py>,
        ran: Ran,
        result: impl Fn(&Argument, Results<'_>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let Ran { values, handle } = ran;
        let mut values = values.into_iter();
        let mut result =
            |leaf: &Argument, own| result(leaf, Results { values: &mut values, own, handle: handle.as_ref() });
        let mut built = vec![];
        match &self.asked {
            Asked::Calls(args) => {
                let args = args.bind(py);
                built.reserve_exact(args.len());
                for call in args.iter_borrowed().filter_map(|object| call_of(&object)) {
                    built.push(result(&Argument::Node(call), 1)?);
                }
            }
            Asked::Any(arguments, owned) => {
                let leaves = leaves_of(arguments);
                let mut results = leaves.iter().zip(owned).map(|(leaf, &own)| result(leaf, own as usize));
                for argument in arguments {
                    built.push(argument.build(py, &mut results)?);
                }
            }
        }
        PyTuple::new(py, built)
    }
}

/// The array that is all that is asked for, if it is one.
fn array_alone<'py>(py: Python<'py>, arguments: &[Argument]) -> PyResult<Option<Bound<'py, ArrayExpr>>> {
    let [Argument::Collection(collection)] = arguments else { return Ok(None) };
    let expr = collection.bind(py).getattr(intern!(py, "__raskt_expr__"))?;
    Ok(expr.cast_into().ok())
}

/// The call that `object` is, if it is one and nothing else.
fn call_of(object: &Bound<'_, PyAny>) -> Option<Arc<Node>> {
    Some(object.cast_exact::<Delayed>().ok()?.get().node.clone())
}

/// Adds what `leaves` ask for to the graph and to what is wanted; gives how many of the wanted tasks are each leaf's own.
fn lower_all(
    py: Python<'_>,
    leaves: &[&Argument],
    keeps: bool,
    graph: &mut GraphBuilder,
    wanted: &mut Vec<TaskId>,
) -> PyResult<Vec<u32>> {
    let nodes: Vec<_> = leaves.iter().filter_map(|leaf| leaf.as_node()).collect();
    // Collections among the arguments may read the same calls.
    let remembers = nodes.len() < leaves.len();
    let mut tasks = lower_nodes(py, &nodes, graph, remembers)?.into_iter();
    lower_together(graph, &queries_of(py, leaves)?).map_err(from_graph_error)?;
    let mut owned = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let start = wanted.len();
        match leaf {
            Argument::Collection(collection) => lower_collection(py, collection, keeps, graph, wanted)?,
            _ => wanted.extend(tasks.next()),
        }
        owned.push((wanted.len() - start) as u32);
    }
    Ok(owned)
}

/// The queries of the tables among the leaves, where there are several that may have something in common.
fn queries_of(py: Python<'_>, leaves: &[&Argument]) -> PyResult<Vec<StageOutput>> {
    let collections = leaves.iter().filter_map(|leaf| match leaf {
        Argument::Collection(collection) => Some(collection),
        _ => None,
    });
    if collections.clone().count() < 2 {
        return Ok(vec![]);
    }
    let query = |collection: &Py<PyAny>| {
        let expr = collection.bind(py).getattr(intern!(py, "__raskt_expr__"))?;
        with_collection(&expr, |collection| Ok(collection.query()))
    };
    let found: PyResult<Vec<_>> = collections.map(query).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The values that a leaf wanted. They are taken, so that a block which nobody else holds needs no copy.
pub(crate) struct Results<'a> {
    values: &'a mut std::vec::IntoIter<Value>,
    own: usize,
    /// Of the run, if some values only stand for what the store keeps.
    handle: Option<&'a RunHandle>,
}

impl Results<'_> {
    /// All of them as they are: the blocks of a collection, or what stands for them.
    pub fn kept(self) -> Vec<Value> {
        self.values.take(self.own).collect()
    }

    /// All of them: the blocks of a collection.
    pub fn all(self, py: Python<'_>) -> PyResult<Vec<Value>> {
        match self.handle {
            Some(handle) => load(py, handle, self.kept()),
            None => Ok(self.kept()),
        }
    }

    /// The only one as it is: what a call gave, or what stands for it.
    pub fn value(self) -> Value {
        self.values.next().expect("a call that was asked for has a result")
    }

    /// The only one: what a call gave.
    pub fn object<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.values.next().expect("a call that was asked for has a result");
        match self.handle {
            Some(handle) => python_object(py, &load(py, handle, vec![value])?[0]),
            None => python_object(py, &fetched(py, vec![value])?[0]),
        }
    }
}

fn leaves_of(arguments: &[Argument]) -> Vec<&Argument> {
    let mut leaves = Vec::with_capacity(arguments.len());
    arguments.iter().for_each(|argument| argument.for_each_leaf(&mut |leaf| leaves.push(leaf)));
    leaves
}

fn lower_collection(
    py: Python<'_>,
    collection: &Py<PyAny>,
    keeps: bool,
    graph: &mut GraphBuilder,
    wanted: &mut Vec<TaskId>,
) -> PyResult<()> {
    let expr = collection.bind(py).getattr(intern!(py, "__raskt_expr__"))?;
    let layer = with_collection(&expr, |collection| {
        if keeps && collection.is_kept() {
            return collection.lower_kept(py, graph);
        }
        let layer = collection.lower(py, graph)?;
        collection.check_whole(py)?;
        Ok(layer)
    })?;
    wanted.extend((0..graph.get(layer).len()).map(|index| TaskId::new(layer, index)));
    Ok(())
}
