use super::frame::{project, unify};
use super::{Column, Frame, Index, IndexLevel, Node, Operator};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, ReduceOptions};
use crate::table::internal_name;
use crate::tree;
use polars::prelude::*;
use std::sync::Arc;

/// What is computed of each group.
#[derive(Clone, Debug)]
pub struct Aggregation {
    /// The name of the result.
    pub name: String,
    /// The column that is reduced.
    pub column: Column,
    /// pandas' name of the reduction.
    pub function: String,
    /// What it is told.
    pub options: ReduceOptions,
}

impl Frame {
    /// One row for each value of the columns `by`, with what `aggregations` compute of its rows.
    ///
    /// The keys become the labels, or the first columns if not `as_index`. Groups come in the order of their keys if
    /// `sort`, else in the order of their first rows.
    pub fn group(
        &self,
        by: &[Column],
        aggregations: &[Aggregation],
        sort: bool,
        drop_missing: bool,
        as_index: bool,
    ) -> Result<Self> {
        if by.is_empty() {
            return Err(FrameError::Value("groups need at least one column to group by".into()));
        }
        for key in by {
            key.values.domain.check_ordered("groupby")?;
        }
        let mut root = self.root.clone();
        for column in by.iter().chain(aggregations.iter().map(|aggregation| &aggregation.column)) {
            root = unify(&root, &column.root)?;
        }
        let keys = by.iter().map(|key| key.values.clone());
        // How many rows a group has is told by its key as well: no other column has to be read for it.
        let reduced = aggregations.iter().map(|Aggregation { column, function, .. }| match function.as_str() {
            "size" => by[0].values.clone(),
            _ => column.values.clone(),
        });
        let mut inputs: Vec<Expression> = keys.chain(reduced).collect();
        let root = computed_first(&root, &mut inputs);
        let values = inputs.split_off(by.len());
        let keys: Vec<(PlSmallStr, Expression)> =
            inputs.into_iter().enumerate().map(|(at, key)| (key_name(at), key)).collect();
        let mut results = vec![];
        for (Aggregation { name, function, options, .. }, values) in aggregations.iter().zip(values) {
            let (values, function) = match function.as_str() {
                "count" if !values.domain.is_plain() => (values.unary(&root.scope, "notna")?, "sum"),
                function => (values, function),
            };
            values.check_reduction(function)?;
            let reduced = values.reduce(&root.scope, function, *options)?;
            results.push((PlSmallStr::from_str(name), reduced.of_group()));
        }
        let node = Arc::new(aggregate(&root, &keys, &results, sort, drop_missing));
        let level = |(at, key): (usize, &Column)| (key.name.clone(), node.column(&key_name(at)));
        let results = results.iter().map(|(name, _)| (name.clone(), node.column(name)));
        let (index, columns) = if as_index {
            let levels = by.iter().enumerate().map(level).map(|(name, values)| IndexLevel { name, values });
            (Index::Levels(levels.collect()), results.collect())
        } else {
            let named = by.iter().enumerate().map(level).enumerate().map(|(at, (name, values))| {
                (name.unwrap_or_else(|| PlSmallStr::from_string(format!("level_{at}"))), values)
            });
            (Index::Rows(None), named.chain(results).collect())
        };
        Self { root: node.clone(), index, columns: vec![] }.with(node, columns)
    }
}

/// A node that has what `inputs` compute for columns, and `inputs` as these columns: what several aggregations share is
/// computed once for them, and not once for each; and what looks at other rows looks at all of them, not at its group's.
fn computed_first(root: &Arc<Node>, inputs: &mut [Expression]) -> Arc<Node> {
    let is_plain = |values: &Expression| matches!(values.expr, tree::Expr::Column(_));
    if inputs.iter().all(is_plain) {
        return root.clone();
    }
    let mut columns: Vec<(PlSmallStr, Expression)> = vec![];
    for values in inputs.iter() {
        if columns.iter().all(|(_, known)| known.digest != values.digest) {
            columns.push((internal_name("input", columns.len()), values.clone()));
        }
    }
    let node = project(root, columns.clone());
    for values in inputs {
        let known = columns.iter().find(|(_, known)| known.digest == values.digest);
        let (name, _) = known.expect("every input was made a column");
        *values = node.column(name);
    }
    node
}

/// Integers among which some are missing are floats in pandas, and stay so as labels.
pub(crate) fn is_float_key(domain: &Domain) -> bool {
    domain.class() == DomainClass::Int && domain.missing
}

fn key_name(at: usize) -> PlSmallStr {
    internal_name("key", at)
}

/// The node of groups of the rows of `input`.
pub(crate) fn aggregate(
    input: &Arc<Node>,
    keys: &[(PlSmallStr, Expression)],
    results: &[(PlSmallStr, Expression)],
    sort: bool,
    drop_missing: bool,
) -> Node {
    let mut columns = vec![];
    for (name, key) in keys {
        let mut domain = key.domain.clone();
        domain.missing = domain.can_miss() && !drop_missing;
        domain.nan = false;
        if is_float_key(&key.domain) {
            domain.dtype = DataType::Float64;
        }
        columns.push((name.clone(), domain));
    }
    columns.extend(results.iter().map(|(name, result)| (name.clone(), result.domain.clone())));
    let flags = format!("{} {sort} {drop_missing}", keys.len());
    let mut words: Vec<&str> = vec![&flags];
    words.extend(results.iter().map(|(name, _)| name.as_str()));
    let parts = keys.iter().chain(results).map(|(_, it)| it.digest);
    let digests: Vec<u128> = std::iter::once(input.digest).chain(parts).collect();
    let operator = Operator::Aggregate {
        input: input.clone(),
        keys: keys.to_vec(),
        aggregations: results.to_vec(),
        sort,
        drop_missing,
    };
    Node::new(operator, columns, &words, digests)
}
