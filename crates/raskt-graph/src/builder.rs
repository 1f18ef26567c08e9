//! Graphs, and how they are put together.

use crate::readers::Readers;
use crate::turns::Turns;
use crate::{Annotations, GraphError, Grid, Layer, LayerId, Op, OpId, Shape, TaskId};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Layers in an order in which each reads only earlier ones, and the ops they run.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    layers: Vec<Layer>,
    ops: Vec<Op>,
    /// For each layer, the layers that read it.
    readers: Vec<Readers>,
    turns: Turns,
}

impl Graph {
    /// All layers, in order.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (LayerId, &Layer)> {
        self.layers.iter().enumerate().map(|(at, layer)| (LayerId(at as u32), layer))
    }

    /// The layer `id`.
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.layers[id.0 as usize]
    }

    /// All ops, in order.
    pub fn ops(&self) -> impl ExactSizeIterator<Item = &Op> {
        self.ops.iter()
    }

    /// The op `id`.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// The op that the tasks of `layer` run.
    pub fn op_of(&self, layer: LayerId) -> &Op {
        self.op(self.layer(layer).op)
    }

    /// The layers that read `layer`; a layer that reads itself is among them.
    pub fn readers(&self, layer: LayerId) -> &[LayerId] {
        self.readers[layer.0 as usize].all()
    }

    /// Those of them, in order, that may read `task`: all that do, and few of many that don't.
    pub fn readers_of(&self, task: TaskId) -> &[LayerId] {
        self.readers[task.layer.0 as usize].of(task.index)
    }

    /// Those of them that may read some task of `range`, which isn't empty, in order: all that do, and few of many that don't.
    pub fn readers_within(&self, layer: LayerId, range: Range<u64>) -> Cow<'_, [LayerId]> {
        self.readers[layer.0 as usize].within(range)
    }

    /// When in the course of a run, from 0 to `u64::MAX`, the tasks of `layer` are best begun so that little has to be held: layers
    /// that are read together have one turn, and parts of a concatenation one after the other.
    pub fn turn(&self, layer: LayerId) -> Range<u64> {
        self.turns.of(layer)
    }

    /// The same graph with `replace` of each op in its place.
    pub fn with_ops<E>(&self, replace: impl FnMut(&Op) -> Result<Op, E>) -> Result<Self, E> {
        let ops = self.ops.iter().map(replace).collect::<Result<_, _>>()?;
        Ok(Self { layers: self.layers.clone(), ops, readers: self.readers.clone(), turns: self.turns.clone() })
    }

    /// How many tasks there are in all layers.
    pub fn tasks(&self) -> u64 {
        self.layers.iter().map(Layer::len).sum()
    }

    /// Calls `visit` with each input of `task`, in the order in which its op gets them.
    pub fn for_each_input(&self, task: TaskId, visit: impl FnMut(TaskId)) {
        self.layer(task.layer).shape.for_each_input(task.layer, task.index, visit);
    }

    /// The same for so many of them, at most: it costs no more than they do.
    pub fn for_first_inputs(&self, task: TaskId, most: u64, visit: impl FnMut(TaskId)) {
        self.layer(task.layer).shape.for_first_inputs(task.layer, task.index, most, visit);
    }

    /// Calls `visit` with each task that reads `task`, once for each time it reads it.
    pub fn for_each_dependent(&self, task: TaskId, mut visit: impl FnMut(TaskId)) {
        for &layer in self.readers_of(task) {
            let shape = &self.layer(layer).shape;
            shape.for_each_dependent(layer, task, |index| visit(TaskId::new(layer, index)));
        }
    }

    /// How many inputs `task` has; an input read twice counts twice.
    pub fn input_count(&self, task: TaskId) -> u64 {
        self.layer(task.layer).shape.input_count(task.index)
    }

    /// The key of `task` as people see it.
    pub fn key(&self, task: TaskId) -> String {
        self.layer(task.layer).key(task.index)
    }
}

/// Something that can write itself into a graph: a collection, or the source of one.
pub trait Lower: Send + Sync {
    /// What tells it from others: equal keys, equal tasks. It is lowered once.
    fn key(&self) -> u128;

