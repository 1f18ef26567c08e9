use super::{Frame, Index, Node, Operator};
use crate::domain::DomainClass;
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Extent, content_of, digest_of};
use crate::literal::Literal;
use crate::table::is_internal;
use crate::tree::Expr;
use polars::prelude::{DataType, PlSmallStr, TimeUnit};
use std::cmp::Ordering;
use std::sync::Arc;

impl Frame {
    /// The least label of each partition and the greatest of all, where that is known. Partition *i* has the labels from
    /// division *i* on that are less than the next one, and the last partition has the last division as well.
    pub fn divisions(&self) -> Option<Vec<Literal>> {
        match &self.index {
            Index::Rows(_) => numbers(self.root.partition_rows.as_deref()?),
            Index::Levels(levels) => match levels.as_slice() {
                [level] => divisions_by(&self.root, &level.values),
                _ => None,
            },
        }
    }

    /// Whether the labels are known to be in ascending order, missing ones last.
    pub fn in_order(&self) -> bool {
        match &self.index {
            Index::Rows(_) => true,
            Index::Levels(levels) => match levels.as_slice() {
                [level] => {
                    let ascends = || self.frequency().is_some_and(|step| !step.starts_with('-'));
                    ordered_by(&self.root, &level.values) || ascends()
                }
                _ => false,
            },
        }
    }

    /// How many rows come before those of partition `at`, if that is known and rows are numbered; else 0.
    pub fn rows_before(&self, at: usize) -> usize {
        self.root.partition_rows.as_ref().map_or(0, |rows| rows.iter().take(at).sum())
    }

    /// The same with numbered rows as labels that are columns: to be written, for example.
    pub fn labelled(&self) -> Result<Self> {
        self.numbered()
    }

    /// The hash of the rows: columns of frames with equal ones can be combined.
    pub fn rows_digest(&self) -> u128 {
        self.root.rows_of().digest
    }

    /// The hash of the row labels, whatever their names: of the same rows, frames with equal ones have equal labels.
    pub fn labels_digest(&self) -> u128 {
        match &self.index {
            Index::Rows(_) => digest_of(&["rows"], &[]),
            Index::Levels(levels) => {
                let digests: Vec<u128> = levels.iter().map(|level| level.values.digest).collect();
                digest_of(&["levels"], &digests)
            }
        }
    }

    /// The same rows in the same partitions, whose labels are said to lie so, and in ascending order if they are `sorted`;
    /// `None` says that nothing is known of it.
    pub fn divided(&self, divisions: Option<Vec<Literal>>, sorted: bool) -> Result<Self> {
        if let Some(divisions) = &divisions {
            let (own, given) = (self.root.partitions, divisions.len());
            if given != own + 1 {
                return Err(FrameError::Value(format!(
                    "{given} divisions for {own} partitions; it has to be one more"
                )));
            }
        }
        let (frame, name) = self.with_label_column()?;
        let rows = frame.root.partition_rows.clone();
        let node = divided_node(&frame.root, name, Divisions { labels: divisions, sorted, ..Divisions::default() });
        let partitionwise = frame.root.partitionwise;
        Ok(frame.moved(Node { partitionwise, ..node.with_rows(rows) }))
    }

    /// How far each label is from the next, in pandas' words, where all are equally far apart and it is known.
    pub fn frequency(&self) -> Option<PlSmallStr> {
        match &self.index {
            Index::Levels(levels) => match levels.as_slice() {
                [level] => frequency(&self.root, &plain_column(&level.values)?),
                _ => None,
            },
            Index::Rows(_) => None,
        }
    }

    /// The same rows, whose labels are said to be so far apart.
    pub fn stepped(&self, frequency: &str) -> Result<Self> {
        let (frame, name) = self.with_label_column()?;
        let (rows, partitionwise) = (frame.root.partition_rows.clone(), frame.root.partitionwise);
        let (labels, sorted) = (frame.divisions(), frame.in_order());
        let lie = Divisions { labels, frequency: Some(frequency.into()), sorted, cut: false };
        let node = divided_node(&frame.root, name, lie);
        Ok(frame.moved(Node { partitionwise, ..node.with_rows(rows) }))
    }

    /// The same rows, cut anew: partition *i* has the labels between division *i* and the next.
    pub fn cut(&self, divisions: Vec<Literal>) -> Result<Self> {
        let ascends = |pair: &[Literal]| matches!(compare(&pair[0], &pair[1]), Some(Ordering::Less | Ordering::Equal));
        let ordered = divisions.windows(2).all(ascends);
        if divisions.len() < 2 || !ordered {
            return Err(FrameError::Value("divisions have to be two labels or more, in ascending order".into()));
        }
        // Rows may change their order, of which columns that look at others are computed as it was.
        let looks_at_others = self.columns.iter().any(|(_, values)| !values.is_local());
        let rows = if looks_at_others && !self.in_order() { self.numbered()?.baked()? } else { self.clone() };
        let (frame, name) = rows.with_label_column()?;
        let partitions = divisions.len() - 1;
        let lie = Divisions { labels: Some(divisions), cut: true, ..Divisions::default() };
        let node = divided_node(&frame.root, name, lie);
        Ok(frame.moved(Node { partitions, ..node }))
    }

