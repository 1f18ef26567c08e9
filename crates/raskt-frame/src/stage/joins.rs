//! Joins of two plans.

use super::expressions::column;
use super::need::Need;
use super::translate::{Translator, counted};
use crate::error::Result;
use crate::plan::{JoinHow, JoinPlan, LEFT_MARK, Node, RIGHT_MARK, indicator_dtype};
use polars::prelude::*;
use std::collections::BTreeSet;

impl Translator<'_> {
    pub(super) fn joined(&mut self, plan: &JoinPlan, need: &Need) -> Result<LazyFrame> {
        let JoinPlan { left, right, keys, how, match_missing, indicator } = plan;
        let marked = indicator.as_ref().is_some_and(|name| need.columns.contains(name));
        let side = |side: &Node, side_keys: Vec<&PlSmallStr>| -> BTreeSet<PlSmallStr> {
            let wanted = side.columns.iter().map(|(name, _)| name).filter(|name| need.columns.contains(*name));
            wanted.chain(side_keys).cloned().collect()
        };
        let left_columns = side(left, keys.iter().map(|(key, _)| key).collect());
        let right_columns = side(right, keys.iter().map(|(_, key)| key).collect());
        let mut sides = vec![];
        for (side, columns) in [(left, left_columns), (right, right_columns)] {
            let is_empty = columns.is_empty();
            let query = self.node(side, &Need { columns, order: need.order })?;
            sides.push(if is_empty { counted(query, vec![]) } else { query });
        }
        let (mut b, mut a) = (sides.remove(1), sides.remove(0));
        if marked {
            a = a.with_column(lit(true).alias(LEFT_MARK));
            b = b.with_column(lit(true).alias(RIGHT_MARK));
        }
        let (kind, order) = match how {
            JoinHow::Inner => (JoinType::Inner, MaintainOrderJoin::LeftRight),
            JoinHow::Left => (JoinType::Left, MaintainOrderJoin::LeftRight),
            JoinHow::Right => (JoinType::Right, MaintainOrderJoin::RightLeft),
            JoinHow::Outer => (JoinType::Full, MaintainOrderJoin::LeftRight),
            JoinHow::LeftSemi => (JoinType::Semi, MaintainOrderJoin::Left),
            JoinHow::LeftAnti => (JoinType::Anti, MaintainOrderJoin::Left),
            JoinHow::Cross => {
                if need.order {
                    a = a.with_row_index(LEFT_ROW, None);
                    b = b.with_row_index(RIGHT_ROW, None);
                }
                let mut query = a.cross_join(b, None);
                if need.order {
                    query = query.sort_by_exprs([column(LEFT_ROW), column(RIGHT_ROW)], SortMultipleOptions::default());
                }
                return Ok(if marked { with_indicator(query, indicator) } else { query });
            }
        };
        let by = |side: fn(&(PlSmallStr, PlSmallStr)) -> &PlSmallStr| -> Vec<Expr> {
            keys.iter().map(|pair| column(side(pair).clone())).collect()
        };
        let builder = a
            .join_builder()
            .with(b)
            .how(kind)
            .left_on(by(|pair| &pair.0))
            .right_on(by(|pair| &pair.1))
            .join_nulls(*match_missing)
            .maintain_order(if need.order { order } else { MaintainOrderJoin::None });
        let keep_both = !matches!(how, JoinHow::LeftSemi | JoinHow::LeftAnti);
        let builder = if keep_both { builder.coalesce(JoinCoalesce::KeepColumns) } else { builder };
        let mut query = builder.finish();
        if marked {
            query = with_indicator(query, indicator);
        }
        if *how == JoinHow::Outer && need.order {
            let by: Vec<Expr> = keys.iter().map(|(a, b)| coalesce(&[column(a.clone()), column(b.clone())])).collect();
            let options = SortMultipleOptions::default().with_nulls_last(true).with_maintain_order(true);
            query = query.sort_by_exprs(by, options);
        }
        Ok(query)
    }
}

/// Numbers the rows of one side of a cross join.
const LEFT_ROW: &str = "\u{f8ff}left_row";
/// Numbers the rows of the other side.
const RIGHT_ROW: &str = "\u{f8ff}right_row";

/// Says in words which side each row comes from.
fn with_indicator(query: LazyFrame, name: &Option<PlSmallStr>) -> LazyFrame {
    let side = when(column(LEFT_MARK).is_null())
        .then(lit("right_only"))
        .when(column(RIGHT_MARK).is_null())
        .then(lit("left_only"))
        .otherwise(lit("both"))
        .cast(indicator_dtype());
    query.with_column(side.alias(name.clone().unwrap_or_default()))
}
