use crate::Array;
use crate::expression::Expr;
use crate::kernel::{BinaryOp, Generator, UnaryOp};
use crate::stack::grown;
use std::collections::{HashMap, HashSet};

/// Which elementwise results are kept because several layers would compute them.
///
/// Most are computed again wherever they are read: that costs less than writing them to memory, and takes none. Those
/// that cost more than a trip to memory and back are computed once.
#[derive(Default)]
pub(super) struct Sharing {
    kept: HashSet<u128>,
}

/// What an element costs to store and to read twice, roughly, on a machine whose memory is busy.
const KEEP_ABOVE_NANOSECONDS: f64 = 30.0;

impl Sharing {
    /// What to keep of the expression below `root`.
    pub(super) fn of(root: &Array) -> Self {
        let mut walk = Walk::default();
        walk.layer(root);
        Self { kept: walk.kept }
    }

    /// Whether `array` is a layer of its own though it could be fused.
    pub(super) fn keeps(&self, array: &Array) -> bool {
        !self.kept.is_empty() && self.kept.contains(&array.key())
    }
}

#[derive(Default)]
struct Walk {
    /// For each elementwise node, the layer that computes it first.
    first_layer: HashMap<u128, u128>,
    /// Layers that were walked.
    layers: HashSet<u128>,
    /// Elementwise nodes that were walked, and in which layer.
    seen: HashSet<(u128, u128)>,
    cost: HashMap<u128, f64>,
    kept: HashSet<u128>,
}

impl Walk {
    /// Walks the layer that makes `array`.
    fn layer(&mut self, array: &Array) {
        if !self.layers.insert(array.key()) {
            return;
        }
        match array.expr() {
            Expr::Map { .. } => self.fused(array, array.key()),
            Expr::Reduce(reduce) => self.fused(&reduce.input, array.key()),
            expr => expr.inputs().iter().for_each(|input| grown(|| self.layer(input))),
        }
    }

    /// Walks elementwise work that is done in the layer `layer`.
    fn fused(&mut self, array: &Array, layer: u128) {
        match array.expr() {
            Expr::Map { inputs, .. } => {
                if !self.seen.insert((array.key(), layer)) {
                    return;
                }
                let first = *self.first_layer.entry(array.key()).or_insert(layer);
                if first != layer && array.key() != first && self.cost(array) > KEEP_ABOVE_NANOSECONDS {
                    self.kept.insert(array.key());
                    return;
                }
                inputs.iter().for_each(|input| grown(|| self.fused(input, layer)));
            }
            Expr::Generated(_) | Expr::Memory { .. } | Expr::Blocks { .. } => {}
            _ => grown(|| self.layer(array)),
        }
    }

    /// Nanoseconds for an element, roughly.
    fn cost(&mut self, array: &Array) -> f64 {
        if let Some(&known) = self.cost.get(&array.key()) {
            return known;
        }
        let cost = match array.expr() {
            Expr::Map { op, inputs } => {
                own_cost(op) + inputs.iter().map(|input| grown(|| self.cost(input))).sum::<f64>()
            }
            Expr::Generated(source) if matches!(source.generator, Generator::Random(_)) => 6.0,
            _ => 0.5,
        };
        self.cost.insert(array.key(), cost);
        cost
    }
}

/// Nanoseconds for an element, roughly.
pub(super) fn own_cost(op: &crate::elementwise::MapOp) -> f64 {
    use crate::elementwise::MapOp;
    match op {
        MapOp::Unary(op) => match op {
            UnaryOp::Absolute | UnaryOp::Negative | UnaryOp::Positive | UnaryOp::Square | UnaryOp::Sqrt => 0.5,
            op if op.name().starts_with("is") || op.name().starts_with("logical") => 0.5,
            _ => 4.0,
        },
        MapOp::Binary(op) => match op {
            BinaryOp::Power | BinaryOp::FloatPower | BinaryOp::Arctan2 | BinaryOp::Logaddexp | BinaryOp::Hypot => 15.0,
            BinaryOp::FloorDivide | BinaryOp::Remainder | BinaryOp::Fmod => 5.0,
            _ => 0.5,
        },
        MapOp::Select | MapOp::Cast => 0.5,
    }
}
