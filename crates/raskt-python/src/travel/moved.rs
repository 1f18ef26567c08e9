//! Graphs whose ops' data has been taken out of them: it is layers before all others, and tasks read it after all else.

use crate::block::PythonOp;
use crate::object::Object;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_graph::{
    Cost, ExplicitBuilder, Graph, GraphBuilder, GraphError, Grid, Layer, LayerId, MapInput, Op, OpFlags, OpKind, Shape,
    TaskId,
};
use raskt_value::Value;
use std::sync::Arc;

/// Which objects tasks are to read beside what they read.
pub(super) struct Moved {
    /// How many tasks the layer of each op has, and whether each can read something else; nothing of ops of several layers.
    readers: Vec<Option<Reader>>,
    /// Whether all tasks of each op can read the same.
    can_all: Vec<bool>,
    /// Each once.
    objects: Vec<Py<PyAny>>,
    by_address: HashMap<usize, u32>,
    reads: HashMap<usize, Reads>,
}

#[derive(Clone, Copy)]
struct Reader {
    tasks: u64,
    is_explicit: bool,
}

/// What tasks of an op read, by the numbers of the objects.
enum Reads {
    All(Vec<u32>),
    Each(Vec<Vec<u32>>),
}

impl Reads {
    fn of(&self, index: u64) -> &[u32] {
        match self {
            Self::All(objects) => objects,
            Self::Each(objects) => objects.get(index as usize).map_or(&[], |objects| objects),
        }
    }
}

impl Moved {
    /// Nothing so far.
    pub fn new(graph: &Graph) -> Self {
        let count = graph.ops().count();
        let (mut readers, mut seen, mut can_all) = (vec![None; count], vec![false; count], vec![true; count]);
        for (_, layer) in graph.layers() {
            let op = layer.op.0 as usize;
            let is_explicit = matches!(layer.shape, Shape::Explicit(_));
            readers[op] = (!seen[op]).then(|| Reader { tasks: layer.len(), is_explicit });
            seen[op] = true;
            can_all[op] &= is_explicit || matches!(layer.shape, Shape::Map { .. });
        }
        Self { readers, can_all, objects: vec![], by_address: HashMap::new(), reads: HashMap::new() }
    }

    /// Whether each of so many tasks of an op can read something else.
    pub fn can_each(&self, op: usize, tasks: usize) -> bool {
        self.readers[op].is_some_and(|reader| reader.is_explicit && reader.tasks == tasks as u64)
    }

    /// Whether all tasks of an op can read more.
    pub fn can_all(&self, op: usize) -> bool {
        self.can_all[op]
    }

    /// Each task of an op reads its objects.
    pub fn read_each(&mut self, op: usize, objects: Vec<Vec<Py<PyAny>>>) {
        if objects.iter().any(|objects| !objects.is_empty()) {
            let each = objects.into_iter().map(|objects| self.numbers(objects)).collect();
            self.reads.insert(op, Reads::Each(each));
        }
    }

    /// All tasks of an op read these objects.
    pub fn read_all(&mut self, op: usize, objects: Vec<Py<PyAny>>) {
        let all = self.numbers(objects);
        self.reads.insert(op, Reads::All(all));
    }

    fn numbers(&mut self, objects: Vec<Py<PyAny>>) -> Vec<u32> {
        let mut number = |object: Py<PyAny>| {
            *self.by_address.entry(object.as_ptr() as usize).or_insert_with(|| {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            })
        };
        objects.into_iter().map(&mut number).collect()
    }

    /// The graph with layers of data before all others, whose ops come after all others, and what each of these gives; no graph if
    /// there is no such data.
    pub fn finish(self, py: Python<'_>, graph: &Graph) -> Result<(Option<Graph>, Vec<Vec<Value>>), GraphError> {
        if self.objects.is_empty() {
            return Ok((None, vec![]));
        }
        let (places, layers) = self.places(graph);
        let places = &places;
        let mut moved = GraphBuilder::new();
        for op in graph.ops() {
            moved.op(op.clone());
        }
        for objects in &layers {
            data_layer(&mut moved, objects.len())?;
        }
        let before = layers.len() as u32;
        let nothing = Reads::All(vec![]);
        for (id, layer) in graph.layers() {
            let reads = self.reads.get(&(layer.op.0 as usize)).unwrap_or(&nothing);
            let shape = layer.shape.renumbered(
                id,
                |layer| LayerId(layer.0 + before),
                |index| reads.of(index).iter().map(move |&object| places[object as usize]),
            )?;
            let shape = match shape {
                Shape::Map { grid, mut inputs } => {
                    inputs.extend(reads.of(0).iter().map(|&object| everywhere(places[object as usize].layer)));
                    Shape::Map { grid, inputs }
                }
                shape => shape,
            };
            moved.layer(Layer { shape, ..layer.clone() })?;
        }
        let value = |&object: &u32| Object::value(self.objects[object as usize].bind(py).clone());
        let values = layers.iter().map(|objects| objects.iter().map(value).collect()).collect();
        Ok((Some(moved.finish()), values))
    }

    /// Where each object is given, and which each layer gives. What an index function reads is alone in its layer.
    fn places(&self, graph: &Graph) -> (Vec<TaskId>, Vec<Vec<u32>>) {
        let mut is_alone = vec![false; self.objects.len()];
        for (_, layer) in graph.layers() {
            if let (Shape::Map { .. }, Some(reads)) = (&layer.shape, self.reads.get(&(layer.op.0 as usize))) {
                reads.of(0).iter().for_each(|&object| is_alone[object as usize] = true);
            }
        }
        let (mut layers, mut together) = (vec![], vec![]);
        for (object, is_alone) in is_alone.into_iter().enumerate() {
            if is_alone { layers.push(vec![object as u32]) } else { together.push(object as u32) }
        }
        if !together.is_empty() {
            layers.push(together);
        }
        let mut places = vec![TaskId::new(LayerId(0), 0); self.objects.len()];
        for (layer, objects) in layers.iter().enumerate() {
            for (index, &object) in objects.iter().enumerate() {
                places[object as usize] = TaskId::new(LayerId(layer as u32), index as u64);
            }
        }
        (places, layers)
    }
}

fn data_layer(graph: &mut GraphBuilder, tasks: usize) -> Result<LayerId, GraphError> {
    let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
    // Its values go beside the graph.
    let body = Arc::new(PythonOp(crate::travel::given_objects(vec![])));
    let op = graph.op(Op { kind: OpKind::Python, name: "data".into(), digest: 0, flags, body });
    let mut edges = ExplicitBuilder::with_capacity(tasks);
    (0..tasks).for_each(|_| _ = edges.task());
    let cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };
    graph.layer(Layer::new("data", op, Shape::Explicit(edges.finish()?)).with_cost(cost))
}

/// An input that each task of a grid reads: the only task of that layer.
fn everywhere(layer: LayerId) -> MapInput {
    MapInput { layer, grid: Grid::new([1]), axes: [None].into_iter().collect() }
}
