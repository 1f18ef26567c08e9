//! Whether nodes that have come from elsewhere are ones that plans are made of: what a query takes for granted of them.

use crate::domain::Domain;
use crate::plan::{JoinHow, Node, Operator};
use crate::table::index_column_name;
use polars::prelude::{DataType, PlSmallStr};
use std::sync::Arc;

/// What is wrong with a node, if anything.
pub(super) type Checked = Result<(), String>;

fn ensure(holds: bool, reason: &str) -> Checked {
    if holds { Ok(()) } else { Err(reason.into()) }
}

/// The most partitions that a layer has tasks for.
const PARTITIONS: usize = u32::MAX as usize;

/// What is wrong with a node whose inputs were checked, if anything.
pub(super) fn check(node: &Node) -> Checked {
    let name = node.operator.name();
    let checks = [check_columns(node), check_partitions(node), check_operator(node)];
    checks.into_iter().collect::<Checked>().map_err(|reason| format!("{name}: {reason}"))
}

/// It has the columns that its operator gives, each once.
fn check_columns(node: &Node) -> Checked {
    ensure(node.scope.len() == node.columns.len(), "two columns of one name")?;
    let own = |name: &PlSmallStr, dtype: &DataType| (name.clone(), dtype.clone());
    let of = |node: &Node| node.columns.iter().map(|(name, domain)| own(name, &domain.dtype)).collect::<Vec<_>>();
    let expected: Vec<(PlSmallStr, DataType)> = match &node.operator {
        Operator::Csv(_) | Operator::Parquet(_) | Operator::Memory(_) | Operator::External(_) => return Ok(()),
        Operator::Project { columns, .. } => {
            columns.iter().map(|(name, values)| own(name, &values.domain.dtype)).collect()
        }
        Operator::RowNumber { input, name } => [of(input), vec![own(name, &polars::prelude::IDX_DTYPE)]].concat(),
        Operator::Attach { input, from, names } => {
            let mut all = of(input);
            for (there, here) in names {
                all.push(own(here, known(from, there)?));
            }
            all
        }
        Operator::Filter { input, .. }
        | Operator::Sort { input, .. }
        | Operator::Slice { input, .. }
        | Operator::Top { input, .. }
        | Operator::Unique { input, .. }
        | Operator::Repartition { input }
        | Operator::Divided { input, .. } => of(input),
        Operator::Aggregate { keys, aggregations, .. } => {
            let key = |values: &Domain| match crate::plan::is_float_key(values) {
                true => DataType::Float64,
                false => values.dtype.clone(),
            };
            let keys = keys.iter().map(|(name, values)| (name.clone(), key(&values.domain)));
            keys.chain(aggregations.iter().map(|(name, values)| own(name, &values.domain.dtype))).collect()
        }
        Operator::Join(plan) if matches!(plan.how, JoinHow::LeftSemi | JoinHow::LeftAnti) => of(&plan.left),
        Operator::Join(plan) => {
            let indicator = plan.indicator.iter().map(|name| (name.clone(), crate::plan::indicator_dtype()));
            of(&plan.left).into_iter().chain(of(&plan.right)).chain(indicator).collect()
        }
        Operator::Concat { inputs } => {
            let first = inputs.first().ok_or("nothing to put together")?;
            let first = of(first);
            ensure(inputs.iter().all(|input| of(input) == first), "other columns than the first one has")?;
            first
        }
        Operator::Cells { columns, .. } => {
            let labels = std::iter::once((index_column_name(0), DataType::String));
            let cells = columns.iter().map(|(name, _)| Ok(own(name, known(node, name)?)));
            labels.map(Ok).chain(cells).collect::<Result<_, String>>()?
        }
    };
    ensure(expected == of(node), "other columns than it gives")
}

fn known<'a>(node: &'a Node, name: &PlSmallStr) -> Result<&'a DataType, String> {
    node.scope.get(name).ok_or_else(|| format!("there is no column `{name}`"))
}

/// Its partitions are made of those of its inputs, where they are computed one by one.
fn check_partitions(node: &Node) -> Checked {
    ensure((1..=PARTITIONS).contains(&node.partitions), "no partitions, or more than can be told apart")?;
    if let Some(rows) = &node.partition_rows {
        ensure(rows.len() == node.partitions, "numbers of rows of other partitions than there are")?;
        let sum = rows.iter().try_fold(0_usize, |sum, rows| sum.checked_add(*rows));
        ensure(sum.is_some_and(|sum| i64::try_from(sum).is_ok()), "more rows than can be counted")?;
    }
    match &node.operator {
        Operator::Csv(plan) => return plan.check(node.partitions, &node.columns),
        Operator::Parquet(plan) => return plan.opened.check_names(&plan.files, node.partitions),
        _ if !node.partitionwise => return Ok(()),
        _ => {}
    }
    let alike = |input: &&Arc<Node>| input.partitionwise && input.partitions == node.partitions;
    match &node.operator {
        Operator::External(_) | Operator::Memory(_) => Ok(()),
        Operator::Concat { inputs } => {
            let sum = inputs.iter().try_fold(0_usize, |sum, input| sum.checked_add(input.partitions));
            ensure(sum == Some(node.partitions), "other partitions than its inputs have together")?;
            ensure(inputs.iter().all(|input| input.partitionwise), "partitions of what is computed as a whole")
        }
        Operator::RowNumber { input, .. } => {
            ensure(alike(&input) && input.partition_rows.is_some(), "numbers of rows that aren't known")
        }
        Operator::Project { .. } | Operator::Attach { .. } | Operator::Filter { .. } | Operator::Divided { .. } => {
            ensure(node.inputs().iter().all(alike), "partitions that its inputs don't have")
        }
        Operator::Aggregate { input, .. } => ensure(alike(&input), "partitions that its input doesn't have"),
        _ => Err("partitions of what takes all rows".into()),
    }
}

/// What is said of the operator fits together.
fn check_operator(node: &Node) -> Checked {
    match &node.operator {
        Operator::Sort { by, options, .. } => {
            let alike = options.descending.len() == by.len() && options.nulls_last.len() == by.len();
            ensure(!by.is_empty() && alike, "keys without an order")
        }
        Operator::Top { by, .. } => ensure(!by.is_empty(), "no keys"),
        Operator::Unique { subset, .. } => ensure(!subset.is_empty(), "nothing that is to differ"),
        Operator::Aggregate { keys, .. } => ensure(!keys.is_empty(), "groups by nothing"),
        Operator::Join(plan) => {
            let (left, right) = (&plan.left, &plan.right);
            let there = plan.keys.iter().all(|(a, b)| left.scope.contains(a) && right.scope.contains(b));
            ensure(there, "keys that aren't there")?;
            ensure(plan.how == JoinHow::Cross || !plan.keys.is_empty(), "no keys")
        }
        Operator::Cells { labels, columns, .. } => {
            ensure(columns.iter().all(|(_, cells)| cells.len() == labels.len()), "cells without labels")
        }
        Operator::Divided { input, name, divisions, cut, .. } => {
            known(input, name)?;
            let bounds = divisions.as_ref().map(Vec::len);
            ensure(bounds.is_none_or(|bounds| bounds == node.partitions + 1), "divisions of other partitions")?;
            ensure(!cut || bounds.is_some(), "rows that are cut nowhere")
        }
        _ => Ok(()),
    }
}
