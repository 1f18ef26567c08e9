use raskt_graph::{Graph, LayerId, Shape, TaskId};

/// Which tasks of a graph somebody needs: the wanted ones and, layer by layer upwards, what they read.
#[derive(Debug)]
pub(crate) struct Need {
    layers: Vec<LayerNeed>,
}

#[derive(Clone, Debug)]
enum LayerNeed {
    Nothing,
    Everything,
    Some(Vec<u64>),
}

impl Need {
    pub fn of(graph: &Graph, wanted: &[TaskId]) -> Self {
        let mut need = Self { layers: vec![LayerNeed::Nothing; graph.layers().len()] };
        for &task in wanted {
            need.add(graph, task);
        }
        for at in (0..need.layers.len()).rev() {
            need.add_inputs_of(graph, LayerId(at as u32));
        }
        need
    }

    pub fn contains(&self, task: TaskId) -> bool {
        match &self.layers[task.layer.0 as usize] {
            LayerNeed::Nothing => false,
            LayerNeed::Everything => true,
            LayerNeed::Some(bits) => bits[task.index as usize / 64] >> (task.index % 64) & 1 == 1,
        }
    }

    /// How many tasks of `layer` are needed.
    pub fn count(&self, graph: &Graph, layer: LayerId) -> u64 {
        match &self.layers[layer.0 as usize] {
            LayerNeed::Nothing => 0,
            LayerNeed::Everything => graph.layer(layer).len(),
            LayerNeed::Some(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        }
    }

    fn add(&mut self, graph: &Graph, task: TaskId) {
        let layer = &mut self.layers[task.layer.0 as usize];
        match layer {
            LayerNeed::Everything => return,
            LayerNeed::Nothing => {
                *layer = LayerNeed::Some(vec![0; graph.layer(task.layer).len().div_ceil(64) as usize]);
            }
            LayerNeed::Some(_) => {}
        }
        if let LayerNeed::Some(bits) = layer {
            bits[task.index as usize / 64] |= 1 << (task.index % 64);
        }
    }

    fn add_inputs_of(&mut self, graph: &Graph, id: LayerId) {
        let layer = graph.layer(id);
        if self.count(graph, id) == layer.len() {
            self.layers[id.0 as usize] = LayerNeed::Everything;
        }
        match self.layers[id.0 as usize].clone() {
            LayerNeed::Nothing => {}
            LayerNeed::Everything if reads_everything(&layer.shape) => {
                for input in layer.shape.input_layers() {
                    self.layers[input.0 as usize] = LayerNeed::Everything;
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
