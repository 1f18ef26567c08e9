//! A table that was computed as a whole, cut into partitions.

use super::StageOutput;
use crate::error::{FrameError, Result};
use crate::expression::{content_of, digest_of};
use crate::literal::Literal;
use crate::plan::divisions_by;
use crate::spill::unshared;
use crate::table::{FrameTable, index_column_name};
use polars::prelude::*;
use raskt_value::{Call, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a table is cut.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) enum Cut {
    /// Into so many slices of the same number of rows.
    Equal(usize),
    /// Into slices of these numbers of rows.
    Rows(Arc<[usize]>),
    /// Before these labels (and after the last).
    Labels {
        #[serde(with = "crate::wire::word")]
        column: PlSmallStr,
        divisions: Vec<Literal>,
    },
}

impl Cut {
    /// Where the partitions of `output` are, which is computed as a whole: as its plan says.
    pub(super) fn of(output: &StageOutput) -> Self {
        if let Some(rows) = output.node.partition_rows.as_ref().filter(|rows| rows.len() == output.node.partitions) {
            return Self::Rows(rows.clone());
        }
        let first = output.columns.first().filter(|(name, _)| *name == index_column_name(0) || *name == "values");
        if let Some((column, values)) = first
            && let Some(divisions) = divisions_by(&output.node, values)
            && divisions.len() == output.node.partitions + 1
        {
            return Self::Labels { column: column.clone(), divisions };
        }
        Self::Equal(output.node.partitions)
    }

    /// Whether its parts are the partitions that the plan knows of, not slices of equal size for want of them.
    pub(super) fn is_planned(&self) -> bool {
        !matches!(self, Self::Equal(_))
    }

    /// The hash of its content.
    pub(super) fn digest(&self) -> u128 {
        digest_of(&["cut"], &[content_of(self)])
    }

    /// How many parts there are.
    fn parts(&self) -> usize {
        match self {
            Self::Equal(count) => *count,
            Self::Rows(rows) => rows.len(),
            Self::Labels { divisions, .. } => divisions.len().saturating_sub(1),
        }
    }

    /// What is wrong with one that has come from elsewhere, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Rows(rows) if rows.iter().try_fold(0_usize, |sum, rows| sum.checked_add(*rows)).is_none() => {
                Err("more rows than can be counted".into())
            }
            _ if self.parts() == 0 => Err("a table that is cut into no parts".into()),
            _ => Ok(()),
        }
    }

    /// Part `at` of a table.
    fn part(&self, table: &DataFrame, at: usize) -> Result<DataFrame> {
        if at >= self.parts() {
            return Err(FrameError::Value(format!("there is no part {at}; there are {}", self.parts())));
        }
        match self {
            Self::Equal(count) => {
                let (base, longer) = (table.height() / count, table.height() % count);
                let start = at * base + at.min(longer);
                Ok(table.slice(start as i64, base + usize::from(at < longer)))
            }
            Self::Rows(rows) => Ok(table.slice(rows[..at].iter().sum::<usize>() as i64, rows[at])),
            Self::Labels { column, divisions } => between(table, column, divisions, at),
        }
    }
}

/// The rows whose labels lie from division `at` on, and below the next one; the last part has the last label as well. Those
/// of one part come before those of the next, which is checked: divisions that are said of rows may be wrong.
fn between(table: &DataFrame, column: &PlSmallStr, divisions: &[Literal], at: usize) -> Result<DataFrame> {
    let labels = table.column(column)?.as_materialized_series();
    let last = divisions.len() - 1;
    let start = if at == 0 { 0 } else { first_from(labels, &divisions[at])? };
    let stop = if at + 1 == last { labels.len() } else { first_from(labels, &divisions[at + 1])? };
    let (found, bounds) = (labels.slice(start as i64, stop.saturating_sub(start)), &divisions[at..=at + 1]);
    let above = match at + 1 == last {
        true => found.gt(&bound(&bounds[1])?)?,
        false => found.gt_eq(&bound(&bounds[1])?)?,
    };
    let outside = found.lt(&bound(&bounds[0])?)? | above | found.is_null();
    match outside.iter().position(|outside| outside == Some(true)) {
        Some(row) => Err(FrameError::Value(format!("the label {} lies outside of its division", found.get(row)?))),
        None => Ok(table.slice(start as i64, found.len())),
    }
}

