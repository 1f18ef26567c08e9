//! The layers that delayed calls become: one for each kind of annotation, and more where they read each other in turn.

use super::{Calls, Node, Work};
use hashbrown::HashMap;
use raskt_graph::{
    Annotations, Cost, ExplicitBuilder, GraphBuilder, GraphError, Layer, LayerId, Op, OpBody, OpFlags, OpKind, Shape,
    TaskId,
};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Where a call stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The number of the part, and one.
    after_part: NonZeroU32,
    index: u32,
}

impl Place {
    fn new(part: u32, index: u32) -> Self {
        Self { after_part: NonZeroU32::MIN.saturating_add(part), index }
    }

    fn part(self) -> u32 {
        self.after_part.get() - 1
    }
}

/// What a call reads: eight bytes, since there is one for each edge.
#[derive(Clone, Copy)]
pub(super) enum Input {
    /// A task that is in the graph, by its place in the list of those.
    Task(u32),
    /// A call that is to come into the graph with it.
    Own(Place),
}

/// Calls that are to become layers. Each reads only calls of its own layer or of earlier ones.
#[derive(Default)]
pub(super) struct Parts {
    /// Whether objects that calls only give are in layers of their own: see [`Work::gives_what_is_there`].
    pub keeps_data_apart: bool,
    parts: Vec<Part>,
    calls: Known,
    /// Those of nodes that name what the store keeps. They are no part of what reads them, so that it is in memory, and paid for,
    /// before a reader starts.
    kept: Known,
    /// Those of nodes that name what a cluster holds: all tasks of a layer do, or none.
    held: HashMap<usize, Known>,
    /// The inputs of all calls, one after the other.
    inputs: Vec<Input>,
    /// Tasks that are in the graph and are read.
    tasks: Vec<TaskId>,
}

/// What the nodes of a part do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Calls,
    Kept,
    /// Of the client at this address: what another one holds stands for nothing on its cluster.
    Held(usize),
}

/// Parts of one sort.
#[derive(Default)]
struct Known {
    /// Those without annotations, in order.
    plain: Vec<u32>,
    /// Those of each kind of annotation, in order.
    annotated: HashMap<usize, Vec<u32>>,
}

/// The layers that parts have become.
pub(super) struct Layers {
    first: LayerId,
    tasks: Vec<TaskId>,
}

#[derive(Default)]
struct Part {
    annotations: Option<Arc<Annotations>>,
    gives_stored: bool,
    nodes: Vec<Arc<Node>>,
    /// Where the inputs of each call lie in the list of all.
    starts: Vec<u32>,
    lengths: Vec<u32>,
}

impl Parts {
    /// None yet.
    pub fn new(keeps_data_apart: bool) -> Self {
        Self { keeps_data_apart, ..Self::default() }
    }

    /// How many inputs there are: where those of the next call begin.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Adds an input of the call that is to come.
    pub fn read(&mut self, input: Input) {
        self.inputs.push(input);
    }

    /// A task that is in the graph, as an input.
    pub fn task(&mut self, task: TaskId) -> Input {
        self.tasks.push(task);
        Input::Task(self.tasks.len() as u32 - 1)
    }

    /// Adds a call whose inputs are those from `start` on.
    pub fn add(&mut self, node: &Arc<Node>, start: usize) -> Place {
        let earliest = self.inputs[start..].iter().map(Input::part).max().unwrap_or(0);
        let sort = match &node.work {
            Work::Held(held) => Sort::Held(Arc::as_ptr(held.client()) as usize),
            Work::Stored(_) => Sort::Kept,
            work if self.keeps_data_apart && work.gives_what_is_there() => Sort::Kept,
            _ => Sort::Calls,
        };
        let at = self.part_for(node.annotations(), sort, earliest);
        let part = &mut self.parts[at as usize];
        part.nodes.push(node.clone());
        part.starts.push(start as u32);
        part.lengths.push((self.inputs.len() - start) as u32);
        Place::new(at, part.nodes.len() as u32 - 1)
    }

