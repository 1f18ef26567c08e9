//! What is there before anything is computed.

use super::{Column, Frame, Node, Operator};
use crate::expression::Expression;
use crate::tree::Expr;

impl Node {
    /// Whether its rows are those of tables that are there, all of them.
    fn is_there(&self) -> bool {
        match &self.operator {
            Operator::Memory(_) => true,
            Operator::External(external) => external.kept,
            Operator::Divided { input, cut: false, .. } => input.is_there(),
            _ => false,
        }
    }
}

impl Expression {
    fn is_there(&self) -> bool {
        matches!(self.expr, Expr::Column(_))
    }
}

impl Frame {
    /// Whether nothing of it is to be computed: it was persisted, or given.
    pub fn is_there(&self) -> bool {
        self.root.is_there() && self.columns.iter().all(|(_, values)| values.is_there())
    }
}

impl Column {
    /// Whether nothing of it is to be computed: it was persisted, or given.
    pub fn is_there(&self) -> bool {
        self.root.is_there() && self.values.is_there()
    }
}
