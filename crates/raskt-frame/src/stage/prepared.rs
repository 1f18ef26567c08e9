//! Columns that are computed before the expressions that read them.
//!
//! The engine writes expressions out: a part that is used twice is there twice, and one that is used twice at each of
//! twenty steps a million times, before the engine can look for what is equal. Large expressions are therefore taken apart:
//! their heavy parts become columns of the query, level by level.

use super::translate::Translator;
use super::typing::part_name;
use crate::error::Result;
use crate::tree::{Child, Expr, column};
use polars::prelude::{self as engine, LazyFrame, PlSmallStr, by_name};
use std::collections::HashMap;
use std::convert::Infallible;

/// Expressions that are written out to more nodes than this are taken apart; smaller ones the engine sees as they are.
const WRITTEN_MAX: u64 = 1024;

/// Heavy parts of expressions, in the order in which they are to be computed.
#[derive(Default)]
pub(super) struct Prepared {
    /// The columns of each level: they read those of the levels before.
    pub levels: Vec<Vec<(PlSmallStr, Expr)>>,
    /// The level of each part, from 1.
    known: HashMap<u128, usize>,
}

/// Which rows an expression is computed of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// All rows of the query.
    All,
    /// Those of each group: only what depends on a row alone is the same for all rows.
    OfGroups,
}

impl Prepared {
    /// `expr` with columns for its heavy parts, if it is large.
    pub(super) fn of(&mut self, expr: &Expr, rows: Rows) -> Expr {
        if expr.size() <= WRITTEN_MAX { expr.clone() } else { self.lightened(expr, rows).0 }
    }

    /// The columns that are computed.
    pub(super) fn names(&self) -> Vec<PlSmallStr> {
        self.levels.iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    /// `expr` with columns for its heavy parts, and the last level that it reads.
    fn lightened(&mut self, expr: &Expr, rows: Rows) -> (Expr, usize) {
        let rows = if matches!(expr, Expr::Over { .. }) { Rows::OfGroups } else { rows };
        let mut last = 0;
        let changed = expr.with_children(|child| {
            let (child, level) = self.part(child, rows);
            last = last.max(level);
            Ok::<_, Infallible>(child)
        });
        let Ok(changed) = changed;
        (changed, last)
    }

    fn part(&mut self, part: &Child, rows: Rows) -> (Child, usize) {
        // A value for all rows at once is none that a column could stand for: it has no rows.
        let is_column = part.is_heavy() && !part.is_scalar() && (rows == Rows::All || part.is_alone());
        if !is_column {
            return match part.has_heavy_parts() {
                true => {
                    let (expr, level) = self.lightened(part, rows);
                    (expr.into(), level)
                }
                false => (part.clone(), 0),
            };
        }
        let name = part_name(part);
        let level = match self.known.get(&part.digest()) {
            Some(level) => *level,
            None => {
                let (expr, before) = self.lightened(part, rows);
                if self.levels.len() <= before {
                    self.levels.push(vec![]);
                }
                self.levels[before].push((name.clone(), expr));
                self.known.insert(part.digest(), before + 1);
                before + 1
            }
        };
        (column(&name).into(), level)
    }
}

impl Translator<'_> {
    /// Expressions over `query` under their names, and `query` with what they need to be there before.
    pub(super) fn named<'b>(
        &mut self,
        query: LazyFrame,
        columns: impl Iterator<Item = (&'b PlSmallStr, &'b Expr)>,
    ) -> Result<(LazyFrame, Vec<engine::Expr>)> {
        let (names, expressions): (Vec<_>, Vec<_>) = columns.unzip();
        let (query, expressions, _) = self.prepared(query, expressions, Rows::All)?;
        Ok((query, expressions.into_iter().zip(names).map(|(values, name)| values.alias(name.clone())).collect()))
    }

    /// `expressions` as the engine computes them over `query` with what they need to be there before: columns of the names
    /// that come third.
    pub(super) fn prepared<'b>(
        &mut self,
        mut query: LazyFrame,
        expressions: impl IntoIterator<Item = &'b Expr>,
        rows: Rows,
    ) -> Result<(LazyFrame, Vec<engine::Expr>, Vec<PlSmallStr>)> {
        let mut before = Prepared::default();
        let light: Vec<Expr> = expressions.into_iter().map(|expr| before.of(expr, rows)).collect();
        for level in &before.levels {
            let columns = level.iter().map(|(name, expr)| Ok(self.expressions.of(expr)?.alias(name.clone())));
            query = query.with_columns(columns.collect::<Result<Vec<_>>>()?);
        }
        Ok((query, self.expressions.all(&light)?, before.names()))
    }

    /// What `change` makes of `query` by `expressions`, which need not see what they need to be there before.
    pub(super) fn by(
        &mut self,
        query: LazyFrame,
        expressions: &[Expr],
        change: impl FnOnce(LazyFrame, Vec<engine::Expr>) -> LazyFrame,
    ) -> Result<LazyFrame> {
        let (query, expressions, added) = self.prepared(query, expressions, Rows::All)?;
        let changed = change(query, expressions);
        Ok(if added.is_empty() { changed } else { changed.drop(by_name(added, true, false)) })
    }
}
