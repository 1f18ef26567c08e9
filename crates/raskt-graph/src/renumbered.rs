//! Layers of one graph in another.

use crate::{ExplicitBuilder, Graph, GraphBuilder, GraphError, Layer, LayerId, MapInput, Parts, Shape, TaskId};
use std::collections::{BTreeMap, BTreeSet};

impl Shape {
    /// The same shape of a layer that is called `own`, where layers that it reads are called otherwise; those that a task of it
    /// reads beyond its own are given by `more`.
    ///
    /// # Errors
    /// If there are more edges than can be listed.
    pub fn renumbered<More: IntoIterator<Item = TaskId>>(
        &self,
        own: LayerId,
        mut layer: impl FnMut(LayerId) -> LayerId,
        mut more: impl FnMut(u64) -> More,
    ) -> Result<Self, GraphError> {
        Ok(match self {
            Self::Explicit(explicit) => {
                let mut edges = ExplicitBuilder::with_capacity(explicit.len() as usize);
                for index in 0..explicit.len() {
                    for input in explicit.inputs(own, index) {
                        match input.layer == own {
                            true => edges.own_input(input.index),
                            false => edges.input(TaskId::new(layer(input.layer), input.index)),
                        }
                    }
                    more(index).into_iter().for_each(|input| edges.input(input));
                    edges.task();
                }
                Self::Explicit(edges.finish()?)
            }
            Self::Map { grid, inputs } => {
                let inputs = inputs.iter().map(|input| MapInput { layer: layer(input.layer), ..input.clone() });
                Self::Map { grid: grid.clone(), inputs: inputs.collect() }
            }
            Self::Reduce { input, grid, fan_in } => {
                Self::Reduce { input: layer(*input), grid: grid.clone(), fan_in: fan_in.clone() }
            }
            Self::Exchange { input, producers, consumers } => {
                Self::Exchange { input: layer(*input), producers: *producers, consumers: *consumers }
            }
            Self::Overlap { input, grid, ranges } => {
                Self::Overlap { input: layer(*input), grid: grid.clone(), ranges: ranges.clone() }
            }
            Self::Concatenate(parts) => {
                let layers = parts.layers().map(|(part, length)| (layer(part), length));
                let parts = Parts::new(parts.axis(), parts.grid(), layers);
                Self::Concatenate(parts.expect("there are as many blocks as before"))
            }
        })
    }
}

impl Graph {
    /// The layers that `wanted` read, these as well, in order; not what is read of those that are `known`, nor these.
    pub fn needed_layers(
        &self,
        wanted: impl IntoIterator<Item = LayerId>,
        is_known: impl Fn(LayerId) -> bool,
    ) -> Vec<LayerId> {
        let (mut needed, mut stack) = (BTreeSet::new(), wanted.into_iter().collect::<Vec<_>>());
        while let Some(layer) = stack.pop() {
            if !is_known(layer) && needed.insert(layer) {
                stack.extend(self.layer(layer).shape.input_layers());
            }
        }
        needed.into_iter().collect()
    }
}

impl GraphBuilder {
    /// Adds the layer `wanted` of another graph, and all that it reads; gives what it is called here.
    pub fn include(&mut self, graph: &Graph, wanted: LayerId) -> Result<LayerId, GraphError> {
        let mut layers = BTreeMap::new();
        // Each layer reads only earlier ones.
        for id in graph.needed_layers([wanted], |_| false) {
            let layer = graph.layer(id);
            let op = self.op(graph.op_of(id).clone());
            let shape = layer.shape.renumbered(id, |input| layers[&input], |_| None::<TaskId>)?;
            layers.insert(id, self.layer(Layer { op, shape, ..layer.clone() })?);
        }
        Ok(layers[&wanted])
    }
}
