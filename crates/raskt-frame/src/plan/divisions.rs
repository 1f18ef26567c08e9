use super::{Frame, Index, Node, Operator};
use crate::literal::Literal;
use polars::prelude::*;

impl Frame {
    /// The first label of each partition and the last of all, where that is known: labels are in order then.
    pub fn divisions(&self) -> Option<Vec<Literal>> {
        match &self.index {
            Index::Rows(_) => numbers(self.root.partition_rows.as_deref()?),
            Index::Levels(levels) => match levels.as_slice() {
                [level] => match level.values.leaves().as_slice() {
                    [name] => divisions(&self.root, name),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// How many rows come before those of partition `at`, if that is known and rows are numbered; else 0.
    pub fn rows_before(&self, at: usize) -> usize {
        self.root.partition_rows.as_ref().map_or(0, |rows| rows.iter().take(at).sum())
    }

    /// The same with numbered rows as labels that are columns: to be written, for example.
    pub fn labelled(&self) -> crate::error::Result<Self> {
        self.numbered()
    }

    /// The hash of the rows: columns of frames with equal ones can be combined.
    pub fn rows_digest(&self) -> u128 {
        self.root.rows_of().digest
    }
}

/// The divisions by the column `name` of a node: they stay where rows keep their partition.
fn divisions(node: &Node, name: &PlSmallStr) -> Option<Vec<Literal>> {
    match &node.operator {
        Operator::Memory(plan) if *name == crate::table::index_column_name(0) => plan.divisions.clone(),
        Operator::RowNumber { input, name: numbers_of } if name == numbers_of => {
            numbers(input.partition_rows.as_deref()?)
        }
        Operator::RowNumber { input, .. } | Operator::Filter { input, .. } | Operator::Attach { input, .. } => {
            divisions(input, name)
        }
        Operator::Project { input, columns } => {
            let (_, values) = columns.iter().find(|(own, _)| own == name)?;
            match values.leaves().as_slice() {
                [name] => divisions(input, name),
                _ => None,
            }
        }
        _ => None,
    }
}

fn numbers(rows: &[usize]) -> Option<Vec<Literal>> {
    let total: usize = rows.iter().sum();
    let last = total.checked_sub(1)?;
    let mut found = vec![];
    let mut at = 0;
    for rows in rows {
        found.push(Literal::Int(at as i64));
        at += rows;
    }
    found.push(Literal::Int(last as i64));
    Some(found)
}
