//! Graphs as they travel: layers stay the rules that they are, so that a hundred million blocks are some hundred bytes.
//!
//! A form is plain data that any codec of `serde` writes. Whoever gets one trusts nothing of it: [`GraphForm::build`] puts the
//! graph together layer by layer as a collection does, and each is checked as it comes.

mod shape;

use crate::{
    Annotations, Cost, Graph, GraphBuilder, GraphError, Layer, LayerId, Op, OpBody, OpFlags, OpId, OpKind, Shape,
};
use serde::{Deserialize, Serialize};
use shape::ShapeForm;
use std::sync::Arc;

/// A graph whose ops' bodies are `B`: what a decoder makes the body of, or where it is found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphForm<B> {
    ops: Vec<OpForm<B>>,
    /// Those of all layers, each once.
    annotations: Vec<Annotations>,
    layers: Vec<LayerForm>,
}

/// The form of the shape of layer `own`, for whoever tells shapes apart.
pub fn shape_form(own: LayerId, shape: &Shape) -> impl Serialize + use<> {
    ShapeForm::of(own, shape)
}

/// An op, with something in the place of its body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpForm<B> {
    /// Which runner understands the body.
    pub kind: OpKind,
    /// What it is called.
    pub name: Arc<str>,
    /// The hash of the body's content; zero where it has none.
    pub digest: u128,
    /// What the scheduler needs to know about it.
    pub flags: OpFlags,
    /// What stands for the body.
    pub body: B,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LayerForm {
    name: Arc<str>,
    op: OpId,
    shape: ShapeForm,
    cost: Cost,
    /// By position among those of the graph.
    annotations: u32,
}

impl<B> GraphForm<B> {
    /// That of `graph`; `body` gives what stands for the body of each op, in order.
    pub fn of<E>(graph: &Graph, mut body: impl FnMut(&Op) -> Result<B, E>) -> Result<Self, E> {
        let form = |op: &Op| {
            let Op { kind, name, digest, flags, .. } = op.clone();
            Ok(OpForm { kind, name, digest, flags, body: body(op)? })
        };
        let ops = graph.ops().map(form).collect::<Result<_, E>>()?;
        let mut annotations = Distinct::default();
        let layers = graph.layers().map(|(id, layer)| LayerForm {
            name: layer.name.clone(),
            op: layer.op,
            shape: ShapeForm::of(id, &layer.shape),
            cost: layer.cost,
            annotations: annotations.place_of(&layer.annotations),
        });
        let layers = layers.collect();
        Ok(Self { ops, annotations: annotations.0.iter().map(|found| (**found).clone()).collect(), layers })
    }

    /// The ops, in order.
    pub fn ops(&self) -> &[OpForm<B>] {
        &self.ops
    }

    /// The layers, in order, with the op of each.
    pub fn layers(&self) -> impl Iterator<Item = (LayerId, OpId)> {
        self.layers.iter().enumerate().map(|(at, layer)| (LayerId(at as u32), layer.op))
    }

    /// The graph; `body` gives the body of each op, in order.
    pub fn build<E: From<GraphError>>(self, mut body: impl FnMut(OpForm<B>) -> Result<OpBody, E>) -> Result<Graph, E> {
        let mut graph = GraphBuilder::new();
        for (at, form) in self.ops.into_iter().enumerate() {
            let OpForm { kind, ref name, digest, flags, .. } = form;
            let op = Op { kind, name: name.clone(), digest, flags, body: body(form)? };
            if graph.op(op) != OpId(at as u32) {
                // Layers name ops by position.
                return Err(GraphError::SameDigest { op: OpId(at as u32) }.into());
            }
        }
        let annotations: Vec<_> = self.annotations.into_iter().map(Arc::new).collect();
        for LayerForm { name, op, shape, cost, annotations: at } in self.layers {
            let Some(annotations) = annotations.get(at as usize).cloned() else {
                return Err(GraphError::UnknownAnnotations { layer: name.to_string() }.into());
            };
            graph.layer(Layer { shape: shape.build(&name)?, name, op, cost, annotations })?;
        }
        Ok(graph.finish())
    }
}

/// Annotations, each once. Neighbours mostly share theirs.
#[derive(Default)]
struct Distinct(Vec<Arc<Annotations>>);

impl Distinct {
    fn place_of(&mut self, annotations: &Arc<Annotations>) -> u32 {
        let is_same = |known: &Arc<Annotations>| Arc::ptr_eq(known, annotations) || known == annotations;
        // From the end: of many that differ only the last few are looked at.
        let near = self.0.iter().rev().take(NEAR).position(is_same);
        let place = near.map_or(self.0.len(), |back| self.0.len() - 1 - back);
        if near.is_none() {
            self.0.push(annotations.clone());
        }
        place as u32
    }
}

/// Annotations of earlier layers that a layer's are compared with.
const NEAR: usize = 16;
