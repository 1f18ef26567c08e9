//! Copies of collections: their layers once more, under their own name, and perhaps after something else.

use super::blocks::next_number;
use super::gate::{Gate, without_gate};
use super::parts::{add_python_layer, hand_on};
use super::{Node, lower_nodes};
use crate::block::PythonOp;
use crate::collection::{Collection, with_collection};
use crate::error::from_graph_error;
use crate::travel::{CollectionForm, gives_what_is_there};
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_graph::{
    ExplicitBuilder, Graph, GraphBuilder, GraphError, Grid, Layer, LayerId, MapInput, Op, Shape, TaskId,
};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

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
        let mut own = graph.alike();
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
        let layers = Copier { graph, own: own.finish(), number: self.number, gate, layers }
            .copy(&lowered)
            .map_err(from_graph_error)?;
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

    fn form(&self, py: Python<'_>) -> PyResult<CollectionForm> {
        self.original(py, |original| original.form(py))
    }

    fn block(&self, py: Python<'_>, index: u64, value: Value) -> PyResult<Py<PyAny>> {
        self.original(py, |original| original.block(py, index, value))
    }
}

/// Writes layers of one graph into another.
struct Copier<'a> {
    graph: &'a mut GraphBuilder,
    own: Graph,
    /// What tells its copies from others.
    number: u64,
    /// What tasks that read nothing are to come after.
    gate: Option<LayerId>,
    /// Where the layers are that need no copy, or have one.
    layers: HashMap<LayerId, LayerId>,
}

impl Copier<'_> {
    /// Copies the layers `wanted` and all that they read; gives the copy of each layer.
    fn copy(mut self, wanted: &[LayerId]) -> Result<HashMap<LayerId, LayerId>, GraphError> {
        let needed = self.own.needed_layers(wanted.iter().copied(), |layer| self.layers.contains_key(&layer));
        for layer in needed {
            let copy = self.layer(layer)?;
            self.layers.insert(layer, copy);
        }
        Ok(self.layers)
    }

    fn layer(&mut self, id: LayerId) -> Result<LayerId, GraphError> {
        let layer = self.own.layer(id).clone();
        let op = self.own.op_of(id).clone();
        if let Some(gate) = self.gate
            && self.graph.keeps_data_apart()
            && gives_what_is_there(&op)
        {
            return self.handed_on(layer, op, gate);
        }
        let has_gate = self.gate.is_some()
            && match &layer.shape {
                Shape::Map { inputs, .. } => inputs.is_empty(),
                Shape::Explicit(_) => true,
                _ => false,
            };
        let body = if has_gate { without_gate(&op.body, &layer.shape) } else { op.body.clone() };
        // As in each graph that has these copies: whoever reads two of them takes the same for the same.
        let words = [self.number.to_le_bytes(), u64::from(id.0).to_le_bytes(), *b"rasktcpy"];
        let op = self.graph.op(Op { digest: xxh3_128(words.as_flattened()), body, ..op });
        let shape = self.shape(id, &layer.shape)?;
        self.graph.layer(Layer { op, shape, ..layer })
    }

    /// A layer of data, which comes by itself and so waits for nothing: what reads it gets it from tasks that do.
    fn handed_on(&mut self, layer: Layer, op: Op, gate: LayerId) -> Result<LayerId, GraphError> {
        let (count, annotations) = (layer.len(), layer.annotations.clone());
        let op = self.graph.op(op);
        let data = self.graph.layer(Layer { op, ..layer })?;
        let mut edges = ExplicitBuilder::with_capacity(count as usize);
        for index in 0..count {
            edges.input(TaskId::new(data, index));
            edges.input(TaskId::new(gate, 0));
            edges.task();
        }
        hand_on(self.graph, count as usize, edges, annotations)
    }

    fn shape(&self, id: LayerId, shape: &Shape) -> Result<Shape, GraphError> {
        if let (Shape::Map { grid, inputs }, Some(gate)) = (shape, self.gate)
            && inputs.is_empty()
        {
            let gate = MapInput { layer: gate, grid: Grid::new([1]), axes: [None].into_iter().collect() };
            return Ok(Shape::Map { grid: grid.clone(), inputs: vec![gate] });
        }
        let gate_of = |index| self.gate.filter(|_| shape.input_count(index) == 0).map(|gate| TaskId::new(gate, 0));
        shape.renumbered(id, |layer| self.layers[&layer], gate_of)
    }
}
