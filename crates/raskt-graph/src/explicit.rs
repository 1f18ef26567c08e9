use crate::{GraphError, LayerId, TaskId};
use std::sync::Arc;

/// Edges one by one, in compressed rows: eight bytes an edge and eight a task, and as much again for the way back.
///
/// A task may read tasks of its own layer that come before it, and any task of earlier layers.
#[derive(Clone, Debug)]
pub struct Explicit(Arc<Edges>);

#[derive(Debug, Default)]
struct Edges {
    /// `inputs[input_ends[i - 1]..input_ends[i]]` are the inputs of task *i*.
    input_ends: Vec<u32>,
    inputs: Vec<Input>,
    /// `inner[inner_ends[i - 1]..inner_ends[i]]` are the tasks of this layer that read task *i* of this layer.
    inner_ends: Vec<u32>,
    inner: Vec<u32>,
    /// Readers of tasks of other layers: (input, reader), sorted.
    outer: Vec<(u64, u32)>,
}

/// The most tasks, and the most edges, that one explicit layer holds.
const LIMIT: u64 = u32::MAX as u64 - 1;
/// In place of a layer: the layer that the edge itself is in. Its id isn't known while it is built.
const OWN: LayerId = LayerId((1 << 20) - 1);

/// An input of a task in an explicit layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Input(u64);

impl Input {
    pub(crate) fn resolve(self, own: LayerId) -> TaskId {
        let task = TaskId::unpack(self.0);
        if task.layer == OWN { TaskId::new(own, task.index) } else { task }
    }
}

impl Explicit {
    pub(crate) fn len(&self) -> u64 {
        self.0.input_ends.len() as u64
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.0.inputs.len()
    }

    pub(crate) fn inputs(&self, index: u64) -> impl ExactSizeIterator<Item = Input> {
        row(&self.0.input_ends, &self.0.inputs, index).iter().copied()
    }

    pub(crate) fn outer_layers(&self) -> Vec<LayerId> {
        let mut layers: Vec<_> = self.0.outer.iter().map(|&(input, _)| TaskId::unpack(input).layer).collect();
        layers.dedup();
        layers
    }

    pub(crate) fn outer_inputs(&self) -> impl Iterator<Item = (TaskId, u64)> {
        self.0.outer.iter().map(|&(input, reader)| (TaskId::unpack(input), u64::from(reader)))
    }

    pub(crate) fn for_each_dependent(&self, own: LayerId, input: TaskId, mut visit: impl FnMut(u64)) {
        if input.layer == own {
            row(&self.0.inner_ends, &self.0.inner, input.index).iter().for_each(|&reader| visit(u64::from(reader)));
            return;
        }
        let packed = input.pack();
        let start = self.0.outer.partition_point(|&(input, _)| input < packed);
        let readers = self.0.outer[start..].iter().take_while(|&&(input, _)| input == packed);
        readers.for_each(|&(_, reader)| visit(u64::from(reader)));
    }
}

fn row<'a, T>(ends: &[u32], items: &'a [T], index: u64) -> &'a [T] {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &items[start as usize..ends[index] as usize]
}

/// Takes the tasks of an explicit layer one by one.
#[derive(Debug, Default)]
pub struct ExplicitBuilder {
    input_ends: Vec<u32>,
    inputs: Vec<Input>,
}

impl ExplicitBuilder {
    /// A builder with room for `tasks` tasks.
    pub fn with_capacity(tasks: usize) -> Self {
        Self { input_ends: Vec::with_capacity(tasks), inputs: Vec::with_capacity(tasks) }
    }

    /// Adds an input to the task that the next [`Self::task`] ends: a task of an earlier layer.
    pub fn input(&mut self, input: TaskId) {
        self.inputs.push(Input(input.pack()));
    }

    /// Adds an input to the task that the next [`Self::task`] ends: an earlier task of this layer.
    pub fn own_input(&mut self, index: u64) {
        self.inputs.push(Input(TaskId::new(OWN, index).pack()));
    }

    /// Ends a task, whose inputs are those added since the last one, and gives its index.
    pub fn task(&mut self) -> u64 {
        self.input_ends.push(self.inputs.len() as u32);
        self.input_ends.len() as u64 - 1
    }

    /// How many tasks there are.
    pub fn len(&self) -> u64 {
        self.input_ends.len() as u64
    }

    /// Whether there is no task yet.
    pub fn is_empty(&self) -> bool {
        self.input_ends.is_empty()
    }

    /// The layer's edges, with the way back: linear in the edges within the layer.
    pub fn finish(self) -> Result<Explicit, GraphError> {
        for (what, found) in [("tasks", self.input_ends.len() as u64), ("edges", self.inputs.len() as u64)] {
            if found > LIMIT {
                return Err(GraphError::TooMany { what: format!("{what} of a layer"), found, limit: LIMIT });
            }
        }
        let Self { input_ends, inputs } = self;
        let tasks = input_ends.len();
        let mut inner_ends = vec![0_u32; tasks];
        let mut outer = vec![];
        for reader in 0..tasks as u64 {
            for &input in row(&input_ends, &inputs, reader) {
                let task = TaskId::unpack(input.0);
                if task.layer != OWN {
                    outer.push((input.0, reader as u32));
                } else if task.index >= reader {
                    return Err(GraphError::Edge { layer: "explicit".into(), reader, input: task });
                } else {
                    inner_ends[task.index as usize] += 1;
                }
            }
        }
        outer.sort_unstable();
        let inner = fill_inner(&input_ends, &inputs, &mut inner_ends);
        Ok(Explicit(Arc::new(Edges { input_ends, inputs, inner_ends, inner, outer })))
    }
}

/// Turns counts of readers into row ends, and fills the rows in order of the readers.
fn fill_inner(input_ends: &[u32], inputs: &[Input], counts: &mut [u32]) -> Vec<u32> {
    let mut total = 0;
    for count in counts.iter_mut() {
        let start = total;
        total += *count;
        *count = start;
    }
    let mut inner = vec![0; total as usize];
    for reader in 0..input_ends.len() as u64 {
        for &input in row(input_ends, inputs, reader) {
            let task = TaskId::unpack(input.0);
            if task.layer == OWN {
                let next = &mut counts[task.index as usize];
                inner[*next as usize] = reader as u32;
                *next += 1;
            }
        }
    }
    inner
}