/// The first of the labels that is no less than a division; those before it are less.
fn first_from(labels: &Series, division: &Literal) -> Result<usize> {
    let division = bound(division)?;
    let (mut low, mut high) = (0, labels.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match labels.slice(middle as i64, 1).gt_eq(&division)?.get(0) {
            Some(true) => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(low)
}

/// A label as a column of one row.
fn bound(label: &Literal) -> Result<Series> {
    Ok(label.value().to_engine()?.into_series(PlSmallStr::EMPTY))
}

/// The rows of a table in the order of the divisions that their labels lie between, those of each as they were.
pub(super) fn in_divisions(table: DataFrame, column: &PlSmallStr, divisions: &[Literal]) -> Result<DataFrame> {
    let labels = table.column(column)?.as_materialized_series();
    if labels.is_sorted(SortOptions::default().with_nulls_last(true))? {
        return Ok(table);
    }
    let mut order = Vec::with_capacity(table.height());
    put_in_divisions(labels, (0..table.height() as IdxSize).collect(), &divisions[1..divisions.len() - 1], &mut order)?;
    Ok(table.take(&IdxCa::from_vec(PlSmallStr::EMPTY, order))?)
}

/// Appends some rows in the order of the divisions that stand between them. Each is compared with as many as it takes to
/// halve them until none is left.
fn put_in_divisions(labels: &Series, rows: Vec<IdxSize>, between: &[Literal], order: &mut Vec<IdxSize>) -> Result<()> {
    if between.is_empty() || rows.is_empty() {
        order.extend(rows);
        return Ok(());
    }
    let middle = between.len() / 2;
    let from = labels.take_slice(&rows)?.gt_eq(&bound(&between[middle])?)?;
    let (above, below) = rows.iter().zip(from.iter()).partition::<Vec<_>, _>(|(_, from)| *from == Some(true));
    let rows_of = |pairs: Vec<(&IdxSize, Option<bool>)>| pairs.into_iter().map(|(row, _)| *row).collect();
    put_in_divisions(labels, rows_of(below), &between[..middle], order)?;
    put_in_divisions(labels, rows_of(above), &between[middle + 1..], order)
}

/// Cuts a table: task *i* gives part *i*.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Slice {
    pub cut: Cut,
    /// Whether the parts stay.
    pub stays: bool,
}

impl Kernel for Slice {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let part = self.cut.part(&FrameTable::of(&inputs[0])?.frame, call.index as usize)?;
        // A part that shared memory with the others could leave it only together with them.
        Ok(if self.stays { FrameTable::looked_at(unshared(&part)?) } else { FrameTable::from(part) }.into())
    }

    fn name(&self) -> String {
        "slice".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(cut: &Cut, count: usize) -> Vec<Vec<i64>> {
        let table = df!(index_column_name(0) => [1_i64, 2, 2, 5, 9]).unwrap();
        let labels = |at: usize| {
            let part = cut.part(&table, at).unwrap();
            part.columns()[0].i64().unwrap().into_no_null_iter().collect()
        };
        (0..count).map(labels).collect()
    }

    #[test]
    fn parts_are_cut_by_count_by_rows_and_by_labels() {
        assert_eq!(parts(&Cut::Equal(2), 2), [vec![1, 2, 2], vec![5, 9]]);
        assert_eq!(parts(&Cut::Rows(vec![1, 0, 4].into()), 3), [vec![1], vec![], vec![2, 2, 5, 9]]);
        let divisions = [0, 2, 5, 9].map(Literal::Int).to_vec();
        let cut = Cut::Labels { column: index_column_name(0), divisions };
        assert_eq!(parts(&cut, 3), [vec![1], vec![2, 2], vec![5, 9]]);
    }

    #[test]
    fn rows_are_put_in_the_order_of_divisions_and_keep_theirs_between_two() {
        let labels: Vec<Option<i64>> = (0..200).map(|at| (at % 11 != 3).then_some(at * 37 % 101)).collect();
        let rows: Vec<i64> = (0..200).collect();
        let table = df!(index_column_name(0) => labels.clone(), "row" => rows).unwrap();
        for bounds in [vec![0, 101], vec![0, 50, 101], (0..=101).collect(), vec![0, 1, 2, 99, 101], vec![0, 40, 40]] {
            let divisions: Vec<_> = bounds.iter().copied().map(Literal::Int).collect();
            let found = in_divisions(table.clone(), &index_column_name(0), &divisions).unwrap();
            let part = |row: &i64| {
                let label = labels[*row as usize];
                bounds[1..bounds.len() - 1].iter().filter(|bound| label.is_some_and(|label| label >= **bound)).count()
            };
            let mut expected: Vec<i64> = (0..200).collect();
            expected.sort_by_key(part);
            let found: Vec<i64> = found.column("row").unwrap().i64().unwrap().into_no_null_iter().collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_label_outside_of_the_divisions_is_told() {
        let table = df!(index_column_name(0) => [1_i64, 7]).unwrap();
        let cut = Cut::Labels { column: index_column_name(0), divisions: [0, 3, 5].map(Literal::Int).to_vec() };
        let error = cut.part(&table, 1).unwrap_err();
        assert_eq!(error.to_string(), "the label 7 lies outside of its division");
    }
}