    /// Adds its layers to the graph and gives the last one, whose tasks are its blocks or partitions in order.
    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError>;
}

/// Writes a graph layer by layer, and checks each as it comes.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    layers: Vec<Layer>,
    ops: Vec<Op>,
    ops_by_digest: HashMap<u128, OpId>,
    lowered: HashMap<u128, LayerId>,
    lowered_tasks: HashMap<u128, TaskId>,
    /// For layers that have no annotations of their own.
    annotations: Option<Arc<Annotations>>,
    keeps_data_apart: bool,
}

/// The most layers that edges can name; the last number stands for "own layer".
const LAYER_LIMIT: u64 = (1 << 20) - 1;

impl GraphBuilder {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty graph for tasks that run elsewhere: data that expressions hold in memory is to be layers of its own, whose results are
    /// given, so that it travels once and no op has it in itself.
    pub fn for_travel() -> Self {
        Self { keeps_data_apart: true, ..Self::default() }
    }

    /// An empty graph into which expressions are written in the same way.
    pub fn alike(&self) -> Self {
        Self { keeps_data_apart: self.keeps_data_apart, ..Self::default() }
    }

    /// Whether data in memory is to be layers of its own.
    pub fn keeps_data_apart(&self) -> bool {
        self.keeps_data_apart
    }

    /// Adds an op, or finds the one with the same digest.
    pub fn op(&mut self, op: Op) -> OpId {
        if let Some(&known) = self.ops_by_digest.get(&op.digest) {
            return known;
        }
        let id = OpId(self.ops.len() as u32);
        if op.digest != 0 {
            self.ops_by_digest.insert(op.digest, id);
        }
        self.ops.push(op);
        id
    }

    /// Adds a layer.
    pub fn layer(&mut self, layer: Layer) -> Result<LayerId, GraphError> {
        let id = LayerId(self.layers.len() as u32);
        if u64::from(id.0) >= LAYER_LIMIT {
            return Err(GraphError::TooMany { what: "graph".into(), found: LAYER_LIMIT + 1, limit: LAYER_LIMIT });
        }
        self.check(&layer)?;
        self.layers.push(match &self.annotations {
            Some(annotations) if *layer.annotations == Annotations::default() => {
                Layer { annotations: annotations.clone(), ..layer }
            }
            _ => layer,
        });
        Ok(id)
    }

    /// Gives `annotations` to the layers that come and have none of their own.
    pub fn annotate(&mut self, annotations: Arc<Annotations>) {
        self.annotations = Some(annotations);
    }

    /// How many layers there are: the number of the next one.
    pub fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    /// Lowers `source`, unless something with its key was lowered before.
    pub fn lower(&mut self, source: &dyn Lower) -> Result<LayerId, GraphError> {
        let key = source.key();
        if let Some(&layer) = self.lowered.get(&key) {
            return Ok(layer);
        }
        let layer = source.lower(self)?;
        self.lowered.insert(key, layer);
        Ok(layer)
    }

    /// The layer that was lowered under `key`.
    pub fn lowered(&self, key: u128) -> Option<LayerId> {
        self.lowered.get(&key).copied()
    }

    /// Notes that `layer` is what lowering `key` gives.
    pub fn set_lowered(&mut self, key: u128, layer: LayerId) {
        self.lowered.insert(key, layer);
    }

    /// The task that was lowered under `key`, for things that are one task and not a layer.
    pub fn lowered_task(&self, key: u128) -> Option<TaskId> {
        self.lowered_tasks.get(&key).copied()
    }

    /// Notes that `task` is what lowering `key` gives.
    pub fn set_lowered_task(&mut self, key: u128, task: TaskId) {
        self.lowered_tasks.insert(key, task);
    }

    /// A layer that was added.
    pub fn get(&self, id: LayerId) -> &Layer {
        &self.layers[id.0 as usize]
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        let readers = Readers::of_all(&self.layers);
        let turns = Turns::of_all(&self.layers);
        Graph { layers: self.layers, ops: self.ops, readers, turns }
    }

