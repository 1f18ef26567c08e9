use super::frame::{ColumnOrValue, unify};
use super::{Frame, Index, IndexLevel, Node, Operator};
use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, common_dtype, digest_of};
use crate::logical::same;
use crate::table::index_column_name;
use polars::prelude::*;
use std::sync::Arc;

/// One column of a table of lazy scalars: its name, and a scalar for each row.
pub type Cells<'a> = (&'a str, Vec<ColumnOrValue>);

impl Frame {
    /// A table laid out from lazy scalars of this frame's rows, with `labels` for row labels.
    pub fn cells(&self, labels: &[&str], columns: &[Cells<'_>]) -> Result<Self> {
        let mut root = self.root.clone();
        let mut found = vec![];
        for (name, cells) in columns {
            if cells.len() != labels.len() {
                let (cells, labels) = (cells.len(), labels.len());
                return Err(FrameError::Value(format!("column `{name}` has {cells} cells for {labels} labels")));
            }
            let mut column = vec![];
            for cell in cells {
                column.push(match cell {
                    ColumnOrValue::Literal(literal) => Expression::literal(literal),
                    ColumnOrValue::Column(cell) if cell.is_scalar() => {
                        root = unify(&root, &cell.root)?;
                        cell.values.clone()
                    }
                    ColumnOrValue::Column(_) => return Err(FrameError::Type("a cell has to be one value".into())),
                });
            }
            found.push((PlSmallStr::from_str(name), column));
        }
        let node = Arc::new(node(&root, labels, found)?);
        let label = IndexLevel { name: None, values: node.column(&index_column_name(0)) };
        Ok(Self::over(node, Index::Levels(vec![label])))
    }
}

fn node(input: &Arc<Node>, labels: &[&str], mut columns: Vec<(PlSmallStr, Vec<Expression>)>) -> Result<Node> {
    let mut domains = vec![(index_column_name(0), Domain::full(DataType::String))];
    for (name, cells) in &mut columns {
        let domain = common_domain(cells)?;
        for cell in cells.iter_mut().filter(|cell| cell.domain.dtype != domain.dtype) {
            *cell = cell.cast(&input.scope, &domain.dtype)?;
        }
        domains.push((name.clone(), domain));
    }
    let names: Vec<PlSmallStr> = columns.iter().map(|(name, _)| name.clone()).collect();
    let words: Vec<&str> = labels.iter().copied().chain(names.iter().map(PlSmallStr::as_str)).collect();
    let cells = columns.iter().flat_map(|(_, cells)| cells.iter().map(|cell| cell.digest));
    let cells: Vec<u128> = std::iter::once(input.digest).chain(cells).collect();
    let digest = digest_of(&[], &cells);
    let labels = labels.iter().map(|label| PlSmallStr::from_str(label)).collect();
    Ok(Node::new(Operator::Cells { input: input.clone(), labels, columns }, domains, &words, [digest]))
}

fn common_domain(cells: &[Expression]) -> Result<Domain> {
    let Some(first) = cells.first() else { return Ok(Domain::full(DataType::Float64)) };
    let mut found = first.domain.clone();
    // One is there and the other isn't if one counts no rows.
    let alike = cells.len() == 1 || cells.iter().all(|cell| cell.fills_groups);
    for cell in &cells[1..] {
        same("a cell", &found, &cell.domain)?;
        let of_one_class = found.class() == cell.domain.class() || (found.is_numeric() && cell.domain.is_numeric());
        let truths = [found.class(), cell.domain.class()].iter().filter(|class| **class == DomainClass::Bool).count();
        if !of_one_class || truths == 1 {
            let (a, b) = (found.pandas_dtype(), cell.domain.pandas_dtype());
            return Err(FrameError::NotImplemented(format!("values of {a} and of {b} can't share a result yet")));
        }
        // Whether one of them comes to be missing, its type doesn't say.
        found.dtype = common_dtype(&found.clone().full_of_values(), &cell.domain.clone().full_of_values())?;
        found.missing |= cell.domain.missing;
        found.nan |= cell.domain.nan;
        found.magnitude = found.magnitude.max(cell.domain.magnitude);
    }
    found.all_or_none = false;
    Ok(if alike { found.whole() } else { found })
}