    /// The frame whose labels are a column of its node, and the name of that.
    fn with_label_column(&self) -> Result<(Self, PlSmallStr)> {
        let frame = self.numbered()?;
        let Index::Levels(levels) = &frame.index else { unreachable!("numbered rows have a level") };
        let [level] = levels.as_slice() else {
            return Err(FrameError::NotImplemented("row labels of several levels have no divisions".into()));
        };
        if let Some(name) = plain_column(&level.values) {
            return Ok((frame, name));
        }
        let baked = frame.baked()?;
        Ok((baked, crate::table::index_column_name(0)))
    }
}

/// What is said of labels by [`Operator::Divided`].
#[derive(Default, Hash)]
struct Divisions {
    labels: Option<Vec<Literal>>,
    frequency: Option<PlSmallStr>,
    sorted: bool,
    cut: bool,
}

fn divided_node(input: &Arc<Node>, name: PlSmallStr, lie: Divisions) -> Node {
    let what = content_of(&(&name, &lie));
    let columns = input.columns.clone();
    let Divisions { labels: divisions, frequency, sorted, cut } = lie;
    let operator = Operator::Divided { input: input.clone(), name, divisions, frequency, sorted, cut };
    let mut node = Node::new(operator, columns, &[], [what, input.digest]);
    node.partitions = input.partitions;
    node
}

/// The divisions of a node's rows by an expression over it.
pub(crate) fn divisions_by(node: &Node, values: &Expression) -> Option<Vec<Literal>> {
    if is_comparable(values) { divisions(node, &plain_column(values)?) } else { None }
}

/// The divisions by the column `name` of a node: they stay where rows keep their order and none is added.
fn divisions(node: &Node, name: &PlSmallStr) -> Option<Vec<Literal>> {
    match &node.operator {
        Operator::Memory(plan) if *name == crate::table::index_column_name(0) => plan.divisions.clone(),
        Operator::RowNumber { input, name: numbers_of } if name == numbers_of => {
            numbers(input.partition_rows.as_deref()?)
        }
        Operator::Divided { name: own, divisions, .. } if own == name => divisions.clone(),
        Operator::RowNumber { input, .. }
        | Operator::Filter { input, .. }
        | Operator::Attach { input, .. }
        | Operator::Divided { input, cut: false, .. } => divisions(input, name),
        Operator::Project { input, columns } => {
            let (_, values) = columns.iter().find(|(own, _)| own == name)?;
            divisions_by(input, values)
        }
        Operator::Concat { inputs } => {
            let parts: Option<Vec<_>> = inputs.iter().map(|input| divisions(input, name)).collect();
            one_after_another(parts?)
        }
        _ => None,
    }
}

/// The step between the labels `name` of a node: it stays where no row between two others goes.
fn frequency(node: &Node, name: &PlSmallStr) -> Option<PlSmallStr> {
    match &node.operator {
        Operator::Divided { name: own, frequency: Some(found), .. } if own == name => {
            (!found.is_empty()).then(|| found.clone())
        }
        Operator::RowNumber { input, .. }
        | Operator::Slice { input, .. }
        | Operator::Repartition { input }
        | Operator::Attach { input, .. }
        | Operator::Divided { input, .. } => frequency(input, name),
        Operator::Project { input, columns } => {
            let (_, values) = columns.iter().find(|(own, _)| own == name)?;
            frequency(input, &plain_column(values)?)
        }
        _ => None,
    }
}

impl Expression {
    /// Whether its value for a row depends on that row alone, or on none at all, as a literal's does. The numbers of rows
    /// read no column either, but depend on all rows before.
    pub(crate) fn is_local(&self) -> bool {
        self.extent == Extent::Rows || (self.extent.is_scalar() && self.leaves().is_empty())
    }
}

/// Whether labels are in the order that literals have: categories, for example, are in that of their codes.
fn is_comparable(values: &Expression) -> bool {
    use DomainClass::{Bool, Duration, Float, Int, Text, Time};
    matches!(values.domain.class(), Bool | Int | Float | Text | Time | Duration)
}

fn ordered_by(node: &Node, values: &Expression) -> bool {
    is_comparable(values) && plain_column(values).is_some_and(|name| ordered(node, &name))
}

