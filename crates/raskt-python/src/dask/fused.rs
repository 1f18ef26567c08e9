//! Fused tasks: a graph within a task, settled once and run in a loop.

use super::caller::Caller;
use super::keys::Keys;
use super::node::{Node, Read, settle};
use super::nodes::Nodes;
use super::order::depth_first;
use super::part::Part;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// The inner tasks of a fused one, in the order in which they run.
pub(super) struct Fused {
    pub(super) steps: Vec<Step>,
    pub(super) output: Read,
    /// How many results it is given.
    pub(super) inputs: usize,
    /// What the settled form was made from is kept, since it is known by its address.
    _made_from: Option<[Py<PyAny>; 3]>,
}

/// An inner task. Its result goes to the next slot; what it is given has the first slots.
pub(super) struct Step {
    pub part: Part,
    pub reads: Vec<Read>,
    /// Slots that no later step reads.
    pub done_with: Vec<u32>,
}

impl Fused {
    /// Settles the graph `inner`, whose task `output` is wanted, and which is given the results of the keys `inputs`.
    ///
    /// Tasks of one layer often share the inner graph, as the very same object: it is settled once for all of them.
    pub fn settled<'py>(
        nodes: &mut Nodes<'py>,
        inner: &Bound<'py, PyDict>,
        output: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
    ) -> PyResult<Arc<Self>> {
        let address = (inner.as_ptr() as usize, output.as_ptr() as usize, inputs.as_ptr() as usize);
        if let Some(known) = nodes.fused.get(&address) {
            return Ok(known.clone());
        }
        let fused = Arc::new(Self::new(nodes, inner, output, inputs)?);
        nodes.fused.insert(address, fused.clone());
        Ok(fused)
    }

    /// One that has come from another process.
    pub fn sent(steps: Vec<Step>, output: Read, inputs: usize) -> Self {
        Self { steps, output, inputs, _made_from: None }
    }

    fn new<'py>(
        nodes: &mut Nodes<'py>,
        inner: &Bound<'py, PyDict>,
        output: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
    ) -> PyResult<Self> {
        let mut keys = Keys::new(inner.py());
        for key in inputs {
            keys.number(&key)?;
        }
        let first_inner = keys.len();
        let root = keys.number(output)?;
        // What is given counts as read: it is nobody's task.
        let mut found: Vec<Option<Node>> = (0..first_inner).map(|_| None).collect();
        while let Some(key) = keys.key(found.len() as u32).cloned() {
            let Some(value) = inner.get_item(&key)? else { return Err(missing(&key)) };
            found.push(Some(nodes.inner_node(&value, &mut keys)?));
        }
        let targets = settle(&mut found).map_err(|number| cycle(&keys, &[number]))?;
        let reads = |number: u32| found[number as usize].as_ref().map_or(&[][..], Node::reads);
        let order = depth_first(found.len(), [targets[root as usize]], reads).map_err(|way| cycle(&keys, &way))?;
        let made_from =
            [inner.clone().into_any().unbind(), output.clone().unbind(), inputs.clone().into_any().unbind()];
        Ok(Self::in_order(inner.py(), found, &order, targets[root as usize], first_inner, made_from))
    }

    fn in_order(
        py: Python<'_>,
        mut found: Vec<Option<Node>>,
        order: &[u32],
        root: u32,
        inputs: usize,
        made_from: [Py<PyAny>; 3],
    ) -> Self {
        let mut slots: Vec<Option<Read>> = (0..inputs as u32).map(|slot| Some(Read::Slot(slot))).collect();
        slots.resize_with(found.len(), || None);
        let mut steps = vec![];
        for &number in order {
            let at = number as usize;
            match found[at].take() {
                None => {}
                Some(Node::Data(object)) => slots[at] = Some(Read::Given(object)),
                Some(Node::Alias(_) | Node::Missing) => {
                    unreachable!("aliases are settled and what is missing is refused")
                }
                Some(Node::Task { part, reads }) => {
                    let settled = |&read: &u32| slots[read as usize].as_ref().expect("inputs come first").clone_ref(py);
                    let reads = reads.iter().map(settled).collect();
                    slots[at] = Some(Read::Slot((inputs + steps.len()) as u32));
                    steps.push(Step { part, reads, done_with: vec![] });
                }
            }
        }
        let output = slots[root as usize].take().expect("the root is in the order");
        release_early(&mut steps, &output, inputs);
        Self { steps, output, inputs, _made_from: Some(made_from) }
    }

    /// Runs the steps; `given` are the results that it is given.
    pub fn run<'py>(&self, caller: &Caller<'_, 'py>, given: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        if given.len() != self.inputs {
            let message = format!("a fused task of Dask wants {} results and got {}", self.inputs, given.len());
            return Err(PyValueError::new_err(message));
        }
        let mut slots: Vec<Option<Bound<'py, PyAny>>> = given.into_iter().map(Some).collect();
        for step in &self.steps {
            let result = {
                let read = |position: u32| Ok(step.reads[position as usize].get(caller.py, &slots));
                step.part.build(&caller.reading(&read))?
            };
            step.done_with.iter().for_each(|&slot| slots[slot as usize] = None);
            slots.push(Some(result));
        }
        Ok(self.output.get(caller.py, &slots))
    }
}

/// Notes at each step which slots it is the last to read.
fn release_early(steps: &mut [Step], output: &Read, inputs: usize) {
    let mut is_read_later = vec![false; inputs + steps.len()];
    if let Read::Slot(slot) = output {
        is_read_later[*slot as usize] = true;
    }
    for step in steps.iter_mut().rev() {
        for read in &step.reads {
            if let Read::Slot(slot) = read
                && !std::mem::replace(&mut is_read_later[*slot as usize], true)
            {
                step.done_with.push(*slot);
            }
        }
    }
}

fn missing(key: &Bound<'_, PyAny>) -> PyErr {
    PyRuntimeError::new_err(format!(
        "a fused task of Dask reads the key {key:?}, which is neither in it nor given to it"
    ))
}

fn cycle(keys: &Keys<'_>, way: &[u32]) -> PyErr {
    let way: Vec<_> = way.iter().filter_map(|&number| keys.key(number)).map(|key| format!("{key:?}")).collect();
    PyRuntimeError::new_err(format!("Cycle detected within a fused task of Dask: {}", way.join("->")))
}
