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
            order |= matches!(values.extent, Extent::OrderedScalar | Extent::Window);
        }
        Self { columns, order }
    }

    pub(super) fn with(&self, expressions: &[tree::Expr]) -> Self {
        let leaves = expressions.iter().flat_map(leaves_of);
        Self { columns: self.columns.iter().cloned().chain(leaves).collect(), order: self.order }
    }

    /// What is asked of it as well.
    pub(super) fn add(&mut self, other: &Self) {
        self.columns.extend(other.columns.iter().cloned());
        self.order |= other.order;
    }

    /// Whether what has this has what another one needs.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.columns.is_superset(&other.columns) && (self.order || !other.order)
    }

    pub(super) fn ordered(self, order: bool) -> Self {
        Self { order, ..self }
    }
}