    /// The first part of these annotations that is `earliest` or later; a new one if there is none.
    fn part_for(&mut self, annotations: Option<&Arc<Annotations>>, sort: Sort, earliest: u32) -> u32 {
        let gives_stored = sort != Sort::Calls;
        let sort = match sort {
            Sort::Calls => &mut self.calls,
            Sort::Kept => &mut self.kept,
            Sort::Held(client) => self.held.entry(client).or_default(),
        };
        // Told apart by address: annotations of one `with` block are one object.
        let known = match annotations {
            None => &mut sort.plain,
            Some(annotations) => sort.annotated.entry(Arc::as_ptr(annotations) as usize).or_default(),
        };
        if let Some(&part) = known.get(known.partition_point(|&part| part < earliest)) {
            return part;
        }
        let part = self.parts.len() as u32;
        known.push(part);
        self.parts.push(Part { annotations: annotations.cloned(), gives_stored, ..Part::default() });
        part
    }

    /// Adds the layers.
    pub fn finish(self, graph: &mut GraphBuilder) -> Result<Layers, GraphError> {
        let layers = Layers { first: LayerId(graph.layers()), tasks: self.tasks };
        for (at, part) in self.parts.into_iter().enumerate() {
            let edges = part.edges(&self.inputs, at as u32, &layers);
            match part.gives_stored {
                true => add_kept_layer(graph, Arc::new(Calls(part.nodes)), edges, part.annotations)?,
                false => add_python_layer(graph, "delayed", Arc::new(Calls(part.nodes)), edges, part.annotations)?,
            };
        }
        Ok(layers)
    }
}

impl Part {
    fn edges(&self, inputs: &[Input], own: u32, layers: &Layers) -> ExplicitBuilder {
        let mut edges = ExplicitBuilder::with_capacity(self.nodes.len());
        for (&start, &length) in self.starts.iter().zip(&self.lengths) {
            for &input in &inputs[start as usize..][..length as usize] {
                match input {
                    Input::Own(place) if place.part() == own => edges.own_input(u64::from(place.index)),
                    input => edges.input(layers.task(input)),
                }
            }
            edges.task();
        }
        edges
    }
}

impl Layers {
    /// The task that an input is.
    pub fn task(&self, input: Input) -> TaskId {
        match input {
            Input::Task(at) => self.tasks[at as usize],
            Input::Own(place) => TaskId::new(LayerId(self.first.0 + place.part()), u64::from(place.index)),
        }
    }
}

impl Input {
    fn part(&self) -> u32 {
        match self {
            Self::Task(_) => 0,
            Self::Own(place) => place.part(),
        }
    }
}

/// Adds a layer of Python calls with listed edges.
pub(super) fn add_python_layer(
    graph: &mut GraphBuilder,
    name: &str,
    body: OpBody,
    edges: ExplicitBuilder,
    annotations: Option<Arc<Annotations>>,
) -> Result<LayerId, GraphError> {
    let op = graph.op(python_op(name, OpFlags::default(), body));
    let layer = Layer::new(name, op, Shape::Explicit(edges.finish()?));
    graph.layer(Layer { annotations: annotations.unwrap_or_default(), ..layer })
}

/// Adds a layer of so many tasks that give what they read.
pub(crate) fn hand_on(
    graph: &mut GraphBuilder,
    tasks: usize,
    edges: ExplicitBuilder,
    annotations: Arc<Annotations>,
) -> Result<LayerId, GraphError> {
    let nodes = (0..tasks).map(|_| Node::new(Work::Taken)).collect();
    add_python_layer(graph, "delayed", Arc::new(Calls(nodes)), edges, Some(annotations))
}

/// Adds a layer of nodes that name what the store keeps, which takes no memory.
fn add_kept_layer(
    graph: &mut GraphBuilder,
    body: OpBody,
    edges: ExplicitBuilder,
    annotations: Option<Arc<Annotations>>,
) -> Result<LayerId, GraphError> {
    let flags = OpFlags { gives_stored: true, ..OpFlags::default() };
    let op = graph.op(python_op("kept", flags, body));
    let cost = Cost { nanoseconds: 100, output_bytes: 0, scratch_bytes: 0 };
    let layer = Layer::new("kept", op, Shape::Explicit(edges.finish()?)).with_cost(cost);
    graph.layer(Layer { annotations: annotations.unwrap_or_default(), ..layer })
}

fn python_op(name: &str, flags: OpFlags, body: OpBody) -> Op {
    Op { kind: OpKind::Python, name: name.into(), digest: 0, flags, body }
}
