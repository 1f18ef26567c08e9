//! Copies of collections: their layers once more, under their own name, and perhaps after something else.

use super::blocks::next_number;
use super::parts::add_python_layer;
use super::{Node, lower_nodes};
use crate::block::{PythonBlock, PythonOp};
use crate::collection::{Collection, with_collection};
use crate::error::from_graph_error;
use crate::object::Object;
use hashbrown::{HashMap, HashSet};
use pyo3::prelude::*;
use raskt_graph::{
    ExplicitBuilder, Graph, GraphBuilder, GraphError, Grid, Layer, LayerId, MapInput, Op, OpBody, Parts, Shape, TaskId,
};
use raskt_sync::Mutex;
use raskt_value::{Call, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;

/// What the copies of one call have in common: work that they share is copied once.
pub(super) struct Copying {
    /// What comes before every copied task that reads nothing.
    after: Vec<Arc<Node>>,
    /// Collections whose tasks are read as they are.
    omitted: Vec<Py<PyAny>>,
    /// The collections that are copied, as users hold them.
    originals: Mutex<Vec<Py<PyAny>>>,
    number: u64,
}

/// The copy of a collection: it stands in the place of the object that users hold, and of its expression.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct CopiedExpr {
    copying: Arc<Copying>,
    original: Py<PyAny>,
}

#[pymethods]
impl CopiedExpr {
    #[getter]
    fn __raskt_expr__(this: Py<Self>) -> Py<Self> {
        this
    }
}

impl Copying {
    pub fn new(after: Vec<Arc<Node>>, omitted: Vec<Py<PyAny>>) -> Arc<Self> {
        Arc::new(Self { after, omitted, originals: Mutex::default(), number: next_number() })
    }

    /// What stands for the copy of `collection`.
    pub fn copy(self: &Arc<Self>, py: Python<'_>, collection: &Py<PyAny>) -> PyResult<Py<PyAny>> {
        let is_omitted = self.omitted.iter().any(|omitted| omitted.is(collection));
        if is_omitted {
            return Ok(collection.clone_ref(py));
        }
        let mut originals = self.originals.lock();
        if originals.iter().all(|original| !original.is(collection)) {
            originals.push(collection.clone_ref(py));
        }
        drop(originals);
        let copied = CopiedExpr { copying: self.clone(), original: collection.clone_ref(py) };
        Ok(Py::new(py, copied)?.into_any())
    }

    /// What the copy of `original` is known by in a graph.
    fn key(&self, original: &Py<PyAny>) -> u128 {
        u128::from(self.number) << 64 | original.as_ptr() as usize as u128
    }

