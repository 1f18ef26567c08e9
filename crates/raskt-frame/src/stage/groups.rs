//! Aggregates of groups.

use super::expressions::column;
use super::functions::refuse_rounded;
use super::need::{Need, looks_at_order};
use super::prepared::Rows;
use super::translate::Translator;
use crate::error::Result;
use crate::expression::Expression;
use crate::plan::{Node, is_float_key};
use crate::tree;
use polars::prelude::*;
use std::sync::Arc;

impl Translator<'_> {
    pub(super) fn aggregated(
        &mut self,
        input: &Arc<Node>,
        keys: &[(PlSmallStr, Expression)],
        aggregations: &[(PlSmallStr, Expression)],
        sort: bool,
        drop_missing: bool,
        need: &Need,
    ) -> Result<LazyFrame> {
        let kept: Vec<&(PlSmallStr, Expression)> =
            aggregations.iter().filter(|(name, _)| need.columns.contains(name)).collect();
        let below = Need::of(keys.iter().map(|(_, key)| key).chain(kept.iter().map(|(_, values)| values)), false);
        let by_first_row = !sort && need.order;
        let ordered = by_first_row || kept.iter().any(|(_, values)| looks_at_order(values));
        let order = below.order || ordered;
        let query = self.node(input, &below.ordered(order))?;
        let keys_of: Vec<tree::Expr> = keys.iter().map(|(_, key)| key.normal()).collect();
        let both = keys_of.iter().chain(kept.iter().map(|(_, values)| &values.expr));
        let (query, mut by, _) = self.prepared(query, both, Rows::OfGroups)?;
        let names = keys.iter().map(|(name, _)| name).chain(kept.iter().map(|(name, _)| name));
        by.iter_mut().zip(names).for_each(|(values, name)| *values = values.clone().alias(name.clone()));
        let values = by.split_off(keys.len());
        let groups = if ordered { query.group_by_stable(by) } else { query.group_by(by) };
        let mut query = groups.agg(values);
        for (name, key) in keys {
            if drop_missing && key.domain.can_miss() {
                query = query.filter(column(name.clone()).is_not_null());
            }
            if is_float_key(&key.domain) {
                query = query.with_column(refuse_rounded(column(name.clone())).cast(DataType::Float64));
            }
        }
        if sort && need.order {
            let by: Vec<Expr> = keys.iter().map(|(name, _)| column(name.clone())).collect();
            query = query.sort_by_exprs(by, SortMultipleOptions::default().with_nulls_last(true));
        }
        Ok(query)
    }
}
