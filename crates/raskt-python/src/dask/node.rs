use super::part::Part;
use pyo3::prelude::*;

/// What stands under a key of a graph. Other keys appear by their numbers.
pub(super) enum Node {
    /// A task, which reads the results of these keys.
    Task { part: Part, reads: Vec<u32> },
    /// The same as another key.
    Alias(u32),
    /// An object, without a task.
    Data(Py<PyAny>),
    /// Nothing: the key is only spoken of.
    Missing,
}

/// Where a task finds something that it reads.
pub(super) enum Read {
    /// Among the results that it gets, or in a slot of a fused task.
    Slot(u32),
    /// Here.
    Given(Py<PyAny>),
}

impl Node {
    pub fn reads(&self) -> &[u32] {
        match self {
            Self::Task { reads, .. } => reads,
            _ => &[],
        }
    }
}

impl Read {
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Slot(slot) => Self::Slot(*slot),
            Self::Given(object) => Self::Given(object.clone_ref(py)),
        }
    }

    /// The object, if `slots` are filled.
    pub fn get<'py>(&self, py: Python<'py>, slots: &[Option<Bound<'py, PyAny>>]) -> Bound<'py, PyAny> {
        match self {
            Self::Slot(slot) => slots[*slot as usize].clone().expect("a slot is emptied after its last reader"),
            Self::Given(object) => object.bind(py).clone(),
        }
    }
}

/// What the node `number` of `found` reads.
pub(super) fn reads_of(found: &[Option<Node>], number: u32) -> &[u32] {
    found[number as usize].as_ref().map_or(&[], Node::reads)
}

/// Follows aliases to their ends, in the reads of all tasks too; gives the end for each number. Errs with a number from
/// which aliases go in a circle. What is no node of the graph (since it is given from outside) is `None`.
pub(super) fn settle(nodes: &mut [Option<Node>]) -> Result<Vec<u32>, u32> {
    let mut targets = Vec::with_capacity(nodes.len());
    for number in 0..nodes.len() as u32 {
        let (mut at, mut followed) = (number, 0);
        while let Some(Node::Alias(target)) = &nodes[at as usize] {
            at = *target;
            followed += 1;
            if followed > nodes.len() {
                return Err(number);
            }
        }
        targets.push(at);
    }
    for node in nodes.iter_mut().flatten() {
        if let Node::Task { reads, .. } = node {
            reads.iter_mut().for_each(|read| *read = targets[*read as usize]);
        }
    }
    Ok(targets)
}