    fn check(&self, layer: &Layer) -> Result<(), GraphError> {
        if layer.op.0 as usize >= self.ops.len() {
            return Err(GraphError::UnknownOp { layer: layer.name.to_string(), op: layer.op });
        }
        if let Shape::Reduce { grid, fan_in, .. } = &layer.shape {
            let well_formed = fan_in.len() == grid.axes() && !fan_in.contains(&0);
            check_map(layer, well_formed, || format!("fan-in {fan_in:?} over {grid:?}"))?;
        }
        // Lengths are multiplied whether or not one of them is nothing.
        let limit = 1 << TaskId::INDEX_BITS;
        let found = layer.shape.grids().iter().map(Grid::span).fold(layer.len(), u64::max);
        if found > limit {
            return Err(GraphError::TooMany { what: layer.name.to_string(), found, limit });
        }
        for input in layer.shape.input_layers() {
            if input.0 as usize >= self.layers.len() {
                return Err(GraphError::InputNotEarlier { reader: layer.name.to_string(), input });
            }
        }
        self.check_inputs(layer)?;
        // What a task waits for is counted by 32 bits.
        let (limit, found) = (u64::from(u32::MAX), layer.shape.most_inputs());
        if found > limit {
            return Err(GraphError::TooManyInputs { layer: layer.name.to_string(), found, limit });
        }
        Ok(())
    }

    /// Whether what it reads is there.
    fn check_inputs(&self, layer: &Layer) -> Result<(), GraphError> {
        match &layer.shape {
            Shape::Explicit(explicit) => {
                let mut edges = explicit.outer_inputs();
                match edges.find(|(input, _)| input.index >= self.get(input.layer).len()) {
                    Some((input, reader)) => Err(GraphError::Edge { layer: layer.name.to_string(), reader, input }),
                    None => Ok(()),
                }
            }
            Shape::Map { grid, inputs } => inputs.iter().try_for_each(|input| {
                self.check_size(layer, input.layer, input.grid.len())?;
                // Where nobody reads, lengths may be anything, and axes have to be there all the same.
                let fits = |(&axis, &length): (&Option<u8>, &u32)| match axis {
                    Some(axis) => {
                        grid.lengths().get(axis as usize).is_some_and(|&reader| grid.is_empty() || reader <= length)
                    }
                    None => grid.is_empty() || length > 0,
                };
                let well_formed =
                    input.axes.len() == input.grid.axes() && input.axes.iter().zip(input.grid.lengths()).all(fits);
                check_map(layer, well_formed, || format!("{input:?} over {grid:?}"))
            }),
            Shape::Exchange { input, producers, consumers } => {
                let (limit, found) = (u64::from(u32::MAX), *producers.max(consumers));
                if found > limit {
                    return Err(GraphError::TooMany { what: layer.name.to_string(), found, limit });
                }
                self.check_size(layer, *input, *producers)
            }
            Shape::Reduce { input, grid, .. } => self.check_size(layer, *input, grid.len()),
            Shape::Overlap { input, grid, ranges } => {
                self.check_size(layer, *input, grid.len())?;
                let fits = ranges.iter().zip(grid.lengths()).all(|(ranges, &length)| ranges.fits(length));
                check_map(layer, ranges.len() == grid.axes() && fits, || format!("{ranges:?} over {grid:?}"))
            }
            Shape::Concatenate(parts) => {
                let beside = parts.grid_of(1).len();
                let mut layers = parts.layers();
                layers.try_for_each(|(part, length)| {
                    self.check_size(layer, part, beside.saturating_mul(u64::from(length)))
                })
            }
        }
    }

    fn check_size(&self, layer: &Layer, input: LayerId, assumed: u64) -> Result<(), GraphError> {
        let actual = self.get(input).len();
        if assumed == actual {
            return Ok(());
        }
        Err(GraphError::InputSize { reader: layer.name.to_string(), input, assumed, actual })
    }
}

fn check_map(layer: &Layer, well_formed: bool, reason: impl Fn() -> String) -> Result<(), GraphError> {
    if well_formed {
        return Ok(());
    }
    Err(GraphError::IndexMap { layer: layer.name.to_string(), reason: reason() })
}