    /// Adds copies of all the originals to `graph`.
    fn lower(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<()> {
        let mut own = GraphBuilder::new();
        let mut layers = HashMap::new();
        for omitted in &self.omitted {
            layers.insert(lower(py, omitted, &mut own)?, lower(py, omitted, graph)?);
        }
        let originals: Vec<_> = self.originals.lock().iter().map(|original| original.clone_ref(py)).collect();
        let mut lowered = vec![];
        for original in &originals {
            lowered.push(lower(py, original, &mut own)?);
        }
        let gate = self.gate(py, graph)?;
        let layers = Copier { graph, own: own.finish(), gate, layers }.copy(&lowered).map_err(from_graph_error)?;
        for (original, layer) in originals.iter().zip(lowered) {
            graph.set_lowered(self.key(original), layers[&layer]);
        }
        Ok(())
    }

    /// A layer of one task, which comes after all that the copies come after.
    fn gate(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<Option<LayerId>> {
        if self.after.is_empty() {
            return Ok(None);
        }
        let mut edges = ExplicitBuilder::default();
        lower_nodes(py, &self.after, graph, true)?.into_iter().for_each(|task| edges.input(task));
        edges.task();
        let gate = Arc::new(PythonOp(Arc::new(Gate)));
        add_python_layer(graph, "after", gate, edges, None).map(Some).map_err(from_graph_error)
    }
}

fn lower(py: Python<'_>, collection: &Py<PyAny>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
    let expr = collection.bind(py).getattr("__raskt_expr__")?;
    with_collection(&expr, |collection| collection.lower(py, graph))
}

impl CopiedExpr {
    /// Asks the original, which knows what its blocks are.
    fn original<T>(&self, py: Python<'_>, visit: impl FnOnce(&dyn Collection) -> PyResult<T>) -> PyResult<T> {
        with_collection(&self.original.bind(py).getattr("__raskt_expr__")?, visit)
    }
}

impl Collection for CopiedExpr {
    fn lower(&self, py: Python<'_>, graph: &mut GraphBuilder) -> PyResult<LayerId> {
        let key = self.copying.key(&self.original);
        if graph.lowered(key).is_none() {
            self.copying.lower(py, graph)?;
        }
        Ok(graph.lowered(key).expect("all copies are lowered together"))
    }

    fn check_whole(&self, py: Python<'_>) -> PyResult<()> {
        self.original(py, |original| original.check_whole(py))
    }

    fn finish(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        self.original(py, |original| original.finish(py, values))
    }

    fn persisted(&self, py: Python<'_>, values: Vec<Value>) -> PyResult<Py<PyAny>> {
        self.original(py, |original| original.persisted(py, values))
    }

    /// The original knows how results are put together; all the others that were copied with it aren't needed for that.
    fn hollow(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let hollow = self.original(py, |original| original.hollow(py))?;
        hollow.map_or_else(|| Ok(self.original.bind(py).getattr("__raskt_expr__")?.unbind()), Ok).map(Some)
    }

    fn block(&self, py: Python<'_>, index: u64, value: Value) -> PyResult<Py<PyAny>> {
        self.original(py, |original| original.block(py, index, value))
    }
}

/// Writes layers of one graph into another.
struct Copier<'a> {
    graph: &'a mut GraphBuilder,
    own: Graph,
    /// What tasks that read nothing are to come after.
    gate: Option<LayerId>,
    /// Where the layers are that need no copy, or have one.
    layers: HashMap<LayerId, LayerId>,
}

impl Copier<'_> {
    /// Copies the layers `wanted` and all that they read; gives the copy of each layer.
    fn copy(mut self, wanted: &[LayerId]) -> Result<HashMap<LayerId, LayerId>, GraphError> {
        let needed = self.needed(wanted);
        // Each layer reads only earlier ones.
        let mut order: Vec<_> = needed.into_iter().collect();
        order.sort_unstable();
        for layer in order {
            let copy = self.layer(layer)?;
            self.layers.insert(layer, copy);
        }
        Ok(self.layers)
    }

    fn needed(&self, wanted: &[LayerId]) -> HashSet<LayerId> {
        let mut needed = HashSet::new();
        let mut stack = wanted.to_vec();
        while let Some(layer) = stack.pop() {
            if !self.layers.contains_key(&layer) && needed.insert(layer) {
                stack.extend(self.own.layer(layer).shape.input_layers());
            }
        }
        needed
    }

    fn layer(&mut self, id: LayerId) -> Result<LayerId, GraphError> {
        let layer = self.own.layer(id).clone();
        let op = self.own.op_of(id).clone();
        let has_gate = self.gate.is_some()
            && match &layer.shape {
                Shape::Map { inputs, .. } => inputs.is_empty(),
                Shape::Explicit(_) => true,
                _ => false,
            };
        let body = if has_gate { without_gate(&op.body, &layer.shape) } else { op.body.clone() };
        let op = self.graph.op(Op { digest: 0, body, ..op });
        let shape = self.shape(id, &layer.shape)?;
        self.graph.layer(Layer { op, shape, ..layer })
    }

