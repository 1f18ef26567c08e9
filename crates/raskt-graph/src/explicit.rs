//! Layers whose edges are listed.

use crate::{LayerId, TaskId};
use std::sync::Arc;

/// Edges one by one, in compressed rows: four bytes for each end of an edge within the layer, four for each row, and eight
/// more for an edge that comes from another layer.
///
/// A task may read tasks of its own layer that come before it, and any task of earlier layers. Tasks start in the order in which
/// they stand, and what stands together lies together in memory: so a task stands best right after what only it reads.
#[derive(Clone, Debug)]
pub struct Explicit(pub(crate) Arc<Edges>);

#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// `inputs[input_ends[i - 1]..input_ends[i]]` are the inputs of task *i*.
    pub input_ends: Vec<u32>,
    /// An earlier task of this layer; or, with [`OUTER`] set, a position in `outer_inputs`.
    pub inputs: Vec<u32>,
    /// `inner[inner_ends[i - 1]..inner_ends[i]]` are the tasks of this layer that read task *i* of this layer.
    pub inner_ends: Vec<u32>,
    pub inner: Vec<u32>,
    /// Tasks of other layers, packed and sorted, once for each read.
    pub outer_inputs: Vec<u64>,
    /// Who reads them, position by position.
    pub outer_readers: Vec<u32>,
    /// Tasks that read nothing.
    pub sources: u32,
}

/// Marks an input of another layer.
pub(crate) const OUTER: u32 = 1 << 31;

impl Explicit {
    pub(crate) fn len(&self) -> u64 {
        self.0.input_ends.len() as u64
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.0.inputs.len()
    }

    /// How many tasks read nothing.
    pub fn sources(&self) -> u64 {
        u64::from(self.0.sources)
    }

    /// Bytes that the edges take.
    pub fn bytes(&self) -> usize {
        let Edges { input_ends, inputs, inner_ends, inner, outer_inputs, outer_readers, .. } = &*self.0;
        let words = input_ends.capacity() + inputs.capacity() + inner_ends.capacity() + inner.capacity();
        4 * (words + outer_readers.capacity()) + 8 * outer_inputs.capacity()
    }

    pub(crate) fn input_count(&self, index: u64) -> u64 {
        row(&self.0.input_ends, &self.0.inputs, index).len() as u64
    }

    /// The inputs of task `index`, if `own` is the id of this layer.
    pub fn inputs(&self, own: LayerId, index: u64) -> impl ExactSizeIterator<Item = TaskId> {
        row(&self.0.input_ends, &self.0.inputs, index).iter().map(move |&input| match input & OUTER {
            0 => TaskId::new(own, u64::from(input)),
            _ => TaskId::unpack(self.0.outer_inputs[(input & !OUTER) as usize]),
        })
    }

    pub(crate) fn outer_layers(&self) -> Vec<LayerId> {
        let mut layers: Vec<_> = self.0.outer_inputs.iter().map(|&input| TaskId::unpack(input).layer).collect();
        layers.dedup();
        layers
    }

    /// The tasks of other layers that are read, in order, each once for each task that reads it, with that.
    pub fn outer_inputs(&self) -> impl Iterator<Item = (TaskId, u64)> {
        let readers = self.0.outer_readers.iter().map(|&reader| u64::from(reader));
        self.0.outer_inputs.iter().map(|&input| TaskId::unpack(input)).zip(readers)
    }

    pub(crate) fn for_each_dependent(&self, own: LayerId, input: TaskId, mut visit: impl FnMut(u64)) {
        if input.layer == own {
            row(&self.0.inner_ends, &self.0.inner, input.index).iter().for_each(|&reader| visit(u64::from(reader)));
            return;
        }
        let packed = input.pack();
        let start = self.0.outer_inputs.partition_point(|&other| other < packed);
        let count = self.0.outer_inputs[start..].iter().take_while(|&&other| other == packed).count();
        self.0.outer_readers[start..start + count].iter().for_each(|&reader| visit(u64::from(reader)));
    }
}

pub(crate) fn row<'a, T>(ends: &[u32], items: &'a [T], index: u64) -> &'a [T] {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &items[start as usize..ends[index] as usize]
}