/// Whether the rows of a node are in the order of the column `name`.
pub(crate) fn ordered(node: &Node, name: &PlSmallStr) -> bool {
    match &node.operator {
        Operator::RowNumber { name: own, .. } if own == name => true,
        Operator::Divided { name: own, sorted: true, .. } if own == name => true,
        // Known of labels alone, which were looked at.
        Operator::Memory(_) => divisions(node, name).is_some(),
        Operator::Sort { by, options, .. } => {
            let missing_last = || options.nulls_last.first() == Some(&true);
            matches!(by.first(), Some(Expr::Column(own)) if own.as_str() == name.as_str())
                && options.descending.first() == Some(&false)
                && (missing_last() || node.domain(name).is_some_and(|domain| !domain.can_miss()))
        }
        Operator::Aggregate { keys, sort, .. } => *sort && keys.first().is_some_and(|(own, _)| own == name),
        Operator::RowNumber { input, .. }
        | Operator::Filter { input, .. }
        | Operator::Slice { input, .. }
        | Operator::Repartition { input }
        | Operator::Attach { input, .. }
        | Operator::Divided { input, .. } => ordered(input, name),
        Operator::Project { input, columns } => {
            columns.iter().find(|(own, _)| own == name).is_some_and(|(_, values)| ordered_by(input, values))
        }
        Operator::Concat { inputs } => {
            divisions(node, name).is_some() && inputs.iter().all(|input| ordered(input, name))
        }
        _ => false,
    }
}

/// The column that an expression is, if it is nothing else; row numbers may be made signed on the way.
fn plain_column(values: &Expression) -> Option<PlSmallStr> {
    match &values.expr {
        Expr::Column(name) => Some(PlSmallStr::from_str(name)),
        Expr::Cast { input, .. } if values.domain.dtype == DataType::Int64 => match &**input {
            Expr::Column(name) if is_internal(name, "row") => Some(PlSmallStr::from_str(name)),
            _ => None,
        },
        _ => None,
    }
}

/// The divisions of all parts, where each begins above the end of the one before.
fn one_after_another(parts: Vec<Vec<Literal>>) -> Option<Vec<Literal>> {
    let mut found: Vec<Literal> = vec![];
    for part in parts {
        if let Some(end) = found.pop()
            && compare(&end, part.first()?)? != Ordering::Less
        {
            return None;
        }
        found.extend(part);
    }
    Some(found)
}

/// The order of two labels of one kind.
pub(crate) fn compare(a: &Literal, b: &Literal) -> Option<Ordering> {
    let in_nanoseconds = |value: i64, unit: &TimeUnit| {
        i128::from(value)
            * match unit {
                TimeUnit::Nanoseconds => 1,
                TimeUnit::Microseconds => 1_000,
                TimeUnit::Milliseconds => 1_000_000,
            }
    };
    match (a, b) {
        (Literal::Text(a), Literal::Text(b)) => Some(a.cmp(b)),
        (Literal::Bool(a), Literal::Bool(b)) => Some(a.cmp(b)),
        (Literal::Date(a), Literal::Date(b)) => Some(a.cmp(b)),
        (Literal::Int(a), Literal::Int(b)) => Some(a.cmp(b)),
        (Literal::UInt(a), Literal::UInt(b)) => Some(a.cmp(b)),
        (Literal::Int(_), Literal::UInt(_)) => Some(Ordering::Less),
        (Literal::UInt(_), Literal::Int(_)) => Some(Ordering::Greater),
        (Literal::Datetime(a, unit_a, zone_a), Literal::Datetime(b, unit_b, zone_b))
            if zone_a.is_some() == zone_b.is_some() =>
        {
            Some(in_nanoseconds(*a, unit_a).cmp(&in_nanoseconds(*b, unit_b)))
        }
        (Literal::Duration(a, unit_a), Literal::Duration(b, unit_b)) => {
            Some(in_nanoseconds(*a, unit_a).cmp(&in_nanoseconds(*b, unit_b)))
        }
        (Literal::Float(a), Literal::Float(b)) => a.partial_cmp(b),
        (Literal::Float(a), Literal::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Literal::Int(a), Literal::Float(b)) => (*a as f64).partial_cmp(b),
        _ => None,
    }
}

fn numbers(rows: &[usize]) -> Option<Vec<Literal>> {
    let total: usize = rows.iter().sum();
    let last = total.checked_sub(1)?;
    // The last label belongs to the last partition.
    rows.last().filter(|rows| **rows > 0)?;
    let mut found = vec![];
    let mut at = 0;
    for rows in rows {
        found.push(Literal::Int(at as i64));
        at += rows;
    }
    found.push(Literal::Int(last as i64));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_a_label_in_common_have_no_divisions_together() {
        let part = |labels: &[i64]| labels.iter().map(|label| Literal::Int(*label)).collect::<Vec<_>>();
        assert_eq!(one_after_another(vec![part(&[0, 3]), part(&[4, 6, 9])]), Some(part(&[0, 4, 6, 9])));
        assert_eq!(one_after_another(vec![part(&[0, 3]), part(&[3, 9])]), None);
    }

    #[test]
    fn labels_of_other_units_compare_as_times() {
        let (a, b) = (
            Literal::Datetime(1, TimeUnit::Milliseconds, None),
            Literal::Datetime(999_999, TimeUnit::Nanoseconds, None),
        );
        assert_eq!(compare(&a, &b), Some(Ordering::Greater));
        assert_eq!(compare(&a, &Literal::Int(1)), None);
    }
}