    fn shape(&self, id: LayerId, shape: &Shape) -> Result<Shape, GraphError> {
        let copy = |layer: &LayerId| self.layers[layer];
        Ok(match (shape, self.gate) {
            (Shape::Map { grid, inputs }, Some(gate)) if inputs.is_empty() => {
                let gate = MapInput { layer: gate, grid: Grid::new([1]), axes: [None].into_iter().collect() };
                Shape::Map { grid: grid.clone(), inputs: vec![gate] }
            }
            (Shape::Map { grid, inputs }, _) => {
                let inputs = inputs.iter().map(|input| MapInput { layer: copy(&input.layer), ..input.clone() });
                Shape::Map { grid: grid.clone(), inputs: inputs.collect() }
            }
            (Shape::Reduce { input, grid, fan_in }, _) => {
                Shape::Reduce { input: copy(input), grid: grid.clone(), fan_in: fan_in.clone() }
            }
            (Shape::Exchange { input, producers, consumers }, _) => {
                Shape::Exchange { input: copy(input), producers: *producers, consumers: *consumers }
            }
            (Shape::Overlap { input, grid, ranges }, _) => {
                Shape::Overlap { input: copy(input), grid: grid.clone(), ranges: ranges.clone() }
            }
            (Shape::Concatenate(parts), _) => {
                let layers = parts.layers().map(|(layer, length)| (copy(&layer), length));
                let copied = Parts::new(parts.axis(), parts.grid(), layers);
                Shape::Concatenate(copied.expect("there are as many blocks as before"))
            }
            (Shape::Explicit(_), gate) => Shape::Explicit(self.edges(id, gate)?.finish()?),
        })
    }

    fn edges(&self, id: LayerId, gate: Option<LayerId>) -> Result<ExplicitBuilder, GraphError> {
        let shape = &self.own.layer(id).shape;
        let mut edges = ExplicitBuilder::with_capacity(shape.len() as usize);
        for index in 0..shape.len() {
            shape.for_each_input(id, index, |input| match self.layers.get(&input.layer) {
                _ if input.layer == id => edges.own_input(input.index),
                Some(&layer) => edges.input(TaskId::new(layer, input.index)),
                None => unreachable!("layers are copied in their order"),
            });
            if let Some(gate) = gate
                && shape.input_count(index) == 0
            {
                edges.input(TaskId::new(gate, 0));
            }
            edges.task();
        }
        Ok(edges)
    }
}

/// The body of an op whose tasks get the result of the gate where they got nothing.
fn without_gate(body: &OpBody, shape: &Shape) -> OpBody {
    let reads: Arc<[bool]> = match shape {
        Shape::Explicit(_) => (0..shape.len()).map(|index| shape.input_count(index) > 0).collect(),
        _ => Arc::new([]),
    };
    if let Some(NativeOp(kernel)) = body.downcast_ref() {
        return Arc::new(NativeOp(Arc::new(Behind { inner: kernel.clone(), reads })));
    }
    if let Some(PythonOp(block)) = body.downcast_ref() {
        return Arc::new(PythonOp(Arc::new(Behind { inner: block.clone(), reads })));
    }
    // Delayed calls don't look at inputs beyond those that they read.
    body.clone()
}

/// Something that runs behind the gate.
struct Behind<T> {
    inner: T,
    /// For each task of an explicit layer, whether it reads something itself; no task of another layer does.
    reads: Arc<[bool]>,
}

impl<T> Behind<T> {
    fn own<'a>(&self, index: u64, inputs: &'a [Value]) -> &'a [Value] {
        if self.reads.get(index as usize).copied().unwrap_or(false) { inputs } else { &[] }
    }
}

impl Kernel for Behind<Arc<dyn Kernel>> {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        self.inner.run(call, self.own(call.index, inputs))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn given(&self) -> Option<&[Value]> {
        self.inner.given()
    }

    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(Self { inner: self.inner.without_kept()?, reads: self.reads.clone() }))
    }
}

impl PythonBlock for Behind<Arc<dyn PythonBlock>> {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        self.inner.call(py, index, self.own(index, inputs))
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn tells_itself(&self) -> bool {
        self.inner.tells_itself()
    }

    fn without_kept(&self, py: Python<'_>) -> PyResult<Option<Arc<dyn PythonBlock>>> {
        let inner = self.inner.without_kept(py)?;
        Ok(inner.map(|inner| Arc::new(Self { inner, reads: self.reads.clone() }) as Arc<dyn PythonBlock>))
    }

    fn key(&self, index: u64) -> Option<String> {
        self.inner.key(index)
    }
}

/// Does nothing, once all that it reads is done.
struct Gate;

impl PythonBlock for Gate {
    fn call(&self, py: Python<'_>, _index: u64, _inputs: &[Value]) -> PyResult<Value> {
        Ok(Object::value(py.None().into_bound(py)))
    }

    fn name(&self) -> String {
        "after".to_owned()
    }
}
