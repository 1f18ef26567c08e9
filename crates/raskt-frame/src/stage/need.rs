//! What a plan asks of the nodes below it.

use crate::expression::{Expression, Extent, leaves_of};
use crate::tree;
use polars::prelude::PlSmallStr;
use std::collections::BTreeSet;

/// What is asked of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Need {
    /// The columns.
    pub columns: BTreeSet<PlSmallStr>,
    /// Whether the order of the rows can be seen in the result.
    pub order: bool,
}

impl Need {
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a Expression>, order: bool) -> Self {
        let mut columns = BTreeSet::new();
        let mut order = order;
        for values in values {
            columns.extend(values.leaves());
            order |= looks_at_order(values);
        }
        Self { columns, order }
    }

    /// What is asked of the rows that `columns` of a result are computed from.
    pub(super) fn of_output(columns: &[(PlSmallStr, Expression)]) -> Self {
        let need = Self::of(columns.iter().map(|(_, values)| values), true);
        // A scalar of all rows doesn't tell their order.
        let order = columns.iter().any(|(_, values)| !values.extent.is_scalar() || looks_at_order(values));
        need.ordered(order)
    }

    pub(super) fn with(&self, expressions: &[tree::Expr]) -> Self {
        let leaves = expressions.iter().flat_map(leaves_of);
        let order = self.order || expressions.iter().any(tree::Expr::looks_at_order);
        Self { columns: self.columns.iter().cloned().chain(leaves).collect(), order }
    }

    /// What is asked of it as well.
    pub(super) fn add(&mut self, other: &Self) {
        self.columns.extend(other.columns.iter().cloned());
        self.order |= other.order;
    }

    /// Whether whoever has this has the `other`, too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        (self.order || !other.order) && other.columns.is_subset(&self.columns)
    }

    pub(super) fn ordered(self, order: bool) -> Self {
        Self { order, ..self }
    }
}

/// Whether values depend on the order of the rows.
pub(super) fn looks_at_order(values: &Expression) -> bool {
    matches!(values.extent, Extent::OrderedScalar | Extent::Window) || values.expr.looks_at_order()
}
