//! Layers of pickled graphs in others: what is there already isn't added once more.

use super::identities::Identities;
use crate::block::PythonOp;
use crate::delayed::hand_on;
use hashbrown::HashMap;
use raskt_graph::{ExplicitBuilder, Graph, GraphBuilder, GraphError, Layer, LayerId, Op, Shape, TaskId};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Adds the layer `wanted` of a graph, and all that it reads, but for what is there; gives what it is called here.
pub(super) fn include(
    graph: &mut GraphBuilder,
    from: &Graph,
    identities: &Identities,
    wanted: LayerId,
) -> Result<LayerId, GraphError> {
    let needed = from.needed_layers([wanted], |layer| graph.lowered(identities.of_layer(layer)).is_some());
    let mut including = Including { graph, from, identities, layers: HashMap::new() };
    for layer in needed {
        let included = including.layer(layer)?;
        including.layers.insert(layer, included);
        including.graph.set_lowered(identities.of_layer(layer), included);
    }
    Ok(including.place_of(wanted))
}

struct Including<'a> {
    graph: &'a mut GraphBuilder,
    from: &'a Graph,
    identities: &'a Identities,
    layers: HashMap<LayerId, LayerId>,
}

impl Including<'_> {
    /// What a layer is called that was included or was there.
    fn place_of(&self, layer: LayerId) -> LayerId {
        let included = self.layers.get(&layer).copied();
        let known = included.or_else(|| self.graph.lowered(self.identities.of_layer(layer)));
        known.expect("layers are included after those that they read")
    }

    fn layer(&mut self, id: LayerId) -> Result<LayerId, GraphError> {
        let calls = self.identities.calls_of_layer(id);
        if let Some(calls) = calls
            && calls.iter().any(|call| self.graph.lowered_task(*call).is_some())
        {
            return self.some_calls(id, calls);
        }
        let layer = self.from.layer(id).clone();
        let op = self.graph.op(self.from.op_of(id).clone());
        let shape = layer.shape.renumbered(id, |input| self.place_of(input), |_| None::<TaskId>)?;
        let included = self.graph.layer(Layer { op, shape, ..layer })?;
        for (index, call) in calls.unwrap_or_default().iter().enumerate() {
            self.graph.set_lowered_task(*call, TaskId::new(included, index as u64));
        }
        Ok(included)
    }

    /// A layer of calls of which some are there: the others become a layer, and one of all hands on their results.
    fn some_calls(&mut self, id: LayerId, calls: &[u128]) -> Result<LayerId, GraphError> {
        let is_new = |call: &&u128| self.graph.lowered_task(**call).is_none();
        let new: Vec<u64> = (0..).zip(calls).filter(|(_, call)| is_new(call)).map(|(index, _)| index).collect();
        if !new.is_empty() {
            self.new_calls(id, calls, &new)?;
        }
        let mut edges = ExplicitBuilder::with_capacity(calls.len());
        for call in calls {
            edges.input(self.graph.lowered_task(*call).expect("all of them are there now"));
            edges.task();
        }
        hand_on(self.graph, calls.len(), edges, self.from.layer(id).annotations.clone())
    }

    fn new_calls(&mut self, id: LayerId, calls: &[u128], new: &[u64]) -> Result<(), GraphError> {
        let mut edges = ExplicitBuilder::with_capacity(new.len());
        for &index in new {
            self.from.for_each_input(TaskId::new(id, index), |input| match new.binary_search(&input.index) {
                Ok(at) if input.layer == id => edges.own_input(at as u64),
                Err(_) if input.layer == id => {
                    let known = self.graph.lowered_task(calls[input.index as usize]);
                    edges.input(known.expect("it is there, or it is new"));
                }
                _ => edges.input(TaskId::new(self.place_of(input.layer), input.index)),
            });
            edges.task();
        }
        let op = self.from.op_of(id).clone();
        let block = op.body.downcast_ref().and_then(|PythonOp(block)| block.some_calls(new));
        let block = block.ok_or_else(|| GraphError::Lowering("calls that can't be made one by one".into()))?;
        let digest = match op.digest {
            0 => 0,
            digest => {
                let words = digest.to_le_bytes().into_iter().chain(new.iter().flat_map(|index| index.to_le_bytes()));
                xxh3_128(&words.collect::<Vec<u8>>())
            }
        };
        let op = self.graph.op(Op { digest, body: Arc::new(PythonOp(block)), ..op });
        let layer = self.from.layer(id).clone();
        let layer = self.graph.layer(Layer { op, shape: Shape::Explicit(edges.finish()?), ..layer })?;
        for (at, &index) in new.iter().enumerate() {
            self.graph.set_lowered_task(calls[index as usize], TaskId::new(layer, at as u64));
        }
        Ok(())
    }
}
