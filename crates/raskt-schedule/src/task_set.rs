use raskt_graph::{Graph, LayerId, Shape, TaskId};

/// A set of tasks of a graph: for each layer nothing, everything, or a bit a task.
#[derive(Debug)]
pub(crate) struct TaskSet {
    layers: Vec<Members>,
}

#[derive(Clone, Debug)]
enum Members {
    Nothing,
    Everything,
    Some(Vec<u64>),
}

impl TaskSet {
    /// These tasks and no others.
    pub fn of(graph: &Graph, tasks: &[TaskId]) -> Self {
        let mut set = Self { layers: vec![Members::Nothing; graph.layers().len()] };
        for &task in tasks {
            set.add(graph, task);
        }
        set
    }

    /// What has to run for `wanted` to be there: the wanted tasks and, layer by layer upwards, what they read.
    pub fn needed_for(graph: &Graph, wanted: &[TaskId]) -> Self {
        let mut need = Self::of(graph, wanted);
        for at in (0..need.layers.len()).rev() {
            need.add_inputs_of(graph, LayerId(at as u32));
        }
        need
    }

    pub fn contains(&self, task: TaskId) -> bool {
        match &self.layers[task.layer.0 as usize] {
            Members::Nothing => false,
            Members::Everything => true,
            Members::Some(bits) => bits[task.index as usize / 64] >> (task.index % 64) & 1 == 1,
        }
    }

    /// How many tasks of `layer` are in it.
    pub fn count(&self, graph: &Graph, layer: LayerId) -> u64 {
        match &self.layers[layer.0 as usize] {
            Members::Nothing => 0,
            Members::Everything => graph.layer(layer).len(),
            Members::Some(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        }
    }

    fn add(&mut self, graph: &Graph, task: TaskId) {
        let layer = &mut self.layers[task.layer.0 as usize];
        match layer {
            Members::Everything => return,
            Members::Nothing => {
                *layer = Members::Some(vec![0; graph.layer(task.layer).len().div_ceil(64) as usize]);
            }
            Members::Some(_) => {}
        }
        if let Members::Some(bits) = layer {
            bits[task.index as usize / 64] |= 1 << (task.index % 64);
        }
    }

    fn add_inputs_of(&mut self, graph: &Graph, id: LayerId) {
        let layer = graph.layer(id);
        if self.count(graph, id) == layer.len() {
            self.layers[id.0 as usize] = Members::Everything;
        }
        match self.layers[id.0 as usize].clone() {
            Members::Nothing => {}
            Members::Everything if reads_everything(&layer.shape) => {
                for input in layer.shape.input_layers() {
                    self.layers[input.0 as usize] = Members::Everything;
                }
            }
            _ => {
                // Downwards, so that an explicit layer's reads of itself are found before their readers are passed.
                for index in (0..layer.len()).rev() {
                    if self.contains(TaskId::new(id, index)) {
                        layer.shape.for_each_input(id, index, |input| self.add(graph, input));
                    }
                }
            }
        }
    }
}

/// Whether the tasks of a layer, taken together, are sure to read every task of every input.
fn reads_everything(shape: &Shape) -> bool {
    match shape {
        Shape::Reduce { .. } | Shape::Exchange { .. } => true,
        Shape::Map { grid, inputs } => {
            !grid.is_empty()
                && inputs.iter().all(|input| {
                    let mut axes = input.axes.iter().zip(input.grid.lengths());
                    let distinct = input.axes.iter().flatten().collect::<std::collections::BTreeSet<_>>().len()
                        == input.axes.iter().flatten().count();
                    distinct
                        && axes.all(|(axis, &length)| match axis {
                            Some(axis) => grid.lengths()[*axis as usize] == length,
                            None => length == 1,
                        })
                })
        }
        Shape::Explicit(_) | Shape::Overlap { .. } => false,
    }
}
