//! A graph of Dask becomes layers of calls.

use super::calls::TaskCall;
use super::keys::Keys;
use super::layering::Layering;
use super::node::{Node, Read, reads_of, settle};
use super::nodes::Nodes;
use super::order::deepest_first;
use super::part::Part;
use super::said::Said;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raskt_graph::{Annotations, ExplicitBuilder, LayerId, TaskId};
use std::sync::Arc;

/// The tasks that wanted keys need.
pub(super) struct Tasks {
    pub layers: Vec<Calling>,
    /// For each wanted key, where its result comes from.
    pub wanted: Vec<Place>,
}

/// A layer, inputs before readers.
#[derive(Default)]
pub(super) struct Calling {
    pub calls: Vec<TaskCall>,
    pub edges: ExplicitBuilder,
    /// What was said of all of them.
    pub annotations: Arc<Annotations>,
}

/// Where the result of a key comes from.
pub(super) enum Place {
    Task(TaskId),
    Given(Py<PyAny>),
}

/// Reads what `wanted` keys need. Aliases and data cost no task, unless every key is to be seen by callbacks
/// (`aliases_run`).
pub(super) fn read_tasks<'py>(
    nodes: &mut Nodes<'py>,
    py: Python<'py>,
    wanted: &[Bound<'py, PyAny>],
    aliases_run: bool,
    said: &mut Said<'py>,
) -> PyResult<Tasks> {
    let mut keys = Keys::new(py);
    let wanted = wanted.iter().map(|key| keys.number(key)).collect::<PyResult<Vec<_>>>()?;
    let mut found = vec![];
    while let Some(key) = keys.key(found.len() as u32).cloned() {
        let node = match nodes.find(&key, found.len() as u32, &mut keys)? {
            Node::Alias(target) if aliases_run => Node::Task { part: Part::Read(0), reads: vec![target] },
            node => node,
        };
        found.push(Some(node));
    }
    let targets = settle(&mut found).map_err(|number| cycle(&keys, &[number, number]))?;
    refuse_missing(&keys, &found, &targets, &wanted)?;
    let roots: Vec<_> = wanted.iter().map(|&number| targets[number as usize]).collect();
    let order = deepest_first(found.len(), roots.iter().copied(), |number| reads_of(&found, number))
        .map_err(|way| cycle(&keys, &way))?;
    let layering = Layering::new(&found, &order, &said.kinds(&keys)?);
    let mut tasks = in_order(py, &keys, found, &order, &roots, &layering);
    for (layer, &kind) in tasks.layers.iter_mut().zip(&layering.kinds) {
        layer.annotations = said.annotations(kind);
    }
    Ok(tasks)
}

fn in_order(
    py: Python<'_>,
    keys: &Keys<'_>,
    mut found: Vec<Option<Node>>,
    order: &[u32],
    roots: &[u32],
    layering: &Layering,
) -> Tasks {
    let mut places: Vec<Option<Place>> = vec![];
    places.resize_with(found.len(), || None);
    let mut layers: Vec<Calling> = vec![];
    for &number in order {
        let at = number as usize;
        places[at] = Some(match found[at].take() {
            Some(Node::Data(object)) => Place::Given(object),
            Some(Node::Task { part, reads }) => {
                let layer = layering.of[at];
                if layers.len() <= layer.0 as usize {
                    layers.resize_with(layer.0 as usize + 1, Calling::default);
                }
                let calling = &mut layers[layer.0 as usize];
                let reads = calling.read(py, layer, &reads, &places);
                let key = keys.key(number).expect("every number has a key").clone().unbind();
                calling.calls.push(TaskCall { key, part, reads });
                Place::Task(TaskId::new(layer, calling.edges.task()))
            }
            _ => unreachable!("aliases are settled and what is missing is refused"),
        });
    }
    let place = |&number: &u32| places[number as usize].as_ref().expect("what is wanted is in the order").clone_ref(py);
    Tasks { layers, wanted: roots.iter().map(place).collect() }
}

impl Calling {
    /// Notes what the next task of this layer reads, and tells where it finds it.
    fn read(&mut self, py: Python<'_>, own: LayerId, reads: &[u32], places: &[Option<Place>]) -> Box<[Read]> {
        let mut slots = 0;
        let read = |&read: &u32| match places[read as usize].as_ref().expect("inputs come first") {
            Place::Given(object) => Read::Given(object.clone_ref(py)),
            Place::Task(task) => {
                if task.layer == own {
                    self.edges.own_input(task.index)
                } else {
                    self.edges.input(*task)
                }
                slots += 1;
                Read::Slot(slots - 1)
            }
        };
        reads.iter().map(read).collect()
    }
}

impl Place {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Task(task) => Self::Task(*task),
            Self::Given(object) => Self::Given(object.clone_ref(py)),
        }
    }
}

fn refuse_missing(keys: &Keys<'_>, found: &[Option<Node>], targets: &[u32], wanted: &[u32]) -> PyResult<()> {
    let is_missing = |number: u32| matches!(found[number as usize], Some(Node::Missing));
    for &number in wanted {
        if is_missing(targets[number as usize]) {
            return Err(PyKeyError::new_err(keys.key(number).map(|key| key.clone().unbind())));
        }
    }
    for (reader, node) in found.iter().enumerate() {
        let reads = node.as_ref().map_or(&[][..], Node::reads);
        if let Some(missing) = reads.iter().find_map(|&read| is_missing(read).then(|| keys.key(read)).flatten()) {
            let reader = keys.key(reader as u32).map(|key| format!("{key:?}")).unwrap_or_default();
            return Err(PyValueError::new_err(format!(
                "Missing dependency {missing:?} for dependents {{{reader}}}: the graph has no such key"
            )));
        }
    }
    Ok(())
}

fn cycle(keys: &Keys<'_>, way: &[u32]) -> PyErr {
    let way: Vec<_> = way.iter().filter_map(|&number| keys.key(number)).map(|key| format!("{key:?}")).collect();
    PyRuntimeError::new_err(format!("Cycle detected in Dask: {}", way.join("->")))
}
